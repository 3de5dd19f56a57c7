#include "explain/repairs.hpp"

#include <queue>

#include "explain/differing.hpp"
#include "explain/gains.hpp"

namespace clusterdiff {

namespace {

using namespace pieces;

// Every operation on a true cluster changes the gains of all clusters that share a predicted cluster with it. So in the
// sequence some wait until the predicted clusters that hold their parts have been split, and are put together in one
// merge: those in more than kParts parts, those whose parts lie beside more than kBeside others, and all that are left
// once kWork gains, and kWorkPerCell for each cell, have been computed. Otherwise it could take quadratic time.
constexpr i64 kParts = 64, kBeside = 256;
constexpr i64 kWork = i64{1} << 24, kWorkPerCell = 64;

class Greedy : Gains {
  public:
    using Gains::Gains;

    // Make the best operation, again and again, until every predicted cluster is a true one. Call once.
    Steps greedy() {
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
            worked(1);
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

    void offer_split(i32 c) {
        Cluster& cluster = cluster_[c];
        ++cluster.version;
        if (mixed(cluster)) queue_.push({split_gain(cluster), c, cluster.version});
    }

    void offer(i32 row) {
        Truth& t = truth_[row];
        ++t.version;
        if (waits(t)) return;
        bool any = false;
        double best = 0.0;
        spent_ += t.cells * std::min<i64>(t.cells, kTargets);
        each_gain(row, [&](i32 operation, i32 cell, i32 to, double gain) {
            if (any && gain <= best) return;
            any = true;
            best = gain;
            t.operation = operation;
            t.chosen = cell;
            t.target = to;
        });
        if (any) queue_.push({best, k_pred_ + row, t.version});
    }

    bool waits(const Truth& t) const {
        if (t.cells > kParts || spent_ > kWork + kWorkPerCell * cells_) return t.mixed >= 0;
        i64 beside = 0;
        for (i32 q = t.mixed; q >= 0; q = cell_[q].next) beside += parts_of_cluster(cell_[q].cluster) - 1;
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

    void do_split(i32 c, i32& next, Steps& out) {
        const Cluster old = cluster_[c];
        worked(old.end - old.begin);
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
            rescore(c);
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

    i64 spent_ = 0;
    std::vector<i32> dirty_, clusters_;
    std::priority_queue<Offer> queue_;
};

}  // namespace

Candidates repairs(const Cells& t, const CellWeights& weights, const LostPoints& missing, const LostPoints& spurious, Run& run) {
    const Differing d = differing(t, weights, missing, spurious, run);
    Candidates out = Gains(d, run).candidates();
    const std::vector<i64>* numbers[] = {&d.columns, &d.rows, &d.places, &d.rows, &d.columns};
    run.each(0, static_cast<i64>(out.at.size()), [&](i64 i) {
        out.at[i] = (*numbers[out.operation[i]])[out.at[i]];
        if (out.to[i] >= 0) out.to[i] = d.places[out.to[i]];
    });
    return out;
}

Steps repair_steps(const Cells& t, const CellWeights& weights, Run& run) {
    const Differing d = differing(t, weights, {}, {}, run);
    Steps out = Greedy(d, run).greedy();
    // Parts that were cut off are numbered from k_pred on.
    auto cluster = [&](i32 c) { return c < d.cells.k_pred ? d.columns[c] : t.k_pred + (c - d.cells.k_pred); };
    run.each(0, static_cast<i64>(out.cell.size()), [&](i64 i) {
        out.cell[i] = static_cast<i32>(d.places[out.cell[i]]);
        out.from[i] = static_cast<i32>(cluster(out.from[i]));
        out.to[i] = static_cast<i32>(cluster(out.to[i]));
    });
    run.each(0, static_cast<i64>(out.truth.size()), [&](i64 i) {
        if (out.truth[i] >= 0) out.truth[i] = static_cast<i32>(d.rows[out.truth[i]]);
    });
    return out;
}

}  // namespace clusterdiff
