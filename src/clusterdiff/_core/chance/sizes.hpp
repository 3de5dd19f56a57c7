// The sizes of the clusters of one side, which is all that chance depends on.
#pragma once

#include <vector>

#include "base/common.hpp"

namespace clusterdiff {

// How many clusters of one side have a certain size; where sizes are left to chance too, how many on average.
struct SizeCount {
    i64 size;
    double count;
};

// Distinct sizes, each with its count.
using Sizes = std::vector<SizeCount>;

}  // namespace clusterdiff
