#include "sweep/tree.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

namespace clusterdiff {

namespace {

struct Keyed {
    u64 key;
    u32 at;
};

// An integer that orders as the double does; -0.0 and 0.0 are the same.
u64 sortable(double x) {
    const u64 bits = std::bit_cast<u64>(x + 0.0), sign = u64{1} << 63;
    return bits & sign ? ~bits : bits | sign;
}

// The order of numbers, ties as they come: a radix sort, which skips digits that all of them share.
Buffer<u32> sorted(const double* x, i64 count, bool down, Run& run) {
    constexpr int kDigit = 11, kPasses = 6, kValues = 1 << kDigit;
    Buffer<Keyed> from(count), to(count);
    std::vector<std::array<i64, kValues>> counts(kPasses);
    for (i64 i = 0; i < count; ++i) {
        if ((i & 0xffff) == 0) run.poll();
        const u64 key = down ? ~sortable(x[i]) : sortable(x[i]);
        from[i] = {key, static_cast<u32>(i)};
        for (int p = 0; p < kPasses; ++p) ++counts[static_cast<std::size_t>(p)][key >> (kDigit * p) & (kValues - 1)];
    }
    for (int p = 0; p < kPasses; ++p) {
        auto& place = counts[static_cast<std::size_t>(p)];
        if (std::any_of(place.begin(), place.end(), [&](i64 c) { return c == count; })) continue;
        i64 at = 0;
        for (i64& c : place) at += std::exchange(c, at);
        run.each(0, count, [&](i64 i) { to[place[from[i].key >> (kDigit * p) & (kValues - 1)]++] = from[i]; });
        from.swap(to);
    }
    Buffer<u32> order(count);
    run.each(0, count, [&](i64 i) { order[i] = from[i].at; });
    return order;
}

Merges room(i64 merges) {
    Merges out;
    out.left = Buffer<i32>(merges), out.right = Buffer<i32>(merges);
    out.height = Buffer<double>(merges);
    out.link = Buffer<i64>(merges);
    return out;
}

void truncate(Merges& m, i64 merges) {
    m.left.truncate(merges), m.right.truncate(merges);
    m.height.truncate(merges);
    m.link.truncate(merges);
}

}  // namespace

Merges dendrogram(const i64* left, const i64* right, const double* height, i64 merges, Run& run) {
    const i64 points = merges + 1;
    Merges out = room(merges);
    Buffer<double> highest(merges);
    auto used = Buffer<u8>::zeros(points + merges);
    bool ascending = true;
    run.each(0, merges, [&](i64 k) {
        highest[k] = height[k];
        for (const i64 x : {left[k], right[k]}) {
            if (x < 0 || x >= points + k)
                throw BadValue("merge " + std::to_string(k) + " joins node " + std::to_string(x) + ", and there are only " +
                               std::to_string(points + k) + " by then");
            if (used[x]++) throw BadValue("merge " + std::to_string(k) + " joins node " + std::to_string(x) + ", which has been merged before");
            if (x >= points) highest[k] = std::max(highest[k], highest[x - points]);
        }
        ascending = ascending && (k == 0 || highest[k - 1] <= highest[k]);
    });
    // Ties stay in the order of the links: what a link joins comes before it.
    const Buffer<u32> order = ascending ? Buffer<u32>() : sorted(highest.data(), merges, false, run);
    Buffer<i32> place(ascending ? 0 : merges);
    run.each(0, order.size(), [&](i64 k) { place[order[k]] = static_cast<i32>(k); });
    auto node = [&](i64 x) { return static_cast<i32>(x < points || ascending ? x : points + place[x - points]); };
    run.each(0, merges, [&](i64 k) {
        const i64 link = ascending ? k : order[k];
        out.left[k] = node(left[link]), out.right[k] = node(right[link]);
        out.height[k] = highest[link];
        out.link[k] = link;
    });
    return out;
}

Merges spanning(const i32* left, const i32* right, const double* score, i64 pairs, i64 points, Run& run) {
    const Buffer<u32> order = sorted(score, pairs, true, run);
    const i64 most = std::min(pairs, std::max<i64>(points - 1, 0));
    Merges out = room(most);
    struct Set {
        i32 parent, size, node;
    };
    Buffer<Set> sets(points);
    run.each(0, points, [&](i64 i) { sets[i] = {static_cast<i32>(i), 1, static_cast<i32>(i)}; });
    auto find = [&](i32 x) {
        while (sets[x].parent != x) x = sets[x].parent = sets[sets[x].parent].parent;
        return x;
    };
    i64 merges = 0;
    for (i64 e = 0; e < pairs && merges < most; ++e) {
        if ((e & 0xffff) == 0) run.poll();
        if (e + 16 < pairs) prefetch(&left[order[e + 16]]), prefetch(&right[order[e + 16]]);
        if (e + 8 < pairs) prefetch(&sets[left[order[e + 8]]]), prefetch(&sets[right[order[e + 8]]]);
        const i64 pair = order[e];
        i32 a = find(left[pair]), b = find(right[pair]);
        if (a == b) continue;
        // The side of the pair's own left end stays on the left.
        out.left[merges] = sets[a].node, out.right[merges] = sets[b].node;
        out.height[merges] = score[pair];
        out.link[merges] = pair;
        if (sets[a].size < sets[b].size) std::swap(a, b);
        sets[b].parent = a;
        sets[a].size += sets[b].size;
        sets[a].node = static_cast<i32>(points + merges++);
    }
    truncate(out, merges);
    return out;
}

Merges pruned(const Tree& tree, const u8* keep, Run& run) {
    Merges out = room(tree.merges);
    Buffer<i32> to(tree.points + tree.merges);  // the new number of a node; -1 if nothing of it is kept
    i64 points = 0, merges = 0;
    run.each(0, tree.points, [&](i64 i) { to[i] = keep[i] ? static_cast<i32>(points++) : -1; });
    run.each(0, tree.merges, [&](i64 k) {
        const i32 a = to[tree.left[k]], b = to[tree.right[k]];
        if (a < 0 || b < 0) {
            to[tree.points + k] = std::max(a, b);
            return;
        }
        out.left[merges] = a, out.right[merges] = b;
        out.link[merges] = k;
        to[tree.points + k] = static_cast<i32>(points + merges++);
    });
    truncate(out, merges);
    return out;
}

Buffer<i32> cut(const Tree& tree, i64 count, Run& run) {
    Buffer<i32> label(tree.points + count);
    run.each(0, label.size(), [&](i64 x) { label[x] = -1; });
    // Downwards: a node that nothing has merged is a cluster of its own. First its parts learn who their root is.
    run.each(0, count, [&](i64 done) {
        const i64 k = count - 1 - done;
        const i32 root = label[tree.points + k] < 0 ? static_cast<i32>(tree.points + k) : label[tree.points + k];
        label[tree.left[k]] = label[tree.right[k]] = root;
    });
    Buffer<i32> number(tree.points + count);
    run.each(0, number.size(), [&](i64 x) { number[x] = -1; });
    i32 next = 0;
    run.each(0, tree.points, [&](i64 i) {
        const i32 root = label[i] < 0 ? static_cast<i32>(i) : label[i];
        if (number[root] < 0) number[root] = next++;
        label[i] = number[root];
    });
    label.truncate(tree.points);
    return label;
}

Leaves leaves(const Tree& tree, Run& run) {
    const i64 nodes = tree.points + tree.merges;
    Leaves out{Buffer<i32>(tree.points), Buffer<i32>(nodes), Buffer<i32>(nodes)};
    for (i64 x = 0; x < tree.points; ++x) out.size[x] = 1;
    for (i64 x = 0; x < nodes; ++x) out.start[x] = -1;
    run.each(0, tree.merges, [&](i64 k) { out.size[tree.points + k] = out.size[tree.left[k]] + out.size[tree.right[k]]; });
    i32 free = 0;
    run.each(0, nodes, [&](i64 done) {
        const i64 x = nodes - 1 - done;
        if (out.start[x] < 0) {  // a root
            out.start[x] = free;
            free += out.size[x];
        }
        if (x < tree.points) {
            out.order[out.start[x]] = static_cast<i32>(x);
            return;
        }
        const i32 a = tree.left[x - tree.points], b = tree.right[x - tree.points];
        out.start[a] = out.start[x];
        out.start[b] = out.start[x] + out.size[a];
    });
    return out;
}

}  // namespace clusterdiff
