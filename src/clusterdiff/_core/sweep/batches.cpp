// As sweep.cpp, with the same sums, but nobody asks what they are within a batch of merges. The clusters that one has
// made are looked at once, and the score of a row is found once for all that happened to it.
//
// The points stand in an order in which every cluster, at every level, is a run of them. Its cells begin where it begins,
// and take no more room than its points: those of several clusters become those of one where they are. A cluster that
// has far more cells than all that comes to it is growing: its cells are in a table then, and its sum U of m s is kept
// instead of what it adds to the sums V of its rows. It rests again when a batch brings it nothing.
#include "sweep/batches.hpp"

#include <algorithm>

#include "sweep/growing.hpp"
#include "sweep/layout.hpp"

namespace clusterdiff {

namespace {

class Batches : public SweepState {
  public:
    Batches(const Layout& layout, i64 rows, const Tree& tree, const FixedXLogX& fixed_xlogx)
        : SweepState(layout.truth.data(), rows, tree.points, fixed_xlogx), layout_(layout), tree_(tree), none_(static_cast<u32>(rows)), cells_at_(n_),
          here_(Buffer<Here>::zeros(n_)), slot_(Buffer<u32>::zeros(rows)) {
        for (i64 i = 0; i < n_; ++i) cells_at_[i] = {static_cast<u32>(layout.truth[i]), 1};
    }

    // The merges up to `end` that have not happened yet happen now.
    void advance(i64 end, Run& run) {
        if (end == done_) return;
        ++step_;
        while (done_ < end) {
            // The first are next to each other; of others a cache keeps so many.
            const i64 stop = done_ ? std::min(end, done_ + kFetched) : end;
            find_made(stop);
            if (done_) fetch(stop);
            for (std::size_t j = 0; j < made_.size(); ++j) {
                if ((j & 0xfff) == 0) run.poll();
                const i64 k = made_[j];
                const i64 begin = layout_.start[n_ + k];
                unite(begin, begin + layout_.size[k]);
            }
            done_ = stop;
        }
        settle();
    }

    void write(Levels& out, i64 j) const {
        u128 total = total_;
        for (const Growing& g : growing_) total += u128(g.score) * g.sum;
        SweepState::write(out, j, total);
    }

  private:
    // The cluster that begins at a place, all zero if that is a single point.
    struct Here {
        u64 score;        // t; of one that is growing, its place among those
        u32 size, cells;  // no cells: it is growing
    };

    // What clusters are before they become one, and what they become.
    struct Parts {
        u64 count = 0, squares = 0, largest = 0, cells = 0, size_squares = 0;
        u128 logs = 0, whole = 0, merge = 0, precision = 0;
    };

    // The clusters that are there after a batch, and were not there before: what no other merge of it has taken.
    void find_made(i64 end) {
        made_.clear();
        inner_.assign(static_cast<std::size_t>(end - done_), 0);
        const i64 first = n_ + done_;
        for (i64 k = done_; k < end; ++k)
            for (const i32 x : {tree_.left[k], tree_.right[k]})
                if (x >= first) inner_[static_cast<std::size_t>(x - first)] = 1;
        for (i64 k = done_; k < end; ++k)
            if (!inner_[static_cast<std::size_t>(k - done_)]) made_.push_back(static_cast<i32>(k));
    }

    u32 size_at(i64 place) const { return std::max(here_[place].size, u32{1}); }
    u32 cells_of(const Here& here) const {
        if (!here.size) return 1;
        return here.cells ? here.cells : growing_[here.score].count;
    }

    void unite(i64 begin, i64 end) {
        u64 cells = 0, parts = 0;
        u32 most = 0;
        i64 biggest = begin;
        if (!done_) parts = cells = static_cast<u64>(end - begin);  // all are single points
        for (i64 p = begin; p < end && done_; p += size_at(p)) {
            const u32 count = cells_of(here_[p]);
            cells += count, ++parts;
            if (count > most) most = count, biggest = p;
        }
        if (most >= kMany && kDominates * (cells - most) <= most) return grow(begin, end, biggest);
        GrowingCell* to = cells_at_.data() + begin;
        const bool points = parts == static_cast<u64>(end - begin);
        auto make = [&](auto&& seek) { return points ? gather(begin, end, seek) : rebuild(begin, end, seek); };
        if (cells <= kFew) {
            make([to](u32 row, u32 found) -> GrowingCell* {
                for (u32 q = 0; q < found; ++q)
                    if (to[q].row == row) return to + q;
                return nullptr;
            });
            return;
        }
        const u32 found = make([this, to](u32 row, u32 next) -> GrowingCell* {
            u32& slot = slot_[row];
            if (slot) return to + slot - 1;
            slot = next + 1;
            return nullptr;
        });
        for (u32 q = 0; q < found; ++q) slot_[to[q].row] = 0;
    }

    // The cells of a run of single points, where the run begins; what is written was read before.
    // `seek(row, found)` gives the cell of a row among those found so far, if there is one.
    template <class Seek>
    u32 gather(i64 begin, i64 end, Seek&& seek) {
        GrowingCell* to = cells_at_.data() + begin;
        const u32 size = static_cast<u32>(end - begin);
        u32 found = 0;
        for (u32 i = 0; i < size; ++i) {
            const u32 row = to[i].row;
            if (GrowingCell* same = seek(row, found))
                ++same->size;
            else
                to[found++] = {row, 1};
        }
        Sums now;
        u64 sum = 0;
        for (u32 q = 0; q < found; ++q) {
            const auto [r, m] = to[q];
            sum += m * rows_[r].score;
            now.squares += u64{m} * m;
            if (m == 1) continue;
            now.largest = std::max(now.largest, m);
            const u128 logs = fixed_xlogx_(m);
            now.logs += logs;
            join(changing(r), logs, u64{m} * m - m, m - 1, m);
        }
        now.largest = std::max(now.largest, u32{1});
        const u128 whole = fixed_xlogx_(size);
        const u64 score = score_of(found, now.logs, whole), less = cluster_one_ - score;
        here_[begin] = {score, size, found};
        if (less)
            for (u32 q = 0; q < found; ++q) rows_[to[q].row].rest -= to[q].size * less;
        total_ = total_ - u128(less) * sum;
        Parts old;
        add_singles(old, size);
        account(old, now, found, size, whole, score);
        return found;
    }

    // The same of a run of any clusters.
    template <class Seek>
    u32 rebuild(i64 begin, i64 end, Seek&& seek) {
        Parts old;
        GrowingCell* to = cells_at_.data() + begin;
        u32 found = 0;
        take_out(begin, end, -1, old, [&](const GrowingCell& cell) {
            GrowingCell* same = seek(cell.row, found);
            if (!same) {
                to[found++] = cell;
                return;
            }
            same->size += cell.size;
            met(*same, cell.size);
        });
        const u32 size = static_cast<u32>(end - begin);
        const Sums now = sums_of(to, found);
        const u128 whole = fixed_xlogx_(size);
        const u64 score = score_of(found, now.logs, whole);
        here_[begin] = {score, size, found};
        to_rest(to, found, score);
        account(old, now, found, size, whole, score);
        return found;
    }

    struct Sums {
        u128 logs = 0;
        u64 squares = 0;
        u32 largest = 0;
    };
    Sums sums_of(const GrowingCell* cells, u32 count) const {
        Sums s;
        for (u32 q = 0; q < count; ++q) {
            const u32 m = cells[q].size;
            if (m > 1) s.logs += fixed_xlogx_(m);
            s.squares += u64{m} * m;
            s.largest = std::max(s.largest, m);
        }
        return s;
    }

    void to_rest(const GrowingCell* cells, u32 count, u64 score) {
        u64 sum = 0;
        for (u32 q = 0; q < count; ++q) {
            Row& row = rows_[cells[q].row];
            row.rest += cells[q].size * score;
            sum += cells[q].size * row.score;
        }
        total_ += u128(score) * sum;
    }

    // Takes the clusters of a run, but for one, out of the sums of m s t, tells what they were, and calls f(cell) for all of
    // their cells. Returns the sum of their U.
    template <class F>
    u64 take_out(i64 begin, i64 end, i64 but, Parts& old, F&& f) {
        u64 singles = 0, single_sum = 0, all = 0;
        for (i64 p = begin; p < end;) {
            const Here here = here_[p];
            if (!here.size) {
                const GrowingCell cell{cells_at_[p].row, 1};
                Row& row = rows_[cell.row];
                row.rest -= cluster_one_;
                single_sum += row.score;
                ++singles, ++p;
                f(cell);
                continue;
            }
            if (p != but) {
                here_[p] = {};
                all += here.cells ? take_list(p, here, old, f) : take_growing(here, old, f);
            }
            p += here.size;
        }
        total_ = total_ - u128(cluster_one_) * single_sum;
        add_singles(old, singles);
        return all + single_sum;
    }

    void add_singles(Parts& old, u64 count) const {
        old.count += count, old.squares += count, old.largest += count, old.cells += count, old.size_squares += count;
        old.merge += u128(cluster_one_) * count, old.precision += u128(row_one_) * count;
    }

    template <class F>
    u64 take_list(i64 place, const Here& here, Parts& old, F&& f) {
        const GrowingCell* cells = cells_at_.data() + place;
        Sums was;
        u64 sum = 0;
        for (u32 q = 0; q < here.cells; ++q) {
            const GrowingCell cell = cells[q];
            Row& row = rows_[cell.row];
            row.rest -= cell.size * here.score;
            sum += cell.size * row.score;
            if (cell.size > 1) was.logs += fixed_xlogx_(cell.size);
            was.squares += u64{cell.size} * cell.size;
            was.largest = std::max(was.largest, cell.size);
            f(cell);
        }
        total_ = total_ - u128(here.score) * sum;
        count(old, was, here.cells, here.size, here.score);
        return sum;
    }

    template <class F>
    u64 take_growing(const Here& here, Parts& old, F&& f) {
        Growing g = remove(here.score);
        count(old, {g.logs, g.squares, g.largest}, g.count, g.size, g.score);
        g.each(f);
        g.release(pool_);
        return g.sum;
    }

    void count(Parts& old, const Sums& was, u32 cells, u32 size, u64 score) const {
        ++old.count;
        old.cells += cells;
        old.logs += was.logs, old.squares += was.squares, old.largest += was.largest;
        old.whole += fixed_xlogx_(size), old.size_squares += u64{size} * size;
        old.merge += u128(score) * size, old.precision += share(was.squares, size);
    }

    // The sums over all clusters after several have become one.
    void account(const Parts& old, const Sums& now, u32 cells, u32 size, const u128& whole, u64 score) {
        logs_ += now.logs - old.logs;
        squares_ += now.squares - old.squares;
        largest_clusters_ += now.largest - old.largest;
        cells_ += cells - old.cells;
        clusters_count_ -= old.count - 1;
        logs_pred_ += whole - old.whole;
        cluster_squares_ += u64{size} * size - old.size_squares;
        merge_ += u128(score) * size - old.merge;
        precision_ += u128(share(now.squares, size)) - old.precision;
    }

    // The sums of a row whose cells change in this batch.
    RowSums& changing(u32 r) {
        RowSums& row = sums_[r];
        if (row.step != step_) {
            row.step = step_;
            changed_.push_back(r);
        }
        return row;
    }

    // Two cells of a row have become this one, by `more` points.
    u128 met(const GrowingCell& cell, u32 more) {
        const u64 before = cell.size - more;
        const u128 logs = fixed_xlogx_(cell.size) - fixed_xlogx_(static_cast<i64>(before)) - fixed_xlogx_(more);
        join(changing(cell.row), logs, 2 * before * more, 1, cell.size);
        return logs;
    }

    // ---- clusters that grow

    // All clusters of a run come to the one at this place.
    void grow(i64 begin, i64 end, i64 place) {
        if (here_[place].cells) start_growing(place);
        Parts old;
        const Growing& it = growing_[here_[place].score];
        count(old, {it.logs, it.squares, it.largest}, it.count, it.size, it.score);
        // No other that is growing may be taken from their list while this one is held.
        parts_.clear();
        const u64 sum = take_out(begin, end, place, old, [&](const GrowingCell& cell) { parts_.push_back(cell); });
        Growing& g = growing_[here_[place].score];
        u128 logs = old.logs;
        for (const GrowingCell& cell : parts_) {
            const u32 size = g.add(cell, none_, pool_), before = size - cell.size;
            if (before) logs += met({cell.row, size}, cell.size);
            g.squares += u64{size} * size - u64{before} * before;
            g.largest = std::max(g.largest, size);
        }
        g.logs = logs;
        g.sum += sum;
        g.size = static_cast<u32>(end - begin);
        g.grown = true;
        g.begin = begin;
        const u128 whole = fixed_xlogx_(g.size);
        g.score = score_of(g.count, g.logs, whole);
        const Here here = std::exchange(here_[place], Here{});
        here_[begin] = {here.score, g.size, 0};
        account(old, {g.logs, g.squares, g.largest}, g.count, g.size, whole, g.score);
    }

    void start_growing(i64 place) {
        const Here here = here_[place];
        const GrowingCell* cells = cells_at_.data() + place;
        const Sums sums = sums_of(cells, here.cells);
        Growing g(cells, here.cells, none_, pool_);
        g.begin = place, g.size = here.size, g.score = here.score;
        g.logs = sums.logs, g.squares = sums.squares, g.largest = sums.largest;
        for (u32 q = 0; q < here.cells; ++q) {
            Row& row = rows_[cells[q].row];
            row.rest -= cells[q].size * here.score;
            g.sum += cells[q].size * row.score;
        }
        total_ = total_ - u128(g.score) * g.sum;
        here_[place] = {growing_.size(), here.size, 0};
        growing_.push_back(std::move(g));
    }

    // Takes one from the list of those that are growing; the last one has its place then.
    Growing remove(u64 place) {
        Growing g = std::move(growing_[place]);
        if (place + 1 < growing_.size()) {
            growing_[place] = std::move(growing_.back());
            here_[growing_[place].begin].score = place;
        }
        growing_.pop_back();
        return g;
    }

    // ---- the end of a batch

    // The rows learn their scores, and what is growing learns of that, or rests.
    void settle() {
        rises_.clear();
        for (std::size_t j = 0; j < changed_.size(); ++j) {
            if (j + 8 < changed_.size()) prefetch(&sums_[changed_[j + 8]]), prefetch(&rows_[changed_[j + 8]]);
            rises_.push_back(rise(changed_[j]));
        }
        for (std::size_t j = growing_.size(); j-- > 0;)
            if (!std::exchange(growing_[j].grown, false)) rest(j);
        if (std::any_of(growing_.begin(), growing_.end(), [](const Growing& g) { return g.dense(); })) {
            scores_.resize(none_);
            for (u32 r = 0; r < none_; ++r) scores_[r] = rows_[r].score;
        }
        for (Growing& g : growing_) g.learn(changed_, rises_, rows_.data(), scores_);
        changed_.clear();
    }

    void rest(std::size_t place) {
        Growing g = remove(place);
        GrowingCell* to = cells_at_.data() + g.begin;
        u32 count = 0;
        g.each([&](const GrowingCell& cell) { to[count++] = cell; });
        here_[g.begin] = {g.score, g.size, count};
        to_rest(to, count, g.score);
        g.release(pool_);
    }

    // Asks for the memory of all clusters that merges of a batch join, one step of the way after the other.
    void fetch(i64 end) const {
        const i64 first = n_ + done_;
        auto ask = [&](i64 k, auto&& f) {
            if (k < done_ || k >= end) return;
            for (const i32 x : {tree_.left[k], tree_.right[k]})
                if (x < first) f(x);
        };
        for (i64 k = done_; k < end + 3 * kAhead; ++k) {
            ask(k, [&](i32 x) { prefetch(&layout_.start[x]); });
            ask(k - kAhead, [&](i32 x) {
                prefetch(&here_[layout_.start[x]]);
                prefetch(&cells_at_[layout_.start[x]]);
            });
            ask(k - 3 * kAhead, [&](i32 x) {
                const u32 row = cells_at_[layout_.start[x]].row;
                prefetch(&rows_[row]);
                prefetch(&sums_[row]);
            });
        }
    }

    // How many merges ahead memory is asked for; and of how many at a time, which a cache keeps.
    static constexpr i64 kAhead = 16, kFetched = i64{1} << 13;
    // So few cells are looked through for each other.
    static constexpr u64 kFew = 16;
    // From so many cells on, a cluster that has so many times more than what comes to it is growing.
    static constexpr u32 kMany = 64;
    static constexpr u64 kDominates = 4;

    const Layout& layout_;
    const Tree& tree_;
    u32 none_;                      // the row of empty slots
    Buffer<GrowingCell> cells_at_;  // those of the cluster that begins at a place, from there on
    Buffer<Here> here_;
    Buffer<u32> slot_;  // where the cell of a row is among those found, plus 1
    std::vector<Growing> growing_;
    CellPool pool_;
    i64 done_ = 0;
    i32 step_ = 0;
    std::vector<i32> made_;
    std::vector<u8> inner_;
    std::vector<u32> changed_;    // the rows whose cells have changed in this batch
    std::vector<u64> rises_;      // and by how much their scores have risen
    std::vector<u64> scores_;     // of all rows, side by side
    std::vector<GrowingCell> parts_;
};

// Threads take a stretch of the levels each, and hold a state each.
constexpr int kMostStretches = 4;
// What the first batch of a stretch takes, as a share of all merges. That of the first stretch has little to do.
constexpr double kGather = 0.32;

// The first level of stretch j of `count`.
i64 stretch(const i64* ends, i64 levels, int j, int count) {
    if (j == 0 || j == count) return j ? levels : 0;
    const double share = kGather + j * (1 - kGather) / count;
    return std::upper_bound(ends, ends + levels, static_cast<i64>(share * static_cast<double>(ends[levels - 1]))) - ends;
}

}  // namespace

void sweep_batches(const i32* truth, i64 rows, const Tree& whole, const i64* ends, i64 levels, Levels& out, Run& run) {
    const Tree tree{whole.points, ends[levels - 1], whole.left, whole.right};
    const FixedXLogX fixed_xlogx(std::min<i64>(tree.points + 1, i64{1} << 16));
    const Layout layout = lay_out(truth, tree, run);
    const int count = std::min(run.threads(), kMostStretches);
    run.workers(count, [&](int worker) {
        const i64 from = stretch(ends, levels, worker, count), to = stretch(ends, levels, worker + 1, count);
        if (from == to) return;
        Batches state(layout, rows, tree, fixed_xlogx);
        for (i64 j = from; j < to; ++j) {
            state.advance(ends[j], run);
            state.write(out, j);
        }
    });
}

}  // namespace clusterdiff
