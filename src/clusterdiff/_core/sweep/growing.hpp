// A predicted cluster that grows from batch to batch: its cells in a hash table, or in an array if it lies in many rows.
#pragma once

#include "sweep/cell_list.hpp"
#include "sweep/dense.hpp"
#include "sweep/state.hpp"

namespace clusterdiff {

struct Growing {
    i64 begin = 0;  // where its run begins
    u32 size = 0, count = 0, largest = 0;
    bool grown = true;  // in this batch
    u64 squares = 0;
    u128 logs = 0;
    u64 sum = 0, score = 0;  // U, t

    Growing(const GrowingCell* cells, u32 cells_count, u32 rows, CellPool& pool) : count(cells_count), cells_(cells[0]) {
        for (u32 q = 1; q < count; ++q) cells_.add(cells[q], rows, pool);
        if (in_many(rows)) make_dense(rows, pool);
    }

    bool dense() const { return !sizes_.empty(); }

    // Adds a cell, and returns what size it has now.
    u32 add(const GrowingCell& cell, u32 rows, CellPool& pool) {
        if (dense()) {
            u32& now = sizes_[cell.row];
            count += now == 0;
            return now += cell.size;
        }
        if (const GrowingCell* known = cells_.add(cell, rows, pool)) return known->size;
        ++count;
        if (in_many(rows)) make_dense(rows, pool);
        return cell.size;
    }

    template <class F>
    void each(F&& f) const {
        for (u32 r = 0; r < static_cast<u32>(sizes_.size()); ++r)
            if (sizes_[r]) f(GrowingCell{r, sizes_[r]});
        if (dense()) return;
        cells_.each([&](const GrowingCell& cell) {
            if (cell.size) f(cell);
        });
    }

    void release(CellPool& pool) {
        if (!dense()) cells_.release(pool);
    }

    // The scores of some rows have risen by so much, to what `rows` says; `scores` has them side by side.
    void learn(const std::vector<u32>& risen, const std::vector<u64>& by, const Row* rows, const std::vector<u64>& scores) {
        const std::size_t changes = risen.size();
        if (dense()) {
            // One walk through all rows takes an eighth of the time that as many questions take.
            if (8 * changes >= scores.size())
                sum = sum_products(sizes_.data(), scores.data(), sizes_.size());
            else
                for (std::size_t j = 0; j < changes; ++j) sum += sizes_[risen[j]] * by[j];
            return;
        }
        const CellTable table = cells_.table();
        if (changes >= table.capacity()) {
            sum = 0;
            cells_.each([&](const GrowingCell& cell) { sum += cell.size * rows[cell.row].score; });
            return;
        }
        for (std::size_t j = 0; j < changes; ++j) {
            if (j + kAhead < changes) table.prefetch(risen[j + kAhead]);
            sum += table.seek(risen[j]).size * by[j];
        }
    }

  private:
    static constexpr std::size_t kAhead = 8;

    bool in_many(u32 rows) const { return 4 * u64{count} >= rows; }
    void make_dense(u32 rows, CellPool& pool) {
        auto sizes = Buffer<u32>::zeros(rows);
        each([&](const GrowingCell& cell) { sizes[cell.row] = cell.size; });
        cells_.release(pool);
        sizes_ = std::move(sizes);
    }

    CellList cells_;
    Buffer<u32> sizes_;  // instead, where it lies in many rows: the size of the cell in each
};

}  // namespace clusterdiff
