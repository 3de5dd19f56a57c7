// Values of any kind to codes 0, 1, 2, ... by first appearance; -1 stands for null.
#pragma once

#include "hash.hpp"
#include "labels.hpp"

namespace clusterdiff {

struct Encoded {
    Buffer<i32> codes;       // [n]
    std::vector<i64> first;  // position of each code's first occurrence
};

// `null(i)`, `hash(i)` and `same(i, j)` describe the values. Hashes come in batches so that cache misses overlap.
template <class Null, class Hash, class Same>
Encoded encode(i64 n, Null&& null, Hash&& hash, Same&& same, Run& run) {
    Encoded out;
    out.codes = Buffer<i32>(n);
    CodeTable table;
    constexpr i64 batch = 32;
    u64 hashes[batch];
    for (i64 at = 0; at < n; at += batch) {
        if (at % (batch * 256) == 0) run.poll(0);
        const i64 count = std::min(batch, n - at);
        for (i64 i = 0; i < count; ++i) {
            if (null(at + i)) continue;
            hashes[i] = hash(at + i);
            table.prefetch(hashes[i]);
        }
        for (i64 i = 0; i < count; ++i) {
            const i64 point = at + i;
            if (null(point)) {
                out.codes[point] = -1;
                continue;
            }
            const i32 code = table.find_or_add(hashes[i], [&](i32 c) { return same(out.first[static_cast<std::size_t>(c)], point); });
            if (static_cast<std::size_t>(code) == out.first.size()) out.first.push_back(point);
            out.codes[point] = code;
        }
    }
    check_clusters(table.size(), "The input");
    return out;
}

inline Encoded encode_integers(const Labels& x, Run& run) {
    return encode(
        x.n, [](i64) { return false; }, [&](i64 i) { return mix(x[i]); }, [](i64, i64) { return true; }, run);
}

// A run of bytes for each value.
struct Bytes {
    const u8* data;
    i64 length;
};

template <class Null, class At>
Encoded encode_bytes(i64 n, Null&& null, At&& at, Run& run) {
    return encode(
        n, null,
        [&](i64 i) {
            const Bytes b = at(i);
            return hash_bytes(b.data, b.length);
        },
        [&](i64 i, i64 j) {
            const Bytes a = at(i), b = at(j);
            return a.length == b.length && std::memcmp(a.data, b.data, static_cast<std::size_t>(a.length)) == 0;
        },
        run);
}

}  // namespace clusterdiff
