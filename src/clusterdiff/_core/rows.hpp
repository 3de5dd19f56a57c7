// The meet of clusterings with many clusters: points are partitioned by true cluster into buckets that fit the cache,
// and each bucket is sorted by row and counted there.
#pragma once

#include <atomic>
#include <bit>

#include "sides.hpp"
#include "table.hpp"

namespace clusterdiff {

// Counts how often each column occurs in one row. The columns of a row come out by first appearance.
class RowCounter {
  public:
    RowCounter(i64 columns) : columns_(columns) {}

    // Counts cols[0, length) and appends the cells; returns how many.
    i64 count(const u32* cols, i64 length, u32* out_cols, i64* out_sizes) {
        if (length <= 16) return scan(cols, length, out_cols, out_sizes);
        if (columns_ <= kDense) return dense(cols, length, out_cols, out_sizes);
        return hashed(cols, length, out_cols, out_sizes);
    }

  private:
    static constexpr i64 kDense = i64{1} << 19;  // columns whose counters stay in a level-2 cache or near it

    static i64 scan(const u32* cols, i64 length, u32* out_cols, i64* out_sizes) {
        i64 cells = 0;
        for (i64 i = 0; i < length; ++i) {
            i64 q = 0;
            while (q < cells && out_cols[q] != cols[i]) ++q;
            if (q == cells) {
                out_cols[cells] = cols[i];
                out_sizes[cells++] = 1;
            } else {
                ++out_sizes[q];
            }
        }
        return cells;
    }

    i64 dense(const u32* cols, i64 length, u32* out_cols, i64* out_sizes) {
        if (counters_.empty()) counters_ = Buffer<i64>::zeros(columns_);
        i64 cells = 0;
        for (i64 i = 0; i < length; ++i) {
            const i64 before = counters_[cols[i]]++;
            out_cols[cells] = cols[i];
            cells += before == 0;
        }
        for (i64 q = 0; q < cells; ++q) {
            out_sizes[q] = counters_[out_cols[q]];
            counters_[out_cols[q]] = 0;
        }
        return cells;
    }

    i64 hashed(const u32* cols, i64 length, u32* out_cols, i64* out_sizes) {
        i64 capacity = 64;
        while (capacity < 2 * length) capacity *= 2;
        if (slots_.size() < capacity) slots_ = Buffer<Slot>(capacity);
        std::memset(static_cast<void*>(slots_.data()), 0xff, static_cast<std::size_t>(capacity) * sizeof(Slot));
        const int shift = 64 - std::countr_zero(static_cast<u64>(capacity));
        i64 cells = 0;
        for (i64 i = 0; i < length; ++i) {
            i64 p = static_cast<i64>((cols[i] * 0x9e3779b97f4a7c15ull) >> shift);
            while (slots_[p].cell >= 0 && slots_[p].col != cols[i]) p = (p + 1) & (capacity - 1);
            if (slots_[p].cell < 0) {
                slots_[p] = {cells, cols[i]};
                out_cols[cells] = cols[i];
                out_sizes[cells++] = 1;
            } else {
                ++out_sizes[slots_[p].cell];
            }
        }
        return cells;
    }

    struct Slot {
        i64 cell;
        u32 col;
    };
    i64 columns_;
    Buffer<i64> counters_;
    Buffer<Slot> slots_;
};

// Where the points of each bucket go: a stable partition, the same for any number of threads.
struct Partition {
    int shift = 0;              // bucket = row slot >> shift
    i64 buckets = 0;
    std::vector<i64> start;     // [buckets + 1]
    Buffer<u64> records;        // row slot << 32 | column slot
};

inline Partition partition_points(const Side& t, const Side& p, Run& run) {
    constexpr int kMaxBits = 10;        // more buckets than that and their write positions leave the cache
    constexpr i64 kBucketPoints = 8192;  // aim: a bucket and its counters within a level-1/2 cache
    const i64 n = t.labels.n;
    int bits = 0;
    while (bits < kMaxBits && (n >> bits) > kBucketPoints) ++bits;
    const int row_bits = std::bit_width(static_cast<u64>(t.slots - 1));
    bits = std::min(bits, row_bits);

    Partition part;
    part.shift = row_bits - bits;
    part.buckets = ((t.slots - 1) >> part.shift) + 1;
    const int team = run.threads();
    std::vector<std::vector<i64>> next(static_cast<std::size_t>(team), std::vector<i64>(static_cast<std::size_t>(part.buckets)));
    auto begin_of = [&](int worker) { return worker == team ? n : n / team * worker; };
    run.workers(team, [&](int worker) {
        u64 scratch[kBlock];
        u32 slots[kBlock];
        i64* histogram = next[static_cast<std::size_t>(worker)].data();
        for (i64 at = begin_of(worker), end = begin_of(worker + 1); at < end; at += kBlock) {
            const i64 count = std::min(kBlock, end - at);
            const u32* row = t.block(at, count, scratch, slots);
            for (i64 i = 0; i < count; ++i) ++histogram[row[i] >> part.shift];
            run.poll(worker);
        }
    });
    part.start.assign(static_cast<std::size_t>(part.buckets) + 1, 0);
    i64 total = 0;
    for (i64 b = 0; b < part.buckets; ++b) {
        part.start[static_cast<std::size_t>(b)] = total;
        for (auto& mine : next) {
            const i64 count = mine[static_cast<std::size_t>(b)];
            mine[static_cast<std::size_t>(b)] = total;
            total += count;
        }
    }
    part.start[static_cast<std::size_t>(part.buckets)] = total;
    part.records = Buffer<u64>(n);
    run.workers(team, [&](int worker) {
        u64 t_scratch[kBlock], p_scratch[kBlock];
        u32 t_slots[kBlock], p_slots[kBlock];
        i64* to = next[static_cast<std::size_t>(worker)].data();
        u64* records = part.records.data();
        for (i64 at = begin_of(worker), end = begin_of(worker + 1); at < end; at += kBlock) {
            const i64 count = std::min(kBlock, end - at);
            const u32* row = t.block(at, count, t_scratch, t_slots);
            const u32* col = p.block(at, count, p_scratch, p_slots);
            for (i64 i = 0; i < count; ++i)
                records[to[row[i] >> part.shift]++] = (static_cast<u64>(row[i]) << 32) | col[i];
            run.poll(worker);
        }
    });
    return part;
}

// A set of slots, filled by several workers.
class SlotSet {
  public:
    explicit SlotSet(i64 slots) : words_(Buffer<u64>::zeros((slots + 63) / 64)) {}
    void add(u32 slot) { words_[slot >> 6] |= u64{1} << (slot & 63); }
    bool has(i64 slot) const { return words_[slot >> 6] >> (slot & 63) & 1; }
    void unite(const SlotSet& other) {
        for (i64 w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
    }
    i64 count() const {
        i64 total = 0;
        for (i64 w = 0; w < words_.size(); ++w) total += std::popcount(words_[w]);
        return total;
    }

  private:
    Buffer<u64> words_;
};

inline LabelList labels_of(Side& side, i64 count, const SlotSet& used) {
    LabelList list;
    if (side.coded()) {
        list.count = count;
        list.values = std::move(side.keys);
        list.is_signed = side.labels.is_signed();
        return list;
    }
    return occupied_labels(side.lo, side.slots, count, side.labels.is_signed(), [&](i64 slot) { return used.has(slot); });
}

inline Cells meet_by_rows(Side& t, Side& p, Run& run) {
    Partition part = partition_points(t, p, run);
    const i64 n = t.labels.n;
    const int team = static_cast<int>(std::min<i64>(run.threads(), part.buckets));
    const i64 bucket_rows = i64{1} << part.shift;
    i64 largest = 0;
    for (i64 b = 0; b < part.buckets; ++b)
        largest = std::max(largest, part.start[static_cast<std::size_t>(b) + 1] - part.start[static_cast<std::size_t>(b)]);

    // Cells are not yet counted: room for the worst case is reserved, only what is written takes memory.
    Cells out;
    out.n = n;
    out.indptr = Buffer<i64>(std::min(n, t.slots) + 1);
    out.cols = Buffer<i32>(n);
    out.sizes = Buffer<i64>(n);
    std::vector<SlotSet> t_used, p_used;
    for (int worker = 0; worker < team; ++worker) {
        t_used.emplace_back(t.slots);
        p_used.emplace_back(p.slots);
    }

    // Buckets are handed out in order. A finished bucket waits for the one before it to learn where its cells go.
    struct Place {
        std::atomic<i64> cell{-1}, row{-1};
    };
    std::vector<Place> place(static_cast<std::size_t>(part.buckets) + 1);
    place[0].cell = 0;
    place[0].row = 0;
    std::atomic<i64> next_bucket{0};
    run.workers(team, [&](int worker) {
        RowCounter counter(p.slots);
        Buffer<i64> position(bucket_rows + 1);
        Buffer<u32> sorted(largest);
        Buffer<u32> cell_cols(largest);
        Buffer<i64> cell_sizes(largest);
        Buffer<i64> row_ends(std::min(bucket_rows, largest));
        SlotSet& rows_seen = t_used[static_cast<std::size_t>(worker)];
        SlotSet& cols_seen = p_used[static_cast<std::size_t>(worker)];
        for (;;) {
            const i64 b = next_bucket.fetch_add(1, std::memory_order_relaxed);
            if (b >= part.buckets) return;
            run.poll(worker);
            const u64* record = part.records.data() + part.start[static_cast<std::size_t>(b)];
            const i64 points = part.start[static_cast<std::size_t>(b) + 1] - part.start[static_cast<std::size_t>(b)];
            const u64 first_row = static_cast<u64>(b) << part.shift;
            const i64 rows = std::min(bucket_rows, t.slots - static_cast<i64>(first_row));
            std::memset(position.data(), 0, static_cast<std::size_t>(rows) * sizeof(i64));
            for (i64 i = 0; i < points; ++i) ++position[static_cast<i64>((record[i] >> 32) - first_row)];
            for (i64 row = 0, sum = 0; row < rows; ++row) {
                const i64 count = position[row];
                position[row] = sum;
                sum += count;
            }
            for (i64 i = 0; i < points; ++i)
                sorted[position[static_cast<i64>((record[i] >> 32) - first_row)]++] = static_cast<u32>(record[i]);
            i64 cells = 0, used_rows = 0;
            for (i64 row = 0, begin = 0; row < rows; ++row) {
                const i64 end = position[row];
                if (end > begin) {
                    cells += counter.count(sorted.data() + begin, end - begin, cell_cols.data() + cells, cell_sizes.data() + cells);
                    row_ends[used_rows++] = cells;
                    rows_seen.add(static_cast<u32>(first_row) + static_cast<u32>(row));
                }
                begin = end;
            }
            for (i64 q = 0; q < cells; ++q) cols_seen.add(cell_cols[q]);

            Place& mine = place[static_cast<std::size_t>(b)];
            Place& following = place[static_cast<std::size_t>(b) + 1];
            while (mine.row.load(std::memory_order_acquire) < 0) {
                run.poll(worker);
                std::this_thread::yield();
            }
            const i64 cell_at = mine.cell.load(std::memory_order_relaxed), row_at = mine.row.load(std::memory_order_relaxed);
            following.cell.store(cell_at + cells, std::memory_order_relaxed);
            following.row.store(row_at + used_rows, std::memory_order_release);
            std::memcpy(out.cols.data() + cell_at, cell_cols.data(), static_cast<std::size_t>(cells) * sizeof(i32));
            std::memcpy(out.sizes.data() + cell_at, cell_sizes.data(), static_cast<std::size_t>(cells) * sizeof(i64));
            for (i64 r = 0; r < used_rows; ++r) out.indptr[row_at + r] = cell_at + (r ? row_ends[r - 1] : 0);
        }
    });
    const i64 cells = place.back().cell;
    out.k_true = place.back().row;
    out.indptr[out.k_true] = cells;
    out.indptr.truncate(out.k_true + 1);
    out.cols.truncate(cells);
    out.sizes.truncate(cells);
    for (int worker = 1; worker < team; ++worker) {
        t_used[0].unite(t_used[static_cast<std::size_t>(worker)]);
        p_used[0].unite(p_used[static_cast<std::size_t>(worker)]);
    }
    out.k_pred = p_used[0].count();
    check_clusters(out.k_true, "true");
    check_clusters(out.k_pred, "pred");
    if (out.k_pred < p.slots) {  // columns get compact codes
        Buffer<i32> code(p.slots);
        for (i64 slot = 0, next = 0; slot < p.slots; ++slot) code[slot] = p_used[0].has(slot) ? static_cast<i32>(next++) : -1;
        const i64 shard = i64{1} << 16;
        run.tasks((cells + shard - 1) / shard, [&](i64 s, int) {
            for (i64 q = s * shard, end = std::min(cells, q + shard); q < end; ++q)
                out.cols[q] = code[static_cast<u32>(out.cols[q])];
        });
    }
    out.true_labels = labels_of(t, out.k_true, t_used[0]);
    out.pred_labels = labels_of(p, out.k_pred, p_used[0]);
    return out;
}

}  // namespace clusterdiff
