// What each true cluster keeps of S_H, and what was lost to splits and merges: the sums that rankings are made of.
#pragma once

#include "base/cells.hpp"

namespace clusterdiff {

struct Kept {
    Buffer<double> kept;  // [k_true] sum of m s t over the cells of each true cluster
    double split = 0, merge = 0;  // sums of m (1 - s)(1 + t) / 2 and m (1 - t)(1 + s) / 2 over all cells
};

Kept kept_by_true(const Cells& t, Run& run);

}  // namespace clusterdiff
