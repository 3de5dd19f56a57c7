#include "explain/repairs.hpp"

#include <algorithm>
#include <cmath>
#include <queue>

#include "explain/pieces.hpp"

namespace clusterdiff {

namespace {

using namespace pieces;

// In the sequence a true cluster in more parts than this is put together at the end, in one merge: every operation on
// it changes the gains of all clusters that hold a part of it, and mending it part by part would take quadratic time.
constexpr i64 kParts = 64;

// A part may go to any other part of its true cluster that is mixed with others. So many of the largest are tried.
constexpr int kTargets = 8;

// Where all points but one weigh nothing, there is nothing to split; rounding must not say otherwise.
constexpr double kRounding = 1e-12;

class Repairs {
  public:
    Repairs(const Cells& t, const CellWeights& weights)
        : cells_(t.count()), k_true_(t.k_true), k_pred_(t.k_pred), unit_(weights.unit), total_(0.0) {
        const double *mass = weights.mass, *entropy = weights.entropy;
        truth_.resize(k_true_);
        cluster_.resize(k_pred_ + cells_);
        cell_.resize(cells_);
        for (i64 row = 0; row < k_true_; ++row)
            for (i64 q = t.indptr[row]; q < t.indptr[row + 1]; ++q) {
                Cell& cell = cell_[q];
                cell.set = {mass ? mass[q] : static_cast<double>(t.sizes[q]), entropy ? entropy[q] : 0.0, t.sizes[q]};
                cell.g = g(cell.set);
                cell.truth = static_cast<i32>(row);
                cell.cluster = t.cols[q];
                cell.last = static_cast<i32>(q);
                truth_[row].set += cell.set;
                truth_[row].kept += cell.g;
                truth_[row].cells += 1;
                Cluster& cluster = cluster_[cell.cluster];
                cluster.set += cell.set;
                cluster.kept += cell.g;
                cluster.end += 1;  // a count for now
                total_ += cell.set.mass;
            }
        group_by_cluster();
        for (Truth& x : truth_) x.score = score(x.kept, x.set, x.cells);
        for (i64 c = 0; c < k_pred_; ++c) rescore(cluster_[c]);
        for (i64 row = 0; row < k_true_; ++row) line_up(static_cast<i32>(row), t.indptr[row], t.indptr[row + 1]);
    }

    // All operations and what each alone would gain.
    Candidates candidates() const {
        Candidates out;
        auto add = [&](i32 operation, i64 at, i64 to, double gain) {
            out.operation.push_back(operation);
            out.at.push_back(at);
            out.to.push_back(to);
            out.gain.push_back(gain / total_);
        };
        for (i64 c = 0; c < k_pred_; ++c)
            if (mixed(cluster_[c])) add(kSplit, c, -1, split_gain(cluster_[c]));
        for (i64 row = 0; row < k_true_; ++row)
            each_gain(truth_[row], [&](i32 operation, i32 cell, i32 to, double gain) {
                add(operation, operation == kMerge ? row : cell, to, gain);
            });
        return out;
    }

    // Make the best operation, again and again, until every predicted cluster is a true one. Call once.
    Steps greedy(Run& run) {
        Steps out;
        for (i64 c = 0; c < k_pred_; ++c) offer_split(static_cast<i32>(c));
        for (i64 row = 0; row < k_true_; ++row) offer(static_cast<i32>(row));
        i32 next = static_cast<i32>(k_pred_);
        while (!queue_.empty()) {
            const Offer best = queue_.top();
            queue_.pop();
            const bool split = best.index < k_pred_;
            const i32 at = static_cast<i32>(split ? best.index : best.index - k_pred_);
            if (best.version != (split ? cluster_[at].version : truth_[at].version)) continue;
            if ((out.gain.size() & 0xff) == 0) run.poll(0);
            if (split)
                do_split(at, next, out);
            else
                do_gather(at, out);
            out.gain.push_back(best.gain / total_);
            out.operation.push_back(split ? kSplit : truth_[at].operation);
            out.truth.push_back(split ? -1 : at);
            out.indptr.push_back(static_cast<i64>(out.cell.size()));
            for (i32 row : dirty_) {
                truth_[row].dirty = false;
                offer(row);
            }
            dirty_.clear();
        }
        return out;
    }

  private:
    struct Offer {
        double gain;
        i64 index;  // a predicted cluster to be split, or k_pred + a true cluster
        i64 version;
        bool operator<(const Offer& o) const { return gain != o.gain ? gain < o.gain : index > o.index; }
    };

    double g(const Set& x) const {
        if (x.size < 2 || x.mass <= 0.0) return 0.0;
        const double value = x.mass * std::log(x.mass / unit_) - x.entropy;
        return value > kRounding * x.mass ? value : 0.0;
    }

    double score(double kept, const Set& whole, i64 parts) const {
        if (parts < 2) return 1.0;
        const double all = g(whole);
        return all > 0.0 ? std::min(std::max(kept, 0.0) / all, 1.0) : 1.0;
    }

    static bool mixed(const Cluster& c) { return c.end - c.begin > 1; }

    void rescore(Cluster& c) const { c.score = score(c.kept, c.set, c.end - c.begin); }

    void group_by_cluster() {
        i64 at = 0;
        for (i64 c = 0; c < k_pred_; ++c) {
            const i64 count = cluster_[c].end;
            cluster_[c].begin = cluster_[c].end = at;
            at += count;
        }
        by_cluster_.resize(cells_);
        for (i64 q = 0; q < cells_; ++q) {
            cell_[q].place = static_cast<i32>(cluster_[cell_[q].cluster].end++);
            by_cluster_[cell_[q].place] = static_cast<i32>(q);
        }
    }

    void line_up(i32 row, i64 begin, i64 end) {
        Truth& t = truth_[row];
        order_.clear();
        for (i64 q = end; q-- > begin;) {
            Cluster& c = cluster_[cell_[q].cluster];
            c.through += cell_[q].set.mass * t.score;
            t.through += cell_[q].set.mass * c.score;
            order_.push_back(static_cast<i32>(q));
        }
        std::stable_sort(order_.begin(), order_.end(),
                         [&](i32 a, i32 b) { return cell_[a].set.mass < cell_[b].set.mass; });
        for (i32 q : order_) {  // the largest, of equals the first, comes last and so to the front
            if (mixed(cluster_[cell_[q].cluster]))
                link(t.mixed, q);
            else
                make_pure(t, q);
        }
    }

    void link(i32& head, i32 q) {
        cell_[q].previous = -1;
        cell_[q].next = head;
        if (head >= 0) cell_[head].previous = q;
        head = q;
    }

    void unlink(i32& head, i32 q) {
        Cell& cell = cell_[q];
        (cell.previous >= 0 ? cell_[cell.previous].next : head) = cell.next;
        if (cell.next >= 0) cell_[cell.next].previous = cell.previous;
    }

    // Put a cell that has grown to its place in a list that stands in order of size.
    void rise(i32& head, i32 q) {
        const double mass = cell_[q].set.mass;
        i32 next = cell_[q].previous;
        if (next < 0 || cell_[next].set.mass >= mass) return;
        unlink(head, q);
        while (cell_[next].previous >= 0 && cell_[cell_[next].previous].set.mass < mass) next = cell_[next].previous;
        Cell& cell = cell_[q];
        cell.previous = cell_[next].previous;
        cell.next = next;
        (cell.previous >= 0 ? cell_[cell.previous].next : head) = q;
        cell_[next].previous = q;
    }

    void make_pure(Truth& t, i32 q) {
        link(t.pure, q);
        t.pure_set += cell_[q].set;
        t.pure_g += cell_[q].g;
        t.pure_cells += 1;
        if (t.largest_pure < 0 || cell_[q].set.mass >= cell_[t.largest_pure].set.mass) t.largest_pure = q;
    }

    i32 home(const Truth& t) const {
        if (t.mixed < 0) return t.largest_pure;
        if (t.largest_pure < 0) return t.mixed;
        return cell_[t.mixed].set.mass > cell_[t.largest_pure].set.mass ? t.mixed : t.largest_pure;
    }

    // ---- gains, times n

    double split_gain(const Cluster& c) const { return std::max(0.0, c.through) * (1.0 - c.score); }

    // Calls f(operation, cell, to, gain): merge with the cell whose mixed cluster takes the pure ones in, or -1 for the
    // pure ones alone; move with the cell that moves, and the one that it is united with. Of pure targets the largest
    // is the best, of mixed ones the home is always told, and another if that is better. A merge with a mixed cluster
    // other than the home is told if nothing else gains as much, but for rounding.
    template <class F>
    void each_gain(const Truth& t, F&& f) const {
        if (t.cells < 2) return;
        const i32 h = home(t);
        bool any = false;
        double most = 0.0;
        auto tell = [&](i32 operation, i32 cell, i32 to, double gain) {
            if (!any || gain > most) any = true, most = gain;
            f(operation, cell, to, gain);
        };
        if (t.pure_cells > 1) {
            const double after = score(t.kept + g(t.pure_set) - t.pure_g, t.set, t.cells - t.pure_cells + 1);
            tell(kMerge, -1, -1, t.through * (after - t.score));
        }
        if (t.pure_cells > 0 && h == t.mixed) tell(kMerge, -1, h, host_gain(t, h));
        for (i32 x = t.mixed; x >= 0; x = cell_[x].next) {
            if (x != h) tell(kMove, x, h, move_gain(t, x, h));
            if (t.largest_pure >= 0 && t.largest_pure != h) tell(kMove, x, t.largest_pure, move_gain(t, x, t.largest_pure));
            best_mixed(t, h, x, [&](i32 y) { return move_gain(t, x, y); }, [&](i32 y, double gain) { tell(kMove, x, y, gain); });
        }
        if (t.pure_cells > 0)
            best_mixed(t, h, -1, [&](i32 y) { return host_gain(t, y); },
                       [&](i32 y, double gain) { if (!any || gain > most + kRounding * t.set.mass) tell(kMerge, -1, y, gain); });
    }

    // Calls f(cell, gain) for the best of the largest mixed cells of a true cluster but two, if there is any.
    template <class Gain, class F>
    void best_mixed(const Truth& t, i32 but, i32 nor, Gain&& gain_of, F&& f) const {
        i32 best = -1;
        double most = 0.0;
        int tried = 0;
        for (i32 y = t.mixed; y >= 0 && tried < kTargets; y = cell_[y].next, ++tried) {
            if (y == but || y == nor) continue;
            const double gain = gain_of(y);
            if (best < 0 || gain > most) best = y, most = gain;
        }
        if (best >= 0) f(best, most);
    }

    // The mixed cluster of a cell takes in all pure ones of its true cluster.
    double host_gain(const Truth& t, i32 y) const {
        const Cell& to = cell_[y];
        const Cluster& host = cluster_[to.cluster];
        const double united = g(to.set + t.pure_set);
        const double after = score(t.kept + united - to.g - t.pure_g, t.set, t.cells - t.pure_cells);
        const double host_score = score(host.kept + united - to.g, host.set + t.pure_set, host.end - host.begin);
        const double p = t.pure_set.mass, m = to.set.mass;
        return host_score * (host.through - m * t.score + (m + p) * after) - host.score * host.through - p * t.score +
               (t.through - p - m * host.score) * (after - t.score);
    }

    // A cell leaves its mixed cluster for that of another cell of its true cluster, pure or mixed.
    double move_gain(const Truth& t, i32 x, i32 y) const {
        const Cell &stray = cell_[x], &to = cell_[y];
        const Cluster &left = cluster_[stray.cluster], &host = cluster_[to.cluster];
        const bool pure = !mixed(host);
        const double united = g(to.set + stray.set);
        const double after = score(t.kept + united - to.g - stray.g, t.set, t.cells - 1);
        const double left_score = score(left.kept - stray.g, left.set - stray.set, left.end - left.begin - 1);
        const double host_score = score(host.kept + united - to.g, host.set + stray.set, host.end - host.begin);
        const double m = stray.set.mass, k = to.set.mass;
        const double host_before = pure ? k * t.score : host.score * host.through;
        const double host_rest = pure ? 0.0 : host.through - k * t.score;
        return left_score * (left.through - m * t.score) - left.score * left.through +
               host_score * (host_rest + (k + m) * after) - host_before +
               (t.through - m * left.score - k * host.score) * (after - t.score);
    }

    // ---- the greedy sequence

    void offer_split(i32 c) {
        Cluster& cluster = cluster_[c];
        ++cluster.version;
        if (mixed(cluster)) queue_.push({split_gain(cluster), c, cluster.version});
    }

    void offer(i32 row) {
        Truth& t = truth_[row];
        ++t.version;
        if (t.cells > kParts && t.mixed >= 0) return;
        bool any = false;
        double best = 0.0;
        each_gain(t, [&](i32 operation, i32 cell, i32 to, double gain) {
            if (any && gain <= best) return;
            any = true;
            best = gain;
            t.operation = operation;
            t.chosen = cell;
            t.target = to;
        });
        if (any) queue_.push({best, k_pred_ + row, t.version});
    }

    void touch(i32 row) {
        if (truth_[row].dirty) return;
        truth_[row].dirty = true;
        dirty_.push_back(row);
    }

    void touch_all(const Cluster& c) {
        for (i64 p = c.begin; p < c.end; ++p) touch(cell_[by_cluster_[p]].truth);
    }

    void record(i32 q, i32 from, i32 to, Steps& out) const {
        for (i32 part = q; part >= 0; part = cell_[part].joined) {
            out.cell.push_back(part);
            out.from.push_back(from);
            out.to.push_back(to);
        }
    }

    void do_split(i32 c, i32& next, Steps& out) {
        const Cluster old = cluster_[c];
        i64 keep = old.begin;
        for (i64 p = old.begin; p < old.end; ++p)
            if (cell_[by_cluster_[p]].set.mass > cell_[by_cluster_[keep]].set.mass) keep = p;
        for (i64 p = old.begin; p < old.end; ++p) {
            const i32 q = by_cluster_[p];
            Cell& cell = cell_[q];
            const i32 to = p == keep ? c : next++;
            record(q, c, to, out);
            become_pure(q, old.score);
            cell.cluster = to;
            Cluster& part = cluster_[to];
            part = {cell.set, cell.g, 1.0, 0.0, p, p + 1, part.version + 1};
            touch(cell.truth);
        }
    }

    // A cell whose cluster has no other any more.
    void become_pure(i32 q, double old_score) {
        Truth& t = truth_[cell_[q].truth];
        t.through += cell_[q].set.mass * (1.0 - old_score);
        unlink(t.mixed, q);
        make_pure(t, q);
    }

    // Merge or move: unite cells of a true cluster in one of them.
    void do_gather(i32 row, Steps& out) {
        Truth& t = truth_[row];
        const i32 h = t.target < 0 ? t.largest_pure : t.target;
        // The scores of all predicted clusters that hold points of this one may change.
        clusters_.clear();
        for (i32 q = t.mixed; q >= 0; q = cell_[q].next) {
            clusters_.push_back(cell_[q].cluster);
            touch_all(cluster_[cell_[q].cluster]);
        }
        touch(row);
        const bool pure = !mixed(cluster_[cell_[h].cluster]);
        const double s_before = t.score;
        for (i32 c : clusters_) take(cluster_[c], row, s_before);
        if (t.operation == kMerge) {
            record(h, cell_[h].cluster, cell_[h].cluster, out);
            const i32 head = t.pure;
            t.pure = -1;
            t.pure_set = {};
            t.pure_g = 0.0;
            t.pure_cells = 0;
            t.largest_pure = -1;
            for (i32 q = head; q >= 0;) {
                const i32 after = cell_[q].next;
                if (q != h) unite(t, h, q, out);
                q = after;
            }
            if (pure) make_pure(t, h);
        } else {
            const i32 q = t.chosen;
            unlink(t.mixed, q);
            const i32 c = cell_[q].cluster;
            leave(cluster_[c], q);
            if (pure) {
                t.pure_set += cell_[q].set;
                t.pure_g -= cell_[h].g;
            }
            unite(t, h, q, out);
            if (pure) t.pure_g += cell_[h].g;
        }
        if (!pure) rise(t.mixed, h);
        t.score = score(t.kept, t.set, t.cells);
        for (i32 c : clusters_) {
            Cluster& cluster = cluster_[c];
            const double before = cluster.score;
            rescore(cluster);
            give(cluster, row, t.score, before);
            if (cluster.end - cluster.begin == 1) {
                const i32 last = by_cluster_[cluster.begin];
                Truth& owner = truth_[cell_[last].truth];
                unlink(owner.mixed, last);
                make_pure(owner, last);
            }
            offer_split(c);
        }
        t.through = t.pure_set.mass;
        for (i32 q = t.mixed; q >= 0; q = cell_[q].next)
            t.through += cell_[q].set.mass * cluster_[cell_[q].cluster].score;
    }

    // What true cluster `row` adds to U of a predicted cluster, taken out and put back.
    void take(Cluster& c, i32 row, double s) {
        for (i64 p = c.begin; p < c.end; ++p)
            if (cell_[by_cluster_[p]].truth == row) c.through -= cell_[by_cluster_[p]].set.mass * s;
    }

    void give(Cluster& c, i32 row, double s, double t_before) {
        for (i64 p = c.begin; p < c.end; ++p) {
            const Cell& cell = cell_[by_cluster_[p]];
            if (cell.truth == row)
                c.through += cell.set.mass * s;
            else
                truth_[cell.truth].through += cell.set.mass * (c.score - t_before);
        }
    }

    void leave(Cluster& c, i32 q) {
        const i32 last = by_cluster_[--c.end];
        by_cluster_[cell_[q].place] = last;
        cell_[last].place = cell_[q].place;
        c.set -= cell_[q].set;
        c.kept -= cell_[q].g;
    }

    void unite(Truth& t, i32 h, i32 q, Steps& out) {
        Cell &to = cell_[h], &from = cell_[q];
        Cluster& host = cluster_[to.cluster];
        record(q, from.cluster, to.cluster, out);
        cell_[to.last].joined = q;
        to.last = from.last;
        const double united = g(to.set + from.set);
        t.kept += united - to.g - from.g;
        t.cells -= 1;
        host.kept += united - to.g;
        host.set += from.set;
        to.set += from.set;
        to.g = united;
    }

    i64 cells_, k_true_, k_pred_;
    double unit_, total_;
    std::vector<Cell> cell_;
    std::vector<Truth> truth_;
    std::vector<Cluster> cluster_;
    std::vector<i32> by_cluster_;  // cells grouped by predicted cluster; a cluster's are begin … end - 1
    std::vector<i32> order_, dirty_, clusters_;
    std::priority_queue<Offer> queue_;
};

}  // namespace

Candidates repairs(const Cells& t, const CellWeights& weights) { return Repairs(t, weights).candidates(); }

Steps repair_steps(const Cells& t, const CellWeights& weights, Run& run) { return Repairs(t, weights).greedy(run); }

}  // namespace clusterdiff
