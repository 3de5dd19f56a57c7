// The cells of a cluster that grows: a single cell in place, a few as a list, many as a hash table.
#pragma once

#include <algorithm>
#include <vector>

#include "base/memory.hpp"

namespace clusterdiff {

struct GrowingCell {
    u32 row;   // the true cluster
    u32 size;  // 0: an empty slot of a table
};

// Arrays of 2^log cells, used again and again.
class CellPool {
  public:
    GrowingCell* take(int log) {
        auto& spare = spare_[log];
        if (!spare.empty()) {
            GrowingCell* cells = spare.back();
            spare.pop_back();
            return cells;
        }
        const i64 count = i64{1} << log;
        if (at_ + count > blocks_size_) {
            blocks_size_ = std::max<i64>(count, kBlockCells);
            blocks_.emplace_back(blocks_size_);
            at_ = 0;
        }
        GrowingCell* cells = blocks_.back().data() + at_;
        at_ += count;
        return cells;
    }
    void give(GrowingCell* cells, int log) { spare_[log].push_back(cells); }

  private:
    static constexpr i64 kBlockCells = i64{1} << 17;
    std::vector<Buffer<GrowingCell>> blocks_;
    std::vector<GrowingCell*> spare_[33];
    i64 at_ = 0, blocks_size_ = 0;
};

// A hash table with linear probing, at most half full.
struct CellTable {
    GrowingCell* cells = nullptr;
    int shift = 0;  // 32 less the log of its capacity

    u32 capacity() const { return u32{1} << (32 - shift); }
    u32 home(u32 row) const { return (row * 0x9e3779b1u) >> shift; }
    void prefetch(u32 row) const { clusterdiff::prefetch(&cells[home(row)]); }
    // The cell of a row, or the empty slot where it belongs.
    GrowingCell& seek(u32 row) const {
        const u32 mask = capacity() - 1;
        u32 i = home(row);
        while (cells[i].size && cells[i].row != row) i = (i + 1) & mask;
        return cells[i];
    }
};

class CellList {
  public:
    // From here on there is a table.
    static constexpr u32 kFew = 16;

    CellList() = default;
    explicit CellList(const GrowingCell& cell) : one_(cell), count_(1) {}

    u32 count() const { return count_; }
    bool many() const { return count_ > kFew; }
    const GrowingCell& one() const { return one_; }
    CellTable table() const { return {cells_, 32 - log_}; }
    const GrowingCell* memory() const { return count_ == 1 ? &one_ : cells_; }

    // Calls f(cell) for every cell. Of a table the empty slots come too, as cells of size 0 in row `none`: a branch for
    // each would take longer than to add nothing.
    template <class F>
    void each(F&& f) const {
        if (count_ == 1) return f(one_);
        const u32 end = many() ? u32{1} << log_ : count_;
        for (u32 i = 0; i < end; ++i) f(cells_[i]);
    }

    // Adds a cell; if its row was there, returns that cell, which has grown, otherwise nothing.
    GrowingCell* add(const GrowingCell& cell, u32 none, CellPool& pool) {
        if (!many()) {
            GrowingCell* cells = count_ == 1 ? &one_ : cells_;
            for (u32 i = 0; i < count_; ++i)
                if (cells[i].row == cell.row) return grown(cells[i], cell);
            if (count_ == kFew) {
                resize(kTableLog, true, none, pool);
                table().seek(cell.row) = cell;
            } else {
                if (count_ == 1)
                    resize(1, false, none, pool);
                else if (count_ == u32{1} << log_)
                    resize(log_ + 1, false, none, pool);
                cells_[count_] = cell;
            }
        } else {
            GrowingCell* slot = &table().seek(cell.row);
            if (slot->size) return grown(*slot, cell);
            if (2 * count_ >= table().capacity()) {
                resize(log_ + 1, true, none, pool);
                slot = &table().seek(cell.row);
            }
            *slot = cell;
        }
        ++count_;
        return nullptr;
    }

    void release(CellPool& pool) {
        if (count_ > 1) pool.give(cells_, log_);
        count_ = 0;
    }

  private:
    static constexpr int kTableLog = 6;

    static GrowingCell* grown(GrowingCell& own, const GrowingCell& other) {
        own.size += other.size;
        return &own;
    }

    void resize(int log, bool table, u32 none, CellPool& pool) {
        GrowingCell* to = pool.take(log);
        const CellTable into{to, 32 - log};
        if (table) std::fill(to, to + (i64{1} << log), GrowingCell{none, 0});
        u32 at = 0;
        each([&](const GrowingCell& cell) {
            if (!table)
                to[at++] = cell;
            else if (cell.size)
                into.seek(cell.row) = cell;
        });
        if (count_ > 1) pool.give(cells_, log_);
        cells_ = to;
        log_ = log;
    }

    GrowingCell* cells_ = nullptr;
    GrowingCell one_{0, 0};
    u32 count_ = 0;
    int log_ = 0;
};

}  // namespace clusterdiff
