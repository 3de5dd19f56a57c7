// Values of any kind to codes 0, 1, 2, ... by first appearance; -1 stands for null.
#pragma once

#include <vector>

#include "base/labels.hpp"
#include "base/memory.hpp"

namespace clusterdiff {

struct Encoded {
    Buffer<i32> codes;  // [n]
    Buffer<i64> first;  // position of each code's first occurrence
};

Encoded encode_integers(const Labels& x, Run& run);

// Text in fields of one width, padded with zeros, as NumPy has it: characters of 1 or 4 bytes.
struct FixedText {
    const u8* data = nullptr;
    i64 n = 0, stride = 0, width = 0;  // the last two in bytes
    i64 unit = 1;
};
Encoded encode_fixed(const FixedText& x, Run& run);

// A run of bytes; the kind tells apart equal bytes of different meaning.
struct Bytes {
    const u8* data;
    i64 length;
    u32 kind = 0;
};

// A validity bitmap as Arrow lays it out; without one nothing is null.
struct Validity {
    const u8* bits = nullptr;
    i64 offset = 0;
    bool null(i64 i) const { return bits && !(bits[(i + offset) >> 3] >> ((i + offset) & 7) & 1); }
};

// Of either width: which one is a branch that is always the same, next to a hash of every text.
struct Offsets {
    const i32* narrow = nullptr;
    const i64* wide = nullptr;
    i64 operator[](i64 i) const { return narrow ? narrow[i] : wide[i]; }
};

// Text i of an Arrow array is data[offsets[i], offsets[i + 1]).
Encoded encode_text(const Offsets& offsets, i64 n, Bytes data, Validity valid, Run& run);

// An Arrow view is its length, then up to 12 bytes in place, or a prefix, the number of a buffer and an offset into it.
struct Views {
    const u8* data = nullptr;
    i64 n = 0, stride = 0;
    std::vector<Bytes> buffers;
};
Encoded encode_views(const Views& views, Validity valid, Run& run);

}  // namespace clusterdiff
