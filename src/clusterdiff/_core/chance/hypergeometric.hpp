// Hypergeometric weights without factorials. Of N points K are marked and r are drawn; x of those drawn are marked.
// Weights are divided by their own sum, so a common factor never matters. N, K and r may be real numbers: the sum over x
// of C(r, x) C(N - r, K - x) is C(N, K) for them too (Vandermonde), and what comes out is smooth in all three.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/numeric.hpp"

namespace clusterdiff {

// Where x has all of its weight but 1e-19 (Bernstein's inequality).
struct Window {
    double low, high;
    Window(double n, double a, double b) {
        const double mean = a * (b / n), variance = mean * (1 - a / n) * (1 - b / n);
        const double reach = 15 + std::sqrt(225 + 90 * variance);
        low = std::max({0.0, a + b - n, std::floor(mean - reach)});
        high = std::min({a, b, std::ceil(mean + reach)});
    }
};

// Weights for a large standard deviation. A sum over every h-th x, h = sd / 1.5, is a trapezoid rule with an error of
// exp(-2 pi^2 1.5^2) = 5e-20, so that some 28 places do for any n. With z the four cells of the 2 x 2 table and m their
// means, Stirling's formula makes the weight exp(-sum m excess(z / m - 1) - sum 1 / 12 z + ...) / sqrt(prod z).
// No z is below 360 here: each mean is at least the variance, and places are within 9 standard deviations.
class Bell {
  public:
    Bell(double N, double K, double r) {
        mean_[0] = r * (K / N);
        mean_[1] = K - mean_[0];
        mean_[2] = r - mean_[0];
        mean_[3] = N - K - mean_[2];
        const double sd = std::sqrt(mean_[0] * (mean_[3] / N));
        if (!(sd >= 24)) return;
        step = std::floor(sd / 1.5);
        const double half = std::ceil(9 * sd / step);
        first = std::floor(mean_[0]) - half * step;
        count = static_cast<int>(2 * half) + 1;
        root_ = std::sqrt(mean_[0]) * std::sqrt(mean_[1]) * std::sqrt(mean_[2]) * std::sqrt(mean_[3]);
        for (int i = 0; i < 4; ++i) per_mean_[i] = 1 / mean_[i];
    }
    double first = 0, step = 1;
    int count = 0;  // 0: the deviation is too small for this
    double weight(double x) const {
        const double d = x - mean_[0];
        double exponent = 0, below = 1;
        for (int i = 0; i < 4; ++i) {
            const double t = i == 1 || i == 2 ? -d : d, z = mean_[i] + t, per = 1 / (z * z);
            exponent += mean_[i] * excess(t * per_mean_[i]) + (1.0 / 12 - per * (1.0 / 360 - per * (1.0 / 1260 - per / 1680))) / z;
            below *= std::sqrt(z);
        }
        return std::exp(-exponent) * (root_ / below);
    }

  private:
    double mean_[4], per_mean_[4], root_ = 1;
};

inline double mode_of(double N, double K, double r) { return std::floor((r + 1) * ((K + 1) / (N + 2))); }

// Where more than half of the points are marked, or drawn, the others are counted instead: x = shift ± y. For whole
// numbers that is the same sum in another order. For real ones the series does not end at K or r, and beyond them its
// terms shrink only if K, r <= N / 2: the ratio of two is then at most (r - y) / (N - K - r + y + 1) < 1, whereas it
// exceeds any bound where nearly all points are drawn.
struct Folded {
    double K, r, shift = 0, sign = 1;
    Folded(double N, double marked, double drawn) : K(marked), r(drawn) {
        if (2 * K > N) {
            K = N - K;
            shift = r;
            sign = -1;
        }
        if (2 * r > N) {
            r = N - r;
            shift += sign * K;
            sign = -sign;
        }
    }
    double operator()(double y) const { return shift + sign * y; }
};

// Terms are left out once neither they nor their weights can change a bit: some 30 terms of a bell are left, or those
// within ten standard deviations of less than 24.
// The mean of f(x); adds to `asked` how many terms that took.
template <class F>
double hypergeometric_mean(double N, const Folded& x, F&& f, i64& asked) {
    const double K = x.K, r = x.r;
    if (const Bell bell(N, K, r); bell.count) {
        double total = 0, sum = 0;
        for (int i = 0; i < bell.count; ++i) {
            const double y = bell.first + i * bell.step, w = bell.weight(y);
            total += w;
            sum += w * f(x(y));
        }
        asked += bell.count;
        return sum / total;
    }
    constexpr double kLittle = 1e-18;
    const double rest = N - K - r, mode = std::min(mode_of(N, K, r), std::floor(std::min(K, r)));
    double total = 1, sum = f(x(mode)), w = 1;
    double up = mode, down = mode;
    while (w != 0) {  // comes to a factor of 0 if K or r is whole
        w *= (K - up) * (r - up) / ((up + 1) * (rest + up + 1));
        const double term = w * f(x(++up));
        total += w;
        sum += term;
        if (up > 1 && std::abs(w) <= kLittle * total && std::abs(term) <= kLittle * std::abs(sum)) break;
        if (std::abs(w) * (N + 1) < 1e-40) break;
    }
    w = 1;
    while (down > 0) {
        w *= down * (rest + down) / ((K - down + 1) * (r - down + 1));
        const double term = w * f(x(--down));
        total += w;
        sum += term;
        if (std::abs(w) <= kLittle * total && std::abs(term) <= kLittle * std::abs(sum)) break;
    }
    asked += static_cast<i64>(up - down) + 1;
    return sum / total;
}

}  // namespace clusterdiff
