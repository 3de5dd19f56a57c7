// From labels to rows or columns of a dense table.
#pragma once

#include <bit>
#include <optional>

#include "base/cells.hpp"
#include "base/codes.hpp"

namespace clusterdiff {

// Labels to rows or columns of the table; a label that was not foreseen gives a slot past the end. Coders come from a
// sample, and the check inside the counting loop is a branch that is never taken, which is free: one pass does it all.
class RangeCoder {
  public:
    explicit RangeCoder(Range r) : lo_(r.lo), slots_(r.span() + 1) {}
    // Differences within the type's own width do for signed labels too: a range has no more values than the type.
    template <class T>
    u64 operator()(T label) const {
        return static_cast<T>(label - static_cast<T>(lo_));
    }
    u64 slots() const { return slots_; }
    u64 label(i64 slot) const { return lo_ + static_cast<u64>(slot); }
    static constexpr bool unbroken = true;

  private:
    u64 lo_, slots_;
};

// A few arbitrary labels without a collision between them: one multiplication, one look, no branch to guess.
class PerfectCoder {
  public:
    // Nothing when there are too many keys, or the multipliers that are tried all fail.
    static std::optional<PerfectCoder> find(const std::vector<u64>& keys) {
        constexpr int kTries = 64, kMostBits = 17;
        const int bits = std::max(6, 2 * static_cast<int>(std::bit_width(keys.size())) - 1);  // one try in three succeeds, or more
        if (bits > kMostBits) return std::nullopt;
        PerfectCoder coder;
        coder.keys_ = keys;
        coder.shift_ = 64 - bits;
        for (u64 tried = 1; tried <= kTries; ++tried) {
            coder.multiplier_ = mix(tried) | 1;
            if (coder.fill()) return coder;
        }
        return std::nullopt;
    }
    u64 operator()(u64 label) const {
        const Slot& slot = slots_[(label * multiplier_) >> shift_];
        return slot.key == label ? slot.code : ~u64{0};
    }
    u64 slots() const { return keys_.size(); }
    u64 label(i64 slot) const { return keys_[static_cast<std::size_t>(slot)]; }
    static constexpr bool unbroken = false;

  private:
    struct Slot {
        u64 key, code;
    };
    bool fill() {
        slots_.assign(std::size_t{1} << (64 - shift_), Slot{0, ~u64{0}});
        for (std::size_t code = 0; code < keys_.size(); ++code) {
            Slot& slot = slots_[(keys_[code] * multiplier_) >> shift_];
            if (slot.code != ~u64{0}) return false;
            slot = {keys_[code], code};
        }
        return true;
    }

    std::vector<u64> keys_;
    std::vector<Slot> slots_;
    u64 multiplier_ = 1;
    int shift_ = 0;
};

class KeyCoder {
  public:
    explicit KeyCoder(const std::vector<u64>& keys) {
        for (u64 key : keys) table_.find_or_add(key);
    }
    u64 operator()(u64 label) const { return static_cast<u64>(static_cast<i64>(table_.find(label))); }
    u64 slots() const { return table_.keys().size(); }
    u64 label(i64 slot) const { return table_.keys()[static_cast<std::size_t>(slot)]; }
    static constexpr bool unbroken = false;

  private:
    KeyTable table_;
};

// The labels of the occupied slots, in order; the range itself when all slots are.
template <class Coder, class Occupied>
LabelList occupied_labels(const Coder& coder, i64 slots, i64 count, bool is_signed, Occupied&& occupied) {
    LabelList list;
    list.count = count;
    list.is_signed = is_signed;
    if (Coder::unbroken && count == slots) {
        list.lo = coder.label(0);
        return list;
    }
    Buffer<u64> labels(count);
    i64 next = 0;
    for (i64 slot = 0; slot < slots; ++slot)
        if (occupied(slot)) labels[next++] = coder.label(slot);
    list.list(std::move(labels));
    return list;
}

}  // namespace clusterdiff
