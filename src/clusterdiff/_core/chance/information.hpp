// What two clusterings with given cluster sizes share by chance: the permutation model behind adjusted mutual
// information. Clusters of equal size behave alike, so the sums run over distinct sizes only.
#pragma once

#include "base/numeric.hpp"
#include "base/threads.hpp"
#include "chance/sizes.hpp"

namespace clusterdiff {

// Expected values over all ways to lay the two clusterings over the points, in nats.
struct Expected {
    double mutual = 0;      // I(L, C)
    double split_info = 0;  // H(C | L)
    double merge_info = 0;  // H(L | C)
    double split_loss = 0;  // what the mean split score of the points lacks to 1, by entropy
    double merge_loss = 0;  // likewise of the merge scores
};

Expected expected_information(const Sizes& truth, const Sizes& pred, i64 n, Run& run);

}  // namespace clusterdiff
