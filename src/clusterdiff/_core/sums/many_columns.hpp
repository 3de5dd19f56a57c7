// Sums when there are many columns: the cells are partitioned by column into buckets, and each bucket is summed in
// cache. Most rows of such a table have one cell. Their records are small, since the row's score is 1 and its size the
// cell's; and where the column is whole too, the cell needs no floating-point arithmetic at all.
#pragma once

#include "sums/totals.hpp"

namespace clusterdiff {

BasicTotals sum_many_columns(const Cells& t, Run& run);

// Adds what the first pass gives to `basic` on the way.
DetailTotals detail_many_columns(const Cells& t, BasicTotals& basic, Run& run);

}  // namespace clusterdiff
