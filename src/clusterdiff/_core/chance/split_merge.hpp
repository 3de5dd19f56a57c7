// What S_H comes to by chance: its mean over all ways to lay the two clusterings over the points.
#pragma once

#include "base/threads.hpp"
#include "chance/sizes.hpp"

namespace clusterdiff {

// A mean, and how many terms were summed for it: what the work is measured by.
struct Mean {
    double value;
    i64 terms;
};

// E[S_H], or if `lost` E[1 - S_H]: each is a sum of terms >= 0, so that neither loses digits where the other is near 1.
// Sizes ascend.
Mean expected_s_h(const Sizes& truth, const Sizes& pred, i64 n, bool lost, Run& run);

}  // namespace clusterdiff
