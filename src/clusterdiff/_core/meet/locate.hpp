// The cell of every point: label values to codes to cell.
#pragma once

#include "base/cells.hpp"

namespace clusterdiff {

// Writes the cell of each point; false unless each cell has as many as it should have.
bool locate(const Cells& t, const Labels& truth, const Labels& pred, i32* out, Run& run);
bool locate(const Cells& t, const Labels& truth, const Labels& pred, i64* out, Run& run);

}  // namespace clusterdiff
