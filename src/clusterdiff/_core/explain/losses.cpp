#include "explain/losses.hpp"

#include <bit>

#include "sums/totals.hpp"

namespace clusterdiff {

namespace {

constexpr i64 kStretch = 16384;  // cells

}  // namespace

Buffer<double> entropy_scores(const Cells& t, Run& run) {
    Buffer<double> scores(t.k_true);
    const Stretches stretches(t, kStretch);
    run.tasks(stretches.count(), [&](i64 s, int) {
        for (i64 row = stretches.begin(s), end = stretches.begin(s + 1); row < end; ++row) {
            const i64 first = t.indptr[row], last = t.indptr[row + 1];
            scores[row] = last - first == 1 ? 1.0 : row_sums(t, first, last).score();
        }
    });
    return scores;
}

CellLosses cell_losses(const Cells& t, const double* mass, double total, const double* split, const double* merge, Run& run) {
    CellLosses out{Buffer<double>(t.count()), Buffer<double>(t.count())};
    const Stretches stretches(t, kStretch);
    run.tasks(stretches.count(), [&](i64 stretch, int worker) {
        for (i64 row = stretches.begin(stretch), end = stretches.begin(stretch + 1); row < end; ++row) {
            const double s = split[row];
            run.each(
                t.indptr[row], t.indptr[row + 1],
                [&](i64 q) {
                    const double u = merge[t.cols[q]];
                    const double share = (mass ? mass[q] : static_cast<double>(t.sizes[q])) / total;
                    out.split[q] = share * (1 - s) * (1 + u) / 2;
                    out.merge[q] = share * (1 - u) * (1 + s) / 2;
                },
                worker);
        }
    });
    return out;
}

Buffer<i64> descending(const double* x, i64 n, Run& run) {
    // Most values are 0 as a rule, and are in order already. The bits of the others, turned so that they ascend as the
    // values descend, are sorted digit by digit; a digit that all have alike is passed over.
    struct Keyed {
        u64 key;
        i64 place;
    };
    constexpr u64 sign = u64{1} << 63;
    constexpr int kDigit = 11, kDigits = (64 + kDigit - 1) / kDigit;
    auto descend = [](double value) {
        const u64 bits = std::bit_cast<u64>(value);
        if (value != value) return ~u64{0};
        return bits & sign ? bits : ~(bits | sign);
    };
    i64 zero = 0, above = 0;
    run.each(0, n, [&](i64 i) { zero += x[i] == 0, above += x[i] > 0; });
    Buffer<i64> out(n);
    Buffer<Keyed> from(n - zero), to(n - zero);
    i64 some = 0, none = above;
    run.each(0, n, [&](i64 i) {
        if (x[i] == 0)
            out[none++] = i;
        else
            from[some++] = {descend(x[i]), i};
    });
    std::vector<i64> next(std::size_t{1} << kDigit);
    for (int digit = 0; digit < kDigits && some; ++digit) {
        auto at = [&](i64 i) { return static_cast<std::size_t>(from[i].key >> (digit * kDigit)) & (next.size() - 1); };
        std::fill(next.begin(), next.end(), 0);
        run.each(0, some, [&](i64 i) { ++next[at(i)]; });
        if (next[at(0)] == some) continue;
        i64 total = 0;
        for (i64& place : next) total += std::exchange(place, total);
        run.each(0, some, [&](i64 i) { to[next[at(i)]++] = from[i]; });
        from.swap(to);
    }
    run.each(0, some, [&](i64 i) { out[i < above ? i : zero + i] = from[i].place; });
    return out;
}

}  // namespace clusterdiff
