// One-to-one matching of true with predicted clusters of the greatest total value, over the cells of a sparse table.
//
// Rows are matched one after the other along shortest augmenting paths (Jonker and Volgenant 1987), where a row may also
// stay unmatched. A search never leaves its component and stops at the best it can still gain, so a table of many small
// components costs little more than reading it. Whole numbers are matched exactly.
#pragma once

#include "base/cells.hpp"

namespace clusterdiff {

// The matched cells, ascending. `values` has one entry per cell, none of them negative.
std::vector<i64> assign(const Cells& t, const i64* values, Run& run);
std::vector<i64> assign(const Cells& t, const double* values, Run& run);

}  // namespace clusterdiff
