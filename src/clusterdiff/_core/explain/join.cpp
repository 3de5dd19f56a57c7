#include "explain/join.hpp"

#include <algorithm>

#include "base/portable.hpp"

namespace clusterdiff {

// Union-find over the predicted clusters alone: a true cluster unites the columns of its row, and a row of one cell
// unites nothing. Components are numbered by their first true cluster.
Join join(const Cells& t, Run& run) {
    Join out;
    out.of_true = Buffer<i32>(t.k_true);
    out.of_pred = Buffer<i32>(t.k_pred);
    Buffer<i32> parent(t.k_pred);
    for (i64 c = 0; c < t.k_pred; ++c) parent[c] = static_cast<i32>(c);
    auto find = [&](i32 c) {
        while (parent[c] != c) c = parent[c] = parent[parent[c]];
        return c;
    };
    // The columns of a row may be anywhere: what is known of those of the rows to come is fetched early.
    constexpr i64 kAhead = 24;
    const i64 cells = t.indptr[t.k_true];
    auto ahead = [&](const Buffer<i32>& known, i64 q) { prefetch(&known[t.cols[std::min(q + kAhead, cells - 1)]]); };
    i64 since = 0;
    for (i64 row = 0; row < t.k_true; ++row) {
        const i64 begin = t.indptr[row], end = t.indptr[row + 1];
        for (i64 q = begin; q < end; ++q) ahead(parent, q);
        if (end - begin < 2) continue;
        i32 root = find(t.cols[begin]);
        for (i64 q = begin + 1; q < end; ++q) {
            if ((++since & 0xffff) == 0) run.poll();
            const i32 other = find(t.cols[q]);
            if (other == root) continue;
            // The smaller code becomes the root: the path stays short and the outcome does not depend on chance.
            if (other < root) {
                parent[root] = other;
                root = other;
            } else {
                parent[other] = root;
            }
        }
    }
    Buffer<i32> number(t.k_pred);
    for (i64 c = 0; c < t.k_pred; ++c) number[c] = -1;
    i32 next = 0;
    run.each(0, t.k_true, [&](i64 row) {
        if (t.indptr[row] == t.indptr[row + 1]) {  // an empty cluster of a hand-made table stands alone
            out.of_true[row] = next++;
            return;
        }
        ahead(parent, t.indptr[row]);
        ahead(number, t.indptr[row]);
        const i32 root = find(t.cols[t.indptr[row]]);
        if (number[root] < 0) number[root] = next++;
        out.of_true[row] = number[root];
    });
    run.each(0, t.k_pred, [&](i64 c) {
        const i32 root = find(static_cast<i32>(c));
        if (number[root] < 0) number[root] = next++;
        out.of_pred[c] = number[root];
    });
    out.count = next;
    return out;
}

}  // namespace clusterdiff
