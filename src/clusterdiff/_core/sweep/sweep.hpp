// What measures read of a clustering, at every merge of a tree.
#pragma once

#include "sweep/tree.hpp"

namespace clusterdiff {

// The sums after so many merges, one entry per level. m: cells, a and b: true and predicted clusters.
struct Levels {
    Buffer<double> s_h, split, merge;          // S_H; the mean split score and the mean merge score of the points
    Buffer<double> h_pred;                     // H(pred)
    Buffer<double> split_info, merge_info;     // H(pred | true), H(true | pred)
    Buffer<double> b3_recall, b3_precision;    // sum of m^2 / a, of m^2 / b, over n
    Buffer<i64> mm, bb, true_max, pred_max;    // sum of m^2, of b^2, of the largest cells on either side
    Buffer<i64> cells, clusters;
    Buffer<double> change;                     // of S_H by each merge; empty unless asked for
};

// truth[i] < rows is the true cluster of point i; ends[j], ascending, is how many merges have happened at level j.
Levels sweep(const i32* truth, i64 rows, const Tree& tree, const i64* ends, i64 levels, bool changes, Run& run);

}  // namespace clusterdiff
