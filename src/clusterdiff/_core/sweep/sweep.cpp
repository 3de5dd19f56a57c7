// n S_H is the sum of m s t over the cells, where s is the split score of the cell's true cluster (its row) and t the
// merge score of its predicted cluster. A merge changes t of one cluster, and s of every row that had a cell on both
// sides. Each cell is accounted for on one of two sides:
//
//   at rest, in V = sum of m t of its row:       a change of s costs one multiplication, a change of t a look at the cell
//   growing, in U = sum of m s of its cluster:   a change of t costs one multiplication, a change of s a look at the cell
//
// Clusters of few cells always rest. One of many cells is put among the growing when it grows, so that a merge looks only
// at the cells of its smaller part. All of those are asked for their cell when a row changes, which two cells becoming one
// do, fewer than n times in all. One that was asked too often since it last grew is put to rest: it may be rented or
// bought, and nobody knows for how long it will be needed. Those that have a cell in many rows stand in a matrix, where
// asking them all is quick. If only few levels are wanted, it is rather put aside, in
// neither sum, until the next level.
//
// All sums are whole numbers, in units of a power of two, and s and t are rounded from whole numbers that depend on the
// clusterings alone. So the result does not depend on what rests, and nothing drifts over millions of merges.
#include "sweep/sweep.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/numeric.hpp"
#include "sweep/dense.hpp"

namespace clusterdiff {

namespace {

// m log m in units of 2^-64; for sizes that are met often from a table.
class FixedXLogX {
  public:
    explicit FixedXLogX(i64 n) : table_(std::min<i64>(n + 1, i64{1} << 20)) {
        for (i64 m = 0; m < table_.size(); ++m) table_[m] = compute(m);
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

double from_fixed(const u128& x) { return to_double(x) * 0x1p-64; }

// Within one unit of the last place, and quicker: for scores, which are rounded anyway.
double nearly(const u128& x) { return static_cast<double>(static_cast<u64>(x >> 64)) * 0x1p64 + static_cast<double>(static_cast<u64>(x)); }

u64 rounded(double x) { return static_cast<u64>(std::llrint(x)); }

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
};

// Where the cells of a cluster are accounted for.
enum class State : i32 { at_rest, aside, growing, dense };

// A predicted cluster.
struct Cluster {
    u128 logs = 0;   // sum of m log m
    u128 whole = 0;  // b log b
    u64 score = 0;   // t
    u64 squares = 0;
    u64 share = 0;
    CellList cells;
    u32 size = 0, largest = 0;
    State state = State::at_rest;
    i32 place = 0;  // among the growing, or the dense
};

struct Growing {
    CellTable table;
    u64 sum;    // U
    u64 score;  // t
    i32 cluster;
    u32 asked, patience;
};

class Sweep {
  public:
    // The state after the first `done` merges. `few`: whether there are many merges between two levels.
    Sweep(const i32* truth, i64 rows, const Tree& tree, i64 done, bool few, const FixedXLogX& fixed_xlogx)
        : truth_(truth), tree_(tree), n_(tree.points), few_(few), none_(static_cast<u32>(rows)), rows_(rows + 1), sums_(rows),
          of_node_(tree.merges), clusters_(n_ / 2 + 1), dense_(rows), fixed_xlogx_(fixed_xlogx) {
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
            rows_[r].rest = row.size * cluster_one_;
        }
        merge_ = u128(cluster_one_) * static_cast<u64>(n_);
        precision_ = u128(row_one_) * static_cast<u64>(n_);
        squares_ = cluster_squares_ = largest_clusters_ = cells_ = clusters_count_ = static_cast<u64>(n_);
        if (done) gather(done);
        for (i64 r = 0; r < rows; ++r) {
            RowSums& row = sums_[r];
            rows_[r].score = score_of(row);
            total_ += u128(rows_[r].score) * rows_[r].rest;
            split_ += u128(rows_[r].score) * row.size;
            row.share = share(row.squares, row.size);
            recall_ += row.share;
            largest_rows_ += row.largest;
        }
    }

    // Merge k of the tree, which must be the next.
    void apply(i64 k) {
        look_ahead(k);
        i32 x = tree_.left[k], y = tree_.right[k];
        if (x < n_) std::swap(x, y);
        i32 a = x < n_ ? make(x) : of_node_[x - n_];
        if (y < n_) {
            Cluster point = single(y);
            unite(a, point);
        } else {
            i32 b = of_node_[y - n_];
            if (clusters_[a].cells.count() < clusters_[b].cells.count()) std::swap(a, b);
            unite(a, clusters_[b]);
            spare_.push_back(b);
        }
        of_node_[k] = a;
    }

    void write(Levels& out, i64 j) {
        return_all();
        const double n = static_cast<double>(n_);
        const bool same = cells_ == clusters_count_ && cells_ == static_cast<u64>(sums_.size());
        out.s_h[j] = same ? 1.0 : mean(total_, both());
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

    const u128& total() const { return total_; }
    double change_from(const u128& before) const {
        return total_ < before ? -mean(before - total_, both()) : mean(total_ - before, both());
    }

  private:
    // A sum in units of a score, over all points.
    double mean(const u128& sum, double unit) const { return to_double(sum) / unit / static_cast<double>(n_); }
    double both() const { return static_cast<double>(row_one_) * static_cast<double>(cluster_one_); }
    // A sum of squares over a size, in units of a row's score.
    u64 share(u64 squares, u32 size) const { return rounded(static_cast<double>(squares) / size * static_cast<double>(row_one_)); }
    u64 score_of(const RowSums& row) const { return row.cells == 1 ? row_one_ : rounded(nearly(row.logs) * row.scale); }
    u64 score_of(const Cluster& c) const {
        return c.cells.count() == 1 ? cluster_one_ : rounded(nearly(c.logs) / nearly(c.whole) * static_cast<double>(cluster_one_));
    }

    // The clusters after the first `done` merges, at rest; all points were alone.
    void gather(i64 done) {
        const Leaves points = leaves({n_, done, tree_.left, tree_.right});
        auto merged = Buffer<u8>::zeros(done);
        for (i64 k = 0; k < done; ++k)
            for (const i32 x : {tree_.left[k], tree_.right[k]})
                if (x >= n_) merged[x - n_] = 1;
        for (i64 k = 0; k < done; ++k) {
            if (merged[k]) continue;
            const i32* first = points.order.data() + points.start[n_ + k];
            const i32* end = first + points.size[n_ + k];
            Cluster& c = clusters_[of_node_[k] = make(*first)];
            c.size = static_cast<u32>(end - first);
            for (const i32* i = first + 1; i != end; ++i) {
                if (i + 16 < end) prefetch(&truth_[i[16]]);
                c.cells.add({static_cast<u32>(truth_[*i]), 1}, none_, pool_);
            }
            count(c);
        }
    }

    // A cluster that was single points so far enters the sums.
    void count(Cluster& c) {
        c.squares = 0, c.largest = 0;
        c.cells.each([&](const GrowingCell& cell) {
            if (!cell.size) return;
            const u128 logs = fixed_xlogx_(cell.size);
            const u64 squares = u64{cell.size} * cell.size;
            c.logs += logs, c.squares += squares;
            c.largest = std::max(c.largest, cell.size);
            RowSums& row = sums_[cell.row];
            row.logs += logs, row.squares += squares - cell.size;
            row.cells -= cell.size - 1;
            row.largest = std::max(row.largest, cell.size);
        });
        c.whole = fixed_xlogx_(c.size);
        c.score = score_of(c);
        c.share = share(c.squares, c.size);
        c.cells.each([&](const GrowingCell& cell) { rows_[cell.row].rest -= cell.size * (cluster_one_ - c.score); });
        logs_ += c.logs, logs_pred_ += c.whole;
        squares_ += c.squares - c.size, cluster_squares_ += u64{c.size} * c.size - c.size;
        cells_ -= c.size - c.cells.count(), clusters_count_ -= c.size - 1;
        largest_clusters_ -= c.size - c.largest;
        merge_ = merge_ - u128(cluster_one_ - c.score) * c.size;
        precision_ = precision_ - (u128(row_one_) * c.size - c.share);
    }

    Cluster single(i32 point) const {
        Cluster c;
        c.cells = CellList(static_cast<u32>(truth_[point]));
        c.score = cluster_one_;
        c.share = row_one_;
        c.squares = c.size = c.largest = 1;
        return c;
    }

    i32 make(i32 point) {
        i32 a = made_;
        if (spare_.empty()) {
            ++made_;
        } else {
            a = spare_.back();
            spare_.pop_back();
        }
        clusters_[a] = single(point);
        return a;
    }

    u64 sum_of(const Cluster& c) const {
        u64 sum = 0;
        c.cells.each([&](const GrowingCell& x) { sum += x.size * rows_[x.row].score; });
        return sum;
    }

    // Takes a cluster out of all sums of m s t, and returns its U.
    u64 take_out(Cluster& c) {
        u64 sum = 0;
        switch (c.state) {
            case State::aside:
                return sum_of(c);
            case State::growing:
                sum = growing_[static_cast<std::size_t>(c.place)].sum;
                break;
            case State::dense:
                sum = dense_.sum(c.place);
                break;
            case State::at_rest: {
                const u64 score = c.score;
                c.cells.each([&](const GrowingCell& x) {
                    Row& row = rows_[x.row];
                    row.rest -= x.size * score;
                    sum += x.size * row.score;
                });
            }
        }
        total_ = total_ - u128(c.score) * sum;
        return sum;
    }

    void to_rest(Cluster& c) {
        const u64 score = c.score;
        c.cells.each([&](const GrowingCell& x) { rows_[x.row].rest += x.size * score; });
        c.state = State::at_rest;
    }

    // Takes a cluster from among those that are asked.
    void stop_growing(Cluster& c) {
        if (c.state == State::growing) {
            const std::size_t j = static_cast<std::size_t>(c.place);
            growing_[j] = growing_.back();
            growing_.pop_back();
            if (j < growing_.size()) clusters_[growing_[j].cluster].place = c.place;
        } else if (c.state == State::dense) {
            dense_.remove(c.place);
            if (c.place < dense_.columns()) clusters_[dense_.cluster(c.place)].place = c.place;
        }
        c.state = State::at_rest;
    }

    // The score of a row has risen: whatever has a cell in it learns of it, but for the cluster that is being united.
    void row_changed(u32 r, u64 by, const Cluster& united) {
        total_ += u128(by) * rows_[r].rest;
        split_ += u128(by) * sums_[r].size;
        if (dense_.columns()) {
            total_ += u128(by) * dense_.ask(r, by);
            impatient_ |= (dense_.asked() & 0xff) == 0;
        }
        const i32 but = united.state == State::growing ? united.place : -1;
        for (i32 j = 0; j < static_cast<i32>(growing_.size()); ++j) {
            if (j == but) continue;
            Growing& g = growing_[static_cast<std::size_t>(j)];
            impatient_ |= ++g.asked > g.patience;
            if (j + kAhead < static_cast<i32>(growing_.size())) growing_[static_cast<std::size_t>(j + kAhead)].table.prefetch(r);
            const u64 sum = g.table.seek(r).size * by;
            g.sum += sum;
            total_ += u128(sum) * g.score;
        }
    }

    // The cells of b come to cluster a.
    void unite(i32 into, Cluster& b) {
        Cluster& a = clusters_[into];
        u64 sum = (a.state == State::aside ? 0 : take_out(a)) + take_out(b);
        stop_growing(b);
        if (a.state == State::dense) dense_.score(a.place) = 0;  // nobody counts it until it is placed again
        merge_ = merge_ - (u128(a.score) * a.size + u128(b.score) * b.size);
        precision_ = precision_ - (u128(a.share) + b.share);
        cluster_squares_ += 2 * u64{a.size} * b.size;
        largest_clusters_ -= u64{a.largest} + b.largest;
        a.size += b.size;
        const u128 whole = fixed_xlogx_(a.size);
        logs_pred_ += whole - (a.whole + b.whole);
        a.whole = whole;
        --clusters_count_;
        a.logs += b.logs, a.squares += b.squares;
        a.largest = std::max(a.largest, b.largest);
        b.cells.each([&](const GrowingCell& cell) {
            if (!cell.size) return;
            const GrowingCell* grown = a.cells.add(cell, none_, pool_);
            if (a.state == State::dense) dense_.set(cell.row, a.place, grown ? grown->size : cell.size);
            if (grown) sum += cells_met(a, *grown, cell.size);
        });
        b.cells.release(pool_);
        a.score = score_of(a);
        merge_ += u128(a.score) * a.size;
        a.share = share(a.squares, a.size);
        precision_ += a.share;
        largest_clusters_ += a.largest;
        if (a.state != State::aside) place(into, a, sum);
        if (impatient_) settle();
    }

    // Puts a cluster, which has been taken out and has changed, where it belongs.
    void place(i32 cluster, Cluster& a, u64 sum) {
        total_ += u128(a.score) * sum;
        if (!a.cells.many()) return to_rest(a);
        const CellTable table = a.cells.table();
        if (a.state != State::dense && 4 * a.cells.count() >= none_) {
            stop_growing(a);
            a.state = State::dense;
            a.place = dense_.add(cluster, a.cells);
        }
        if (a.state == State::dense) {
            dense_.sum(a.place) = sum;
            dense_.score(a.place) = a.score;
            dense_.patience(a.place) = dense_.asked() + kDenseRent * u64{table.capacity()};
            return;
        }
        if (a.state == State::at_rest) {
            a.state = State::growing;
            a.place = static_cast<i32>(growing_.size());
            growing_.emplace_back();
        }
        growing_[static_cast<std::size_t>(a.place)] = {table, sum, a.score, cluster, 0, table.capacity() / kRent};
    }

    // Whatever was put aside comes to rest.
    void return_all() {
        for (const i32 cluster : aside_) {
            Cluster& c = clusters_[cluster];
            if (c.state != State::aside) continue;
            total_ += u128(c.score) * sum_of(c);
            to_rest(c);
        }
        aside_.clear();
    }

    // Two cells of a row have become one of cluster a, by `more` points. Returns what that adds to the cluster's U.
    u64 cells_met(Cluster& a, const GrowingCell& cell, u32 more) {
        const u64 before = cell.size - more;
        const u128 logs = fixed_xlogx_(cell.size) - fixed_xlogx_(static_cast<i64>(before)) - fixed_xlogx_(more);
        const u64 squares = 2 * before * more;
        logs_ += logs, a.logs += logs;
        squares_ += squares, a.squares += squares;
        a.largest = std::max(a.largest, cell.size);
        --cells_;
        RowSums& row = sums_[cell.row];
        row.logs += logs;
        row.squares += squares;
        const u64 share_before = std::exchange(row.share, share(row.squares, row.size));
        recall_ += row.share - share_before;
        --row.cells;
        if (cell.size > row.largest) {
            largest_rows_ += cell.size - row.largest;
            row.largest = cell.size;
        }
        const u64 score = score_of(row);
        const u64 by = score - rows_[cell.row].score;
        rows_[cell.row].score = score;
        row_changed(cell.row, by, a);
        return cell.size * by;
    }

    // Those that were asked too often come to rest, or wait for the next level.
    void settle() {
        for (i32 j = static_cast<i32>(growing_.size()); j-- > 0;) {
            const Growing& g = growing_[static_cast<std::size_t>(j)];
            if (g.asked > g.patience) let_go(g.cluster, g.sum);
        }
        for (i32 j = dense_.columns(); j-- > 0;)
            if (dense_.asked() > dense_.patience(j)) let_go(dense_.cluster(j), dense_.sum(j));
        impatient_ = false;
    }

    void let_go(i32 cluster, u64 sum) {
        Cluster& c = clusters_[cluster];
        stop_growing(c);
        if (!few_) return to_rest(c);
        total_ = total_ - u128(c.score) * sum;
        c.state = State::aside;
        aside_.push_back(cluster);
    }

    // Asks for the memory that merges soon to come will read.
    void look_ahead(i64 k) {
        for (const i32* side : {tree_.left, tree_.right}) {
            if (k + 24 < tree_.merges) {
                const i32 x = side[k + 24];
                prefetch(x < n_ ? &truth_[x] : &of_node_[x - n_]);
            }
            if (k + 12 < tree_.merges) {
                const i32 x = side[k + 12];
                if (x < n_) {
                    prefetch_row(static_cast<u32>(truth_[x]));
                } else if (x < n_ + k) {
                    prefetch(&clusters_[of_node_[x - n_]]);
                    prefetch(&clusters_[of_node_[x - n_]].cells);
                }
            }
            if (k + 6 < tree_.merges) {
                const i32 x = side[k + 6];
                if (x < n_ || x >= n_ + k) continue;
                const CellList& cells = clusters_[of_node_[x - n_]].cells;
                if (cells.count() == 1)
                    prefetch_row(cells.one().row);
                else
                    prefetch(cells.memory());
            }
        }
    }
    void prefetch_row(u32 r) const {
        prefetch(&rows_[r]);
        prefetch(&sums_[r]);
    }

    // A table may be asked once for every so many of its slots before it is cheaper to let it rest.
    static constexpr u32 kRent = 8;
    // In the matrix a question costs less than to look at a slot of a table.
    static constexpr u64 kDenseRent = 4;
    // How many tables ahead memory is asked for.
    static constexpr i32 kAhead = 8;

    const i32* truth_;
    const Tree& tree_;
    i64 n_;
    bool few_;
    u32 none_;  // the row of empty slots
    Buffer<Row> rows_;
    Buffer<RowSums> sums_;
    Buffer<i32> of_node_;  // the cluster that merge k made
    Buffer<Cluster> clusters_;
    i32 made_ = 0;
    std::vector<i32> spare_, aside_;
    std::vector<Growing> growing_;
    DenseCells dense_;
    const FixedXLogX& fixed_xlogx_;
    CellPool pool_;
    bool impatient_ = false;
    u64 row_one_ = 0, cluster_one_ = 0;  // a score of 1, a power of two
    double log_n_ = 0;

    u128 total_ = 0;                  // m s t
    u128 split_ = 0, merge_ = 0;      // a s, b t
    u128 logs_ = 0, logs_true_ = 0, logs_pred_ = 0;
    u128 recall_ = 0, precision_ = 0;
    u64 squares_ = 0, cluster_squares_ = 0, largest_rows_ = 0, largest_clusters_ = 0, cells_ = 0, clusters_count_ = 0;
};

// Threads take a stretch of the merges each, and hold a state each.
constexpr int kMostStretches = 4;
// What it takes to gather the clusters at which a stretch begins, as a share of all merges. The first has nothing to gather.
constexpr double kGather = 0.35;

// Before which merge stretch j of `count` begins.
i64 stretch(i64 merges, int j, int count) {
    if (j == 0 || j == count) return j ? merges : 0;
    return static_cast<i64>(static_cast<double>(merges) * (kGather + j * (1 - kGather) / count));
}

}  // namespace

Levels sweep(const i32* truth, i64 rows, const Tree& tree, const i64* ends, i64 levels, bool changes, Run& run) {
    Levels out;
    for (Buffer<double>* b : {&out.s_h, &out.split, &out.merge, &out.h_pred, &out.split_info, &out.merge_info, &out.b3_recall, &out.b3_precision})
        *b = Buffer<double>(levels);
    for (Buffer<i64>* b : {&out.mm, &out.bb, &out.true_max, &out.pred_max, &out.cells, &out.clusters}) *b = Buffer<i64>(levels);
    if (changes) out.change = Buffer<double>(tree.merges);
    const i64 last = changes ? tree.merges : levels ? ends[levels - 1] : 0;
    const FixedXLogX fixed_xlogx(tree.points);
    const int count = std::min(run.threads(), kMostStretches);
    run.workers(count, [&](int worker) {
        const i64 from = stretch(last, worker, count), to = stretch(last, worker + 1, count);
        Sweep state(truth, rows, tree, from, !changes && 16 * levels < tree.merges, fixed_xlogx);
        i64 k = from;
        auto advance = [&](i64 end) {
            for (; k < end; ++k) {
                if ((k & 0xfff) == 0) run.poll(worker);
                if (!changes) {
                    state.apply(k);
                    continue;
                }
                const u128 before = state.total();
                state.apply(k);
                out.change[k] = state.change_from(before);
            }
        };
        // A level at which one stretch ends is its own; the first has those before any merge, too.
        const i64* at = worker ? std::upper_bound(ends, ends + levels, from) : ends;
        for (; at != ends + levels && *at <= to; ++at) {
            advance(*at);
            state.write(out, at - ends);
        }
        if (changes) advance(to);
    });
    return out;
}

}  // namespace clusterdiff
