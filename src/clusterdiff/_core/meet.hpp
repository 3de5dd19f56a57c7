// Labels to meet: the one place where the algorithm is chosen, from the data alone.
#pragma once

#include "rows.hpp"
#include "table.hpp"

namespace clusterdiff {

inline Cells meet(const Labels& t, const Labels& p, Run& run) {
    if (t.n != p.n)
        throw BadValue("true and pred must have the same length, not " + std::to_string(t.n) + " and " + std::to_string(p.n));
    if (t.n < 1) throw BadValue("at least one point is needed");

    // A table of counts wins up to one cell a point and 8 MiB.
    const i64 table_cells = std::max<i64>(4096, std::min<i64>(t.n, i64{2} << 20));
    auto fits = [&](Range a, Range b) {
        const u64 limit = static_cast<u64>(table_cells);
        return a.span() < limit && b.span() < limit && (a.span() + 1) * (b.span() + 1) <= limit;
    };
    auto by_table = [&](Range a, Range b) {
        return t.n < (i64{1} << 32) ? meet_by_table<u32>(t, p, a, b, run) : meet_by_table<u64>(t, p, a, b, run);
    };
    const Range t_guess = sample_range(t), p_guess = sample_range(p);
    if (fits(t_guess, p_guess))
        if (auto cells = by_table(t_guess, p_guess)) return std::move(*cells);
    const Range rt = range_of(t, run), rp = range_of(p, run);
    if (fits(rt, rp)) return std::move(*by_table(rt, rp));

    // A range is small when an array over it costs no more than a few words a point.
    const u64 small = 4 * static_cast<u64>(t.n) + 1024;
    auto side = [&](const Labels& x, Range r) {
        const bool ranged = r.span() < small && r.span() < UINT32_MAX;
        return ranged ? ranged_side(x, r) : coded_side(x, run);
    };
    Side t_side = side(t, rt), p_side = side(p, rp);
    return meet_by_rows(t_side, p_side, run);
}

}  // namespace clusterdiff
