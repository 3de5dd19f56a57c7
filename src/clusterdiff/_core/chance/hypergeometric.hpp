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

// The mean of f(x). Terms are left out once neither they nor their weights can change a bit.
template <class F>
double hypergeometric_mean(double N, double K, double r, F&& f) {
    if (const Bell bell(N, K, r); bell.count) {
        double total = 0, sum = 0;
        for (int i = 0; i < bell.count; ++i) {
            const double x = bell.first + i * bell.step, w = bell.weight(x);
            total += w;
            sum += w * f(x);
        }
        return sum / total;
    }
    constexpr double kLittle = 1e-18;
    const double least = std::max(0.0, std::ceil(r + K - N)), most = std::floor(std::min(K, r)), rest = N - K - r;
    const double mode = std::clamp(mode_of(N, K, r), least, std::max(least, most));
    double total = 1, sum = f(mode), w = 1;
    for (double x = mode; w != 0;) {  // comes to a factor of 0 if K or r is whole
        w *= (K - x) * (r - x) / ((x + 1) * (rest + x + 1));
        const double term = w * f(++x);
        total += w;
        sum += term;
        if (x > 1 && std::abs(w) <= kLittle * total && std::abs(term) <= kLittle * std::abs(sum)) break;
        if (std::abs(w) * (r + 1) < 1e-40) break;
    }
    w = 1;
    for (double x = mode; x > 0;) {
        w *= x * (rest + x) / ((K - x + 1) * (r - x + 1));
        const double term = w * f(--x);
        total += w;
        sum += term;
        if (std::abs(w) <= kLittle * total && std::abs(term) <= kLittle * std::abs(sum)) break;
    }
    return sum / total;
}

}  // namespace clusterdiff
