// Labels to meet: the one place where the algorithm is chosen, from the data alone.
//
// | labels                                     | algorithm                                                    |
// | ------------------------------------------ | ------------------------------------------------------------ |
// | ranges with few cells (kTableCells)        | dense table of counts, one pass                              |
// | arbitrary, few distinct values in a sample | the same, through a dictionary made from the sample          |
// | small ranges (kSlotsAPoint)                | partition by true slot, sort and count each bucket in cache; |
// |                                            | ranges are guessed from a sample and checked on the way      |
// | the same, one clustering with many others  | its points are sorted once, each row counted for each other  |
// | arbitrary on one or both sides, few values | codes from a dictionary, then as above                       |
// | arbitrary on one or both sides, many       | partition by hash, code each bucket in cache, then as above  |
//
#include "meet/meet.hpp"

#include "meet/rows.hpp"
#include "meet/table.hpp"

namespace clusterdiff {

namespace {

// A table wins up to one cell per point and 8 MiB; below 4,096 cells clearing it costs nothing to speak of.
constexpr i64 kTableCells = i64{2} << 20, kTableCellsAlways = 4096;
// A label range counts as small up to this many slots a point: what is kept for a slot is a bit or a word.
constexpr i64 kSlotsAPoint = 4, kSlotsAlways = 16384;
// From here on finding the exact ranges first costs more than guessing wrong now and then.
constexpr i64 kExactRange = 4096;
// A sample must cost little next to the work itself.
constexpr i64 kSampleLeast = 512, kSampleMost = 16384, kPointsASample = 16;
// A dictionary beats hashing in partitions while it stays in a level-2 cache, and while sorting its labels costs little.
constexpr i64 kFewLabels = 26000, kPointsALabel = 16;
// A dictionary made from the sample is likely to be complete.
constexpr i64 kCompleteInSample = 1500;
// From here on it pays to look for a hash without collisions.
constexpr i64 kSearchPoints = i64{1} << 17;

// Throws Unforeseen when labels that were read before are no longer what they were.
Cells meet_once(const Labels& t, const Labels& p, const Sorted* sorted, MeetScratch& scratch, Run& run) {
    if (t.n != p.n)
        throw BadValue("true and pred must have the same length, not " + std::to_string(t.n) + " and " + std::to_string(p.n));
    if (t.n < 1) throw BadValue("at least one point is needed");

    const u64 table_cells = static_cast<u64>(std::max(kTableCellsAlways, std::min(t.n, kTableCells)));
    auto fits = [&](u64 rows, u64 width) { return rows <= table_cells && width <= table_cells && rows * width <= table_cells; };
    auto ranges_fit = [&](Range a, Range b) { return a.span() < table_cells && b.span() < table_cells && fits(a.span() + 1, b.span() + 1); };
    const Range t_guess = sample_range(t), p_guess = sample_range(p);
    if (ranges_fit(t_guess, p_guess))
        if (auto cells = meet_by_table(t, p, RangeCoder(t_guess), RangeCoder(p_guess), run)) return std::move(*cells);

    auto ranged = [&](u64 span) { return span < static_cast<u64>(kSlotsAPoint * t.n + kSlotsAlways) && span < UINT32_MAX; };
    if (t.n > kExactRange && ranged(t_guess.span()) && ranged(p_guess.span())) {
        Side ts = guessed_side(t, t_guess), ps = guessed_side(p, p_guess);
        if (ranged(static_cast<u64>(ts.slots) - 1) && ranged(static_cast<u64>(ps.slots) - 1)) {
            try {
                return sorted ? meet_sorted(*sorted, ps, scratch, run) : meet_by_slot(ts, ps, run);
            } catch (const Unforeseen&) {
                run.resume();
            }
        }
    }

    // No range is smaller than that of a sample.
    auto exact = [&](const Labels& x, Range sample) { return ranged(sample.span()) ? range_of(x, run) : sample; };
    const Range t_range = exact(t, t_guess), p_range = exact(p, p_guess);
    if (ranges_fit(t_range, p_range)) {
        if (auto cells = meet_by_table(t, p, RangeCoder(t_range), RangeCoder(p_range), run)) return std::move(*cells);
        throw Unforeseen();
    }

    const bool t_ranged = ranged(t_range.span()), p_ranged = ranged(p_range.span());
    if (t_ranged && p_ranged) {
        Side ts = ranged_side(t, t_range), ps = ranged_side(p, p_range);
        return meet_by_slot(ts, ps, run);
    }

    const i64 points = std::clamp(t.n / kPointsASample, kSampleLeast, kSampleMost);
    Sample t_sample = sample_labels(t, points), p_sample = sample_labels(p, points);
    const i64 t_seen = static_cast<i64>(t_sample.keys.size()), p_seen = static_cast<i64>(p_sample.keys.size());
    if (t_seen <= kCompleteInSample && p_seen <= kCompleteInSample && fits(static_cast<u64>(t_seen), static_cast<u64>(p_seen))) {
        sort_labels(t_sample.keys, t);
        sort_labels(p_sample.keys, p);
        std::optional<PerfectCoder> t_coder, p_coder;
        if (t.n >= kSearchPoints) t_coder = PerfectCoder::find(t_sample.keys), p_coder = PerfectCoder::find(p_sample.keys);
        auto cells = t_coder && p_coder ? meet_by_table(t, p, *t_coder, *p_coder, run)
                                        : meet_by_table(t, p, KeyCoder(t_sample.keys), KeyCoder(p_sample.keys), run);
        if (cells) return std::move(*cells);
    }

    const i64 few = std::min(kFewLabels, t.n / kPointsALabel);
    const bool t_few = t_sample.likely < few, p_few = p_sample.likely < few;
    auto side = [&](const Labels& x, Range r, bool is_ranged) { return is_ranged ? ranged_side(x, r) : coded_side(x, run); };
    if (p_ranged || p_few) {
        Side ps = side(p, p_range, p_ranged);
        if (!t_ranged && !t_few) return meet_by_label(t, ps, run);
        Side ts = side(t, t_range, t_ranged);
        return meet_by_slot(ts, ps, run);
    }
    Side ps;
    ps.labels = p;
    auto records = code_predicted(t, ps, run);
    if (!t_ranged) return meet_by_label(std::move(records), t, ps, run);
    Side ts = ranged_side(t, t_range);
    return meet_by_slot(std::move(records), t_range.lo, ts, ps, run);
}

}  // namespace

Cells meet(const Labels& t, const Labels& p, Run& run) {
    MeetScratch none;
    return meet(t, p, nullptr, none, run);
}

Cells meet(const Labels& t, const Labels& p, const Sorted* sorted, MeetScratch& scratch, Run& run) {
    try {
        return meet_once(t, p, sorted, scratch, run);
    } catch (const Unforeseen&) {
        throw Changed();
    }
}

}  // namespace clusterdiff
