// Sums and logarithms that keep their digits.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "base/common.hpp"

namespace clusterdiff {

// A sum that carries its own rounding error along (Knuth's two-sum).
struct Exactish {
    double high = 0, low = 0;
    void add(double x) {
        const double sum = high + x, part = sum - high;
        low += (high - (sum - part)) + (x - part);
        high = sum;
    }
    void add(const Exactish& other) {
        add(other.high);
        low += other.low;
    }
    double value() const { return high + low; }
};

// A mass in points: what scores exactly 1 is counted, the rest is summed.
struct Mass {
    i64 whole = 0;
    Exactish part;
    void add(const Mass& other) {
        whole += other.whole;
        part.add(other.part);
    }
    double over(i64 n) const { return (static_cast<double>(whole) + part.value()) / static_cast<double>(n); }
};

inline double to_double(u128 x) {
    const u64 high = static_cast<u64>(x >> 64), low = static_cast<u64>(x);
    return high ? static_cast<double>(x) : static_cast<double>(low);
}

// Sizes and their squares in 128 bits; x must not be negative.
inline u128 wide(i64 x) { return static_cast<u64>(x); }
inline u128 square(i64 x) { return wide(x) * wide(x); }

// m log m; small m from a table, since most cells are small.
class XLogX {
  public:
    XLogX() {
        table_[0] = 0;
        for (i64 m = 1; m < kSize; ++m) table_[static_cast<std::size_t>(m)] = compute(m);
    }
    double operator()(i64 m) const { return m < kSize ? table_[static_cast<std::size_t>(m)] : compute(m); }

  private:
    static double compute(i64 m) { return static_cast<double>(m) * std::log(static_cast<double>(m)); }
    static constexpr i64 kSize = 1024;
    std::array<double, kSize> table_;
};
inline const XLogX xlogx;

// m log(whole / m) for 1 <= m <= whole: exactly 0 for the whole, and no digits lost just below it.
inline double information(i64 m, i64 whole) {
    return static_cast<double>(m) * std::log1p(static_cast<double>(whole - m) / static_cast<double>(m));
}

// The two functions below share one scheme, that of the classic fdlibm logarithm, written without branches so that it
// vectorises. 1 + x = 2^k z with z in [sqrt(1/2), sqrt(2)), s = (z - 1) / (z + 1), and then
// log z = 2 atanh(s) = 2 s + 2 s^3 P(s^2), P(w) = 1/3 + w/5 + w^2/7 + ...; nine terms reach the last bit.
// For k = 0, s = x / (2 + x) is taken from x itself, so that small x keep all their digits.
namespace logarithm {

struct Reduced {
    double exponent;  // k
    double s, tail;   // tail: 2 s^3 P(s^2), without the factor 2 s^3 -> just P
    double rest;      // what rounding 1 + x lost, relative to 1 + x
};

inline Reduced reduce(double x) {
    constexpr u64 one = 0x3ff0000000000000, root_half = 0x3fe6a09e667f3bcd, fraction = 0x000fffffffffffff;
    const double sum = 1 + x;
    const u64 shifted = std::bit_cast<u64>(sum) + (one - root_half);
    // The exponent as a double, by placing it in the low bits of 2^52.
    const double k = std::bit_cast<double>((shifted >> 52) | 0x4330000000000000) - (4503599627370496.0 + 1023.0);
    const double z = std::bit_cast<double>((shifted & fraction) + root_half);
    const bool near_one = k == 0;
    const double over = near_one ? x : z - 1, under = near_one ? 2 + x : z + 1;
    const double s = over / under, w = s * s;
    double p = 1.0 / 19;
    p = p * w + 1.0 / 17;
    p = p * w + 1.0 / 15;
    p = p * w + 1.0 / 13;
    p = p * w + 1.0 / 11;
    p = p * w + 1.0 / 9;
    p = p * w + 1.0 / 7;
    p = p * w + 1.0 / 5;
    p = p * w + 1.0 / 3;
    const double lost = x > 1 ? 1 - (sum - x) : x - (sum - 1);
    return {k, s, p, lost / sum};
}

inline double combine(const Reduced& r) {
    constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
    const double cubic = 2 * r.s * (r.s * r.s) * r.tail;
    const double far = r.exponent * ln2_high + (2 * r.s + (cubic + (r.exponent * ln2_low + r.rest)));
    return r.exponent == 0 ? 2 * r.s + cubic : far;
}

}  // namespace logarithm

// log(1 + x) for x >= 0 or not too close to -1.
inline double log_one_plus(double x) { return logarithm::combine(logarithm::reduce(x)); }

// f(x) = (1 + x) log(1 + x) - x >= 0 for x > -1. Where the two terms would cancel, in terms of s nothing does:
// f = (2 s^2 + 2 s^3 (1 + s) P(s^2)) / (1 - s).
inline double excess(double x) {
    const logarithm::Reduced r = logarithm::reduce(x);
    const double w = r.s * r.s;
    const double near = (2 * w + 2 * r.s * w * (1 + r.s) * r.tail) / (1 - r.s);
    const double far = (1 + x) * logarithm::combine(r) - x;
    return r.exponent == 0 ? near : far;
}

// How many distinct values there are likely to be, if those of a sample were met so many times (Chao's estimate: values
// met once, against those met twice, tell of the values not met at all). Unlike the number of distinct values in the
// sample it is not misled by one value that half of the points have.
inline i64 likely_distinct(const std::vector<u32>& times) {
    double once = 0, twice = 0;
    for (u32 t : times) {
        once += t == 1;
        twice += t == 2;
    }
    return static_cast<i64>(static_cast<double>(times.size()) + once * (once - 1) / (2 * (twice + 1)));
}

}  // namespace clusterdiff
