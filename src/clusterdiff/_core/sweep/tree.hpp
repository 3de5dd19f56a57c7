// Trees of merges: how they come about, and what can be read off them.
#pragma once

#include "base/memory.hpp"
#include "base/threads.hpp"

namespace clusterdiff {

// Nodes 0 ... points - 1 are points, and node points + k is what merge k makes of left[k] and right[k]. Merges stand in
// the order in which they happen. There may be several roots.
struct Tree {
    i64 points = 0, merges = 0;
    const i32 *left = nullptr, *right = nullptr;
};

// A tree, the height at which each merge happens, and which of the links that it was made from brings it about.
struct Merges {
    Buffer<i32> left, right;
    Buffer<double> height;
    Buffer<i64> link;
};

// Nodes are numbered by 32 bits with a sign, and there are two for each point.
inline constexpr i64 kMaxLeaves = i64{1} << 30;

// The tree of a dendrogram: link k joins the nodes left[k] and right[k] and makes node points + k. It happens at the
// greatest height below it, so that a link that is lower than one of those before (an inversion) happens with that one.
Merges dendrogram(const i64* left, const i64* right, const double* height, i64 merges, Run& run);

// The tree of scored pairs of points, the highest score first: those pairs that join two clusters.
Merges spanning(const i32* left, const i32* right, const double* score, i64 pairs, i64 points, Run& run);

// The tree of those points that are kept, which are numbered anew in their order. A merge that joins nothing with any of
// them is left out; `link` says which merges of `tree` are left.
Merges pruned(const Tree& tree, const u8* keep, Run& run);

// The cluster of each point after the first `count` merges, numbered by first appearance.
Buffer<i32> cut(const Tree& tree, i64 count, Run& run);

// The points in an order in which every node is a run: that of node x begins at start[x] and has size[x] points.
struct Leaves {
    Buffer<i32> order, start, size;
};

Leaves leaves(const Tree& tree, Run& run);

}  // namespace clusterdiff
