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
// asking them all is quick.
#include "sweep/sweep.hpp"

#include <algorithm>

#include "sweep/batches.hpp"
#include "sweep/dense.hpp"
#include "sweep/state.hpp"

namespace clusterdiff {

namespace {

// Where the cells of a cluster are accounted for.
enum class State : i32 { at_rest, growing, dense };

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

class Sweep : public SweepState {
  public:
    // The state after the first `done` merges.
    Sweep(const i32* truth, i64 rows, const Tree& tree, i64 done, const FixedXLogX& fixed_xlogx, Run& run)
        : SweepState(truth, rows, tree.points, fixed_xlogx), truth_(truth), tree_(tree), none_(static_cast<u32>(rows)), of_node_(tree.merges),
          clusters_(n_ / 2 + 1), dense_(rows) {
        if (!done) return;
        gather(done, run);
        total_ = split_ = recall_ = 0, largest_rows_ = 0;
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

    void write(Levels& out, i64 j) const { SweepState::write(out, j, total_); }

    const u128& total() const { return total_; }
    double change_from(const u128& before) const {
        return total_ < before ? -mean(before - total_, both()) : mean(total_ - before, both());
    }

  private:
    // The clusters after the first `done` merges, at rest; all points were alone.
    void gather(i64 done, Run& run) {
        const Leaves points = leaves({n_, done, tree_.left, tree_.right}, run);
        auto merged = Buffer<u8>::zeros(done);
        run.each(0, done, [&](i64 k) {
            for (const i32 x : {tree_.left[k], tree_.right[k]})
                if (x >= n_) merged[x - n_] = 1;
        });
        i64 since = 0;
        for (i64 k = 0; k < done; ++k) {
            if (merged[k]) continue;
            if ((since += points.size[n_ + k]) > i64{1} << 14) run.poll(), since = 0;
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
        c.score = score_of(c.cells.count(), c.logs, c.whole);
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
        c.cells = CellList({static_cast<u32>(truth_[point]), 1});
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

    // Takes a cluster out of all sums of m s t, and returns its U.
    u64 take_out(Cluster& c) {
        u64 sum = 0;
        switch (c.state) {
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
        u64 sum = take_out(a) + take_out(b);
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
        a.score = score_of(a.cells.count(), a.logs, a.whole);
        merge_ += u128(a.score) * a.size;
        a.share = share(a.squares, a.size);
        precision_ += a.share;
        largest_clusters_ += a.largest;
        place(into, a, sum);
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

    // Two cells of a row have become one of cluster a, by `more` points. Returns what that adds to the cluster's U.
    u64 cells_met(Cluster& a, const GrowingCell& cell, u32 more) {
        const u64 before = cell.size - more, squares = 2 * before * more;
        const u128 logs = fixed_xlogx_(cell.size) - fixed_xlogx_(static_cast<i64>(before)) - fixed_xlogx_(more);
        join(sums_[cell.row], logs, squares, 1, cell.size);
        logs_ += logs, a.logs += logs;
        squares_ += squares, a.squares += squares;
        a.largest = std::max(a.largest, cell.size);
        --cells_;
        const u64 by = rise(cell.row);
        row_changed(cell.row, by, a);
        return cell.size * by;
    }

    // Those that were asked too often come to rest.
    void settle() {
        for (i32 j = static_cast<i32>(growing_.size()); j-- > 0;) {
            const Growing& g = growing_[static_cast<std::size_t>(j)];
            if (g.asked > g.patience) let_go(g.cluster);
        }
        for (i32 j = dense_.columns(); j-- > 0;)
            if (dense_.asked() > dense_.patience(j)) let_go(dense_.cluster(j));
        impatient_ = false;
    }

    void let_go(i32 cluster) {
        Cluster& c = clusters_[cluster];
        stop_growing(c);
        to_rest(c);
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
    u32 none_;  // the row of empty slots
    Buffer<i32> of_node_;  // the cluster that merge k made
    Buffer<Cluster> clusters_;
    i32 made_ = 0;
    std::vector<i32> spare_;
    std::vector<Growing> growing_;
    DenseCells dense_;
    CellPool pool_;
    bool impatient_ = false;
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

// From so many merges a level on, on average, it pays to have all of them at once.
constexpr i64 kBatch = 256;

}  // namespace

Levels sweep(const i32* truth, i64 rows, const Tree& tree, const i64* ends, i64 levels, bool changes, Run& run) {
    Levels out;
    for (Buffer<double>* b : {&out.s_h, &out.split, &out.merge, &out.h_pred, &out.split_info, &out.merge_info, &out.b3_recall, &out.b3_precision})
        *b = Buffer<double>(levels);
    for (Buffer<i64>* b : {&out.mm, &out.bb, &out.true_max, &out.pred_max, &out.cells, &out.clusters}) *b = Buffer<i64>(levels);
    if (changes) out.change = Buffer<double>(tree.merges);
    const i64 last = changes ? tree.merges : levels ? ends[levels - 1] : 0;
    if (levels && !changes && kBatch * levels <= last) {
        sweep_batches(truth, rows, tree, ends, levels, out, run);
        return out;
    }
    const FixedXLogX fixed_xlogx(std::min<i64>(tree.points + 1, i64{1} << 20));
    const int count = std::min(run.threads(), kMostStretches);
    run.workers(count, [&](int worker) {
        const i64 from = stretch(last, worker, count), to = stretch(last, worker + 1, count);
        Run mine(&run);
        Sweep state(truth, rows, tree, from, fixed_xlogx, mine);
        i64 k = from;
        auto advance = [&](i64 end) {
            for (; k < end; ++k) {
                if ((k & 0xfff) == 0) run.poll();
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
