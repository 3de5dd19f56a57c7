// Few levels of a tree: all merges between two of them happen at once.
#pragma once

#include "sweep/sweep.hpp"

namespace clusterdiff {

// Fills in all levels but for what each merge changes.
void sweep_batches(const i32* truth, i64 rows, const Tree& tree, const i64* ends, i64 levels, Levels& out, Run& run);

}  // namespace clusterdiff
