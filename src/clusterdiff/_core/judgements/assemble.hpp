// Judgements applied to a run: atoms that stay whole, put together again without uniting what is apart.
#pragma once

#include "base/memory.hpp"
#include "base/threads.hpp"

namespace clusterdiff {

// An atom's points by cluster, ascending, are its cells; it spans clusters if it has several. Atoms with a scope in common are
// apart.
struct Atoms {
    i64 count, clusters, scopes;
    const i64 *cell_start, *cluster, *points;  // [count + 1], [cells], [cells]
    const i64 *scope_start, *scope;            // [count + 1], [scopes of all atoms]

    bool spans(i64 atom) const { return cell_start[atom + 1] - cell_start[atom] > 1; }
};

// What decides the order: least points by their rank, of atoms and of clusters; and the sizes of clusters.
struct AtomOrder {
    const i64 *least, *cluster_least, *cluster_size;
};

// Scored links of two atoms in a cluster, the strongest first.
struct AtomLinks {
    i64 count = 0;
    const i64 *left = nullptr, *right = nullptr, *cluster = nullptr;
    const double* score = nullptr;
};

// The class of each atom, by one of its atoms. Atoms of a cluster are united where nothing holds them apart: first along
// links; then those that span nothing, the largest first, each into the first part of its cluster that takes it; then each
// cell of those that do, the largest first, with the part that has the strongest link to it, or else most points.
Buffer<i64> assemble(const Atoms& atoms, const AtomOrder& order, const AtomLinks& links, Run& run);

// For each cell, how many points of its cluster are in atoms that are apart from its own.
Buffer<i64> points_apart(const Atoms& atoms, Run& run);

}  // namespace clusterdiff
