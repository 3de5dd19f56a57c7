#include "meet/squares.hpp"

#include <algorithm>

#include "encode/encode.hpp"
#include "meet/meet.hpp"

namespace clusterdiff {

namespace {

// A clustering by numbers from 0 on; in few bytes if it has few clusters.
struct Coded {
    Buffer<i32> codes;
    std::vector<u16> narrow;
    i64 k;
};

// The clusters of one clustering: their points one after the other, and where each begins.
struct Grouped {
    std::vector<i32> points, start;
};

// What a worker needs again and again.
struct Scratch {
    std::vector<u32> counts;
    std::vector<u16> small;
    Grouped rows;
};

// Cells are numbered by two bytes.
constexpr i64 kTable = i64{1} << 16;
// So many fit a level-1 cache four times.
template <class Count>
constexpr i64 kFew = (i64{1} << 12) / static_cast<i64>(sizeof(Count));
// The codes of so many points stay in a level-2 cache.
constexpr i64 kCached = i64{1} << 17;

template <class Count>
i64 by_table(const Coded& a, const Coded& b, i64 n, std::vector<Count>& table, Run& run) {
    constexpr i64 kBlock = 256;
    const i64 cells = a.k * b.k;
    // Points next to each other are often in the same cell: with a table for each of them, none waits for the other.
    const i64 lanes = cells <= kFew<Count> ? 4 : 1;
    table.assign(static_cast<std::size_t>(cells * lanes), 0);
    const u16 *row = a.narrow.data(), *column = b.narrow.data();
    Count* const counts = table.data();
    const int columns = static_cast<int>(b.k);
    u16 cell[kBlock];
    for (i64 at = 0; at < n; at += kBlock) {
        if (at % kTable == 0) run.poll();
        const i64 here = std::min(kBlock, n - at);
        for (i64 q = 0; q < here; ++q) cell[q] = static_cast<u16>(row[at + q] * columns + column[at + q]);
        i64 q = 0;
        if (lanes == 4)
            for (; q + 4 <= here; q += 4) {
                ++counts[cell[q]];
                ++counts[cells + cell[q + 1]];
                ++counts[2 * cells + cell[q + 2]];
                ++counts[3 * cells + cell[q + 3]];
            }
        for (; q < here; ++q) ++counts[cell[q]];
    }
    for (i64 lane = 1; lane < lanes; ++lane)
        for (i64 q = 0; q < cells; ++q) counts[q] = static_cast<Count>(counts[q] + counts[lane * cells + q]);
    u64 sum = 0;
    for (i64 q = 0; q < cells; ++q) sum += static_cast<u64>(counts[q]) * counts[q];
    return static_cast<i64>(sum);
}

void group(const Coded& a, i64 n, Grouped& out) {
    out.start.assign(static_cast<std::size_t>(a.k + 2), 0);
    out.points.resize(static_cast<std::size_t>(n));
    i32* const next = out.start.data() + 1;
    for (i64 i = 0; i < n; ++i) ++next[a.codes[i] + 1];
    for (i64 r = 0; r < a.k; ++r) next[r + 1] += next[r];
    for (i64 i = 0; i < n; ++i) out.points[static_cast<std::size_t>(next[a.codes[i]]++)] = static_cast<i32>(i);
}

// Cluster by cluster of the one side: a count that goes from m to m + 1 adds 2 m + 1 to the sum of squares.
i64 by_rows(const Grouped& rows, const Coded& b, std::vector<u32>& table, Run& run) {
    run.poll();
    table.assign(static_cast<std::size_t>(b.k), 0);
    u32* const counts = table.data();
    const i32 *codes = b.codes.data(), *points = rows.points.data();
    u64 sum = 0;
    for (std::size_t r = 0; r + 2 < rows.start.size(); ++r) {
        const i32 begin = rows.start[r], end = rows.start[r + 1];
        if (end - begin == 1) {
            ++sum;
            continue;
        }
        for (i32 p = begin; p < end; ++p) sum += 2 * static_cast<u64>(counts[codes[points[p]]]++) + 1;
        for (i32 p = begin; p < end; ++p) counts[codes[points[p]]] = 0;
    }
    return static_cast<i64>(sum);
}

i64 by_meet(const Labels& a, const Labels& b, Run& run) {
    const Cells cells = meet(a, b, run);
    i64 sum = 0;
    for (i64 q = 0; q < cells.count(); ++q) sum += cells.sizes[q] * cells.sizes[q];
    return sum;
}

}  // namespace

Buffer<i64> squares(const std::vector<Labels>& sides, Run& run) {
    const i64 count = static_cast<i64>(sides.size()), n = count ? sides[0].n : 0;
    for (const Labels& side : sides)
        if (side.n != n) throw BadValue("all sides must have the same length");
    if (n > INT32_MAX) throw TooLarge("squares of more than 2^31 - 1 points may exceed 64 bits");
    std::vector<Coded> coded(sides.size());
    run.tasks(count, [&](i64 i, int) {
        Run alone(&run);
        Encoded found = encode_integers(sides[static_cast<std::size_t>(i)], alone);
        Coded& one = coded[static_cast<std::size_t>(i)];
        one = {std::move(found.codes), {}, found.first.size()};
        if (one.k <= kTable) one.narrow.assign(one.codes.data(), one.codes.data() + n);
    });
    Buffer<i64> out(count * count);
    std::vector<Scratch> scratches(static_cast<std::size_t>(run.threads()));
    run.tasks(count, [&](i64 i, int worker) {
        const Coded& one = coded[static_cast<std::size_t>(i)];
        Scratch& mine = scratches[static_cast<std::size_t>(worker)];
        Run alone(&run);
        bool grouped = false;
        for (i64 j = i; j < count; ++j) {
            const Coded& other = coded[static_cast<std::size_t>(j)];
            i64 sum;
            // A table of many more cells than points takes longer to clear than to fill.
            if (one.k * other.k <= std::min(kTable, std::max(kFew<u32>, 4 * n))) {
                sum = n < kTable ? by_table(one, other, n, mine.small, run)
                                 : by_table(one, other, n, mine.counts, run);
            } else if (n <= kCached) {
                if (!grouped) group(one, n, mine.rows);
                grouped = true;
                sum = by_rows(mine.rows, other, mine.counts, run);
            } else {
                sum = by_meet(sides[static_cast<std::size_t>(i)], sides[static_cast<std::size_t>(j)], alone);
            }
            out[i * count + j] = out[j * count + i] = sum;
        }
    });
    return out;
}

}  // namespace clusterdiff
