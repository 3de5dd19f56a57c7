// Fractions added, subtracted and multiplied without rounding: whole multiples of a power of two, a few words long.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/common.hpp"

namespace clusterdiff {

// std::ldexp, for most powers in a single multiplication.
inline double times_power(double x, int power) {
    if (power < -1022 || power > 1023) return std::ldexp(x, power);
    return x * std::bit_cast<double>(static_cast<u64>(power + 1023) << 52);
}

// A whole number from 0 to 2^(64 kWords) - 1, lowest word first. Nothing here checks for overflow: see `Unit`.
template <int kWords>
struct Fixed {
    std::array<u64, kWords> word{};

    Fixed& operator+=(const Fixed& o) {
        u64 carry = 0;
        for (int i = 0; i < kWords; ++i) {
            const u64 partial = word[i] + carry;
            carry = partial < carry;
            word[i] = partial + o.word[i];
            carry += word[i] < partial;
        }
        return *this;
    }
    Fixed& operator-=(const Fixed& o) {
        u64 borrow = 0;
        for (int i = 0; i < kWords; ++i) {
            const u64 partial = word[i] - borrow;
            borrow = partial > word[i];
            word[i] = partial - o.word[i];
            borrow += word[i] > partial;
        }
        return *this;
    }
    friend Fixed operator+(Fixed a, const Fixed& b) { return a += b; }
    friend Fixed operator-(Fixed a, const Fixed& b) { return a -= b; }
    friend bool operator<(const Fixed& a, const Fixed& b) {
        for (int i = kWords; i-- > 0;)
            if (a.word[i] != b.word[i]) return a.word[i] < b.word[i];
        return false;
    }
    friend Fixed<2 * kWords> operator*(const Fixed& a, const Fixed& b) {
        Fixed<2 * kWords> out;
        for (int i = 0; i < kWords; ++i) {
            if (!a.word[i]) continue;
            u64 carry = 0;
            for (int j = 0; j < kWords; ++j) {
                const u128 sum = u128(a.word[i]) * u128(b.word[j]) + u128(out.word[i + j]) + u128(carry);
                out.word[i + j] = static_cast<u64>(sum);
                carry = static_cast<u64>(sum >> 64);
            }
            out.word[i + kWords] = carry;
        }
        return out;
    }

    // The nearest double, times 2^power: 64 leading bits, the last of which stands for all that follow.
    double times(int power) const {
        int top = kWords - 1;
        while (top > 0 && !word[top]) --top;
        if (top == 0) return times_power(static_cast<double>(word[0]), power);
        const int shift = std::countl_zero(word[top]);
        u64 bits = shift ? word[top] << shift | word[top - 1] >> (64 - shift) : word[top];
        bool rest = shift ? (word[top - 1] << shift) != 0 : word[top - 1] != 0;
        for (int i = top - 1; i-- > 0;) rest |= word[i] != 0;
        return times_power(static_cast<double>(bits | rest), power + 64 * top - shift);
    }
};

// The power of two that doubles are multiples of: the largest that is exact for all of them, or else the least in which
// their sum still fits.
class Unit {
  public:
    // Not negative, finite.
    void see(double x) {
        if (x <= 0) return;
        const int exponent = std::ilogb(x);
        least_ = std::min(least_, exponent - 52);
        most_ = std::max(most_, exponent + 1);
        ++count_;
    }
    // How many bits their sum has.
    int bits() const { return count_ ? most_ - least_ + carries() : 0; }

    // The power, for numbers of this many words; what is below it is cut off.
    int power(int words) const { return count_ ? std::max(least_, most_ + carries() - 64 * words) : 0; }

  private:
    int carries() const { return static_cast<int>(std::bit_width(count_)); }

    int least_ = 4096, most_ = -4096;
    u64 count_ = 0;
};

template <int kWords>
Fixed<kWords> fixed(double x, int power) {
    Fixed<kWords> out;
    if (x <= 0) return out;
    const u64 raw = std::bit_cast<u64>(x), fraction = raw & ((u64{1} << 52) - 1);
    const int exponent = static_cast<int>(raw >> 52);
    const u64 bits = exponent ? fraction | u64{1} << 52 : fraction;  // the least doubles have no leading bit
    const int shift = std::max(exponent, 1) - 1075 - power;
    if (shift < 0) {
        out.word[0] = shift > -64 ? bits >> -shift : 0;
        return out;
    }
    const int at = shift / 64, by = shift % 64;
    out.word[static_cast<std::size_t>(at)] = bits << by;
    if (by > 11) out.word[static_cast<std::size_t>(at) + 1] = bits >> (64 - by);
    return out;
}

}  // namespace clusterdiff
