// What clusters keep, what cells lose, and which lost most.
#pragma once

#include "base/cells.hpp"
#include "base/numbers.hpp"

namespace clusterdiff {

// The score of each true cluster by entropy: sum of m log m over its cells, beside a log a.
Buffer<double> entropy_scores(const Cells& t, Run& run);

// What each cell lost to splits and to merges: Shapley's shares of the two factors of 1 - s t, times its share of the mass.
struct CellLosses {
    Buffer<double> split, merge;
};

// `mass` has one entry per cell, null for its size; `split` and `merge` the scores of its two clusters.
CellLosses cell_losses(const Cells& t, const double* mass, double total, const double* split, const double* merge, Run& run);

// The places of values in descending order, equal ones in theirs; NaN comes last.
Buffer<i64> descending(const double* x, i64 n, Run& run);

}  // namespace clusterdiff
