// The meet of clusterings with few clusters: a dense table of counts, one pass over the labels.
#pragma once

#include <atomic>

#include "cells.hpp"

namespace clusterdiff {

// Adds the points of a block to the table; stops at the first label outside the guessed ranges. The check is a branch
// that is never taken, which is free, and saves a pass to find the ranges.
template <class Count>
inline bool count_block(const u64* t, const u64* p, i64 count, u64 t_lo, u64 p_lo, u64 rows, u64 width, Count* table) {
    for (i64 i = 0; i < count; ++i) {
        const u64 row = t[i] - t_lo, col = p[i] - p_lo;
        if (__builtin_expect((row >= rows) | (col >= width), 0)) return false;
        ++table[row * width + col];
    }
    return true;
}

// Counts all points into table[rows * width], summed over the workers. False when a label lies outside the ranges.
template <class Count>
bool count_points(const Labels& t, const Labels& p, Range rt, Range rp, Buffer<Count>& table, Run& run) {
    const u64 rows = rt.span() + 1, width = rp.span() + 1;
    const i64 cells = static_cast<i64>(rows * width), padded = (cells + 63) / 64 * 64;
    const int team = run.threads();
    table = Buffer<Count>::zeros(padded * team);
    std::atomic<bool> inside{true};
    run.workers(team, [&](int worker) {
        u64 t_scratch[kBlock], p_scratch[kBlock];
        Count* mine = table.data() + padded * worker;
        const i64 begin = t.n / team * worker, end = worker + 1 == team ? t.n : t.n / team * (worker + 1);
        for (i64 at = begin; at < end && inside.load(std::memory_order_relaxed); at += kBlock) {
            if ((at - begin) % (kBlock * 64) == 0) run.poll(worker);
            const i64 count = std::min(kBlock, end - at);
            if (!count_block(t.block(at, count, t_scratch), p.block(at, count, p_scratch), count, rt.lo, rp.lo, rows,
                             width, mine))
                inside.store(false, std::memory_order_relaxed);
        }
    });
    if (!inside.load()) return false;
    for (int worker = 1; worker < team; ++worker)
        for (i64 i = 0; i < cells; ++i) table[i] += table[padded * worker + i];
    return true;
}

// The labels lo + slot of the occupied slots, in order; a range when all are.
template <class Occupied>
LabelList occupied_labels(u64 lo, i64 slots, i64 count, bool is_signed, Occupied&& occupied) {
    LabelList list;
    list.count = count;
    list.lo = lo;
    list.is_signed = is_signed;
    if (count == slots) return list;
    list.values = Buffer<u64>(count);
    i64 next = 0;
    for (i64 slot = 0; slot < slots; ++slot)
        if (occupied(slot)) list.values[next++] = lo + static_cast<u64>(slot);
    return list;
}

// From the dense table to rows of cells; empty rows and columns get no code.
template <class Count>
Cells gather_cells(const Count* table, i64 rows, i64 width, const Labels& t, const Labels& p, u64 t_lo, u64 p_lo) {
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
    out.true_labels = occupied_labels(t_lo, rows, out.k_true, t.is_signed(), [&](i64 row) { return row_cells[row]; });
    out.pred_labels = occupied_labels(p_lo, width, out.k_pred, p.is_signed(), [&](i64 col) { return code[col]; });
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

template <class Count>
std::optional<Cells> meet_by_table(const Labels& t, const Labels& p, Range rt, Range rp, Run& run) {
    Buffer<Count> table;
    if (!count_points(t, p, rt, rp, table, run)) return std::nullopt;
    return gather_cells(table.data(), static_cast<i64>(rt.span() + 1), static_cast<i64>(rp.span() + 1), t, p, rt.lo,
                        rp.lo);
}

}  // namespace clusterdiff
