// The meet of clusterings with many clusters: points are partitioned by true cluster into buckets that fit the cache,
// and each bucket is sorted by row and counted there. The order of the points does not matter to the meet, so nothing
// is ever carried back to it.
#pragma once

#include <atomic>
#include <bit>

#include "bits.hpp"
#include "partition.hpp"
#include "sides.hpp"
#include "table.hpp"

namespace clusterdiff {

// Counts how often each column occurs in one row. The columns of a row come out by first appearance.
class RowCounter {
  public:
    explicit RowCounter(i64 columns) : columns_(columns) {}

    // Counts cols[0, length) and appends the cells; returns how many. Seven more entries must be readable.
    i64 count(const u32* cols, i64 length, u32* out_cols, i64* out_sizes) {
        if (length <= 8 && uniform(cols, length)) {
            out_cols[0] = cols[0];
            out_sizes[0] = length;
            return 1;
        }
        if (length <= kScan) return scan(cols, length, out_cols, out_sizes);
        if (length > static_cast<i64>(UINT32_MAX)) return hashed(cols, length, out_cols, out_sizes);
        if (columns_ <= kDense) return dense(cols, length, columns_, out_cols, out_sizes);
        if (length >= kLong) return split(cols, length, out_cols, out_sizes);
        return hashed(cols, length, out_cols, out_sizes);
    }

  private:
    static constexpr i64 kScan = 16;
    static constexpr i64 kDense = i64{1} << 19;  // columns whose counters (2 MiB) stay near the core
    static constexpr i64 kLong = i64{1} << 15;   // points whose hash table would not
    static constexpr int kPieceBits = 15;

    // Whether all of up to eight columns are the same: the common case of linked records. No loop whose length a
    // branch predictor would have to guess.
    static bool uniform(const u32* cols, i64 length) {
        static constexpr u32 kWithin[16] = {~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0, 0, 0, 0, 0, 0, 0, 0};
        const u32* within = kWithin + 8 - length;
        u32 differs = 0;
        for (int i = 0; i < 8; ++i) differs |= (cols[i] ^ cols[0]) & within[i];
        return differs == 0;
    }

    static i64 scan(const u32* cols, i64 length, u32* out_cols, i64* out_sizes) {
        out_cols[0] = cols[0];
        out_sizes[0] = 1;
        i64 cells = 1, last = 0;  // most points of a row fall into the cell of the point before
        for (i64 i = 1; i < length; ++i) {
            if (cols[i] != out_cols[last]) {
                for (last = 0; last < cells && out_cols[last] != cols[i];) ++last;
                if (last == cells) {
                    out_cols[cells] = cols[i];
                    out_sizes[cells++] = 0;
                }
            }
            ++out_sizes[last];
        }
        return cells;
    }

    // All columns must be below `columns`, which is the same at every call.
    i64 dense(const u32* cols, i64 length, i64 columns, u32* out_cols, i64* out_sizes) {
        if (counters_.empty()) counters_ = Buffer<u32>::zeros(columns);
        u32* __restrict counter = counters_.data();
        i64 cells = 0;
        for (i64 i = 0; i < length; ++i) {
            const u32 before = counter[cols[i]]++;
            out_cols[cells] = cols[i];
            cells += before == 0;
        }
        for (i64 q = 0; q < cells; ++q) out_sizes[q] = std::exchange(counter[out_cols[q]], 0);
        return cells;
    }

    // A long row of many columns: partitioned by column, each piece counted in cache.
    i64 split(const u32* cols, i64 length, u32* out_cols, i64* out_sizes) {
        const i64 pieces = ((columns_ - 1) >> kPieceBits) + 1;
        constexpr u32 within = (u32{1} << kPieceBits) - 1;
        std::vector<i64> start(static_cast<std::size_t>(pieces) + 1);
        for (i64 i = 0; i < length; ++i) ++start[(cols[i] >> kPieceBits) + 1];
        for (std::size_t piece = 1; piece < start.size(); ++piece) start[piece] += start[piece - 1];
        if (pieces_.size() < length) pieces_ = Buffer<u32>(length);
        std::vector<i64> next = start;
        for (i64 i = 0; i < length; ++i) pieces_[next[cols[i] >> kPieceBits]++] = cols[i] & within;
        i64 cells = 0;
        for (i64 piece = 0; piece < pieces; ++piece) {
            const i64 from = start[static_cast<std::size_t>(piece)], to = start[static_cast<std::size_t>(piece) + 1];
            const i64 found = dense(pieces_.data() + from, to - from, i64{1} << kPieceBits, out_cols + cells, out_sizes + cells);
            for (i64 q = cells; q < cells + found; ++q) out_cols[q] |= static_cast<u32>(piece << kPieceBits);
            cells += found;
        }
        return cells;
    }

    i64 hashed(const u32* cols, i64 length, u32* out_cols, i64* out_sizes) {
        i64 capacity = 64;
        while (capacity < 2 * std::min(length, columns_)) capacity *= 2;
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
    Buffer<u32> counters_, pieces_;
    Buffer<Slot> slots_;
};

// Codes for the keys of one bucket by first appearance. Slots of 4 bytes point into the list of keys, so that the
// table of a bucket stays in the innermost caches.
class LocalCodes {
  public:
    void start(i64 most) {
        i64 capacity = 64;
        while (capacity < most) capacity *= 2;
        keys_.clear();
        keys_.reserve(static_cast<std::size_t>(most));
        clear(capacity);
    }
    u32 code(u64 key, u64 hash) {
        for (u64 p = hash & mask_;; p = (p + 1) & mask_) {
            const u32 slot = slots_[p];
            if (slot == 0) {
                keys_.push_back(key);
                slots_[p] = static_cast<u32>(keys_.size());
                if (2 * keys_.size() > slots_used_) grow();
                return static_cast<u32>(keys_.size() - 1);
            }
            if (keys_[slot - 1] == key) return slot - 1;
        }
    }
    const std::vector<u64>& keys() const { return keys_; }

  private:
    void clear(i64 capacity) {
        slots_used_ = static_cast<std::size_t>(capacity);
        if (slots_.size() < slots_used_) slots_.resize(slots_used_);
        std::memset(slots_.data(), 0, slots_used_ * sizeof(u32));
        mask_ = static_cast<u64>(capacity) - 1;
    }
    void grow() {
        clear(2 * static_cast<i64>(slots_used_));
        for (std::size_t code = 0; code < keys_.size(); ++code) {
            u64 p = fold_hash(keys_[code]) & mask_;
            while (slots_[p]) p = (p + 1) & mask_;
            slots_[p] = static_cast<u32>(code + 1);
        }
    }

    std::vector<u32> slots_;
    std::vector<u64> keys_;
    std::size_t slots_used_ = 0;
    u64 mask_ = 0;
};

// ---- Records and the feeds that make them.

// Points whose predicted label is arbitrary are first partitioned by its hash; then `key` becomes a code.
struct PredRecord {
    u64 key, truth;
};

// Points with an arbitrary true label, on the way to their rows.
struct [[gnu::packed]] TrueRecord {
    u64 key;
    u32 col;
};

struct FeedScratch {
    u64 wide[2][kBlock];
    u32 narrow[2][kBlock];
};

template <class A, class B>
struct Columns {
    const A* key;
    const B* other;
};

// Both sides have slots.
struct SlotFeed {
    const Side& t;
    const Side& p;
    using Scratch = FeedScratch;
    const u32* keys(i64 at, i64 count, Scratch& s) const { return t.block(at, count, s.wide[0], s.narrow[0]); }
    Columns<u32, u32> both(i64 at, i64 count, Scratch& s) const {
        return {keys(at, count, s), p.block(at, count, s.wide[1], s.narrow[1])};
    }
};

// True labels are arbitrary, the predicted side has slots.
struct TrueFeed {
    const Labels& t;
    const Side& p;
    using Scratch = FeedScratch;
    const u64* keys(i64 at, i64 count, Scratch& s) const { return t.block(at, count, s.wide[0]); }
    Columns<u64, u32> both(i64 at, i64 count, Scratch& s) const {
        return {keys(at, count, s), p.block(at, count, s.wide[1], s.narrow[1])};
    }
};

// Predicted labels first, true labels along.
struct PredFeed {
    const Labels& t;
    const Labels& p;
    using Scratch = FeedScratch;
    const u64* keys(i64 at, i64 count, Scratch& s) const { return p.block(at, count, s.wide[0]); }
    Columns<u64, u64> both(i64 at, i64 count, Scratch& s) const { return {keys(at, count, s), t.block(at, count, s.wide[1])}; }
};

// The same two once the predicted labels have codes: true slots (Key = u32, offsets from `lo`) or labels (Key = u64).
// Its records are not needed once they have been fed on.
template <class Key>
struct CodedFeed {
    Buffer<PredRecord> records;
    u64 lo;
    struct Scratch {
        Key key[kBlock];
        u32 other[kBlock];
    };
    const Key* keys(i64 at, i64 count, Scratch& s) const {
        for (i64 i = 0; i < count; ++i) s.key[i] = static_cast<Key>(records[at + i].truth - lo);
        return s.key;
    }
    Columns<Key, u32> both(i64 at, i64 count, Scratch& s) const {
        for (i64 i = 0; i < count; ++i) {
            s.key[i] = static_cast<Key>(records[at + i].truth - lo);
            s.other[i] = static_cast<u32>(records[at + i].key);
        }
        return {s.key, s.other};
    }
};

// ---- Rows of a bucket, numbered from 0 within it.

// Rows are slots: record = row << kColBits | column.
template <class Word, int kColBits>
class SlotRows {
  public:
    using Record = Word;
    SlotRows(i64 slots, int shift) : slots_(slots), shift_(shift), used_(slots) {}
    static Word record(u32 row, u32 col) { return static_cast<Word>(row) << kColBits | col; }
    i64 start(i64 bucket, const Word*, i64) {
        first_ = bucket << shift_;
        return std::min(i64{1} << shift_, slots_ - first_);
    }
    static i64 row(const Word* record, i64 i) { return static_cast<i64>(record[i] >> kColBits); }
    static u32 col(const Word* record, i64 i) { return static_cast<u32>(record[i] & ((Word{1} << kColBits) - 1)); }
    void use(i64 row) { used_.add(first_ + row); }
    void store_labels(i64) {}
    const SlotSet& used() const { return used_; }
    SlotSet& used() { return used_; }

  private:
    i64 slots_;
    int shift_;
    i64 first_ = 0;
    SlotSet used_;
};

// Rows are arbitrary labels, numbered by first appearance in the bucket.
class LabelRows {
  public:
    using Record = TrueRecord;
    explicit LabelRows(Buffer<u64>& labels) : labels_(labels) {}
    i64 start(i64, const TrueRecord* record, i64 points) {
        codes_.start(points);
        rows_.resize(static_cast<std::size_t>(points));
        for (i64 i = 0; i < points; ++i) rows_[static_cast<std::size_t>(i)] = codes_.code(record[i].key, fold_hash(record[i].key));
        return static_cast<i64>(codes_.keys().size());
    }
    i64 row(const TrueRecord*, i64 i) const { return rows_[static_cast<std::size_t>(i)]; }
    static u32 col(const TrueRecord* record, i64 i) { return record[i].col; }
    void use(i64) {}
    void store_labels(i64 at) {
        std::memcpy(labels_.data() + at, codes_.keys().data(), codes_.keys().size() * sizeof(u64));
    }

  private:
    Buffer<u64>& labels_;
    LocalCodes codes_;
    std::vector<u32> rows_;
};

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
            run.poll(worker);
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
                run.poll(worker);
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

template <class Rows>
Cells count_buckets(const Partition<typename Rows::Record>& part, std::vector<Rows>& rows, std::vector<SlotSet>& used_cols, i64 columns,
                    i64 most_rows, Run& run) {
    if (part.largest() <= static_cast<i64>(UINT32_MAX)) return count_buckets<u32>(part, rows, used_cols, columns, most_rows, run);
    return count_buckets<u64>(part, rows, used_cols, columns, most_rows, run);
}

inline LabelList listed_labels(Buffer<u64>&& values, i64 count, const Labels& x) {
    LabelList list;
    list.count = count;
    list.values = std::move(values);
    list.values.truncate(count);
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

constexpr i64 kBucketPoints = 8192;

// The true side has slots; `feed` yields (true slot, pred slot).
template <class Rows, class Feed>
Cells rows_by_slot(Feed& feed, Side& t, Side& p, int shift, Run& run) {
    const i64 n = t.labels.n, buckets = ((t.slots - 1) >> shift) + 1;
    const u32 within = static_cast<u32>((u64{1} << shift) - 1);
    const auto part = partition<typename Rows::Record>(
        n, buckets, feed, [shift](u32 slot) { return slot >> shift; },
        [within](u32 slot, u32 col) { return Rows::record(slot & within, col); }, run);
    if constexpr (requires { feed.records; }) feed.records = {};
    const int team = static_cast<int>(std::min<i64>(run.threads(), buckets));
    std::vector<Rows> rows;
    for (int worker = 0; worker < team; ++worker) rows.emplace_back(t.slots, shift);
    auto used_cols = slot_sets(p.slots, team);
    Cells out = count_buckets(part, rows, used_cols, p.slots, std::min(n, t.slots), run);
    for (int worker = 1; worker < team; ++worker) rows[0].used().unite(rows[static_cast<std::size_t>(worker)].used());
    if (t.coded())
        out.true_labels = listed_labels(std::move(t.keys), out.k_true, t.labels);
    else
        out.true_labels = used_labels(rows[0].used(), t, out.k_true);
    finish_columns(out, p, used_cols, run);
    return out;
}

template <class Feed>
Cells rows_by_slot(Feed feed, Side& t, Side& p, Run& run) {
    const int slot_bits = std::bit_width(static_cast<u64>(t.slots - 1)), col_bits = std::bit_width(static_cast<u64>(p.slots - 1));
    const int shift = slot_bits - std::min(slot_bits, partition_bits(t.labels.n, kBucketPoints));
    // Half the traffic where a row and a column fit a word.
    if (col_bits <= 16 && shift <= 16) return rows_by_slot<SlotRows<u32, 16>>(feed, t, p, shift, run);
    if (col_bits <= 20 && shift <= 12) return rows_by_slot<SlotRows<u32, 20>>(feed, t, p, shift, run);
    return rows_by_slot<SlotRows<u64, 32>>(feed, t, p, shift, run);
}

// The true side is arbitrary; `feed` yields (true label, pred slot).
template <class Feed>
Cells rows_by_label(Feed feed, const Labels& t, Side& p, Run& run) {
    const int bits = partition_bits(t.n, kBucketPoints);
    const auto part = partition<TrueRecord>(
        t.n, i64{1} << bits, feed, [bits](u64 key) { return bits ? fold_hash(key) >> (64 - bits) : 0; },
        [](u64 key, u32 col) { return TrueRecord{key, col}; }, run);
    if constexpr (requires { feed.records; }) feed.records = {};
    const int team = static_cast<int>(std::min<i64>(run.threads(), part.buckets()));
    Buffer<u64> labels(t.n);
    std::vector<LabelRows> rows(static_cast<std::size_t>(team), LabelRows(labels));
    auto used_cols = slot_sets(p.slots, team);
    Cells out = count_buckets(part, rows, used_cols, p.slots, t.n, run);
    out.true_labels = listed_labels(std::move(labels), out.k_true, t);
    finish_columns(out, p, used_cols, run);
    return out;
}

// Arbitrary predicted labels, many of them: partitioned by hash, each bucket numbered in cache. The records then hold
// codes, and `p` the labels behind them.
inline Partition<PredRecord> code_predicted(const Labels& t, Side& p, Run& run) {
    const int bits = partition_bits(t.n, kBucketPoints);
    auto part = partition<PredRecord>(
        t.n, i64{1} << bits, PredFeed{t, p.labels}, [bits](u64 key) { return bits ? fold_hash(key) >> (64 - bits) : 0; },
        [](u64 key, u64 truth) { return PredRecord{key, truth}; }, run);
    // Codes count on from bucket to bucket: first within each, then shifted by the buckets before it.
    std::vector<std::vector<u64>> keys(static_cast<std::size_t>(part.buckets()));
    std::vector<LocalCodes> codes(static_cast<std::size_t>(run.threads()));
    run.tasks(part.buckets(), [&](i64 b, int worker) {
        LocalCodes& local = codes[static_cast<std::size_t>(worker)];
        local.start(part.size(b));
        PredRecord* record = part.records.data() + part.begin(b);
        for (i64 i = 0; i < part.size(b); ++i) record[i].key = local.code(record[i].key, fold_hash(record[i].key));
        keys[static_cast<std::size_t>(b)] = local.keys();
    });
    std::vector<i64> offset{0};
    for (const auto& mine : keys) offset.push_back(offset.back() + static_cast<i64>(mine.size()));
    check_clusters(offset.back(), "pred");
    p.slots = offset.back();
    p.keys = Buffer<u64>(p.slots);
    run.tasks(part.buckets(), [&](i64 b, int) {
        const auto& mine = keys[static_cast<std::size_t>(b)];
        const i64 from = offset[static_cast<std::size_t>(b)];
        std::memcpy(p.keys.data() + from, mine.data(), mine.size() * sizeof(u64));
        for (i64 i = part.begin(b); i < part.begin(b + 1); ++i) part.records[i].key += static_cast<u64>(from);
    });
    return part;
}

}  // namespace clusterdiff
