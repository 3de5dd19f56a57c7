// One-to-one matching of true with predicted clusters of the greatest total value, over the cells of a sparse table.
//
// Rows are matched one after the other along shortest augmenting paths (Jonker and Volgenant 1987), where a row may also
// stay unmatched. A search never leaves its component and stops at the best it can still gain, so a table of many small
// components costs little more than reading it. Whole numbers are matched exactly. Cells that share no cluster with
// another, as most do as a rule, need no search; the others are found once for all matchings of a table.
#pragma once

#include "base/cells.hpp"

namespace clusterdiff {

// The cells that share a cluster with another one, as compressed rows; columns are numbered as they come, so that those
// of neighbours lie together. If all cells of a table are such, there is no copy of them.
struct Contested {
    bool all = false;
    i64 columns = 0;
    Buffer<i64> indptr, place;  // of each cell its place in the table, ascending
    Buffer<i32> cols;
};

Contested contested(const Cells& t, Run& run);

// The matched cells, ascending. `values` has one entry per cell, none of them negative.
Buffer<i64> assign(const Cells& t, const Contested& some, const i64* values, Run& run);
Buffer<i64> assign(const Cells& t, const Contested& some, const double* values, Run& run);

}  // namespace clusterdiff
