#include "explain/assignment.hpp"

#include <queue>

namespace clusterdiff {

namespace {

template <class Value>
class Assignment {
  public:
    // Cells as compressed rows; values must not be negative.
    Assignment(const i64* indptr, i64 rows, const i32* cols, i64 columns, const Value* value)
        : indptr_(indptr), cols_(cols), value_(value), rows_(rows), cell_of_row_(rows), column_(columns) {
        u_ = Buffer<Value>::zeros(rows);
        for (i64 row = 0; row < rows; ++row) cell_of_row_[row] = -1;
        for (i64 column = 0; column < columns; ++column) column_[column] = {0, -1};
    }

    // The matched cells, ascending.
    std::vector<i64> solve(Run& run) {
        const std::vector<i64> left = bid(run);
        if (!left.empty()) {
            best_ = Buffer<Value>(column_.size());
            via_ = Buffer<i64>(column_.size());
            state_ = Buffer<u8>::zeros(column_.size());
        }
        for (i64 row : left) augment(row, run);
        std::vector<i64> cells;
        cells.reserve(static_cast<std::size_t>(std::min(rows_, column_.size())));
        for (i64 row = 0; row < rows_; ++row)
            if (cell_of_row_[row] >= 0) cells.push_back(cell_of_row_[row]);
        return cells;
    }

  private:
    static constexpr i64 kAhead = 16;  // cells
    enum State : u8 { kUnseen, kReached, kDone };

    // Rows take the column that is worth most to them and raise its price to what their second choice leaves; whoever
    // is outbid looks again. Most rows find their place so. Returns the rows that still need a search.
    std::vector<i64> bid(Run& run) {
        std::vector<i64> now(static_cast<std::size_t>(rows_)), next;
        for (i64 row = 0; row < rows_; ++row) now[static_cast<std::size_t>(row)] = row;
        for (int round = 0; round < 3 && !now.empty(); ++round) {
            // Prices may rise in tiny steps for ever so long: what is left after enough bids is searched for.
            i64 bids = 4 * static_cast<i64>(now.size()) + 64;
            next.clear();
            for (i64 row : now)
                while (row >= 0) {
                    look_at(row, run);
                    if (--bids < 0) {
                        next.push_back(row);
                        break;
                    }
                    row = bid_for(row, next);
                }
            now.swap(next);
        }
        return now;
    }

    // Cells are counted, and not rows, of which one may be as long as all others.
    void look_at(i64 row, Run& run) {
        looked_at_ += indptr_[row + 1] - indptr_[row] + 1;
        if (looked_at_ < i64{1} << 16) return;
        looked_at_ = 0;
        run.poll();
    }

    // One bid; returns the row that lost its column to it, or -1.
    i64 bid_for(i64 row, std::vector<i64>& again) {
        Value first = 0, second = 0;  // staying unmatched is worth 0
        i64 choice = -1;
        const i64 cells = indptr_[rows_];
        for (i64 q = indptr_[row]; q < indptr_[row + 1]; ++q) {
            prefetch(&column_[cols_[std::min(q + kAhead, cells - 1)]]);  // the next rows bid soon, as a rule
            const Value gain = value_[q] - column_[cols_[q]].price;
            if (gain > first || (gain == first && choice >= 0 && column_[cols_[choice]].row >= 0 && column_[cols_[q]].row < 0)) {
                second = first;
                first = gain;
                choice = q;
            } else if (gain > second) {
                second = gain;
            }
        }
        u_[row] = first;
        if (choice < 0) return -1;
        const i64 column = cols_[choice], holder = column_[column].row;
        if (holder < 0) {
            take(row, choice);
            return -1;
        }
        if (!(first > second)) {  // a tie: outbidding would lead nowhere
            again.push_back(row);
            return -1;
        }
        column_[column].price += first - second;
        u_[row] = second;
        cell_of_row_[holder] = -1;
        take(row, choice);
        return holder;
    }

    void take(i64 row, i64 cell) {
        cell_of_row_[row] = cell;
        column_[cols_[cell]].row = static_cast<i32>(row);
    }

    // Shortest path from an unmatched row to a free column, or to a row that had better be unmatched.
    void augment(i64 start, Run& run) {
        Value gain = 0;
        for (i64 q = indptr_[start]; q < indptr_[start + 1]; ++q) gain = std::max(gain, value_[q] - column_[cols_[q]].price);
        u_[start] = gain;
        Value bound = gain;  // the price of leaving `start` unmatched
        i64 end_column = -1, end_row = start;
        reached_.clear();
        done_.clear();
        i64 row = start;
        Value distance = 0;
        for (;;) {
            look_at(row, run);
            if (distance + u_[row] < bound) {
                bound = distance + u_[row];
                end_row = row;
                end_column = -1;
            }
            for (i64 q = indptr_[row]; q < indptr_[row + 1]; ++q) {
                const i64 column = cols_[q];
                if (state_[column] == kDone) continue;
                // Rounding may leave a reduced cost just below 0.
                const Value far = distance + std::max(Value{0}, u_[row] + column_[column].price - value_[q]);
                if (far >= bound || (state_[column] == kReached && far >= best_[column])) continue;
                if (state_[column] == kUnseen) {
                    state_[column] = kReached;
                    reached_.push_back(column);
                }
                best_[column] = far;
                via_[column] = q;
                if (column_[column].row < 0) {
                    bound = far;
                    end_column = column;
                } else {
                    heap_.push({far, column});
                }
            }
            i64 column = -1;
            while (!heap_.empty()) {
                const Entry top = heap_.top();
                if (top.distance >= bound) break;
                heap_.pop();
                if (state_[top.column] == kReached && top.distance == best_[top.column]) {
                    column = top.column;
                    distance = top.distance;
                    break;
                }
            }
            if (column < 0) break;
            state_[column] = kDone;
            done_.push_back(column);
            row = column_[column].row;
        }
        heap_ = {};
        finish(start, end_row, end_column, bound);
    }

    void finish(i64 start, i64 end_row, i64 end_column, Value bound) {
        u_[start] -= bound;
        for (i64 column : done_) {
            u_[column_[column].row] -= bound - best_[column];
            column_[column].price += bound - best_[column];
        }
        // Follow the path back: every row on it takes the column it was reached through.
        i64 column = end_column;
        if (column < 0 && end_row != start) {
            column = cols_[cell_of_row_[end_row]];
            cell_of_row_[end_row] = -1;
        }
        while (column >= 0) {
            const i64 cell = via_[column], row = row_of(cell);
            const i64 before = cell_of_row_[row];
            take(row, cell);
            column = row == start ? -1 : static_cast<i64>(cols_[before]);
        }
        for (i64 touched : reached_) state_[touched] = kUnseen;
    }

    i64 row_of(i64 cell) const { return std::upper_bound(indptr_, indptr_ + rows_ + 1, cell) - indptr_ - 1; }

    struct Entry {
        Value distance;
        i64 column;
        bool operator<(const Entry& other) const { return distance > other.distance; }  // the nearest on top
    };

    const i64* indptr_;
    const i32* cols_;
    const Value* value_;
    i64 rows_, looked_at_ = 0;
    Buffer<i64> cell_of_row_;
    // What a row gains, and what a column costs: they add up to the value at least, and to just that where matched.
    Buffer<Value> u_;
    struct Column {
        Value price;
        i32 row;  // that it is matched with, or -1
    };
    Buffer<Column> column_;
    Buffer<Value> best_;   // distance of a reached column
    Buffer<i64> via_;      // the cell through which it was reached
    Buffer<u8> state_;
    std::vector<i64> reached_, done_;
    std::priority_queue<Entry> heap_;
};

template <class Value>
Buffer<i64> solved(const Cells& t, const Contested& some, const Value* values, Run& run) {
    if (some.all) {
        const auto found = Assignment(t.indptr.data(), t.k_true, t.cols.data(), t.k_pred, values).solve(run);
        return Buffer<i64>::copy(found.data(), static_cast<i64>(found.size()));
    }
    const i64 count = some.place.size();
    Buffer<Value> value(count);
    run.each(0, count, [&](i64 i) { value[i] = values[some.place[i]]; });
    const auto found = Assignment(some.indptr.data(), some.indptr.size() - 1, some.cols.data(), some.columns, value.data()).solve(run);
    Buffer<i64> out(t.count() - count + static_cast<i64>(found.size()));
    i64 matched = 0, next = 0;  // so many are matched, and so many contested ones were passed
    auto taken = found.begin();
    run.each(0, t.count(), [&](i64 q) {
        if (next < count && some.place[next] == q) {
            if (taken != found.end() && *taken == next) out[matched++] = q, ++taken;
            ++next;
        } else if (values[q] > 0) {
            out[matched++] = q;
        }
    });
    out.truncate(matched);
    return out;
}

}  // namespace

Contested contested(const Cells& t, Run& run) {
    Contested out;
    auto often = Buffer<u8>::zeros(t.k_pred);  // whether a column has a cell, and whether it has several; that fits a cache
    run.each(0, t.count(), [&](i64 q) { often[t.cols[q]] |= static_cast<u8>(often[t.cols[q]] + 1); });
    auto lone = [&](i64 row) { return t.indptr[row + 1] - t.indptr[row] == 1 && often[t.cols[t.indptr[row]]] == 1; };
    i64 rows = 0, cells = 0;
    run.each(0, t.k_true, [&](i64 row) {
        if (!lone(row)) ++rows, cells += t.indptr[row + 1] - t.indptr[row];
    });
    out.all = cells == t.count();
    if (out.all) return out;
    out.indptr = Buffer<i64>(rows + 1), out.place = Buffer<i64>(cells), out.cols = Buffer<i32>(cells);
    auto number = Buffer<i32>::zeros(t.k_pred);
    i32 columns = 0;
    i64 at = 0, kept = 0;
    auto keep = [&](i64 q) {
        i32& mine = number[t.cols[q]];
        if (!mine) mine = ++columns;
        out.place[at] = q;
        out.cols[at++] = mine - 1;
    };
    run.each(0, t.k_true, [&](i64 row) {
        if (lone(row)) return;
        out.indptr[kept++] = at;
        const i64 first = t.indptr[row], last = t.indptr[row + 1];
        if (last - first < kBlock)
            for (i64 q = first; q < last; ++q) keep(q);
        else
            run.each(first, last, keep);
    });
    out.indptr[rows] = at;
    out.columns = columns;
    return out;
}

Buffer<i64> assign(const Cells& t, const Contested& some, const i64* values, Run& run) { return solved(t, some, values, run); }
Buffer<i64> assign(const Cells& t, const Contested& some, const double* values, Run& run) { return solved(t, some, values, run); }

}  // namespace clusterdiff
