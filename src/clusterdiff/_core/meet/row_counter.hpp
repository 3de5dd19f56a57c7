// The cells of one row, counted in the way that suits its length and the number of columns.
#pragma once

#include "base/codes.hpp"

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
        table_.clear(2 * std::min(length, columns_));
        i64 cells = 0;
        for (i64 i = 0; i < length; ++i) {
            const u32 col = cols[i];
            Slot& slot = table_.seek((col * 0x9e3779b97f4a7c15ull) >> 32, [col](const Slot& s) { return s.col == col; });
            if (slot.code < 0) {
                slot = {cells, col};
                out_cols[cells] = col;
                out_sizes[cells++] = 1;
            } else {
                ++out_sizes[slot.code];
            }
        }
        return cells;
    }

    struct Slot {
        i64 code;  // a cell of this row
        u32 col;
    };
    i64 columns_;
    Buffer<u32> counters_, pieces_;
    Probing<Slot> table_;
};

}  // namespace clusterdiff
