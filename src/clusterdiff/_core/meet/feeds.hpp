// What is partitioned: records of points, and the feeds that make them from labels.
#pragma once

#include "meet/sides.hpp"

namespace clusterdiff {

// Points whose predicted label is arbitrary are first partitioned by its hash; then `key` becomes a code.
struct PredRecord {
    u64 key, truth;
};

// Points with an arbitrary true label, on the way to their rows.
#pragma pack(push, 4)  // 12 bytes, not 16: records are written and read once each, and memory is what that costs
struct TrueRecord {
    u64 key;
    u32 col;
};
#pragma pack(pop)

struct FeedScratch {
    u64 wide[2][kBlock];
    u32 narrow[2][kBlock];
};

template <class A, class B>
struct Columns {
    const A* key;
    const B* other;
};

// Both sides have slots.
struct SlotFeed {
    const Side& t;
    const Side& p;
    using Scratch = FeedScratch;
    const u32* keys(i64 at, i64 count, Scratch& s) const { return t.block(at, count, s.wide[0], s.narrow[0]); }
    Columns<u32, u32> both(i64 at, i64 count, Scratch& s) const {
        return {keys(at, count, s), p.block(at, count, s.wide[1], s.narrow[1])};
    }
};

// True labels are arbitrary, the predicted side has slots.
struct TrueFeed {
    const Labels& t;
    const Side& p;
    using Scratch = FeedScratch;
    const u64* keys(i64 at, i64 count, Scratch& s) const { return t.block(at, count, s.wide[0]); }
    Columns<u64, u32> both(i64 at, i64 count, Scratch& s) const {
        return {keys(at, count, s), p.block(at, count, s.wide[1], s.narrow[1])};
    }
};

// Predicted labels first, true labels along.
struct PredFeed {
    const Labels& t;
    const Labels& p;
    using Scratch = FeedScratch;
    const u64* keys(i64 at, i64 count, Scratch& s) const { return p.block(at, count, s.wide[0]); }
    Columns<u64, u64> both(i64 at, i64 count, Scratch& s) const { return {keys(at, count, s), t.block(at, count, s.wide[1])}; }
};

// The same two once the predicted labels have codes: true slots (Key = u32, offsets from `lo`) or labels (Key = u64).
// Its records are not needed once they have been fed on.
template <class Key>
struct CodedFeed {
    Buffer<PredRecord> records;
    u64 lo, slots;  // true labels lay in [lo, lo + slots) when that was looked at
    struct Scratch {
        Key key[kBlock];
        u32 other[kBlock];
    };
    const Key* keys(i64 at, i64 count, Scratch& s) const {
        u64 bits = 0;
        for (i64 i = 0; i < count; ++i) {
            const u64 slot = records[at + i].truth - lo;
            bits |= slot;
            s.key[i] = static_cast<Key>(slot);
        }
        if constexpr (sizeof(Key) == 4)
            if (bits >= slots) throw Unforeseen();
        return s.key;
    }
    Columns<Key, u32> both(i64 at, i64 count, Scratch& s) const {
        for (i64 i = 0; i < count; ++i) {
            s.key[i] = static_cast<Key>(records[at + i].truth - lo);
            s.other[i] = static_cast<u32>(records[at + i].key);
        }
        return {s.key, s.other};
    }
};

}  // namespace clusterdiff
