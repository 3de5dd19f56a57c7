// One clustering that is met with many: its points are sorted by cluster once.
#pragma once

#include <optional>

#include "meet/sides.hpp"

namespace clusterdiff {

// The points of a side by ascending label, those of one label in their order.
struct Sorted {
    LabelList labels;
    Buffer<i32> order;
    Buffer<i64> start;  // [clusters + 1] where the points of each label begin in it
};

// Nothing if the labels have no small range, or if there are too many of them.
std::optional<Sorted> sorted_points(const Labels& x, Run& run);

// What a thread needs to meet one after the other.
struct MeetScratch {
    Buffer<u32> slots, counts, cols;
    Buffer<i64> sizes;
};

// The same cells in the same order as those of meet_by_slot.
Cells meet_sorted(const Sorted& t, Side& p, MeetScratch& scratch, Run& run);

}  // namespace clusterdiff
