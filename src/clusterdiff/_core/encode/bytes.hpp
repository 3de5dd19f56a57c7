// Text as a source of values, wherever it lies.
#pragma once

#include "encode/lexicon.hpp"

namespace clusterdiff {

// `null(i)`, `at(i)` -> Bytes, and `fetch(i)`, which asks for what `at(i)` is going to read.
template <class Null, class At, class Fetch>
struct BytesSource {
    Null is_null;
    At at;
    Fetch fetch;
    CLUSTERDIFF_INLINE Key key(i64 i) const {
        if (is_null(i)) return Key::null();
        const Bytes b = at(i);
        return Key::of_bytes(b.data, b.length, b.kind);
    }
    bool same(i64 i, i64 j) const {
        const Bytes a = at(i), b = at(j);
        return std::memcmp(a.data, b.data, static_cast<std::size_t>(a.length)) == 0;
    }
    void prefetch(i64 i) const { fetch(i); }
};

template <class Null, class At, class Fetch>
Encoded encode_bytes(i64 n, Null null, At at, Fetch fetch, Run& run) {
    return encode(n, BytesSource<Null, At, Fetch>{null, at, fetch}, run);
}

}  // namespace clusterdiff
