// The greedy sequence of repairs: the best operation, again and again.
#pragma once

#include <algorithm>
#include <queue>

#include "explain/gains.hpp"

namespace clusterdiff::pieces {

// Every operation on a true cluster changes the gains of all clusters that share a predicted cluster with it. So in the
// sequence some wait until the predicted clusters that hold their parts have been split, and are put together in one
// merge: those in more than kParts parts, those whose parts lie beside more than kBeside others, and all that are left
// once kWork gains, and kWorkPerCell for each cell, have been computed. Otherwise it could take quadratic time.
constexpr i64 kParts = 64, kBeside = 256;
constexpr i64 kWork = i64{1} << 22, kWorkPerCell = 16;

// What a removal gains depends on the score, so after every step all are weighed again; once that took kWeighed looks,
// only after the score has risen by kRisen.
constexpr i64 kWeighed = i64{1} << 20;
constexpr double kRisen = 1.0 / 64;

// Lost points take part as cells: number cells + row are the missing points of a true cluster, until they are added in no
// predicted one; cells + k_true + c the spurious points of a predicted cluster, which are in no list.
class Greedy : Gains {
  public:
    Greedy(const Differing& d, Run& run) : Gains(d, run), budget_(static_cast<i64>(share_ * static_cast<double>(kWork)) + kWorkPerCell * cells_) {
        if (missing_.empty() && spurious_.empty()) return;
        cell_.resize(cells_ + k_true_ + k_pred_);
        cluster_.resize(k_pred_ + cells_ + k_true_);
        for (std::size_t row = 0; row < missing_.size(); ++row) become_cell(cells_ + row, missing_[row], static_cast<i32>(row));
        if (spurious_.empty()) return;
        for (i64 c = 0; c < k_pred_; ++c) become_cell(cells_ + k_true_ + c, spurious_[c], -1);
        spurious_.resize(cluster_.size());
        relief_.resize(cluster_.size());
        spurious_cell_.assign(cluster_.size(), -1);
        for (i64 c = 0; c < k_pred_; ++c)
            if (lost_in(c)) haunt(static_cast<i32>(c), static_cast<i32>(cells_ + k_true_ + c));
        for (const Truth& t : truth_) true_mass_ += t.set.mass;
    }

    // Make the best operation, again and again, until every predicted cluster is a true one. Call once.
    Steps greedy() {
        Steps out;
        value_ = value();
        for (i64 c = 0; c < k_pred_; ++c) offer_split(static_cast<i32>(c));
        for (i64 row = 0; row < k_true_; ++row) offer(static_cast<i32>(row));
        next_ = static_cast<i32>(k_pred_);
        std::vector<double> gone;
        while (true) {
            while (!queue_.empty() && stale(queue_.top())) queue_.pop();
            while (!removals_.empty() && removals_.top().version != cluster_[removals_.top().index].version) removals_.pop();
            if (queue_.empty() && removals_.empty()) break;
            worked(1);
            const bool removal = queue_.empty() || (!removals_.empty() && removals_.top().gain > queue_.top().gain);
            const Offer best = removal ? removals_.top() : queue_.top();
            const bool split = !removal && best.index < k_pred_;
            const i32 at = static_cast<i32>(removal || split ? best.index : best.index - k_pred_);
            out.operation.push_back(removal ? kRemove : split ? kSplit : truth_[at].operation);
            out.truth.push_back(removal || split ? -1 : at);
            out.gain.push_back(removal ? relief_[at] : best.gain);
            gone.push_back(removal ? spurious_[at].mass : 0.0);
            value_ += out.gain.back();
            if (removal)
                do_remove(at, out);
            else if (split)
                do_split(at, out);
            else
                do_gather(at, out);
            out.indptr.push_back(static_cast<i64>(out.cell.size()));
            for (i32 row : dirty_) {
                truth_[row].dirty = false;
                offer(row);
            }
            dirty_.clear();
            if (!haunted_.empty()) weigh_removals();
        }
        divide(out.gain, gone);
        return out;
    }

  private:
    struct Offer {
        double gain;
        i64 index;  // a predicted cluster to be split, or k_pred + a true cluster; of a removal, the predicted cluster
        i64 version;
        bool operator<(const Offer& o) const { return gain != o.gain ? gain < o.gain : index > o.index; }
    };

    bool stale(const Offer& o) const {
        return o.version != (o.index < k_pred_ ? cluster_[o.index].version : truth_[o.index - k_pred_].version);
    }

    // From what each step adds to n times the score, and how many points go, to what it gains. At the end nothing is
    // lost; backwards from there, nothing is subtracted.
    void divide(std::vector<double>& gain, const std::vector<double>& gone) const {
        double total = total_, lost = 0.0;
        for (std::size_t i = gain.size(); i-- > 0;) {
            const double score = total > 0.0 ? 1.0 - lost / total : 1.0;
            total += gone[i];
            lost += gain[i] + gone[i];
            gain[i] = (gain[i] + gone[i] * score) / total;
        }
    }

    void offer_split(i32 c) {
        Cluster& cluster = cluster_[c];
        ++cluster.version;
        if (mixed(cluster)) queue_.push({split_gain(cluster), c, cluster.version});
        if (!lost_in(c)) return;
        relief_[c] = relief(c);
        offer_removal(c);
    }

    // Where all that weighs anything is spurious, nothing would be left.
    void offer_removal(i32 c) {
        if (sound_ + true_mass_ > 0.0) removals_.push({removal_gain(relief_[c], spurious_[c].mass, value_), c, cluster_[c].version});
    }

    void weigh_removals() {
        const double score = value_ / total_;
        if (score - weighed_at_ <= (weighed_ < kWeighed ? 0.0 : kRisen)) return;
        weighed_at_ = score;
        haunted_.erase(std::remove_if(haunted_.begin(), haunted_.end(), [&](i32 c) { return !lost_in(c); }), haunted_.end());
        weighed_ += static_cast<i64>(haunted_.size());
        worked(static_cast<i64>(haunted_.size()));
        removals_ = {};
        for (i32 c : haunted_) offer_removal(c);
    }

    void offer(i32 row) {
        Truth& t = truth_[row];
        ++t.version;
        if (waits(t)) return;
        bool any = false;
        double best = 0.0;
        spent_ += t.cells * std::min<i64>(t.cells, kTargets);
        auto choose = [&](i32 operation, i32 cell, i32 to, double gain) {
            if (any && gain <= best) return;
            any = true;
            best = gain;
            t.operation = operation;
            t.chosen = cell;
            t.target = to;
        };
        each_gain(row, choose);
        if (lost_from(row)) each_addition(row, [&](i32 to, double gain) { choose(kAdd, static_cast<i32>(cells_ + row), to, gain); });
        if (any) queue_.push({best, k_pred_ + row, t.version});
    }

    bool waits(const Truth& t) const {
        if (t.cells > kParts || spent_ > budget_) return t.mixed >= 0;
        i64 beside = 0;
        for (i32 q = t.mixed; q >= 0; q = cell_[q].next) beside += cluster_[cell_[q].cluster].end - cluster_[cell_[q].cluster].begin - 1;
        return beside > kBeside;
    }

    void touch(i32 row) {
        if (truth_[row].dirty) return;
        truth_[row].dirty = true;
        dirty_.push_back(row);
    }

    void touch_all(const Cluster& c) {
        worked(c.end - c.begin);
        for (i64 p = c.begin; p < c.end; ++p) touch(cell_[by_cluster_[p]].truth);
    }

    void record(i32 q, i32 from, i32 to, Steps& out) const {
        for (i32 part = q; part >= 0; part = cell_[part].joined) {
            out.cell.push_back(part);
            out.from.push_back(from);
            out.to.push_back(to);
        }
    }

    // The largest part keeps the number, unless spurious points stay there.
    void do_split(i32 c, Steps& out) {
        const Cluster old = cluster_[c];
        worked(old.end - old.begin);
        i64 keep = lost_in(c) ? old.end : old.begin;
        for (i64 p = old.begin; p < old.end && keep < old.end; ++p)
            if (cell_[by_cluster_[p]].set.mass > cell_[by_cluster_[keep]].set.mass) keep = p;
        for (i64 p = old.begin; p < old.end; ++p) {
            const i32 q = by_cluster_[p];
            Cell& cell = cell_[q];
            const i32 to = p == keep ? c : next_++;
            record(q, c, to, out);
            become_pure(q, old.score);
            cell.cluster = to;
            Cluster& part = cluster_[to];
            part = {cell.set, cell.g, 1.0, 0.0, p, p + 1, part.version + 1};
            touch(cell.truth);
        }
        if (!lost_in(c)) return;
        cluster_[c] = {spurious_[c], 0.0, 1.0, 0.0, 0, 0, old.version};
        rescore(c);
        offer_split(c);
    }

    // A cell whose cluster has no other any more.
    void become_pure(i32 q, double old_score) {
        Truth& t = truth_[cell_[q].truth];
        t.through += cell_[q].set.mass * (1.0 - old_score);
        unlink(t.mixed, q);
        make_pure(t, q);
    }

    // Merge, move or add: unite cells of a true cluster in one of them.
    void do_gather(i32 row, Steps& out) {
        Truth& t = truth_[row];
        const i32 h = t.target >= 0 ? t.target : t.operation == kAdd ? settle(t.chosen) : largest_alone(t);
        // The scores of all predicted clusters that hold points of this one may change.
        clusters_.clear();
        for (i32 q = t.mixed; q >= 0; q = cell_[q].next) {
            clusters_.push_back(cell_[q].cluster);
            touch_all(cluster_[cell_[q].cluster]);
        }
        touch(row);
        const i32 host = cell_[h].cluster;
        const bool pure = !mixed(cluster_[host]), listed = !pure || lost_in(host);
        const double s_before = t.score;
        for (i32 c : clusters_) take(cluster_[c], row, s_before);
        if (t.operation == kMerge) {
            record(h, host, host, out);
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
            if (!spurious_.empty()) unite_haunted(t, h, out);
            if (!listed && lost_in(host)) {
                insert(t.mixed, h);
                cluster_[host].through = 0.0;
                clusters_.push_back(host);
            } else if (!listed) {
                make_pure(t, h);
            }
        } else if (t.operation == kMove) {
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
        } else {
            missing_[row] = {};
            t.cells += 1;
            if (h == t.chosen) {
                record(h, -1, host, out);
                t.kept += cell_[h].g;
                make_pure(t, h);
            } else {
                if (pure) t.pure_set += cell_[t.chosen].set, t.pure_g -= cell_[h].g;
                unite(t, h, t.chosen, out);
                if (pure) t.pure_g += cell_[h].g;
            }
        }
        if (listed) rise(t.mixed, h);
        t.score = score(t.kept, t.set, parts_of_truth(row));
        for (i32 c : clusters_) {
            Cluster& cluster = cluster_[c];
            const double before = cluster.score;
            rescore(c);
            give(cluster, row, t.score, before);
            if (cluster.end == cluster.begin) cluster.through = 0.0;
            if (cluster.end - cluster.begin == 1) {
                const i32 last = by_cluster_[cluster.begin];
                Truth& owner = truth_[cell_[last].truth];
                if (!lost_in(c)) {
                    unlink(owner.mixed, last);
                    make_pure(owner, last);
                } else if (&owner != &t) {
                    count_beside(owner, last);
                }
            }
            offer_split(c);
        }
        recount(t);
    }

    // What pure cells come to, and W.
    void recount(Truth& t) {
        t.through = 0.0;
        if (!spurious_.empty()) {
            t.pure_set = t.pure_lost = {};
            t.pure_g = t.pure_short = 0.0;
            t.pure_cells = 0;
            t.largest_pure = -1;
            for (i32 q = t.pure; q >= 0; q = cell_[q].next) {
                worked(1);
                count_pure(t, q);
                if (t.largest_pure < 0 || cell_[q].set.mass > cell_[t.largest_pure].set.mass) t.largest_pure = q;
            }
            for (i32 q = t.mixed; q >= 0; q = cell_[q].next)
                if (!mixed(cluster_[cell_[q].cluster])) {
                    count_beside(t, q);
                    t.through -= cell_[q].set.mass;
                }
        }
        t.through += t.pure_set.mass;
        for (i32 q = t.mixed; q >= 0; q = cell_[q].next)
            t.through += cell_[q].set.mass * cluster_[cell_[q].cluster].score;
    }

    // What true cluster `row` adds to U of a predicted cluster, taken out and put back.
    void take(Cluster& c, i32 row, double s) {
        worked(c.end - c.begin);
        for (i64 p = c.begin; p < c.end; ++p)
            if (cell_[by_cluster_[p]].truth == row) c.through -= cell_[by_cluster_[p]].set.mass * s;
    }

    void give(Cluster& c, i32 row, double s, double t_before) {
        worked(c.end - c.begin);
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
        worked(1);
        Cell &to = cell_[h], &from = cell_[q];
        Cluster& host = cluster_[to.cluster];
        record(q, from.cluster, to.cluster, out);
        join(h, q);
        const double united = g(to.set + from.set);
        t.kept += united - to.g - from.g;
        t.cells -= 1;
        host.kept += united - to.g;
        host.set += from.set;
        to.set += from.set;
        to.g = united;
    }

    void join(i32 h, i32 q) {
        cell_[cell_[h].last].joined = q;
        cell_[h].last = cell_[q].last;
    }

    // ---- lost points

    void become_cell(i64 q, const Set& set, i32 row) {
        cell_[q].set = set;
        cell_[q].truth = row;
        cell_[q].last = static_cast<i32>(q);
    }

    // A predicted cluster gets spurious points.
    void haunt(i32 c, i32 q) {
        if (spurious_cell_[c] < 0) {
            spurious_cell_[c] = q;
            haunted_.push_back(c);
        } else {
            join(spurious_cell_[c], q);
        }
    }

    // Missing points become a predicted cluster of their own.
    i32 settle(i32 q) {
        Cell& cell = cell_[q];
        cell.g = g(cell.set);
        cell.cluster = next_++;
        cell.place = static_cast<i32>(by_cluster_.size());
        by_cluster_.push_back(q);
        cluster_[cell.cluster] = {cell.set, cell.g, 1.0, 0.0, cell.place, cell.place + 1, 0};
        return q;
    }

    // The largest cell that has a predicted cluster to itself; beside spurious points, if there is no other.
    i32 largest_alone(const Truth& t) const {
        if (t.largest_pure >= 0) return t.largest_pure;
        i32 q = t.mixed;
        while (mixed(cluster_[cell_[q].cluster])) q = cell_[q].next;
        return q;
    }

    // In a merge also the cells that have a predicted cluster to themselves but for spurious points, which come along.
    void unite_haunted(Truth& t, i32 h, Steps& out) {
        const i32 host = cell_[h].cluster;
        for (i32 q = t.mixed; q >= 0;) {
            const i32 after = cell_[q].next, c = cell_[q].cluster;
            if (q != h && !mixed(cluster_[c])) {
                unlink(t.mixed, q);
                leave(cluster_[c], q);
                cluster_[host].set += spurious_[c];
                spurious_[host] += spurious_[c];
                haunt(host, spurious_cell_[c]);
                unite(t, h, q, out);
                spurious_[c] = {};
                spurious_cell_[c] = -1;
                cluster_[c].set = {};
                cluster_[c].kept = 0.0;
            }
            q = after;
        }
    }

    void do_remove(i32 c, Steps& out) {
        Cluster& cluster = cluster_[c];
        const double before = cluster.score;
        record(spurious_cell_[c], c, -1, out);
        total_ -= spurious_[c].mass;
        spurious_[c] = {};
        spurious_cell_[c] = -1;
        cluster.set = shared_of(cluster);
        rescore(c);
        touch_all(cluster);
        for (i64 p = cluster.begin; p < cluster.end; ++p) {
            const i32 q = by_cluster_[p];
            Truth& t = truth_[cell_[q].truth];
            t.through += cell_[q].set.mass * (cluster.score - before);
            if (mixed(cluster)) continue;
            unlink(t.mixed, q);
            link(t.pure, q);
            recount(t);
        }
        offer_split(c);
    }

    i64 budget_, spent_ = 0, weighed_ = 0;
    i32 next_ = 0;                                  // the number of the next new predicted cluster
    double true_mass_ = 0.0;                        // of the true clusters here
    double value_ = 0.0, weighed_at_ = 0.0;         // n times the score; the score when removals were weighed
    std::vector<double> relief_;                    // what a removal gains for the others, by predicted cluster
    std::vector<i32> spurious_cell_, haunted_;      // by predicted cluster, -1 for none; those that have some
    std::vector<i32> dirty_, clusters_;
    std::priority_queue<Offer> queue_, removals_;
};

}  // namespace clusterdiff::pieces
