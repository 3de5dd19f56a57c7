// The meet of clusterings with many clusters: points are partitioned by true cluster into buckets that fit the cache,
// and each bucket is sorted by row and counted there. The order of the points does not matter to the meet, so nothing
// is ever carried back to it.
#pragma once

#include "meet/feeds.hpp"

namespace clusterdiff {

// Both sides have slots; throws Unforeseen when a guessed one is wrong.
Cells meet_by_slot(Side& t, Side& p, Run& run);
// The true side has slots from `lo` on, the predicted one the codes that the records hold.
Cells meet_by_slot(Buffer<PredRecord>&& records, u64 lo, Side& t, Side& p, Run& run);

// The same for a true side of arbitrary labels.
Cells meet_by_label(const Labels& t, Side& p, Run& run);
Cells meet_by_label(Buffer<PredRecord>&& records, const Labels& t, Side& p, Run& run);

// Arbitrary predicted labels, many of them: partitioned by hash, each bucket numbered in cache. The records then hold
// codes, and `p` the labels behind them.
Buffer<PredRecord> code_predicted(const Labels& t, Side& p, Run& run);

}  // namespace clusterdiff
