// The cell of every point: label values to codes to cell.
#pragma once

#include "base/cells.hpp"

namespace clusterdiff {

// Writes the cell of each point; false when a point has a label or a pair of labels that the cells do not know.
bool locate(const Cells& t, const Labels& truth, const Labels& pred, i32* out, Run& run);
bool locate(const Cells& t, const Labels& truth, const Labels& pred, i64* out, Run& run);

}  // namespace clusterdiff
