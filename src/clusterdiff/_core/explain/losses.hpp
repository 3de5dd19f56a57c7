// What clusters keep, what cells lose, and which lost most.
#pragma once

#include "base/cells.hpp"
#include "base/numbers.hpp"

namespace clusterdiff {

// The score of each true cluster by entropy: sum of m log m over its cells, beside a log a.
Buffer<double> entropy_scores(const Cells& t, Run& run);
// That of each predicted cluster, to the bit as the transposed table has it, without the memory for that.
Buffer<double> pred_entropy_scores(const Cells& t, Run& run);

// What each cell lost to splits and to merges: Shapley's shares of the two factors of 1 - s t, times its share of the mass.
struct CellLosses {
    Buffer<double> split, merge;
};

// `mass` has one entry per cell, null for its size; `split` and `merge` the scores of its two clusters.
CellLosses cell_losses(const Cells& t, const double* mass, double total, const double* split, const double* merge, Run& run);

// Where a side lacks points, the score of a cluster is `inner`, that of its shared points, times `kept`, what these are of
// it: what each cell lost to either factor on one side, true or `pred`; `others` are the scores of the other side's
// clusters. `kept` is null where all points are shared, and nothing is lost to it.
struct SideLosses {
    Buffer<double> inner, kept;
};

SideLosses side_losses(const Cells& t, const double* mass, double total, const double* inner, const double* kept, const double* others, bool pred, Run& run);

// How far each cell is off its cluster, and what it is charged of what the cluster lost.
struct Charges {
    Buffer<double> off, charged;
};

// The cells of cluster c are order[indptr[c]] ... order[indptr[c + 1] - 1]; `order` is null if they are in order. Of a
// cluster's cells, those of less mass than another have left it: they are off by 1. Each of k heaviest is off by
// 1 - 1/k. What all cells of a cluster lost is charged to them by mass times how far they are off.
Charges charges(const i64* indptr, i64 clusters, const i64* order, const double* mass, const double* lost, i64 cells, Run& run);

// The places of values in descending order, equal ones in theirs; NaN comes last.
Buffer<i64> descending(const double* x, i64 n, Run& run);

}  // namespace clusterdiff
