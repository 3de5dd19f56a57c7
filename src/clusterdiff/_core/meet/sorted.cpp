#include "meet/sorted.hpp"

#include "meet/buckets.hpp"

namespace clusterdiff {

std::optional<Sorted> sorted_points(const Labels& x, Run& run) {
    if (x.n < 1 || x.n > INT32_MAX) return std::nullopt;
    const Range range = range_of(x, run);
    if (range.span() >= 4 * static_cast<u64>(x.n)) return std::nullopt;
    const i64 slots = static_cast<i64>(range.span()) + 1;
    auto slot = [&](i64 i) {
        const u64 found = x[i] - range.lo;
        if (found > range.span()) throw Changed();
        return static_cast<i64>(found);
    };
    auto next = Buffer<i64>::zeros(slots + 1);
    run.each(0, x.n, [&](i64 i) { ++next[slot(i) + 1]; });
    Sorted out;
    i64 used = 0;
    for (i64 s = 0; s < slots; ++s) used += next[s + 1] != 0;
    out.labels = occupied_labels(RangeCoder(range), slots, used, x.is_signed(), [&](i64 s) { return next[s + 1] != 0; });
    out.start = Buffer<i64>(used + 1);
    out.start[0] = 0;
    for (i64 s = 0, row = 0; s < slots; ++s) {
        if (next[s + 1]) out.start[row + 1] = out.start[row] + next[s + 1], ++row;
        next[s + 1] += next[s];
    }
    out.order = Buffer<i32>(x.n);
    run.each(0, x.n, [&](i64 i) {
        i64& at = next[slot(i)];
        if (at >= x.n) throw Changed();
        out.order[at++] = static_cast<i32>(i);
    });
    return out;
}

Cells meet_sorted(const Sorted& t, Side& p, MeetScratch& scratch, Run& run) {
    const i64 n = t.order.size(), k_true = t.start.size() - 1;
    if (scratch.slots.size() < n) scratch.slots = Buffer<u32>(n), scratch.cols = Buffer<u32>(n + 1), scratch.sizes = Buffer<i64>(n);
    if (scratch.counts.size() < p.slots) scratch.counts = Buffer<u32>::zeros(p.slots);
    u32 *slots = scratch.slots.data(), *cols = scratch.cols.data(), *counts = scratch.counts.data();
    u64 block[kBlock];
    for (i64 at = 0; at < n; at += kBlock) {
        if (at % (kBlock * 64) == 0) run.poll();
        const i64 count = std::min(kBlock, n - at);
        const u32* from = p.block(at, count, block, slots + at);
        if (from != slots + at) std::copy_n(from, count, slots + at);
    }
    Cells out;
    out.n = n, out.k_true = k_true;
    out.true_labels = t.labels;
    out.indptr = Buffer<i64>(k_true + 1);
    out.indptr[0] = 0;
    auto used = slot_sets(p.slots, 1);
    i64 cells = 0;
    for (i64 row = 0; row < k_true; ++row) {
        const i64 first = cells;
        for (i64 i = t.start[row], end = t.start[row + 1]; i < end; ++i) {
            if ((i & 0xffff) == 0) run.poll();
            const u32 col = slots[t.order[i]];
            cols[cells] = col;
            cells += counts[col]++ == 0;
        }
        for (i64 q = first; q < cells; ++q) {
            scratch.sizes[q] = std::exchange(counts[cols[q]], 0);
            used[0].add(cols[q]);
        }
        out.indptr[row + 1] = cells;
    }
    out.cols = Buffer<i32>(cells);
    for (i64 q = 0; q < cells; ++q) out.cols[q] = static_cast<i32>(cols[q]);
    out.sizes = Buffer<i64>::copy(scratch.sizes.data(), cells);
    finish_columns(out, p, used, run);
    return out;
}

}  // namespace clusterdiff
