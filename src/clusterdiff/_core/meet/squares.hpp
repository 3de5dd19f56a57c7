// Many clusterings of the same points, each with each.
#pragma once

#include <vector>

#include "base/labels.hpp"
#include "base/memory.hpp"
#include "base/threads.hpp"

namespace clusterdiff {

// Sums of the squares of the cells of every two of them, [count, count]; with itself, of the sizes of its clusters. All
// measures of pairs are made of these, so that no table of cells is kept.
Buffer<i64> squares(const std::vector<Labels>& sides, Run& run);

}  // namespace clusterdiff
