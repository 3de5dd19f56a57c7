// What weighted cells add up to in the measures that compare a cell with all that lies around it.
#pragma once

#include "base/cells.hpp"
#include "base/threads.hpp"

namespace clusterdiff {

// With m, a, b, W the masses of a cell, its row, its column and the table. Differences of masses are taken before
// anything is rounded, and no sum has terms below 0: weights may lie as far apart as they like.
struct Weighed {
    double true_only = 0;  // sum of m (a - m) / 2, pairs of points that are together in `true` alone
    double pred_only = 0;  // sum of m (b - m) / 2
    double apart = 0;      // sum of m (W - a - b + m) / 2, pairs that are together in neither
    double mutual = 0;     // mutual information
    double chi2 = 0;       // Pearson's chi squared, over W
    double frobenius = 0;  // sum of (m / a) (b - m) / b + (m / b) (a - m) / a
};

// `mass` has one number >= 0 per cell; cells without any are no cells.
Weighed weighed(const Cells& t, const double* mass, Run& run);

}  // namespace clusterdiff
