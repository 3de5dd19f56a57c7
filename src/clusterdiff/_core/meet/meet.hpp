// Labels to meet.
#pragma once

#include "base/cells.hpp"

namespace clusterdiff {

// Of two arrays of equal length, at least 1.
Cells meet(const Labels& t, const Labels& p, Run& run);

}  // namespace clusterdiff
