#include "sums/weighed.hpp"

#include "base/fixed.hpp"
#include "base/numeric.hpp"

namespace clusterdiff {

namespace {

// (1 + x) log(1 + x) - x, for x > -1 of which 1 + x is known better than x would tell it.
double surplus(double x, double one_plus_x) { return x < -0.5 ? one_plus_x * std::log(one_plus_x) - x : excess(x); }

template <int kWords>
Weighed weighed_in(const Cells& t, const double* mass, int power, Run& run) {
    using Mass = Fixed<kWords>;
    using Product = Fixed<2 * kWords>;
    auto at = [&](i64 q) {
        if (q % kBlock == 0) run.poll(0);
        return fixed<kWords>(mass[q], power);
    };
    Mass total;
    auto columns = Buffer<Mass>::zeros(t.k_pred);
    for (i64 q = 0; q < t.count(); ++q) {
        const Mass m = at(q);
        total += m;
        columns[t.cols[q]] += m;
    }
    Product true_only, pred_only, apart, covered;
    Exactish mutual, chi2, frobenius;
    for (i64 row = 0; row < t.k_true; ++row) {
        const i64 begin = t.indptr[row], end = t.indptr[row + 1];
        Mass a;
        for (i64 q = begin; q < end; ++q) a += at(q);
        const Mass others = total - a;
        for (i64 q = begin; q < end; ++q) {
            const Mass m = at(q);
            const double size = m.times(power);
            if (size <= 0) continue;
            const Mass &b = columns[t.cols[q]], right = a - m, below = b - m;
            true_only += m * right;
            pred_only += m * below;
            apart += m * (others - below);
            const Product filled = a * b, times = m * total;
            covered += filled;
            const double by_chance = filled.times(2 * power);
            const double ahead = times < filled ? -(filled - times).times(2 * power) : (times - filled).times(2 * power);
            const double x = ahead / by_chance;
            mutual.add(by_chance * surplus(x, times.times(2 * power) / by_chance));
            chi2.add(ahead * x);
            const double in_row = size / a.times(power), in_column = size / b.times(power);
            frobenius.add(in_row * (below.times(power) / b.times(power)) + in_column * (right.times(power) / a.times(power)));
        }
    }
    // A row and a column that share no cell are as far from chance as can be: each adds a b.
    const double all = total.times(power), empty = (total * total - covered).times(2 * power);
    return {true_only.times(2 * power - 1), pred_only.times(2 * power - 1), apart.times(2 * power - 1),
            (mutual.value() + empty) / all / all, (chi2.value() + empty) / all / all, frobenius.value()};
}

}  // namespace

Weighed weighed(const Cells& t, const double* mass, Run& run) {
    Unit unit;
    for (i64 q = 0; q < t.count(); ++q) {
        if (q % kBlock == 0) run.poll(0);
        unit.see(mass[q]);
    }
    // Most weights are of one kind, within 2^64 of each other; all that can be multiplied are within 2^1005.
    if (unit.bits() <= 3 * 64) return weighed_in<3>(t, mass, unit.power(3), run);
    if (unit.bits() <= 7 * 64) return weighed_in<7>(t, mass, unit.power(7), run);
    return weighed_in<18>(t, mass, unit.power(18), run);
}

}  // namespace clusterdiff
