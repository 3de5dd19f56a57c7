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
    run.tasks(static_cast<i64>(batches.size()), [&](i64 b, int) {
        Run own(&run);
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
            run.poll();
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
    // Parts that were cut off are numbered from k_pred on, in the order of all steps: until then a batch knows them as
    // kPart, kPart - 1, …
    constexpr i32 kPart = -2;
    run.tasks(static_cast<i64>(batches.size()), [&](i64 b, int) {
        Run own(&run);
        const Differing& d = batches[b];
        Steps& mine = found[b] = Greedy(d, own).greedy();
        const i64 cells = d.cells.count(), k_true = d.cells.k_true, k_pred = d.cells.k_pred;
        auto cluster = [&](i32 c) { return c < 0 ? c : c < k_pred ? static_cast<i32>(d.columns[c]) : kPart - static_cast<i32>(c - k_pred); };
        own.each(0, static_cast<i64>(mine.truth.size()), [&](i64 i) {
            if (mine.truth[i] >= 0) mine.truth[i] = static_cast<i32>(d.rows[mine.truth[i]]);
        });
        own.each(0, static_cast<i64>(mine.cell.size()), [&](i64 e) {
            const i64 q = mine.cell[e];
            const i64 lost = q - cells;
            mine.cell[e] = static_cast<i32>(lost < 0        ? d.places[q]
                                            : lost < k_true ? t.count() + d.rows[lost]
                                                            : t.count() + t.k_true + d.columns[lost - k_true]);
            mine.from[e] = cluster(mine.from[e]), mine.to[e] = cluster(mine.to[e]);
        });
    });
    // The best of all is the best of some batch: of equal gains a split comes first, then that of the lower number.
    struct Head {
        double gain;
        i64 index, batch;
        bool operator<(const Head& o) const { return gain != o.gain ? gain < o.gain : index > o.index; }
    };
    std::vector<i64> next(batches.size());
    std::vector<std::vector<i32>> number(batches.size());
    i64 parts = t.k_pred;
    auto cluster = [&](i64 b, i32 c) {
        if (c > kPart) return c;
        auto& known = number[b];
        const std::size_t at = static_cast<std::size_t>(kPart - c);
        if (at >= known.size()) known.resize(at + 1, -1);
        if (known[at] < 0) known[at] = static_cast<i32>(parts++);
        return known[at];
    };
    auto head = [&](i64 b) {
        const Steps& mine = found[b];
        const i64 i = next[b];
        const i32 row = mine.truth[i], c = mine.from[mine.indptr[i]];
        return Head{mine.gain[i], row >= 0 ? t.k_pred + row : c > kPart ? c : batches[b].cells.k_pred + kPart - c, b};
    };
    std::priority_queue<Head> heads;
    std::size_t steps = 0, entries = 0;
    for (i64 b = 0; b < static_cast<i64>(batches.size()); ++b) {
        if (!found[b].gain.empty()) heads.push(head(b));
        steps += found[b].gain.size(), entries += found[b].cell.size();
    }
    Steps out;
    out.operation.reserve(steps), out.truth.reserve(steps), out.gain.reserve(steps), out.indptr.reserve(steps + 1);
    out.cell.reserve(entries), out.from.reserve(entries), out.to.reserve(entries);
    i64 since = 0;
    while (!heads.empty()) {
        const i64 b = heads.top().batch;
        heads.pop();
        const Steps& mine = found[b];
        // As many as come before the heads of all other batches.
        do {
            const i64 i = next[b]++;
            out.operation.push_back(mine.operation[i]);
            out.truth.push_back(mine.truth[i]);
            out.gain.push_back(mine.gain[i]);
            for (i64 e = mine.indptr[i]; e < mine.indptr[i + 1]; ++e) {
                out.cell.push_back(mine.cell[e]);
                out.from.push_back(cluster(b, mine.from[e]));
                out.to.push_back(cluster(b, mine.to[e]));
            }
            out.indptr.push_back(static_cast<i64>(out.cell.size()));
            if ((since += 1 + mine.indptr[i + 1] - mine.indptr[i]) > i64{1} << 14) run.poll(), since = 0;
        } while (next[b] < static_cast<i64>(mine.gain.size()) && (heads.empty() || heads.top() < head(b)));
        if (next[b] < static_cast<i64>(mine.gain.size())) heads.push(head(b));
    }
    return out;
}

}  // namespace clusterdiff
