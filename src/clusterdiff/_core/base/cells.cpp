#include "base/cells.hpp"

#include "base/codes.hpp"

namespace clusterdiff {

namespace {

// A row that makes it more cells than this since the last poll is gone through with polls.
constexpr i64 kOften = i64{1} << 16;

}  // namespace

Buffer<i64> Cells::true_sizes(Run& run) const {
    Buffer<i64> a(k_true);
    i64 since = 0;
    for (i64 row = 0; row < k_true; ++row) {
        i64 size = 0;
        const i64 begin = indptr[row], end = indptr[row + 1];
        if ((since += end - begin + 1) > kOften) {
            since = 0;
            run.each(begin, end, [&](i64 q) { size += sizes[q]; });
        } else {
            for (i64 q = begin; q < end; ++q) size += sizes[q];
        }
        a[row] = size;
    }
    return a;
}

Buffer<i64> Cells::pred_sizes(Run& run) const {
    auto b = Buffer<i64>::zeros(k_pred);
    run.each(0, count(), [&](i64 q) { b[cols[q]] += sizes[q]; });
    return b;
}

Cells checked_cells(const i64* indptr, i64 k_true, const i32* cols, const i64* sizes, i64 cells, i64 k_pred, Run& run) {
    if (cells < 1 || k_true < 1) throw BadValue("at least one cell is needed");
    if (k_pred < 1) throw BadValue("k_pred must be at least 1");
    check_clusters(k_true, "indptr");
    check_clusters(k_pred, "k_pred");
    if (indptr[0] != 0 || indptr[k_true] != cells)
        throw BadValue("indptr must start at 0 and end at the number of cells");
    // Which row last used a column: a second use in the same row would be the same cell twice.
    Buffer<i32> last(k_pred);
    for (i64 c = 0; c < k_pred; ++c) last[c] = -1;
    i64 n = 0, since = 0;
    for (i64 row = 0; row < k_true; ++row) {
        if (indptr[row + 1] < indptr[row] || indptr[row + 1] > cells) throw BadValue("indptr must not decrease");
        for (i64 q = indptr[row]; q < indptr[row + 1]; ++q) {
            if (cols[q] < 0 || cols[q] >= k_pred) throw BadValue("cols must lie in [0, k_pred)");
            if (sizes[q] < 1) throw BadValue("sizes must be at least 1");
            if (last[cols[q]] == row) throw BadValue("a row lists the same column twice");
            last[cols[q]] = static_cast<i32>(row);
            if (add_overflows(n, sizes[q])) throw BadValue("the sizes add up to 2^63 or more");
            if (++since == kOften) run.poll(0), since = 0;
        }
    }
    Cells t;
    t.n = n;
    t.k_true = k_true;
    t.k_pred = k_pred;
    t.indptr = Buffer<i64>::copy(indptr, k_true + 1);
    run.poll(0);
    t.cols = Buffer<i32>::copy(cols, cells);
    run.poll(0);
    t.sizes = Buffer<i64>::copy(sizes, cells);
    return t;
}

LabelList checked_labels(const Labels& x, i64 clusters, const char* name, Run& run) {
    if (x.n != clusters) throw BadValue(std::string(name) + " must have one entry per cluster");
    LabelList list;
    list.count = x.n;
    list.lo = x[0];
    list.is_signed = x.is_signed();
    bool unbroken = true;
    run.each(0, x.n, [&](i64 code) { unbroken &= x[code] == list.lo + static_cast<u64>(code); });
    if (unbroken) return list;
    list.values = Buffer<u64>(x.n);
    KeyTable seen;
    run.each(0, x.n, [&](i64 code) {
        list.values[code] = x[code];
        if (seen.find_or_add(x[code]) != code) throw BadValue(std::string(name) + " must not name two clusters alike");
    });
    return list;
}

LabelList copy_of(const LabelList& list) {
    LabelList to;
    to.count = list.count;
    to.lo = list.lo;
    to.is_signed = list.is_signed;
    if (!list.values.empty()) to.values = Buffer<u64>::copy(list.values.data(), list.values.size());
    return to;
}

Transposed transpose(const Cells& t, Run& run) {
    Transposed out;
    Cells& x = out.cells;
    x.n = t.n;
    x.k_true = t.k_pred;
    x.k_pred = t.k_true;
    x.indptr = Buffer<i64>::zeros(t.k_pred + 1);
    x.cols = Buffer<i32>(t.count());
    x.sizes = Buffer<i64>(t.count());
    if (t.pred_labels) x.true_labels = copy_of(*t.pred_labels);
    if (t.true_labels) x.pred_labels = copy_of(*t.true_labels);
    out.order = Buffer<i64>(t.count());
    run.each(0, t.count(), [&](i64 q) { ++x.indptr[t.cols[q] + 1]; });
    for (i64 c = 0; c < t.k_pred; ++c) x.indptr[c + 1] += x.indptr[c];
    Buffer<i64> next = Buffer<i64>::copy(x.indptr.data(), t.k_pred);
    i64 since = 0;
    for (i64 row = 0; row < t.k_true; ++row)
        for (i64 q = t.indptr[row]; q < t.indptr[row + 1]; ++q) {
            const i64 to = next[t.cols[q]]++;
            x.cols[to] = static_cast<i32>(row);
            x.sizes[to] = t.sizes[q];
            out.order[to] = q;
            if (++since == kOften) run.poll(0), since = 0;
        }
    return out;
}

}  // namespace clusterdiff
