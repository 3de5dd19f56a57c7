// What compilers spell differently, in one place. GCC and Clang are tested; MSVC takes the same fallbacks as any other
// compiler, and those can be tested everywhere by defining CLUSTERDIFF_PLAIN.
#pragma once

#include <bit>
#include <cstdint>

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define CLUSTERDIFF_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CLUSTERDIFF_ASAN 1
#endif
#endif
#if !defined(CLUSTERDIFF_ASAN)
#define CLUSTERDIFF_ASAN 0
#endif

// Vector units beyond the baseline are chosen when the library is loaded; the results have the same bits without them.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && !CLUSTERDIFF_ASAN && !defined(CLUSTERDIFF_PLAIN)
#define CLUSTERDIFF_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CLUSTERDIFF_CLONES
#endif

namespace clusterdiff {

// For what is done for every point, and must not be a call: its result would be written and read again.
#if defined(_MSC_VER)
#define CLUSTERDIFF_INLINE __forceinline
#else
#define CLUSTERDIFF_INLINE inline __attribute__((always_inline))
#endif

// Asks for a cache line that is read soon. The address need not be valid.
inline void prefetch(const void* address) {
#if defined(CLUSTERDIFF_PLAIN)
    static_cast<void>(address);
#elif defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(address);
    __asm__ volatile("");  // GCC leaves out calls of functions that only ask for memory, since they change nothing
#elif defined(_M_X64) || defined(_M_IX86)
    _mm_prefetch(static_cast<const char*>(address), _MM_HINT_T0);
#elif defined(_M_ARM64)
    __prefetch(address);
#else
    static_cast<void>(address);
#endif
}

#if defined(__SIZEOF_INT128__) && !defined(CLUSTERDIFF_PLAIN)

__extension__ using u128 = unsigned __int128;

#else

// As much of a 128-bit unsigned integer as the core uses.
class u128 {
  public:
    constexpr u128() = default;
    constexpr u128(std::uint64_t x) : low_(x) {}

    constexpr u128& operator+=(const u128& o) {
        low_ += o.low_;
        high_ += o.high_ + (low_ < o.low_);
        return *this;
    }
    friend constexpr u128 operator+(u128 a, const u128& b) { return a += b; }
    friend constexpr u128 operator-(const u128& a, const u128& b) {
        return {a.high_ - b.high_ - (a.low_ < b.low_), a.low_ - b.low_};
    }
    // Four products of halves.
    friend constexpr u128 operator*(const u128& a, const u128& b) {
        const std::uint64_t a0 = a.low_ & kHalf, a1 = a.low_ >> 32, b0 = b.low_ & kHalf, b1 = b.low_ >> 32;
        const std::uint64_t lowest = a0 * b0, cross = a1 * b0 + (lowest >> 32), middle = a0 * b1 + (cross & kHalf);
        return {a1 * b1 + (cross >> 32) + (middle >> 32) + a.high_ * b.low_ + a.low_ * b.high_, middle << 32 | (lowest & kHalf)};
    }
    friend constexpr u128 operator>>(const u128& a, int by) {
        if (by == 0) return a;
        if (by >= 64) return {0, a.high_ >> (by - 64)};
        return {a.high_ >> by, a.high_ << (64 - by) | a.low_ >> by};
    }
    friend constexpr bool operator==(const u128&, const u128&) = default;
    friend constexpr bool operator<(const u128& a, const u128& b) { return a.high_ != b.high_ ? a.high_ < b.high_ : a.low_ < b.low_; }
    friend constexpr bool operator<=(const u128& a, const u128& b) { return !(b < a); }

    explicit constexpr operator std::uint64_t() const { return low_; }
    // The nearest double: 64 leading bits, the last of which stands for all that follow, are rounded but once.
    explicit constexpr operator double() const {
        if (!high_) return static_cast<double>(low_);
        const int shift = 64 - std::countl_zero(high_);
        const u128 top = *this >> shift;
        const bool rest = (shift == 64 ? low_ : low_ << (64 - shift)) != 0;
        double scale = 1;
        for (int i = 0; i < shift; ++i) scale *= 2;
        return static_cast<double>(top.low_ | rest) * scale;
    }

  private:
    constexpr u128(std::uint64_t high, std::uint64_t low) : low_(low), high_(high) {}
    static constexpr std::uint64_t kHalf = 0xffffffff;
    std::uint64_t low_ = 0, high_ = 0;
};

#endif

// Adds to a sum; true when the result does not fit, and the sum then means nothing.
inline bool add_overflows(std::int64_t& sum, std::int64_t x) {
    const std::int64_t before = sum;
    sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(before) + static_cast<std::uint64_t>(x));
    return ((before ^ sum) & (x ^ sum)) < 0;
}
inline bool add_overflows(u128& sum, const u128& x) {
    sum += x;
    return sum < x;
}

}  // namespace clusterdiff
