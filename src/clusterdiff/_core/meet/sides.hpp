// One side of the comparison, reduced to 32-bit slots: the offset of a label in a small range, or the code of an
// arbitrary label.
#pragma once

#include <bit>

#include "base/cells.hpp"

namespace clusterdiff {

// Thrown when a label lies outside the range that was foreseen: guessed from a sample, or once true of all labels.
struct Unforeseen {};

struct Side {
    Labels labels;
    u64 lo = 0;
    i64 slots = 0;      // slots lie in [0, slots); a power of two for a range, so that one look at all bits tells
    Buffer<u32> codes;  // one per point for arbitrary labels; empty for a small range
    Buffer<u64> keys;   // the label of each code, ascending

    bool coded() const { return !keys.empty(); }

    const u32* block(i64 at, i64 count, u64* scratch, u32* to) const {
        if (coded()) return codes.data() + at;
        const u64* x = labels.block(at, count, scratch);
        u64 bits = 0;
        for (i64 i = 0; i < count; ++i) {
            const u64 slot = x[i] - lo;
            bits |= slot;
            to[i] = static_cast<u32>(slot);
        }
        if (bits >= static_cast<u64>(slots)) throw Unforeseen();
        return to;
    }
};

inline Side ranged_side(const Labels& x, Range r) {
    Side side;
    side.labels = x;
    side.lo = r.lo;
    side.slots = static_cast<i64>(std::bit_ceil(r.span() + 1));
    return side;
}

// The same from the range of a sample, with room for the extremes that it missed.
inline Side guessed_side(const Labels& x, Range sample) {
    const u64 room = sample.span() / 8, bias = order_bias(x);
    const bool near_zero = (sample.lo ^ bias) >= bias && sample.lo <= sample.span();
    const u64 lo = near_zero ? 0 : sample.lo - room;
    Side side = ranged_side(x, {lo, sample.hi});
    side.slots = static_cast<i64>(std::bit_ceil(sample.hi - lo + room + 1));
    return side;
}

// Ascending order of labels: the numbering that depends on nothing but the labels.
void sort_labels(std::vector<u64>& keys, const Labels& x);

struct Sample {
    std::vector<u64> keys;  // distinct labels
    i64 likely;             // how many there are likely to be in all
};

// Of up to `most` evenly spaced points.
Sample sample_labels(const Labels& x, i64 most);

// Codes of a side with arbitrary labels, not too many of them: every worker numbers what it meets, then the numbers
// are replaced by the ranks of the labels.
Side coded_side(const Labels& x, Run& run);

}  // namespace clusterdiff
