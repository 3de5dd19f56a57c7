#include "meet/table.hpp"

#include <atomic>

namespace clusterdiff {

namespace {

// Adds a block of points to the table; false at a label that was not foreseen. The loop outruns the processor's own
// prefetching, so it asks for the labels to come, a cache line of each side every eight points.
template <class Count, class TrueCoder, class PredCoder, class T, class P>
bool count_block(const T* __restrict x, const P* __restrict y, i64 count, const TrueCoder& row_of, const PredCoder& col_of,
                 Count* __restrict table) {
    constexpr i64 kAhead = 64;
    const u64 rows = row_of.slots(), width = col_of.slots();
    i64 i = 0;
    auto add = [&](i64 at) {
        const u64 row = row_of(x[at]), col = col_of(y[at]);
        if ((row >= rows) | (col >= width)) [[unlikely]]
            return false;
        ++table[row * width + col];
        return true;
    };
    for (; i + 8 <= count; i += 8) {
        prefetch(x + i + kAhead);
        prefetch(y + i + kAhead);
        for (i64 k = 0; k < 8; ++k)
            if (!add(i + k)) return false;
    }
    for (; i < count; ++i)
        if (!add(i)) return false;
    return true;
}

// Fewer points whose labels need no dictionary are counted before another thread has come.
constexpr i64 kAlone = i64{1} << 17;

// Counts all points into table[rows * width], one table a worker, summed. False when a label was not foreseen.
template <class Count, class TrueCoder, class PredCoder>
bool count_points(const Labels& t, const Labels& p, const TrueCoder& row_of, const PredCoder& col_of, Buffer<Count>& table, Run& run) {
    const i64 cells = static_cast<i64>(row_of.slots() * col_of.slots()), padded = (cells + 63) / 64 * 64;
    const int team = TrueCoder::unbroken && t.n < kAlone ? 1 : run.threads();
    table = Buffer<Count>::zeros(padded * team);
    std::atomic<bool> foreseen{true};
    run.workers(team, [&](int worker) {
        u64 t_scratch[kBlock], p_scratch[kBlock];
        Count* mine = table.data() + padded * worker;
        const TrueCoder my_row = row_of;  // copies: what the loop reads is surely not what it writes
        const PredCoder my_col = col_of;
        const i64 begin = t.n / team * worker, end = worker + 1 == team ? t.n : t.n / team * (worker + 1);
        for (i64 at = begin; at < end && foreseen.load(std::memory_order_relaxed); at += kBlock) {
            if ((at - begin) % (kBlock * 64) == 0) run.poll();
            const i64 count = std::min(kBlock, end - at);
            auto count_in = [&](const auto* x, const auto* y) { return count_block(x, y, count, my_row, my_col, mine); };
            bool known;
            // Narrow labels have ranges, hardly ever a dictionary; and there are not 2^32 of them.
            if constexpr (TrueCoder::unbroken && sizeof(Count) == 4)
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

template <class TrueCoder, class PredCoder>
std::optional<Cells> by_table(const Labels& t, const Labels& p, const TrueCoder& row_of, const PredCoder& col_of, Run& run) {
    auto with = [&](auto zero) -> std::optional<Cells> {
        Buffer<decltype(zero)> table;
        if (!count_points(t, p, row_of, col_of, table, run)) return std::nullopt;
        return gather_cells(table.data(), row_of, col_of, t, p);
    };
    return t.n <= static_cast<i64>(UINT32_MAX) ? with(u32{}) : with(u64{});
}

}  // namespace

std::optional<Cells> meet_by_table(const Labels& t, const Labels& p, const RangeCoder& row_of, const RangeCoder& col_of, Run& run) {
    return by_table(t, p, row_of, col_of, run);
}
std::optional<Cells> meet_by_table(const Labels& t, const Labels& p, const PerfectCoder& row_of, const PerfectCoder& col_of, Run& run) {
    return by_table(t, p, row_of, col_of, run);
}
std::optional<Cells> meet_by_table(const Labels& t, const Labels& p, const KeyCoder& row_of, const KeyCoder& col_of, Run& run) {
    return by_table(t, p, row_of, col_of, run);
}

}  // namespace clusterdiff
