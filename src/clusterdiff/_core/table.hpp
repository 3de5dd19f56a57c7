// The meet of clusterings with few clusters: a dense table of counts, one pass over the labels.
#pragma once

#include <atomic>
#include <bit>
#include <optional>

#include "sides.hpp"

namespace clusterdiff {

// Labels to rows or columns of the table; a label that was not foreseen gives a slot past the end. Coders come from a
// sample, and the check inside the counting loop is a branch that is never taken, which is free: one pass does it all.
class RangeCoder {
  public:
    explicit RangeCoder(Range r) : lo_(r.lo), slots_(r.span() + 1) {}
    u64 operator()(u64 label) const { return label - lo_; }
    u64 slots() const { return slots_; }
    u64 label(i64 slot) const { return lo_ + static_cast<u64>(slot); }
    static constexpr bool unbroken = true;

  private:
    u64 lo_, slots_;
};

// A few arbitrary labels without a collision between them: one multiplication, one look, no branch to guess.
class PerfectCoder {
  public:
    // Nothing when there are too many keys, or the multipliers that are tried all fail.
    static std::optional<PerfectCoder> find(const std::vector<u64>& keys) {
        constexpr int kTries = 64, kMostBits = 17;
        const int bits = std::max(6, 2 * static_cast<int>(std::bit_width(keys.size())) - 1);  // one try in three succeeds, or more
        if (bits > kMostBits) return std::nullopt;
        PerfectCoder coder;
        coder.keys_ = keys;
        coder.shift_ = 64 - bits;
        for (u64 tried = 1; tried <= kTries; ++tried) {
            coder.multiplier_ = mix(tried) | 1;
            if (coder.fill()) return coder;
        }
        return std::nullopt;
    }
    u64 operator()(u64 label) const {
        const Slot& slot = slots_[(label * multiplier_) >> shift_];
        return slot.key == label ? slot.code : ~u64{0};
    }
    u64 slots() const { return keys_.size(); }
    u64 label(i64 slot) const { return keys_[static_cast<std::size_t>(slot)]; }
    static constexpr bool unbroken = false;

  private:
    struct Slot {
        u64 key, code;
    };
    bool fill() {
        slots_.assign(std::size_t{1} << (64 - shift_), Slot{0, ~u64{0}});
        for (std::size_t code = 0; code < keys_.size(); ++code) {
            Slot& slot = slots_[(keys_[code] * multiplier_) >> shift_];
            if (slot.code != ~u64{0}) return false;
            slot = {keys_[code], code};
        }
        return true;
    }

    std::vector<u64> keys_;
    std::vector<Slot> slots_;
    u64 multiplier_ = 1;
    int shift_ = 0;
};

class KeyCoder {
  public:
    explicit KeyCoder(const std::vector<u64>& keys) {
        for (u64 key : keys) table_.find_or_add(key);
    }
    u64 operator()(u64 label) const { return static_cast<u64>(static_cast<i64>(table_.find(label))); }
    u64 slots() const { return table_.keys().size(); }
    u64 label(i64 slot) const { return table_.keys()[static_cast<std::size_t>(slot)]; }
    static constexpr bool unbroken = false;

  private:
    KeyTable table_;
};

// Adds a block of points to the table; false at a label that was not foreseen. The loop outruns the processor's own
// prefetching, so it asks for the labels to come, a cache line of each side every eight points.
template <class Count, class TrueCoder, class PredCoder, class T, class P>
bool count_block(const T* __restrict x, const P* __restrict y, i64 count, const TrueCoder& row_of, const PredCoder& col_of,
                 Count* __restrict table) {
    constexpr i64 kAhead = 64;
    const u64 rows = row_of.slots(), width = col_of.slots();
    auto widened = [](auto label) { return static_cast<u64>(static_cast<i64>(label)); };
    i64 i = 0;
    auto add = [&](i64 at) {
        const u64 row = row_of(widened(x[at])), col = col_of(widened(y[at]));
        if (__builtin_expect((row >= rows) | (col >= width), 0)) return false;
        ++table[row * width + col];
        return true;
    };
    for (; i + 8 <= count; i += 8) {
        __builtin_prefetch(x + i + kAhead);
        __builtin_prefetch(y + i + kAhead);
        for (i64 k = 0; k < 8; ++k)
            if (!add(i + k)) return false;
    }
    for (; i < count; ++i)
        if (!add(i)) return false;
    return true;
}

// Counts all points into table[rows * width], one table a worker, summed. False when a label was not foreseen.
template <class Count, class TrueCoder, class PredCoder>
bool count_points(const Labels& t, const Labels& p, const TrueCoder& row_of, const PredCoder& col_of, Buffer<Count>& table, Run& run) {
    const i64 cells = static_cast<i64>(row_of.slots() * col_of.slots()), padded = (cells + 63) / 64 * 64;
    const int team = run.threads();
    table = Buffer<Count>::zeros(padded * team);
    std::atomic<bool> foreseen{true};
    run.workers(team, [&](int worker) {
        u64 t_scratch[kBlock], p_scratch[kBlock];
        Count* mine = table.data() + padded * worker;
        const TrueCoder my_row = row_of;  // copies: what the loop reads is surely not what it writes
        const PredCoder my_col = col_of;
        const i64 begin = t.n / team * worker, end = worker + 1 == team ? t.n : t.n / team * (worker + 1);
        for (i64 at = begin; at < end && foreseen.load(std::memory_order_relaxed); at += kBlock) {
            if ((at - begin) % (kBlock * 64) == 0) run.poll(worker);
            const i64 count = std::min(kBlock, end - at);
            auto count_in = [&](const auto* x, const auto* y) { return count_block(x, y, count, my_row, my_col, mine); };
            bool known;
            if constexpr (TrueCoder::unbroken)  // narrow labels have ranges, hardly ever a dictionary
                known = t.visit_block(at, count, t_scratch, [&](const auto* x) {
                    return p.visit_block(at, count, p_scratch, [&](const auto* y) { return count_in(x, y); });
                });
            else
                known = count_in(t.block(at, count, t_scratch), p.block(at, count, p_scratch));
            if (!known) foreseen.store(false, std::memory_order_relaxed);
        }
    });
    if (!foreseen.load()) return false;
    for (int worker = 1; worker < team; ++worker)
        for (i64 i = 0; i < cells; ++i) table[i] += table[padded * worker + i];
    return true;
}

// The labels of the occupied slots, in order; the range itself when all slots are.
template <class Coder, class Occupied>
LabelList occupied_labels(const Coder& coder, i64 slots, i64 count, bool is_signed, Occupied&& occupied) {
    LabelList list;
    list.count = count;
    list.is_signed = is_signed;
    if (Coder::unbroken && count == slots) {
        list.lo = coder.label(0);
        return list;
    }
    list.values = Buffer<u64>(count);
    i64 next = 0;
    for (i64 slot = 0; slot < slots; ++slot)
        if (occupied(slot)) list.values[next++] = coder.label(slot);
    return list;
}

// From the dense table to rows of cells; empty rows and columns get no code.
template <class Count, class TrueCoder, class PredCoder>
Cells gather_cells(const Count* table, const TrueCoder& row_of, const PredCoder& col_of, const Labels& t, const Labels& p) {
    const i64 rows = static_cast<i64>(row_of.slots()), width = static_cast<i64>(col_of.slots());
    Cells out;
    out.n = t.n;
    auto row_cells = Buffer<i32>(rows);
    auto code = Buffer<i32>::zeros(width);  // first: is the column used; then: its code
    i64 cells = 0;
    for (i64 row = 0; row < rows; ++row) {
        const Count* from = table + row * width;
        i32 used = 0;
        for (i64 col = 0; col < width; ++col) {
            used += from[col] != 0;
            code[col] |= from[col] != 0;
        }
        row_cells[row] = used;
        cells += used;
        out.k_true += used != 0;
    }
    for (i64 col = 0; col < width; ++col) out.k_pred += code[col];
    out.true_labels = occupied_labels(row_of, rows, out.k_true, t.is_signed(), [&](i64 row) { return row_cells[row]; });
    out.pred_labels = occupied_labels(col_of, width, out.k_pred, p.is_signed(), [&](i64 col) { return code[col]; });
    for (i64 col = 0, next = 0; col < width; ++col) code[col] = code[col] ? static_cast<i32>(next++) : -1;

    out.indptr = Buffer<i64>(out.k_true + 1);
    out.cols = Buffer<i32>(cells);
    out.sizes = Buffer<i64>(cells);
    i64 at = 0, next = 0;
    out.indptr[0] = 0;
    for (i64 row = 0; row < rows; ++row) {
        if (!row_cells[row]) continue;
        const Count* from = table + row * width;
        for (i64 col = 0; col < width; ++col) {
            if (!from[col]) continue;
            out.cols[at] = code[col];
            out.sizes[at++] = static_cast<i64>(from[col]);
        }
        out.indptr[++next] = at;
    }
    return out;
}

// Nothing when a label turns up that the coders do not know.
template <class TrueCoder, class PredCoder>
std::optional<Cells> meet_by_table(const Labels& t, const Labels& p, const TrueCoder& row_of, const PredCoder& col_of, Run& run) {
    auto with = [&](auto zero) -> std::optional<Cells> {
        Buffer<decltype(zero)> table;
        if (!count_points(t, p, row_of, col_of, table, run)) return std::nullopt;
        return gather_cells(table.data(), row_of, col_of, t, p);
    };
    return t.n <= static_cast<i64>(UINT32_MAX) ? with(u32{}) : with(u64{});
}

}  // namespace clusterdiff
