// Sets of small integers as bits, and ranks within them.
#pragma once

#include <bit>

#include "base/memory.hpp"

namespace clusterdiff {

// Every worker fills its own set; they are united at the end.
class SlotSet {
  public:
    explicit SlotSet(i64 slots) : words_(Buffer<u64>::zeros((slots + 63) / 64)) {}
    void add(i64 slot) { words_[slot >> 6] |= u64{1} << (slot & 63); }
    bool has(i64 slot) const { return words_[slot >> 6] >> (slot & 63) & 1; }
    void unite(const SlotSet& other) {
        for (i64 w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
    }
    i64 count() const {
        i64 total = 0;
        for (i64 w = 0; w < words_.size(); ++w) total += std::popcount(words_[w]);
        return total;
    }

    // How many members are smaller than `slot`.
    i64 before(i64 slot) const {
        i64 total = 0;
        for (i64 w = 0; w < slot >> 6; ++w) total += std::popcount(words_[w]);
        if (slot & 63) total += std::popcount(words_[slot >> 6] & ((u64{1} << (slot & 63)) - 1));
        return total;
    }
    // The smallest member of a set that has one.
    i64 first() const {
        i64 w = 0;
        while (words_[w] == 0) ++w;
        return 64 * w + std::countr_zero(words_[w]);
    }
    // Ascending.
    Buffer<i64> members() const {
        Buffer<i64> out(count());
        i64* to = out.data();
        for (i64 w = 0; w < words_.size(); ++w)
            for (u64 rest = words_[w]; rest; rest &= rest - 1) *to++ = 64 * w + std::countr_zero(rest);
        return out;
    }

  private:
    friend class Ranks;
    Buffer<u64> words_;
};

// How many members of a set come before a given one.
class Ranks {
  public:
    explicit Ranks(const SlotSet& set) : words_(set.words_), before_(set.words_.size()) {
        for (i64 w = 0; w < words_.size(); ++w) {
            before_[w] = count_;
            count_ += std::popcount(words_[w]);
        }
    }
    i64 operator()(i64 slot) const {
        return before_[slot >> 6] + std::popcount(words_[slot >> 6] & ((u64{1} << (slot & 63)) - 1));
    }
    i64 count() const { return count_; }

  private:
    const Buffer<u64>& words_;
    Buffer<i64> before_;
    i64 count_ = 0;
};

}  // namespace clusterdiff
