// Everything the measures need to know of the cells, as sums.
//
// A row's sums need its own cells only, and they are adjacent. A column's cells are scattered; how they are brought
// together depends on how many columns there are. Stretches of rows and buckets of columns depend on the data alone,
// so the sums have the same bits for any number of threads.
#pragma once

#include <optional>

#include "sums/totals.hpp"

namespace clusterdiff {

// What S_H needs, and whatever falls out of the same pass.
struct BasicSums {
    u128 mm = 0, aa = 0, bb = 0;     // sums of squares of cells, true and predicted sizes
    i64 true_max = 0, pred_max = 0;  // sum over clusters of their largest cell
    double s_h = 0, s_h_mean = 0, b3_recall = 0, b3_precision = 0;

    Buffer<ClusterScores> columns;  // kept for the second pass when there are few
};

// What needs the sizes of both clusters at each cell, and logarithms.
struct DetailSums {
    double h_true = 0, h_pred = 0, h_joint = 0, split_info = 0, merge_info = 0, mutual = 0, element = 0;
    double chi2 = 0, frobenius = 0;
    double s_pairs = 0, s_pairs_mean = 0, s_largest = 0, s_largest_mean = 0;
};

BasicSums basic_sums(const Cells& t, Run& run);

// Needs the basic sums when there are few columns, and makes them when there are many and nobody has asked before.
DetailSums detail_sums(const Cells& t, std::optional<BasicSums>& basic, Run& run);

}  // namespace clusterdiff
