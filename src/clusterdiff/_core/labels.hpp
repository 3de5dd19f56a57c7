// A column of integer labels of any width, strided or not, read a block at a time as 64-bit values. Narrow types are
// widened block by block in cache, never as a whole.
#pragma once

#include <cstring>

#include "numeric.hpp"
#include "threads.hpp"

namespace clusterdiff {

enum class Kind { i8, i16, i32, i64, u8, u16, u32, u64 };

struct Labels {
    const char* data = nullptr;
    i64 n = 0;
    i64 stride = 0;  // bytes
    Kind kind = Kind::i64;

    bool is_signed() const { return kind <= Kind::i64; }
    i64 width() const { return i64{1} << (static_cast<int>(kind) & 3); }

    // Whether the array is contiguous and aligned, so that blocks can be handed out as pointers into it.
    bool plain() const { return stride == width() && reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(width()) == 0; }
    bool direct() const { return width() == 8 && plain(); }

    // Labels [at, at + count) as 64-bit patterns: sign-extended for signed types, zero-extended for unsigned ones.
    const u64* block(i64 at, i64 count, u64* scratch) const {
        const char* from = data + at * stride;
        if (direct()) return reinterpret_cast<const u64*>(from);
        switch (kind) {
            case Kind::i8: widen<std::int8_t>(from, count, scratch); break;
            case Kind::i16: widen<std::int16_t>(from, count, scratch); break;
            case Kind::i32: widen<std::int32_t>(from, count, scratch); break;
            case Kind::u8: widen<u8>(from, count, scratch); break;
            case Kind::u16: widen<u16>(from, count, scratch); break;
            case Kind::u32: widen<u32>(from, count, scratch); break;
            case Kind::i64:
            case Kind::u64: widen<u64>(from, count, scratch); break;
        }
        return scratch;
    }

    // Calls f with the block in the user's own type, or widened if the array is strided or unaligned.
    template <class F>
    auto visit_block(i64 at, i64 count, u64* scratch, F&& f) const {
        if (!plain()) return f(static_cast<const u64*>(block(at, count, scratch)));
        auto typed = [&](auto zero) { return f(reinterpret_cast<const decltype(zero)*>(data) + at); };
        switch (kind) {
            case Kind::i8: return typed(std::int8_t{});
            case Kind::i16: return typed(std::int16_t{});
            case Kind::i32: return typed(i32{});
            case Kind::u8: return typed(u8{});
            case Kind::u16: return typed(u16{});
            case Kind::u32: return typed(u32{});
            default: return typed(u64{});
        }
    }

    u64 operator[](i64 at) const {
        u64 scratch = 0;
        return *block(at, 1, &scratch);
    }

  private:
    template <class T>
    void widen(const char* from, i64 count, u64* to) const {
        if (stride == static_cast<i64>(sizeof(T))) {  // a constant stride lets the loop vectorise
            for (i64 i = 0; i < count; ++i) to[i] = get<T>(from + i * static_cast<i64>(sizeof(T)));
        } else {
            for (i64 i = 0; i < count; ++i) to[i] = get<T>(from + i * stride);
        }
    }
    template <class T>
    static u64 get(const char* p) {
        T x;
        std::memcpy(&x, p, sizeof x);  // the array may be unaligned
        return static_cast<u64>(static_cast<i64>(x));
    }
};

// The smallest and largest label. Offsets from `lo` are plain unsigned differences for signed and unsigned labels alike.
struct Range {
    u64 lo = 0, hi = 0;
    u64 span() const { return hi - lo; }  // number of values, less one
};

// Both signednesses compare as unsigned once the sign bit is flipped for signed ones.
inline u64 order_bias(const Labels& x) { return x.is_signed() ? u64{1} << 63 : 0; }

// SSE2 cannot compare 64-bit integers.
CLUSTERDIFF_CLONES inline void widen_range(const u64* x, i64 count, u64 bias, u64& lo, u64& hi) {
    const u64 flip = bias ^ (u64{1} << 63);  // vector units compare signed
    i64 low = static_cast<i64>(lo ^ flip), high = static_cast<i64>(hi ^ flip);
    for (i64 i = 0; i < count; ++i) {
        const i64 value = static_cast<i64>(x[i] ^ flip);
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    lo = static_cast<u64>(low) ^ flip;
    hi = static_cast<u64>(high) ^ flip;
}

inline Range range_of(const Labels& x, Run& run) {
    const i64 shard = i64{1} << 18;
    const i64 shards = (x.n + shard - 1) / shard;
    std::vector<Range> parts(static_cast<std::size_t>(shards));
    run.tasks(shards, [&](i64 s, int) {
        u64 scratch[kBlock];
        Range r{x[s * shard], x[s * shard]};
        for (i64 at = s * shard, end = std::min(x.n, at + shard); at < end; at += kBlock) {
            const i64 count = std::min(kBlock, end - at);
            widen_range(x.block(at, count, scratch), count, order_bias(x), r.lo, r.hi);
        }
        parts[static_cast<std::size_t>(s)] = r;
    });
    Range all = parts[0];
    const u64 bias = order_bias(x);
    for (const Range& r : parts) {
        if ((r.lo ^ bias) < (all.lo ^ bias)) all.lo = r.lo;
        if ((r.hi ^ bias) > (all.hi ^ bias)) all.hi = r.hi;
    }
    return all;
}

// The range of up to 2 * kBlock labels: the head and evenly spaced ones. A guess to be checked, never trusted.
inline Range sample_range(const Labels& x) {
    u64 scratch[kBlock];
    Range r{x[0], x[0]};
    const i64 head = std::min(kBlock, x.n);
    widen_range(x.block(0, head, scratch), head, order_bias(x), r.lo, r.hi);
    if (x.n > kBlock) {
        const i64 step = x.n / kBlock;
        i64 count = 0;
        for (i64 at = step - 1; at < x.n && count < kBlock; at += step) scratch[count++] = x[at];
        widen_range(scratch, count, order_bias(x), r.lo, r.hi);
    }
    return r;
}

}  // namespace clusterdiff
