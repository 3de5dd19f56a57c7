// What a sweep knows at a level, however it came there: the true clusters, and sums over all clusters.
#pragma once

#include <bit>
#include <cmath>

#include "base/numeric.hpp"
#include "sweep/sweep.hpp"

namespace clusterdiff {

// m log m in units of 2^-64; for sizes below `most` from a table.
class FixedXLogX {
  public:
    explicit FixedXLogX(i64 most) : table_(most) {
        for (i64 m = 0; m < most; ++m) table_[m] = compute(m);
    }
    u128 operator()(i64 m) const { return m < table_.size() ? table_[m] : compute(m); }

  private:
    static u128 compute(i64 m) {
        const u128 one = u128(u64{1} << 32) * u128(u64{1} << 32);
        const double x = xlogx(m), whole = std::floor(x);
        return u128(static_cast<u64>(whole)) * one + u128(static_cast<u64>((x - whole) * 0x1p64));
    }
    Buffer<u128> table_;
};

inline double from_fixed(const u128& x) { return to_double(x) * 0x1p-64; }

// Within one unit of the last place, and quicker: for scores, which are rounded anyway.
inline double nearly(const u128& x) { return static_cast<double>(static_cast<u64>(x >> 64)) * 0x1p64 + static_cast<double>(static_cast<u64>(x)); }

inline u64 rounded(double x) { return static_cast<u64>(std::llrint(x)); }

// A true cluster. What every look at a cell reads stands apart from what only a change reads.
struct Row {
    u64 rest = 0;   // V
    u64 score = 0;  // s
};
struct RowSums {
    u128 logs = 0;     // sum of m log m
    double scale = 0;  // makes the score of that
    u64 squares = 0;
    u64 share = 0;  // squares / size, in units of a row's score
    u32 size = 0, cells = 0, largest = 0;
    i32 step = -1;  // when it changed last, where that is of interest
};

// All sums are whole numbers, in units of a power of two, and s and t are rounded from whole numbers that depend on the
// clusterings alone. So the result does not depend on how it was come by, and nothing drifts over millions of merges.
class SweepState {
  public:
    // All points are alone. truth[i] < rows is the true cluster of a point, in any order.
    SweepState(const i32* truth, i64 rows, i64 points, const FixedXLogX& fixed_xlogx)
        : n_(points), rows_(rows + 1), sums_(rows), fixed_xlogx_(fixed_xlogx) {
        for (i64 r = 0; r < rows; ++r) sums_[r] = {};
        for (i64 i = 0; i < n_; ++i) ++sums_[truth[i]].size;
        u32 most = 1;
        for (i64 r = 0; r < rows; ++r) most = std::max(most, sums_[r].size);
        // U is at most n and V at most the size of a row; both have 64 bits. A score of more than 52 would be invented.
        row_one_ = u64{1} << std::min(52, 64 - static_cast<int>(std::bit_width(static_cast<u64>(n_))));
        cluster_one_ = u64{1} << std::min(52, 64 - static_cast<int>(std::bit_width(u64{most})));
        log_n_ = std::log(static_cast<double>(n_));
        rows_[rows] = {};
        for (i64 r = 0; r < rows; ++r) {
            RowSums& row = sums_[r];
            if (!row.size) throw BadValue("every true cluster must have a point");
            row.cells = row.size, row.squares = row.size, row.largest = 1;
            const u128 whole = fixed_xlogx_(row.size);
            logs_true_ += whole;
            row.scale = row.size > 1 ? static_cast<double>(row_one_) / nearly(whole) : 0;
            row.share = share(row.squares, row.size);
            recall_ += row.share;
            rows_[r] = {row.size * cluster_one_, score_of(row)};
            total_ += u128(rows_[r].score) * rows_[r].rest;
            split_ += u128(rows_[r].score) * row.size;
        }
        merge_ = u128(cluster_one_) * static_cast<u64>(n_);
        precision_ = u128(row_one_) * static_cast<u64>(n_);
        squares_ = cluster_squares_ = largest_clusters_ = cells_ = clusters_count_ = static_cast<u64>(n_);
        largest_rows_ = static_cast<u64>(rows);
    }

  protected:
    // `total` is n S_H in units of both scores.
    void write(Levels& out, i64 j, const u128& total) const {
        const double n = static_cast<double>(n_);
        const bool same = cells_ == clusters_count_ && cells_ == static_cast<u64>(sums_.size());
        out.s_h[j] = same ? 1.0 : mean(total, both());
        out.split[j] = mean(split_, static_cast<double>(row_one_));
        out.merge[j] = mean(merge_, static_cast<double>(cluster_one_));
        out.h_pred[j] = clusters_count_ == 1 ? 0.0 : log_n_ - from_fixed(logs_pred_) / n;
        out.split_info[j] = from_fixed(logs_true_ - logs_) / n;
        out.merge_info[j] = from_fixed(logs_pred_ - logs_) / n;
        out.b3_recall[j] = mean(recall_, static_cast<double>(row_one_));
        out.b3_precision[j] = mean(precision_, static_cast<double>(row_one_));
        out.mm[j] = static_cast<i64>(squares_), out.bb[j] = static_cast<i64>(cluster_squares_);
        out.true_max[j] = static_cast<i64>(largest_rows_), out.pred_max[j] = static_cast<i64>(largest_clusters_);
        out.cells[j] = static_cast<i64>(cells_), out.clusters[j] = static_cast<i64>(clusters_count_);
    }

    // A sum in units of a score, over all points.
    double mean(const u128& sum, double unit) const { return to_double(sum) / unit / static_cast<double>(n_); }
    double both() const { return static_cast<double>(row_one_) * static_cast<double>(cluster_one_); }
    // A sum of squares over a size, in units of a row's score.
    u64 share(u64 squares, u32 size) const { return rounded(static_cast<double>(squares) / size * static_cast<double>(row_one_)); }
    u64 score_of(const RowSums& row) const { return row.cells == 1 ? row_one_ : rounded(nearly(row.logs) * row.scale); }
    // Of a cluster with so many cells; `logs` is the sum of m log m over them, `whole` that of the cluster's own size.
    u64 score_of(u32 cells, const u128& logs, const u128& whole) const {
        return cells == 1 ? cluster_one_ : rounded(nearly(logs) / nearly(whole) * static_cast<double>(cluster_one_));
    }

    // Cells of a row have become one of this size: what that adds to its sums, and how many there are less.
    void join(RowSums& row, const u128& logs, u64 squares, u32 less, u32 size) {
        row.logs += logs;
        row.squares += squares;
        row.cells -= less;
        if (size > row.largest) {
            largest_rows_ += size - row.largest;
            row.largest = size;
        }
    }

    // The score of a row follows what its cells have become. Returns by how much it has risen.
    u64 rise(u32 r) {
        RowSums& row = sums_[r];
        const u64 share_before = std::exchange(row.share, share(row.squares, row.size));
        recall_ += row.share - share_before;
        const u64 score = score_of(row), by = score - rows_[r].score;
        rows_[r].score = score;
        total_ += u128(by) * rows_[r].rest;
        split_ += u128(by) * row.size;
        return by;
    }

    i64 n_;
    Buffer<Row> rows_;
    Buffer<RowSums> sums_;
    const FixedXLogX& fixed_xlogx_;
    u64 row_one_ = 0, cluster_one_ = 0;  // a score of 1, a power of two
    double log_n_ = 0;

    u128 total_ = 0;                  // m s t
    u128 split_ = 0, merge_ = 0;      // a s, b t
    u128 logs_ = 0, logs_true_ = 0, logs_pred_ = 0;
    u128 recall_ = 0, precision_ = 0;
    u64 squares_ = 0, cluster_squares_ = 0, largest_rows_ = 0, largest_clusters_ = 0, cells_ = 0, clusters_count_ = 0;
};

}  // namespace clusterdiff
