// The join: connected components of the bipartite graph whose edges are the cells.
#pragma once

#include "base/cells.hpp"

namespace clusterdiff {

struct Join {
    Buffer<i32> of_true, of_pred;  // component of each cluster
    i64 count = 0;
};

Join join(const Cells& t, Run& run);

}  // namespace clusterdiff
