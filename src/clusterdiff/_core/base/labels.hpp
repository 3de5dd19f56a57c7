// A column of integer labels of any width, strided or not, read a block at a time as 64-bit values. Narrow types are
// widened block by block in cache, never as a whole.
#pragma once

#include <cstring>

#include "base/numeric.hpp"
#include "base/threads.hpp"

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
        if (direct()) return reinterpret_cast<const u64*>(data + at * stride);
        widen(at, count, scratch);
        return scratch;
    }

    // Calls f with the block as unsigned integers of the labels' own width, or widened if the array is strided or
    // unaligned.
    template <class F>
    auto visit_block(i64 at, i64 count, u64* scratch, F&& f) const {
        if (!plain()) return f(static_cast<const u64*>(block(at, count, scratch)));
        auto typed = [&](auto zero) { return f(reinterpret_cast<const decltype(zero)*>(data) + at); };
        switch (width()) {
            case 1: return typed(u8{});
            case 2: return typed(u16{});
            case 4: return typed(u32{});
            default: return typed(u64{});
        }
    }

    u64 operator[](i64 at) const {
        const char* from = data + at * stride;
        switch (kind) {
            case Kind::i8: return get<std::int8_t>(from);
            case Kind::i16: return get<std::int16_t>(from);
            case Kind::i32: return get<i32>(from);
            case Kind::u8: return get<u8>(from);
            case Kind::u16: return get<u16>(from);
            case Kind::u32: return get<u32>(from);
            default: return get<u64>(from);
        }
    }

  private:
    void widen(i64 at, i64 count, u64* to) const;
    template <class T>
    void widen_from(const char* from, i64 count, u64* to) const;
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

Range range_of(const Labels& x, Run& run);

// The range of up to 2 * kBlock labels: the head and evenly spaced ones. A guess to be checked, never trusted.
Range sample_range(const Labels& x);

}  // namespace clusterdiff
