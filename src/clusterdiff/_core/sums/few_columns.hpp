// Sums when the accumulators of all columns fit a cache: every stretch of rows has its own set of them, and the sets
// are added up in order.
#pragma once

#include "sums/totals.hpp"

namespace clusterdiff {

constexpr i64 kFewColumns = 16384;  // a megabyte of accumulators

// `scores` [k_pred] is filled for the second pass.
BasicTotals sum_few_columns(const Cells& t, ClusterScores* scores, Run& run);

DetailTotals detail_few_columns(const Cells& t, const ClusterScores* columns, Run& run);

}  // namespace clusterdiff
