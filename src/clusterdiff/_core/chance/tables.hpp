// Random tables with given margins: what the meet of two clusterings with these cluster sizes looks like by chance.
#pragma once

#include <vector>

#include "base/cells.hpp"

namespace clusterdiff {

class TableSampler {
  public:
    // For as many draws as that; few are not worth a large table of factorials.
    TableSampler(const i64* true_sizes, i64 k_true, const i64* pred_sizes, i64 k_pred, i64 draws);

    // The table of one draw. Each has a stream of random numbers of its own: draws may be made in any order.
    Cells draw(u64 seed, u64 number, Run& run) const;

  private:
    class Random;
    double log_factorial(i64 x) const;
    i64 hypergeometric(i64 N, i64 K, i64 r, Random& random) const;

    std::vector<i64> true_sizes_, pred_sizes_;
    i64 n_ = 0;
    std::vector<double> log_factorials_;  // of the smaller numbers
};

}  // namespace clusterdiff
