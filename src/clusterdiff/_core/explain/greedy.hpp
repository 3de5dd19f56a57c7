// One-to-one matching of true with predicted clusters, cell by cell in a given order.
#pragma once

#include "base/labels.hpp"
#include "base/memory.hpp"

namespace clusterdiff {

// The places of the cells that are matched, ascending: a cell is, if no earlier one has its true or its predicted cluster.
std::vector<i64> greedy(const Labels& truth, const Labels& pred, i64 k_true, i64 k_pred, Run& run);

}  // namespace clusterdiff
