// The part of a table where the clusterings differ. A true cluster that is a predicted one, with nobody lost from either,
// takes part in no repair, and of most tables such clusters are the larger part.
#pragma once

#include <vector>

#include "explain/repairs.hpp"

namespace clusterdiff {

// Clusters and cells are renumbered in their order; `rows`, `columns` and `places` have their old numbers.
struct Differing {
    Cells cells;
    std::vector<i64> rows, columns, places;
    std::vector<double> mass, entropy;      // of the cells, empty where every point weighs 1
    std::vector<i64> missing, spurious;     // the clusters of lost points
    double unit = 1.0, total = 0.0;         // the mass of all points, those left out included
    double sound = 0.0;                     // the mass of those left out
    double share = 1.0;                     // how much of all cells that differ these are
    const double *missing_weights = nullptr, *spurious_weights = nullptr;

    CellWeights weights() const { return {mass.empty() ? nullptr : mass.data(), entropy.empty() ? nullptr : entropy.data(), unit}; }
    LostPoints lost_true() const { return {missing.data(), missing_weights, static_cast<i64>(missing.size())}; }
    LostPoints lost_pred() const { return {spurious.data(), spurious_weights, static_cast<i64>(spurious.size())}; }
};

// The same in batches of whole components, since these do not concern each other: each fits a core's cache, and they can
// be looked at side by side. Where points are lost, what is gained in one component depends on all: one batch.
std::vector<Differing> in_batches(Differing whole, Run& run);

Differing differing(const Cells& t, const CellWeights& weights, const LostPoints& missing, const LostPoints& spurious, Run& run);

}  // namespace clusterdiff
