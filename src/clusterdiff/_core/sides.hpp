// One side of the comparison, reduced to 32-bit slots: the offset of a label in a small range, or the code of an
// arbitrary label.
#pragma once

#include <bit>

#include "cells.hpp"
#include "hash.hpp"

namespace clusterdiff {

// Thrown when a label lies outside the range that was guessed from a sample.
struct Unforeseen {};

struct Side {
    Labels labels;
    u64 lo = 0;
    i64 slots = 0;         // slots lie in [0, slots)
    bool guessed = false;  // whether that is to be checked; `slots` is then a power of two
    Buffer<u32> codes;     // one a point for arbitrary labels; empty for a small range
    Buffer<u64> keys;      // the label of each code, ascending

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
        if (guessed && bits >= static_cast<u64>(slots)) throw Unforeseen();
        return to;
    }
};

inline Side ranged_side(const Labels& x, Range r) {
    Side side;
    side.labels = x;
    side.lo = r.lo;
    side.slots = static_cast<i64>(r.span()) + 1;
    return side;
}

// The same from the range of a sample, with room for the extremes that it missed.
inline Side guessed_side(const Labels& x, Range sample) {
    const u64 room = sample.span() / 8, bias = order_bias(x);
    const bool near_zero = (sample.lo ^ bias) >= bias && sample.lo <= sample.span();
    const u64 lo = near_zero ? 0 : sample.lo - room;
    Side side = ranged_side(x, {lo, sample.hi});
    side.slots = static_cast<i64>(std::bit_ceil(sample.hi - lo + room + 1));
    side.guessed = true;
    return side;
}

// The codes of a few arbitrary labels: a small open-addressing table from key to code, at most a
// quarter full: a lookup that finds its key at once is a lookup whose branches are predicted.
class KeyTable {
  public:
    KeyTable() { resize(1024); }

    u32 find_or_add(u64 key) {
        const u64 hash = fold_hash(key);
        for (u64 p = hash & mask_;; p = (p + 1) & mask_) {
            Slot& slot = slots_[p];
            if (slot.code < 0) {
                slot = {key, static_cast<i32>(keys_.size())};
                keys_.push_back(key);
                if (4 * keys_.size() > slots_.size()) resize(4 * slots_.size());
                return static_cast<u32>(keys_.size() - 1);
            }
            if (slot.key == key) return static_cast<u32>(slot.code);
        }
    }

    // -1 when absent.
    i32 find(u64 key) const {
        for (u64 p = fold_hash(key) & mask_;; p = (p + 1) & mask_) {
            const Slot& slot = slots_[p];
            if (slot.code < 0 || slot.key == key) return slot.code;
        }
    }

    const std::vector<u64>& keys() const { return keys_; }

  private:
    struct Slot {
        u64 key;
        i32 code = -1;
    };
    void resize(std::size_t capacity) {
        slots_.assign(capacity, Slot{0, -1});
        mask_ = capacity - 1;
        for (std::size_t code = 0; code < keys_.size(); ++code) {
            u64 p = fold_hash(keys_[code]) & mask_;
            while (slots_[p].code >= 0) p = (p + 1) & mask_;
            slots_[p] = {keys_[code], static_cast<i32>(code)};
        }
    }

    std::vector<Slot> slots_;
    std::vector<u64> keys_;
    u64 mask_ = 0;
};

// Ascending order of labels: the numbering that depends on nothing but the labels.
inline void sort_labels(std::vector<u64>& keys, const Labels& x) {
    const u64 bias = order_bias(x);
    std::sort(keys.begin(), keys.end(), [bias](u64 a, u64 b) { return (a ^ bias) < (b ^ bias); });
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

struct Sample {
    std::vector<u64> keys;  // distinct labels
    i64 likely;             // how many there are likely to be in all
};

// Of up to `most` evenly spaced points.
inline Sample sample_labels(const Labels& x, i64 most) {
    KeyTable table;
    std::vector<u32> times;
    const i64 step = std::max<i64>(1, x.n / most);
    for (i64 at = 0; at < x.n; at += step) {
        const u32 code = table.find_or_add(x[at]);
        if (code == times.size()) times.push_back(0);
        ++times[code];
    }
    return {table.keys(), likely_distinct(times)};
}

// Codes of a side with arbitrary labels, not too many of them: every worker numbers what it meets, then the numbers
// are replaced by the ranks of the labels.
inline Side coded_side(const Labels& x, Run& run) {
    Side side;
    side.labels = x;
    side.codes = Buffer<u32>(x.n);
    const int team = run.threads();
    auto begin_of = [&](int worker) { return worker == team ? x.n : x.n / team * worker; };
    std::vector<KeyTable> tables(static_cast<std::size_t>(team));
    run.workers(team, [&](int worker) {
        u64 scratch[kBlock];
        KeyTable table;
        for (i64 at = begin_of(worker), end = begin_of(worker + 1); at < end; at += kBlock) {
            run.poll(worker);
            const i64 count = std::min(kBlock, end - at);
            const u64* key = x.block(at, count, scratch);
            for (i64 i = 0; i < count; ++i) side.codes[at + i] = table.find_or_add(key[i]);
        }
        tables[static_cast<std::size_t>(worker)] = std::move(table);
    });
    std::vector<u64> all;
    for (const KeyTable& table : tables) all.insert(all.end(), table.keys().begin(), table.keys().end());
    sort_labels(all, x);
    check_clusters(static_cast<i64>(all.size()), "One side");
    side.slots = static_cast<i64>(all.size());
    side.keys = Buffer<u64>::copy(all.data(), side.slots);
    KeyTable rank;
    for (u64 key : all) rank.find_or_add(key);
    run.workers(team, [&](int worker) {
        std::vector<u32> code;
        for (u64 key : tables[static_cast<std::size_t>(worker)].keys()) code.push_back(static_cast<u32>(rank.find(key)));
        for (i64 at = begin_of(worker), end = begin_of(worker + 1); at < end; ++at) side.codes[at] = code[side.codes[at]];
    });
    return side;
}

}  // namespace clusterdiff
