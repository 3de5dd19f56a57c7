#include "chance/tables.hpp"

#include <algorithm>
#include <cmath>

namespace clusterdiff {

namespace {

// log x! by Stirling's series, for x >= 16.
double stirling(double x) {
    constexpr double half_log_two_pi = 0.91893853320467274178;
    const double per = 1 / x, square = per * per;
    return (x + 0.5) * std::log(x) - x + half_log_two_pi + per * (1.0 / 12 - square * (1.0 / 360 - square / 1260));
}

// Factorials up to here are tabulated: 8 MB, which a second-level cache holds most of.
constexpr i64 kTabulated = i64{1} << 20, kFewest = 1024;

// log((x + d)! / x!) for d small against x, from log x: d factors close to their middle. No look-up, so no cache miss.
double log_factors(double x, double log_x, double d) {
    const double u = (d + 1) / 2 / x;
    return d * (log_x + u * (1 - u * (0.5 - u * (1.0 / 3 - u / 4))) - (d * d - 1) / (24 * x * x));
}

u64 mixed(u64 z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

}  // namespace

// SplitMix64.
class TableSampler::Random {
  public:
    Random(u64 seed, u64 number) : state_(mixed(mixed(seed + kStep) ^ mixed(number * kStep + 1))) {}
    // In (0, 1].
    double operator()() { return (static_cast<double>(mixed(state_ += kStep) >> 11) + 1) * 0x1p-53; }

  private:
    static constexpr u64 kStep = 0x9e3779b97f4a7c15;
    u64 state_;
};

TableSampler::TableSampler(const i64* true_sizes, i64 k_true, const i64* pred_sizes, i64 k_pred, i64 draws)
    : true_sizes_(true_sizes, true_sizes + k_true), pred_sizes_(pred_sizes, pred_sizes + k_pred) {
    check_clusters(k_pred, "pred");
    i64 other = 0;
    for (i64 a : true_sizes_) n_ += a;
    for (i64 b : pred_sizes_) other += b;
    for (const auto* side : {&true_sizes_, &pred_sizes_})
        if (std::any_of(side->begin(), side->end(), [](i64 size) { return size < 1; })) throw BadValue("sizes must be at least 1");
    if (n_ != other || n_ == 0) throw BadValue("true and pred must have the same number of points, at least 1");
    const double asked = 16.0 * static_cast<double>(draws) * static_cast<double>(k_true) * static_cast<double>(k_pred);
    const i64 count = std::min({n_ + 1, kTabulated, std::max(kFewest, static_cast<i64>(std::min(asked, 1e15)))});
    log_factorials_.resize(static_cast<std::size_t>(count));
    double product = 1;
    for (i64 x = 1; x < count; ++x) {
        product *= x < 20 ? static_cast<double>(x) : 1;
        log_factorials_[static_cast<std::size_t>(x)] = x < 20 ? std::log(product) : stirling(static_cast<double>(x));
    }
}

double TableSampler::log_factorial(i64 x) const {
    return x < static_cast<i64>(log_factorials_.size()) ? log_factorials_[static_cast<std::size_t>(x)] : stirling(static_cast<double>(x));
}

// How many of K marked points are among r drawn from N.
i64 TableSampler::hypergeometric(i64 N, i64 K, i64 r, Random& random) const {
    const i64 low = std::max<i64>(0, r + K - N), high = std::min(K, r);
    if (low == high) return low;
    const double all = static_cast<double>(N), marked = static_cast<double>(K), drawn = static_cast<double>(r);
    const double mean = drawn * (marked / all), variance = mean * (1 - marked / all) * ((all - drawn) / (all - 1));
    const i64 mode = std::clamp(static_cast<i64>((drawn + 1) * ((marked + 1) / (all + 2))), low, high);
    const i64 outside = N - K - r + mode;
    if (variance < 12) {
        // Inversion, outwards from the mode: about as many steps as the standard deviation.
        const double cells = log_factorial(mode) + log_factorial(K - mode) + log_factorial(r - mode) + log_factorial(outside);
        double up = std::exp(log_factorial(K) + log_factorial(N - K) + log_factorial(r) + log_factorial(N - r) - log_factorial(N) - cells);
        double down = up, u = random() - up;
        const double rest = all - marked - drawn;
        double x = static_cast<double>(mode), y = x;
        const double top = static_cast<double>(high), bottom = static_cast<double>(low);
        while (u > 0 && (x < top || y > bottom) && up + down > 1e-300) {
            if (x < top) {
                up *= (marked - x) * (drawn - x) / ((x + 1) * (rest + x + 1));
                ++x;
                if ((u -= up) <= 0) return static_cast<i64>(x);
            }
            if (y > bottom) {
                down *= y * (rest + y) / ((marked - y + 1) * (drawn - y + 1));
                --y;
                if ((u -= down) <= 0) return static_cast<i64>(y);
            }
        }
        return mode;
    }
    // Ratio of uniforms under a table mountain (Stadlober 1990, HRUA): a constant number of steps.
    const double centre = mean + 0.5, c = std::sqrt(variance + 0.5), width = 1.7155277699214135 * c + 0.8989161620588988;
    const double reach = 16 * c, floor = static_cast<double>(low), ceiling = static_cast<double>(high) + 1;
    const double inside = log_factorial(mode) + log_factorial(K - mode) + log_factorial(r - mode);
    const double around = static_cast<double>(outside), log_around = std::log(around);
    for (;;) {
        const double u = random(), v = random(), place = centre + width * (v - 0.5) / u;
        if (place < floor || place >= ceiling || std::abs(place - centre) > reach) continue;
        const i64 x = static_cast<i64>(place);
        const double d = static_cast<double>(x - mode);
        const double beyond = std::abs(d) * 64 < around ? log_factors(around, log_around, d) : log_factorial(outside + x - mode) - log_factorial(outside);
        const double t = inside - log_factorial(x) - log_factorial(K - x) - log_factorial(r - x) - beyond;  // log of the weight, against the mode's
        if (u * (4 - u) - 3 <= t) return x;
        if (u * (u - t) >= 1) continue;
        if (2 * std::log(u) <= t) return x;
    }
}

// Row by row, and cell by cell within a row (Patefield 1981).
Cells TableSampler::draw(u64 seed, u64 number, Run& run) const {
    Random random(seed, number);
    std::vector<i64> left(pred_sizes_), sizes;
    std::vector<i32> cols;
    Cells table;
    table.n = n_;
    table.k_true = static_cast<i64>(true_sizes_.size());
    table.k_pred = static_cast<i64>(pred_sizes_.size());
    table.indptr = Buffer<i64>(table.k_true + 1);
    table.indptr[0] = 0;
    i64 pool = n_;
    for (i64 row = 0; row < table.k_true; ++row) {
        i64 r = true_sizes_[static_cast<std::size_t>(row)], N = pool;
        pool -= r;
        run.poll();
        for (std::size_t col = 0; r > 0; ++col) {
            if (!left[col]) continue;
            const i64 x = hypergeometric(N, left[col], r, random);
            N -= left[col];
            if (!x) continue;
            r -= x;
            left[col] -= x;
            cols.push_back(static_cast<i32>(col));
            sizes.push_back(x);
        }
        table.indptr[row + 1] = static_cast<i64>(cols.size());
    }
    table.cols = Buffer<i32>::copy(cols.data(), static_cast<i64>(cols.size()));
    table.sizes = Buffer<i64>::copy(sizes.data(), static_cast<i64>(sizes.size()));
    return table;
}

}  // namespace clusterdiff
