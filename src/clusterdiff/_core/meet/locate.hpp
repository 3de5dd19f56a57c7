// The cell of every point: label values to codes to cell; and the points of a few cells.
#pragma once

#include "base/cells.hpp"

namespace clusterdiff {

// Writes the cell of each point; false unless each cell has as many as it should have.
bool locate(const Cells& t, const Labels& truth, const Labels& pred, i32* out, Run& run);
bool locate(const Cells& t, const Labels& truth, const Labels& pred, i64* out, Run& run);

// The points of some cells, which are all different: those of the i-th are members[indptr[i], indptr[i + 1]), ascending.
struct CellMembers {
    Buffer<i64> indptr, members;
};
CellMembers members_of(const Cells& t, const Labels& truth, const Labels& pred, const i64* chosen, i64 count, Run& run);

}  // namespace clusterdiff
