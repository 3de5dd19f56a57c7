// The points of a tree in an order in which every merge makes a run of them.
#pragma once

#include "sweep/tree.hpp"

namespace clusterdiff {

// Where the run of each merge begins, how many points it has, and the true cluster of the point at each place.
struct Layout {
    Buffer<i32> start, size, truth;
};

inline Layout lay_out(const i32* truth, const Tree& tree, Run& run) {
    const i64 n = tree.points;
    Layout out{Buffer<i32>(n + tree.merges), Buffer<i32>(tree.merges), Buffer<i32>(n)};
    constexpr i64 kAhead = 24;
    auto size_of = [&](i32 x) { return x < n ? 1 : out.size[x - n]; };
    for (i64 k = 0; k < tree.merges; ++k) {
        if ((k & 0xffff) == 0) run.poll();
        if (k + kAhead < tree.merges)
            for (const i32 x : {tree.left[k + kAhead], tree.right[k + kAhead]})
                if (x >= n) prefetch(&out.size[x - n]);
        out.size[k] = size_of(tree.left[k]) + size_of(tree.right[k]);
    }
    for (i64 x = 0; x < out.start.size(); ++x) out.start[x] = -1;
    i32 free = 0;
    for (i64 k = tree.merges; k-- > 0;) {
        if ((k & 0xffff) == 0) run.poll();
        if (k >= kAhead)
            for (const i32 x : {tree.left[k - kAhead], tree.right[k - kAhead]}) {
                prefetch(&out.start[x]);
                if (x >= n) prefetch(&out.size[x - n]);
            }
        i32& start = out.start[n + k];
        if (start < 0) {  // a root
            start = free;
            free += out.size[k];
        }
        out.start[tree.left[k]] = start;
        out.start[tree.right[k]] = start + size_of(tree.left[k]);
    }
    run.each(0, n, [&](i64 i) {
        if (i + kAhead < n && out.start[i + kAhead] >= 0) prefetch(&out.truth[out.start[i + kAhead]]);
        out.truth[out.start[i] < 0 ? free++ : out.start[i]] = truth[i];
    });
    return out;
}

}  // namespace clusterdiff
