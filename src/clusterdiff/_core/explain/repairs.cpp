#include "explain/repairs.hpp"

#include <queue>

#include "explain/differing.hpp"
#include "explain/gains.hpp"
#include "explain/sequence.hpp"

namespace clusterdiff {

using namespace pieces;

Candidates repairs(const Cells& t, const CellWeights& weights, const LostPoints& missing, const LostPoints& spurious, Run& run) {
    const std::vector<Differing> batches = in_batches(differing(t, weights, missing, spurious, run), run);
    std::vector<Candidates> found(batches.size());
    run.tasks(static_cast<i64>(batches.size()), [&](i64 b, int worker) {
        Run own(run, worker);
        const Differing& d = batches[b];
        Candidates& mine = found[b] = Gains(d, own).candidates();
        const std::vector<i64>* numbers[] = {&d.columns, &d.rows, &d.places, &d.rows, &d.columns};
        own.each(0, static_cast<i64>(mine.at.size()), [&](i64 i) {
            mine.at[i] = (*numbers[mine.operation[i]])[mine.at[i]];
            if (mine.to[i] >= 0) mine.to[i] = d.places[mine.to[i]];
        });
    });
    Candidates out;
    auto united = [&](auto Candidates::* column) {
        std::size_t count = 0;
        for (const Candidates& mine : found) count += (mine.*column).size();
        (out.*column).reserve(count);
        for (Candidates& mine : found) {
            run.poll(0);
            (out.*column).insert((out.*column).end(), (mine.*column).begin(), (mine.*column).end());
            (mine.*column) = {};
        }
    };
    united(&Candidates::operation), united(&Candidates::at), united(&Candidates::to), united(&Candidates::gain);
    return out;
}

Steps repair_steps(const Cells& t, const CellWeights& weights, const LostPoints& missing, const LostPoints& spurious, Run& run) {
    const std::vector<Differing> batches = in_batches(differing(t, weights, missing, spurious, run), run);
    std::vector<Steps> found(batches.size());
    run.tasks(static_cast<i64>(batches.size()), [&](i64 b, int worker) {
        Run own(run, worker);
        found[b] = Greedy(batches[b], own).greedy();
    });
    // The best of all is the best of some batch: of equal gains a split comes first, then that of the lower number.
    struct Head {
        double gain;
        i64 index, batch;
        bool operator<(const Head& o) const { return gain != o.gain ? gain < o.gain : index > o.index; }
    };
    std::vector<i64> next(batches.size());
    std::priority_queue<Head> heads;
    auto offer = [&](i64 b) {
        const Steps& mine = found[b];
        const i64 i = next[b];
        if (i == static_cast<i64>(mine.gain.size())) return;
        const Differing& d = batches[b];
        const i64 row = mine.truth[i], c = mine.from[mine.indptr[i]];
        heads.push({mine.gain[i], row >= 0 ? t.k_pred + d.rows[row] : c < d.cells.k_pred ? d.columns[c] : c, b});
    };
    // Parts that were cut off are numbered from k_pred on.
    i64 parts = t.k_pred;
    std::vector<std::vector<i32>> number(batches.size());
    auto cluster = [&](i64 b, i32 c) {
        if (c < 0) return c;
        const Differing& d = batches[b];
        if (c < d.cells.k_pred) return static_cast<i32>(d.columns[c]);
        auto& known = number[b];
        const std::size_t at = static_cast<std::size_t>(c - d.cells.k_pred);
        if (at >= known.size()) known.resize(at + 1, -1);
        if (known[at] < 0) known[at] = static_cast<i32>(parts++);
        return known[at];
    };
    auto place = [&](i64 b, i32 q) {
        const Differing& d = batches[b];
        const i64 cells = d.cells.count(), k_true = d.cells.k_true;
        if (q < cells) return static_cast<i32>(d.places[q]);
        return static_cast<i32>(t.count() + (q < cells + k_true ? d.rows[q - cells] : t.k_true + d.columns[q - cells - k_true]));
    };
    for (i64 b = 0; b < static_cast<i64>(batches.size()); ++b) offer(b);
    Steps out;
    i64 since = 0;
    while (!heads.empty()) {
        const i64 b = heads.top().batch;
        heads.pop();
        const Steps& mine = found[b];
        const i64 i = next[b]++;
        out.operation.push_back(mine.operation[i]);
        out.truth.push_back(mine.truth[i] < 0 ? -1 : static_cast<i32>(batches[b].rows[mine.truth[i]]));
        out.gain.push_back(mine.gain[i]);
        for (i64 e = mine.indptr[i]; e < mine.indptr[i + 1]; ++e) {
            out.cell.push_back(place(b, mine.cell[e]));
            out.from.push_back(cluster(b, mine.from[e]));
            out.to.push_back(cluster(b, mine.to[e]));
        }
        out.indptr.push_back(static_cast<i64>(out.cell.size()));
        if ((since += 1 + mine.indptr[i + 1] - mine.indptr[i]) > i64{1} << 14) run.poll(0), since = 0;
        offer(b);
    }
    return out;
}

}  // namespace clusterdiff
