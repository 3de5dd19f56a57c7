// The meet of clusterings with few clusters: a dense table of counts, one pass over the labels.
#pragma once

#include "meet/coders.hpp"

namespace clusterdiff {

// Nothing when a label turns up that the coders do not know.
std::optional<Cells> meet_by_table(const Labels& t, const Labels& p, const RangeCoder& row_of, const RangeCoder& col_of, Run& run);
std::optional<Cells> meet_by_table(const Labels& t, const Labels& p, const PerfectCoder& row_of, const PerfectCoder& col_of, Run& run);
std::optional<Cells> meet_by_table(const Labels& t, const Labels& p, const KeyCoder& row_of, const KeyCoder& col_of, Run& run);

}  // namespace clusterdiff
