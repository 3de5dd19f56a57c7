#include "sums/weighed.hpp"

#include "base/fixed.hpp"
#include "base/numeric.hpp"

namespace clusterdiff {

namespace {

// So many cells make a piece of work.
constexpr i64 kShard = i64{1} << 13;

// (1 + x) log(1 + x) - x, for x > -1 of which 1 + x is known better than x would tell it.
double surplus(double x, double one_plus_x) { return x < -0.5 ? one_plus_x * std::log(one_plus_x) - x : excess(x); }

template <int kWords>
Weighed weighed_in(const Cells& t, const double* mass, int power, Run& run) {
    using Mass = Fixed<kWords>;
    using Product = Fixed<2 * kWords>;
    auto at = [&](i64 q) { return fixed<kWords>(mass[q], power); };
    Mass total;
    auto columns = Buffer<Mass>::zeros(t.k_pred);
    for (i64 q = 0; q < t.count(); ++q) {
        if (q % kBlock == 0) run.poll();
        const Mass m = at(q);
        total += m;
        columns[t.cols[q]] += m;
    }
    struct Part {
        Product true_only, pred_only, apart, covered;
        Exactish mutual, chi2, frobenius;
        void add(const Part& o) {
            true_only += o.true_only, pred_only += o.pred_only, apart += o.apart, covered += o.covered;
            mutual.add(o.mutual), chi2.add(o.chi2), frobenius.add(o.frobenius);
        }
    };
    auto add_row = [&](i64 row, Part& to) {
        const i64 begin = t.indptr[row], end = t.indptr[row + 1];
        Mass a;
        for (i64 q = begin; q < end; ++q) a += at(q);
        const Mass others = total - a;
        const double row_mass = a.times(power);
        for (i64 q = begin; q < end; ++q) {
            if (q % kBlock == 0) run.poll();
            const Mass m = at(q);
            const double size = m.times(power);
            if (size <= 0) continue;
            const Mass &b = columns[t.cols[q]], right = a - m, below = b - m;
            to.true_only += m * right;
            to.pred_only += m * below;
            to.apart += m * (others - below);
            const Product filled = a * b, times = m * total;
            to.covered += filled;
            const double by_chance = filled.times(2 * power);
            const double ahead = times < filled ? -(filled - times).times(2 * power) : (times - filled).times(2 * power);
            const double x = ahead / by_chance;
            to.mutual.add(by_chance * surplus(x, times.times(2 * power) / by_chance));
            to.chi2.add(ahead * x);
            const double column_mass = b.times(power);
            to.frobenius.add(size / row_mass * (below.times(power) / column_mass) + size / column_mass * (right.times(power) / row_mass));
        }
    };
    // Rows are shared out by their cells, however long they are.
    std::vector<i64> starts;
    for (i64 row = 0, cells = kShard; row < t.k_true; ++row) {
        if (cells >= kShard) starts.push_back(row), cells = 0;
        cells += t.indptr[row + 1] - t.indptr[row];
    }
    starts.push_back(t.k_true);
    std::vector<Part> parts(starts.size() - 1);
    run.tasks(static_cast<i64>(parts.size()), [&](i64 s, int) {
        const auto part = static_cast<std::size_t>(s);
        for (i64 row = starts[part]; row < starts[part + 1]; ++row) add_row(row, parts[part]);
    });
    Part all;
    for (const Part& part : parts) all.add(part);
    // A row and a column that share no cell are as far from chance as can be: each adds a b.
    const double mass_of_all = total.times(power), empty = (total * total - all.covered).times(2 * power);
    return {all.true_only.times(2 * power - 1), all.pred_only.times(2 * power - 1), all.apart.times(2 * power - 1),
            (all.mutual.value() + empty) / mass_of_all / mass_of_all, (all.chi2.value() + empty) / mass_of_all / mass_of_all,
            all.frobenius.value()};
}

}  // namespace

Weighed weighed(const Cells& t, const double* mass, Run& run) {
    Unit unit;
    for (i64 q = 0; q < t.count(); ++q) {
        if (q % kBlock == 0) run.poll();
        unit.see(mass[q]);
    }
    // Most weights are of one kind, within 2^64 of each other; all that can be multiplied are within 2^1005.
    if (unit.bits() <= 2 * 64) return weighed_in<2>(t, mass, unit.power(2), run);
    if (unit.bits() <= 3 * 64) return weighed_in<3>(t, mass, unit.power(3), run);
    if (unit.bits() <= 7 * 64) return weighed_in<7>(t, mass, unit.power(7), run);
    return weighed_in<18>(t, mass, unit.power(18), run);
}

}  // namespace clusterdiff
