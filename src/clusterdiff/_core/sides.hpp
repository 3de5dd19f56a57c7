// One side of the comparison, reduced to 32-bit slots: the offset of a label in a small range, or the code of an
// arbitrary label.
#pragma once

#include "cells.hpp"
#include "hash.hpp"

namespace clusterdiff {

struct Side {
    Labels labels;
    u64 lo = 0;
    i64 slots = 0;      // slots lie in [0, slots)
    Buffer<u32> codes;  // one a point for arbitrary labels; empty for a small range
    Buffer<u64> keys;   // the label of each code

    bool coded() const { return !codes.empty(); }

    const u32* block(i64 at, i64 count, u64* scratch, u32* to) const {
        if (coded()) return codes.data() + at;
        const u64* x = labels.block(at, count, scratch);
        for (i64 i = 0; i < count; ++i) to[i] = static_cast<u32>(x[i] - lo);
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

// Codes by first appearance. Lookups are batched so that their cache misses overlap.
inline Side coded_side(const Labels& x, Run& run) {
    Side side;
    side.labels = x;
    side.codes = Buffer<u32>(x.n);
    std::vector<u64> keys;
    CodeTable table;
    constexpr i64 batch = 32;
    u64 scratch[batch], hashes[batch];
    for (i64 at = 0; at < x.n; at += batch) {
        if (at % (batch * 1024) == 0) run.poll(0);
        const i64 count = std::min(batch, x.n - at);
        const u64* key = x.block(at, count, scratch);
        for (i64 i = 0; i < count; ++i) {
            hashes[i] = mix(key[i]);
            table.prefetch(hashes[i]);
        }
        for (i64 i = 0; i < count; ++i) {
            // `mix` is a bijection: equal hashes are equal keys.
            const i32 code = table.find_or_add(hashes[i], [](i32) { return true; });
            if (static_cast<std::size_t>(code) == keys.size()) keys.push_back(key[i]);
            side.codes[at + i] = static_cast<u32>(code);
        }
    }
    check_clusters(table.size(), "One side");
    side.slots = table.size();
    side.keys = Buffer<u64>::copy(keys.data(), side.slots);
    return side;
}

}  // namespace clusterdiff
