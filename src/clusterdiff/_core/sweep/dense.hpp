// The cells of growing clusters that lie in a quarter of all rows or more, as a matrix: a row of it holds the cells of a true
// cluster side by side, so that asking all clusters for theirs is one walk through memory.
#pragma once

#include <algorithm>
#include <vector>

#include "sweep/cell_list.hpp"

namespace clusterdiff {

// The sum of sizes times scores.
u64 sum_products(const u32* sizes, const u64* scores, i64 count);

class DenseCells {
  public:
    explicit DenseCells(i64 rows) : rows_(rows) {}

    i32 columns() const { return static_cast<i32>(clusters_.size()); }
    i32 cluster(i32 column) const { return clusters_[at(column)]; }
    u64& sum(i32 column) { return sums_[at(column)]; }      // U
    u64& score(i32 column) { return scores_[at(column)]; }  // t
    // Up to how many questions in all it is worth its place.
    u64& patience(i32 column) { return patience_[at(column)]; }
    u64 asked() const { return asked_; }

    i32 add(i32 cluster, const CellList& cells) {
        if (columns() == width_) widen();
        const i32 column = columns();
        clusters_.push_back(cluster);
        sums_.push_back(0), scores_.push_back(0), patience_.push_back(0);
        for (i64 r = 0; r < rows_; ++r) sizes_[r * width_ + column] = 0;
        cells.each([&](const GrowingCell& cell) {
            if (cell.size) set(cell.row, column, cell.size);
        });
        return column;
    }

    void set(u32 row, i32 column, u32 size) { sizes_[i64{row} * width_ + column] = size; }

    // The last column takes the place of one that goes.
    void remove(i32 column) {
        const i32 last = columns() - 1;
        if (column != last) {
            for (i64 r = 0; r < rows_; ++r) sizes_[r * width_ + column] = sizes_[r * width_ + last];
            for (std::vector<u64>* values : {&sums_, &scores_, &patience_}) (*values)[at(column)] = (*values)[at(last)];
            clusters_[at(column)] = clusters_[at(last)];
        }
        clusters_.pop_back();
        for (std::vector<u64>* values : {&sums_, &scores_, &patience_}) values->pop_back();
    }

    // The score of a row has risen. Returns the sum of m t over its cells here.
    u64 ask(u32 row, u64 by) {
        ++asked_;
        return add_products(&sizes_[i64{row} * width_], columns(), by, sums_.data(), scores_.data());
    }

  private:
    static std::size_t at(i32 column) { return static_cast<std::size_t>(column); }

    static u64 add_products(const u32* sizes, i32 count, u64 by, u64* sums, const u64* scores);

    void widen() {
        const i64 width = std::max<i64>(16, 2 * width_);
        Buffer<u32> wider(rows_ * width);
        for (i64 r = 0; r < rows_; ++r) std::copy_n(sizes_.data() + r * width_, width_, wider.data() + r * width);
        sizes_ = std::move(wider);
        width_ = static_cast<i32>(width);
    }

    i64 rows_;
    i32 width_ = 0;
    Buffer<u32> sizes_;
    std::vector<i32> clusters_;
    std::vector<u64> sums_, scores_, patience_;
    u64 asked_ = 0;
};

}  // namespace clusterdiff
