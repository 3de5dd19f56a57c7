// Sums of link weights (distances) over the pairs of points inside each group; without weights, null, every point weighs 1.
#pragma once

#include "points/groups.hpp"

namespace clusterdiff {

// From a square matrix.
Buffer<double> link_sums_square(const Members& groups, const Numbers& d, const double* weights, Run& run);

// From the condensed vector of n (n - 1) / 2 entries.
Buffer<double> link_sums_condensed(const Members& groups, const Numbers& d, i64 n, const double* weights, Run& run);

}  // namespace clusterdiff
