// Labels to meet.
#pragma once

#include "meet/sorted.hpp"

namespace clusterdiff {

// Of two arrays of equal length, at least 1.
Cells meet(const Labels& t, const Labels& p, Run& run);

// The same cells, sooner, for one of many that are met with `t`; `sorted` has the points of `t`.
Cells meet(const Labels& t, const Labels& p, const Sorted* sorted, MeetScratch& scratch, Run& run);

}  // namespace clusterdiff
