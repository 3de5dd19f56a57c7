// The state that repairs are made on, and what each single operation would gain in it.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/numeric.hpp"
#include "explain/differing.hpp"
#include "explain/pieces.hpp"

namespace clusterdiff::pieces {

// A part may go to any other part of its true cluster that is mixed with others. So many of the largest are tried.
constexpr int kTargets = 8;

// Where all points but one weigh nothing, there is nothing to split; rounding must not say otherwise.
constexpr double kRounding = 1e-12;

class Gains {
  public:
    Gains(const Differing& d, Run& run)
        : run_(run), cells_(d.cells.count()), k_true_(d.cells.k_true), k_pred_(d.cells.k_pred), unit_(d.unit), total_(d.total), sound_(d.sound), share_(d.share), plain_(!d.weights().mass) {
        const Cells& t = d.cells;
        const double *mass = d.weights().mass, *entropy = d.weights().entropy;
        truth_.resize(k_true_);
        cluster_.resize(k_pred_ + cells_);
        cell_.resize(cells_);
        for (i64 row = 0; row < k_true_; ++row)
            for (i64 q = t.indptr[row]; q < t.indptr[row + 1]; ++q) {
                worked(1);
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
            }
        group_by_cluster();
        lose(d.lost_true(), k_true_, missing_);
        lose(d.lost_pred(), k_pred_, spurious_);
        for (std::size_t row = 0; row < missing_.size(); ++row) truth_[row].set += missing_[row];
        for (std::size_t c = 0; c < spurious_.size(); ++c) cluster_[c].set += spurious_[c];
        for (i64 row = 0; row < k_true_; ++row) truth_[row].score = score(truth_[row].kept, truth_[row].set, parts_of_truth(row));
        for (i64 c = 0; c < k_pred_; ++c) rescore(c);
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
            if (mixed(cluster_[c])) worked(cluster_[c].end - cluster_[c].begin), add(kSplit, c, -1, split_gain(cluster_[c]));
        for (i64 row = 0; row < k_true_; ++row)
            each_gain(row, [&](i32 operation, i32 cell, i32 to, double gain) {
                add(operation, operation == kMerge ? row : cell, to, gain);
            });
        for (std::size_t row = 0; row < missing_.size(); ++row)
            if (missing_[row].size) each_addition(row, [&](i32 to, double gain) { add(kAdd, row, to, gain); });
        const double before = value();
        for (std::size_t c = 0; c < spurious_.size(); ++c)
            if (spurious_[c].size) add(kRemove, c, -1, removal_gain(relief(c), spurious_[c].mass, before));
        return out;
    }

  protected:
    // To be told of every cell that is looked at, or so: polls now and then.
    void worked(i64 cells) const {
        since_ += cells;
        if (since_ < i64{1} << 14) return;
        since_ = 0;
        run_.poll();
    }

    double g(const Set& x) const {
        if (x.size < 2 || x.mass <= 0.0) return 0.0;
        if (plain_) return xlogx(x.size);
        const double value = x.mass * std::log(x.mass / unit_) - x.entropy;
        return value > kRounding * x.mass ? value : 0.0;
    }

    double score(double kept, const Set& whole, i64 parts) const {
        if (parts < 2) return 1.0;
        const double all = g(whole);
        return all > 0.0 ? std::min(std::max(kept, 0.0) / all, 1.0) : 1.0;
    }

    // Whether a predicted cluster has points of several true ones.
    static bool mixed(const Cluster& c) { return c.end - c.begin > 1; }

    i64 lost_from(i64 row) const { return missing_.empty() ? 0 : missing_[row].size; }

    i64 lost_in(i64 c) const { return c < static_cast<i64>(spurious_.size()) ? spurious_[c].size : 0; }

    // The parts of a cluster: its cells, and each lost point.
    i64 parts_of_truth(i64 row) const { return truth_[row].cells + lost_from(row); }

    i64 parts_of_cluster(i64 c) const { return cluster_[c].end - cluster_[c].begin + lost_in(c); }

    void rescore(i64 c) {
        Cluster& cluster = cluster_[c];
        cluster.score = score(cluster.kept, cluster.set, parts_of_cluster(c));
    }

    // What the lost points of each cluster of one side come to; nothing if there are none.
    void lose(const LostPoints& points, i64 k, std::vector<Set>& lost) {
        if (points.count) lost.resize(k);
        for (i64 i = 0; i < points.count; ++i) {
            const double w = points.weights ? points.weights[i] : 1.0;
            lost[points.cluster[i]] += {w, points.weights && w > 0.0 ? w * std::log(w / unit_) : 0.0, 1};
        }
    }

    void group_by_cluster() {
        i64 at = 0;
        for (i64 c = 0; c < k_pred_; ++c) {
            const i64 count = cluster_[c].end;
            cluster_[c].begin = cluster_[c].end = at;
            at += count;
        }
        by_cluster_.resize(cells_);
        for (i64 q = 0; q < cells_; ++q) {
            worked(1);
            cell_[q].place = static_cast<i32>(cluster_[cell_[q].cluster].end++);
            by_cluster_[cell_[q].place] = static_cast<i32>(q);
        }
    }

    void line_up(i32 row, i64 begin, i64 end) {
        Truth& t = truth_[row];
        order_.clear();
        for (i64 q = end; q-- > begin;) {
            worked(1);
            Cluster& c = cluster_[cell_[q].cluster];
            c.through += cell_[q].set.mass * t.score;
            t.through += cell_[q].set.mass * c.score;
            order_.push_back(static_cast<i32>(q));
        }
        run_.stable_sort(order_.begin(), order_.end(),
                         [&](i32 a, i32 b) { return cell_[a].set.mass < cell_[b].set.mass; });
        for (i32 q : order_) {  // the largest, of equals the first, comes last and so to the front
            const i32 c = cell_[q].cluster;
            if (mixed(cluster_[c]) || lost_in(c)) link(t.mixed, q);
            if (mixed(cluster_[c])) continue;
            if (lost_in(c))
                count_beside(t, q);
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

    // Put a cell to its place in a list that stands in order of size.
    void insert(i32& head, i32 q) {
        Cell& cell = cell_[q];
        cell.previous = -1;
        cell.next = head;
        while (cell.next >= 0 && cell_[cell.next].set.mass >= cell.set.mass) cell.previous = cell.next, cell.next = cell_[cell.next].next;
        (cell.previous >= 0 ? cell_[cell.previous].next : head) = q;
        if (cell.next >= 0) cell_[cell.next].previous = q;
    }

    // The same for one that has grown in it.
    void rise(i32& head, i32 q) {
        const i32 before = cell_[q].previous;
        if (before < 0 || cell_[before].set.mass >= cell_[q].set.mass) return;
        unlink(head, q);
        insert(head, q);
    }

    void make_pure(Truth& t, i32 q) {
        link(t.pure, q);
        count_pure(t, q);
        if (t.largest_pure < 0 || cell_[q].set.mass >= cell_[t.largest_pure].set.mass) t.largest_pure = q;
    }

    void count_pure(Truth& t, i32 q) {
        t.pure_set += cell_[q].set;
        t.pure_g += cell_[q].g;
        t.pure_cells += 1;
    }

    // A cell that has its predicted cluster to itself but for spurious points.
    void count_beside(Truth& t, i32 q) {
        const i32 c = cell_[q].cluster;
        t.pure_lost += spurious_[c];
        t.pure_short += cell_[q].set.mass * (1.0 - cluster_[c].score);
        count_pure(t, q);
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
    void each_gain(i64 row, F&& f) const {
        const Truth& t = truth_[row];
        if (t.cells < 2) return;
        const i64 lost = lost_from(row);
        const i32 h = home(t);
        bool any = false;
        double most = 0.0;
        auto tell = [&](i32 operation, i32 cell, i32 to, double gain) {
            if (!any || gain > most) any = true, most = gain;
            f(operation, cell, to, gain);
        };
        if (t.pure_cells > 1) {
            const double united = g(t.pure_set), through = t.pure_set.mass - t.pure_short;
            const double after = score(t.kept + united - t.pure_g, t.set, t.cells - t.pure_cells + 1 + lost);
            const double merged = score(united, t.pure_set + t.pure_lost, 1 + t.pure_lost.size);
            tell(kMerge, -1, -1, t.through * (after - t.score) + (t.pure_set.mass * merged - through) * after);
        }
        if (t.pure_cells > 0 && h == t.mixed && is_host(h)) tell(kMerge, -1, h, host_gain(t, lost, h));
        for (i32 x = t.mixed; x >= 0; x = cell_[x].next) {
            worked(kTargets);
            if (x != h) tell(kMove, x, h, move_gain(t, lost, x, h));
            if (t.largest_pure >= 0 && t.largest_pure != h) tell(kMove, x, t.largest_pure, move_gain(t, lost, x, t.largest_pure));
            best_mixed(t, h, x, [&](i32 y) { return move_gain(t, lost, x, y); }, [&](i32 y, double gain) { tell(kMove, x, y, gain); });
        }
        if (t.pure_cells > 0)
            best_mixed(t, h, -1, [&](i32 y) { return host_gain(t, lost, y); },
                       [&](i32 y, double gain) { if (!any || gain > most + kRounding * t.set.mass) tell(kMerge, -1, y, gain); },
                       [&](i32 y) { return is_host(y); });
    }

    // Calls f(to, gain) for the places where the missing points of a true cluster may go: the cell that they join, or
    // -1 for a cluster of their own. A pure cluster is never a worse place than that.
    template <class F>
    void each_addition(i64 row, F&& f) const {
        const Truth& t = truth_[row];
        const i32 h = t.cells ? home(t) : -1;
        auto tell = [&](i32 to) { f(to, addition_gain(row, to)); };
        tell(t.largest_pure);
        if (h != t.largest_pure) tell(h);
        best_mixed(t, h, -1, [&](i32 y) { return addition_gain(row, y); }, f);
    }

    struct Any {
        bool operator()(i32) const { return true; }
    };

    // Calls f(cell, gain) for the best of the largest mixed cells of a true cluster but two, if there is any.
    template <class Gain, class F, class Allowed = Any>
    void best_mixed(const Truth& t, i32 but, i32 nor, Gain&& gain_of, F&& f, Allowed&& allowed = {}) const {
        i32 best = -1;
        double most = 0.0;
        int tried = 0;
        for (i32 y = t.mixed; y >= 0 && tried < kTargets; y = cell_[y].next) {
            if (!allowed(y)) continue;
            ++tried;
            if (y == but || y == nor) continue;
            const double gain = gain_of(y);
            if (best < 0 || gain > most) best = y, most = gain;
        }
        if (best >= 0) f(best, most);
    }

    // Whether the cluster of a cell has points of other true clusters too, so that it can take pure ones in.
    bool is_host(i32 y) const { return mixed(cluster_[cell_[y].cluster]); }

    // The mixed cluster of a cell takes in all pure ones of its true cluster, with what is spurious in them.
    double host_gain(const Truth& t, i64 lost, i32 y) const {
        const Cell& to = cell_[y];
        const Cluster& host = cluster_[to.cluster];
        const double united = g(to.set + t.pure_set);
        const double after = score(t.kept + united - to.g - t.pure_g, t.set, t.cells - t.pure_cells + lost);
        const double host_score = score(host.kept + united - to.g, host.set + t.pure_set + t.pure_lost, parts_of_cluster(to.cluster));
        const double p = t.pure_set.mass, through = p - t.pure_short, m = to.set.mass;
        return host_score * (host.through - m * t.score + (m + p) * after) - host.score * host.through - through * t.score +
               (t.through - through - m * host.score) * (after - t.score);
    }

    // A cell leaves its cluster, which is mixed or has spurious points, for that of another cell of its true cluster.
    double move_gain(const Truth& t, i64 lost, i32 x, i32 y) const {
        const Cell &stray = cell_[x], &to = cell_[y];
        const Cluster &left = cluster_[stray.cluster], &host = cluster_[to.cluster];
        const bool pure = !mixed(host);
        const double united = g(to.set + stray.set);
        const double after = score(t.kept + united - to.g - stray.g, t.set, t.cells - 1 + lost);
        const double left_score = score(left.kept - stray.g, left.set - stray.set, parts_of_cluster(stray.cluster) - 1);
        const double host_score = score(host.kept + united - to.g, host.set + stray.set, parts_of_cluster(to.cluster));
        const double m = stray.set.mass, k = to.set.mass;
        const double host_before = host.score * (pure ? k * t.score : host.through);
        const double host_rest = pure ? 0.0 : host.through - k * t.score;
        return left_score * (left.through - m * t.score) - left.score * left.through +
               host_score * (host_rest + (k + m) * after) - host_before +
               (t.through - m * left.score - k * host.score) * (after - t.score);
    }

    // The missing points of a true cluster come to one of its cells, or to a cluster of their own.
    double addition_gain(i64 row, i32 y) const {
        const Truth& t = truth_[row];
        const Set& more = missing_[row];
        if (y < 0) {
            const double after = score(t.kept + g(more), t.set, t.cells + 1);
            return more.mass * after + t.through * (after - t.score);
        }
        const Cell& to = cell_[y];
        const Cluster& host = cluster_[to.cluster];
        const double united = g(to.set + more);
        const double after = score(t.kept + united - to.g, t.set, t.cells);
        const double host_score = score(host.kept + united - to.g, host.set + more, parts_of_cluster(to.cluster));
        const double k = to.set.mass, through = mixed(host) ? host.through : k * t.score;
        return host_score * (through - k * t.score + (k + more.mass) * after) - host.score * through +
               (t.through - k * host.score) * (after - t.score);
    }

    // The points of a predicted cluster but for the spurious ones.
    Set shared_of(const Cluster& c) const {
        Set shared;
        for (i64 p = c.begin; p < c.end; ++p) shared += cell_[by_cluster_[p]].set;
        return shared;
    }

    // What the others of a predicted cluster gain when its spurious points go.
    double relief(i64 c) const {
        const Cluster& cluster = cluster_[c];
        return cluster.through * (score(cluster.kept, shared_of(cluster), cluster.end - cluster.begin) - cluster.score);
    }

    // With that, when `gone` spurious points go, and there is less to score then; `value` is n times the score. Where
    // nothing is left, nothing is gained.
    double removal_gain(double relief, double gone, double value) const {
        const double rest = total_ - gone;
        return rest > 0.0 ? relief + gone * ((value + relief) / rest) : 0.0;
    }

    // n times the score.
    double value() const {
        double value = sound_;
        for (const Truth& t : truth_) value += t.score * t.through;
        return value;
    }

    Run& run_;
    mutable i64 since_ = 0;
    i64 cells_, k_true_, k_pred_;
    double unit_, total_, sound_, share_;
    bool plain_;  // every point weighs 1
    std::vector<Cell> cell_;
    std::vector<Truth> truth_;
    std::vector<Cluster> cluster_;
    std::vector<i32> by_cluster_;  // cells grouped by predicted cluster; a cluster's are begin … end - 1
    std::vector<Set> missing_, spurious_;  // by cluster, empty where no point is lost
    std::vector<i32> order_;
};

}  // namespace clusterdiff::pieces
