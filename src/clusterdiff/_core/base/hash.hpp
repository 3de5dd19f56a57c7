// Hashing of integers and of bytes.
#pragma once

#include <cstring>

#include "base/common.hpp"

namespace clusterdiff {

// A bijection on 64 bits whose every output bit depends on every input bit (two rounds of xor-shift and multiply).
inline u64 mix(u64 x) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ull;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ull;
    x ^= x >> 32;
    return x;
}

// One wide multiplication, folded: the mixing step of wyhash.
inline u64 fold(u64 a, u64 b) {
    const u128 product = static_cast<u128>(a) * b;
    return static_cast<u64>(product) ^ static_cast<u64>(product >> 64);
}

// A cheaper hash for tables that compare keys anyway: one wide multiplication, folded.
inline u64 fold_hash(u64 key) {
    return fold(key, 0x9e3779b97f4a7c15ull);
}

inline u64 read8(const u8* p) {
    u64 x;
    std::memcpy(&x, p, 8);
    return x;
}

inline u64 read4(const u8* p) {
    u32 x;
    std::memcpy(&x, p, 4);
    return x;
}

// What stands for a value while it gets its code: short text, and integers, whole, so that comparing two of them looks
// at nothing else; long text as a hash and a length, to be compared where it lies.
struct Key {
    u64 a = 0, b = 0;
    u32 tag = 0;

    static constexpr u32 kNull = ~u32{0}, kLong = u32{1} << 31;
    static Key null() { return {0, 0, kNull}; }

    bool is_null() const { return tag == kNull; }
    bool is_whole() const { return !(tag & kLong); }
    u64 hash() const { return fold(k1 ^ tag, fold(a ^ k1, b ^ k0)); }
    bool operator==(const Key&) const = default;

    // Text of up to 16 bytes is kept whole. `kind` (0 to 7) tells apart equal bytes of different meaning.
    CLUSTERDIFF_INLINE static Key of_bytes(const u8* p, i64 length, u32 kind) {
        const u32 tag = kind << 5 | static_cast<u32>(length);
        if (length > 16) return {long_hash(p, length), static_cast<u64>(length), kLong | kind};
        // The two reads overlap and cover everything; the length in the tag says how.
        if (length >= 8) return {read8(p), read8(p + length - 8), tag};
        if (length >= 4) return {read4(p), read4(p + length - 4), tag};
        if (length > 0) return {u64{p[0]} | u64{p[length >> 1]} << 8 | u64{p[length - 1]} << 16, 0, tag};
        return {0, 0, tag};
    }

    static u64 long_hash(const u8* p, i64 length) {
        u64 state = k0 ^ (static_cast<u64>(length) * k2);
        i64 left = length;
        for (; left > 16; left -= 16, p += 16) state = fold(read8(p) ^ k1, read8(p + 8) ^ state);
        return fold(read8(p + left - 16) ^ k1, read8(p + left - 8) ^ state);
    }

  private:
    static constexpr u64 k0 = 0xa0761d6478bd642full, k1 = 0xe7037ed1a0b428dbull, k2 = 0x8ebc6af09c88c6e3ull;
};

}  // namespace clusterdiff
