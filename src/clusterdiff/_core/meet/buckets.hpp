// The second half of the meet by rows: buckets of points, each sorted by row and counted in cache.
#pragma once

#include <atomic>
#include <thread>

#include "base/bits.hpp"
#include "base/partition.hpp"
#include "meet/coders.hpp"
#include "meet/row_counter.hpp"
#include "meet/sides.hpp"

namespace clusterdiff {

// Buckets of about this many points fit the caches of a core.
constexpr i64 kBucketPoints = 8192;

// Sorts each bucket by row, counts, and writes the cells of all buckets one after the other. `rows` has one object a
// worker, `used_cols` one set; columns are slots still. `Position` counts the points of a bucket.
template <class Position, class Rows>
Cells count_buckets(const Partition<typename Rows::Record>& part, std::vector<Rows>& rows, std::vector<SlotSet>& used_cols, i64 columns,
                    i64 most_rows, Run& run) {
    const i64 n = part.records.size(), largest = part.largest();
    // Cells are not yet counted: room for the worst case is reserved, but only what is written takes memory.
    Cells out;
    out.n = n;
    out.indptr = Buffer<i64>(most_rows + 1);
    out.cols = Buffer<i32>(n);
    out.sizes = Buffer<i64>(n);

    // Buckets are handed out in order. A finished bucket waits for the one before it to learn where its cells go.
    struct Place {
        std::atomic<i64> cell{0}, row{-1};
    };
    std::vector<Place> place(static_cast<std::size_t>(part.buckets()) + 1);
    place[0].row = 0;
    std::atomic<i64> next_bucket{0};
    run.workers(static_cast<int>(rows.size()), [&](int worker) {
        Rows& mine = rows[static_cast<std::size_t>(worker)];
        SlotSet& cols_seen = used_cols[static_cast<std::size_t>(worker)];
        RowCounter counter(columns);
        Buffer<Position> position;
        Buffer<u32> sorted(largest + 8), cell_cols(largest);
        Buffer<i64> cell_sizes(largest), row_starts(std::min(largest, most_rows));
        for (;;) {
            const i64 b = next_bucket.fetch_add(1, std::memory_order_relaxed);
            if (b >= part.buckets()) return;
            run.poll();
            const auto* record = part.records.data() + part.begin(b);
            const i64 points = part.size(b);
            const i64 local_rows = mine.start(b, record, points);
            if (position.size() < local_rows) position = Buffer<Position>(local_rows);
            std::memset(position.data(), 0, static_cast<std::size_t>(local_rows) * sizeof(Position));
            Position* __restrict pos = position.data();
            for (i64 i = 0; i < points; ++i) ++pos[mine.row(record, i)];
            Position sum = 0;
            for (i64 row = 0; row < local_rows; ++row) {
                const Position count = std::exchange(pos[row], sum);
                sum += count;
            }
            u32* __restrict by_row = sorted.data();
            for (i64 i = 0; i < points; ++i) by_row[pos[mine.row(record, i)]++] = mine.col(record, i);
            i64 cells = 0, full_rows = 0;
            for (i64 row = 0, begin = 0; row < local_rows; ++row) {
                const i64 end = static_cast<i64>(pos[row]);
                if (end == begin) continue;
                row_starts[full_rows++] = cells;
                mine.use(row);
                cells += counter.count(by_row + begin, end - begin, cell_cols.data() + cells, cell_sizes.data() + cells);
                begin = end;
            }
            for (i64 q = 0; q < cells; ++q) cols_seen.add(cell_cols[q]);

            const Place& here = place[static_cast<std::size_t>(b)];
            Place& following = place[static_cast<std::size_t>(b) + 1];
            while (here.row.load(std::memory_order_acquire) < 0) {
                run.poll();
                std::this_thread::yield();
            }
            const i64 cell_at = here.cell.load(std::memory_order_relaxed), row_at = here.row.load(std::memory_order_relaxed);
            following.cell.store(cell_at + cells, std::memory_order_relaxed);
            following.row.store(row_at + full_rows, std::memory_order_release);
            std::memcpy(out.cols.data() + cell_at, cell_cols.data(), static_cast<std::size_t>(cells) * sizeof(i32));
            std::memcpy(out.sizes.data() + cell_at, cell_sizes.data(), static_cast<std::size_t>(cells) * sizeof(i64));
            for (i64 r = 0; r < full_rows; ++r) out.indptr[row_at + r] = cell_at + row_starts[r];
            mine.store_labels(row_at);
        }
    });
    const i64 cells = place.back().cell;
    out.k_true = place.back().row;
    check_clusters(out.k_true, "true");
    out.indptr[out.k_true] = cells;
    out.indptr.truncate(out.k_true + 1);
    out.cols.truncate(cells);
    out.sizes.truncate(cells);
    return out;
}

// Narrow records are for narrow positions.
template <class Rows>
Cells count_buckets(const Partition<typename Rows::Record>& part, std::vector<Rows>& rows, std::vector<SlotSet>& used_cols, i64 columns,
                    i64 most_rows, Run& run) {
    if constexpr (sizeof(typename Rows::Record) > 4)
        if (part.largest() > static_cast<i64>(UINT32_MAX)) return count_buckets<u64>(part, rows, used_cols, columns, most_rows, run);
    return count_buckets<u32>(part, rows, used_cols, columns, most_rows, run);
}

inline LabelList listed_labels(Buffer<u64>&& values, i64 count, const Labels& x) {
    LabelList list;
    list.count = count;
    values.truncate(count);
    list.list(std::move(values));
    list.is_signed = x.is_signed();
    return list;
}

// Names the used slots; there are `count` of them.
inline LabelList used_labels(const SlotSet& used, const Side& side, i64 count) {
    const i64 first = used.first();
    const u64 lo = side.lo + static_cast<u64>(first);
    const i64 slots = used.before(first + count) == count ? count : side.slots - first;
    return occupied_labels(RangeCoder({lo, lo}), slots, count, side.labels.is_signed(), [&](i64 slot) { return used.has(first + slot); });
}

// Replaces column slots by codes when some slots are empty, and names the columns.
inline void finish_columns(Cells& out, Side& p, std::vector<SlotSet>& used, Run& run) {
    for (std::size_t worker = 1; worker < used.size(); ++worker) used[0].unite(used[worker]);
    out.k_pred = used[0].count();
    check_clusters(out.k_pred, "pred");
    if (used[0].before(out.k_pred) < out.k_pred) {
        Buffer<i32> code(p.slots);
        for (i64 slot = 0, next = 0; slot < p.slots; ++slot) code[slot] = used[0].has(slot) ? static_cast<i32>(next++) : -1;
        const i64 shard = i64{1} << 16, cells = out.count();
        run.tasks((cells + shard - 1) / shard, [&](i64 s, int) {
            for (i64 q = s * shard, end = std::min(cells, q + shard); q < end; ++q) out.cols[q] = code[static_cast<u32>(out.cols[q])];
        });
    }
    if (p.coded())
        out.pred_labels = listed_labels(std::move(p.keys), out.k_pred, p.labels);
    else
        out.pred_labels = used_labels(used[0], p, out.k_pred);
}

inline std::vector<SlotSet> slot_sets(i64 slots, int count) {
    std::vector<SlotSet> sets;
    for (int i = 0; i < count; ++i) sets.emplace_back(slots);
    return sets;
}

}  // namespace clusterdiff
