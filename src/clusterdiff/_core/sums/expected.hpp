// What two clusterings with given cluster sizes share by chance: the permutation model behind adjusted mutual
// information. Clusters of equal size behave alike, so the sums run over distinct sizes only.
#pragma once

#include "base/numeric.hpp"
#include "base/threads.hpp"

namespace clusterdiff {

// How many clusters of one side have a certain size.
struct SizeCount {
    i64 size, count;
};

// Expected values over all ways to lay the two clusterings over the points, in nats.
struct Expected {
    double mutual = 0;      // I(L, C)
    double split_info = 0;  // H(C | L)
    double merge_info = 0;  // H(L | C)
};

Expected expected_information(const std::vector<SizeCount>& truth, const std::vector<SizeCount>& pred, i64 n, Run& run);

}  // namespace clusterdiff
