#include "explain/differing.hpp"

#include "explain/join.hpp"

namespace clusterdiff {

namespace {

// New numbers, in order, of what is kept; the old ones go to `kept`.
std::vector<i32> renumbered(const std::vector<bool>& keep, std::vector<i64>& kept, Run& run) {
    std::vector<i32> number(keep.size(), -1);
    run.each(0, static_cast<i64>(keep.size()), [&](i64 i) {
        if (!keep[i]) return;
        number[i] = static_cast<i32>(kept.size());
        kept.push_back(i);
    });
    return number;
}

std::vector<i64> moved(const LostPoints& points, const std::vector<i32>& number, Run& run) {
    std::vector<i64> out(points.count);
    run.each(0, points.count, [&](i64 i) { out[i] = number[points.cluster[i]]; });
    return out;
}

}  // namespace

Differing differing(const Cells& t, const CellWeights& weights, const LostPoints& missing, const LostPoints& spurious, Run& run) {
    Differing out;
    out.unit = weights.unit;
    out.missing_weights = missing.weights;
    out.spurious_weights = spurious.weights;
    auto mass = [&](i64 q) { return weights.mass ? weights.mass[q] : static_cast<double>(t.sizes[q]); };
    run.each(0, t.count(), [&](i64 q) { out.total += mass(q); });
    for (const LostPoints* lost : {&missing, &spurious})
        run.each(0, lost->count, [&](i64 i) { out.total += lost->weights ? lost->weights[i] : 1.0; });

    // A predicted cluster is mixed if a second cell, or a spurious point, is found in it.
    std::vector<bool> met(t.k_pred), columns(t.k_pred), rows(t.k_true);
    run.each(0, t.count(), [&](i64 q) {
        if (met[t.cols[q]]) columns[t.cols[q]] = true;
        met[t.cols[q]] = true;
    });
    run.each(0, spurious.count, [&](i64 i) { columns[spurious.cluster[i]] = true; });
    run.each(0, missing.count, [&](i64 i) { rows[missing.cluster[i]] = true; });
    i64 cells = 0;
    run.each(0, t.k_true, [&](i64 row) {
        const i64 begin = t.indptr[row], end = t.indptr[row + 1];
        if (end - begin > 1) rows[row] = true;
        for (i64 q = begin; q < end && !rows[row]; ++q) rows[row] = columns[t.cols[q]];
        if (!rows[row]) {
            for (i64 q = begin; q < end; ++q) out.sound += mass(q);
            return;
        }
        cells += end - begin;
        for (i64 q = begin; q < end; ++q) columns[t.cols[q]] = true;
    });
    const std::vector<i32> row_of = renumbered(rows, out.rows, run);
    const std::vector<i32> column = renumbered(columns, out.columns, run);

    Cells& c = out.cells;
    c.k_true = static_cast<i64>(out.rows.size());
    c.k_pred = static_cast<i64>(out.columns.size());
    c.indptr = Buffer<i64>(c.k_true + 1);
    c.cols = Buffer<i32>(cells);
    c.sizes = Buffer<i64>(cells);
    out.places.reserve(cells);
    if (weights.mass) out.mass.reserve(cells), out.entropy.reserve(cells);
    c.indptr[0] = 0;
    run.each(0, c.k_true, [&](i64 row) {
        for (i64 q = t.indptr[out.rows[row]]; q < t.indptr[out.rows[row] + 1]; ++q) {
            const i64 at = static_cast<i64>(out.places.size());
            c.cols[at] = column[t.cols[q]];
            c.sizes[at] = t.sizes[q];
            c.n += t.sizes[q];
            out.places.push_back(q);
            if (weights.mass) out.mass.push_back(weights.mass[q]), out.entropy.push_back(weights.entropy[q]);
        }
        c.indptr[row + 1] = static_cast<i64>(out.places.size());
    });
    out.missing = moved(missing, row_of, run);
    out.spurious = moved(spurious, column, run);
    return out;
}

std::vector<Differing> in_batches(Differing whole, Run& run) {
    constexpr i64 kBatch = 4096;  // cells
    const Cells& t = whole.cells;
    std::vector<Differing> out;
    if (t.count() <= kBatch || !whole.missing.empty() || !whole.spurious.empty()) {
        out.push_back(std::move(whole));
        return out;
    }
    const Join found = join(t, run);
    std::vector<i64> cells(static_cast<std::size_t>(found.count));
    run.each(0, t.k_true, [&](i64 row) { cells[found.of_true[row]] += t.indptr[row + 1] - t.indptr[row]; });
    std::vector<i32> batch(cells.size());
    std::vector<i64> sizes;
    run.each(0, found.count, [&](i64 c) {
        if (sizes.empty() || sizes.back() >= kBatch) sizes.push_back(0);
        sizes.back() += cells[c];
        batch[c] = static_cast<i32>(sizes.size()) - 1;
    });
    out.resize(sizes.size());
    const bool weighted = !whole.mass.empty();
    for (std::size_t b = 0; b < out.size(); ++b) {
        Differing& d = out[b];
        d.unit = whole.unit, d.total = whole.total, d.sound = whole.sound;
        d.share = static_cast<double>(sizes[b]) / static_cast<double>(t.count());
        d.cells.cols = Buffer<i32>(sizes[b]);
        d.cells.sizes = Buffer<i64>(sizes[b]);
        d.places.reserve(static_cast<std::size_t>(sizes[b]));
        if (weighted) d.mass.reserve(d.places.capacity()), d.entropy.reserve(d.places.capacity());
    }
    std::vector<i32> number(static_cast<std::size_t>(t.k_pred));  // of each column in its batch
    run.each(0, t.k_pred, [&](i64 c) {
        Differing& d = out[batch[found.of_pred[c]]];
        number[c] = static_cast<i32>(d.cells.k_pred++);
        d.columns.push_back(whole.columns[c]);
    });
    std::vector<std::vector<i64>> ends(out.size(), {0});
    run.each(0, t.k_true, [&](i64 row) {
        const i32 b = batch[found.of_true[row]];
        Differing& d = out[b];
        d.rows.push_back(whole.rows[row]);
        for (i64 q = t.indptr[row]; q < t.indptr[row + 1]; ++q) {
            const i64 at = static_cast<i64>(d.places.size());
            d.cells.cols[at] = number[t.cols[q]];
            d.cells.sizes[at] = t.sizes[q];
            d.cells.n += t.sizes[q];
            d.places.push_back(whole.places[q]);
            if (weighted) d.mass.push_back(whole.mass[q]), d.entropy.push_back(whole.entropy[q]);
        }
        ends[b].push_back(static_cast<i64>(d.places.size()));
    });
    for (std::size_t b = 0; b < out.size(); ++b) {
        out[b].cells.k_true = static_cast<i64>(out[b].rows.size());
        out[b].cells.indptr = Buffer<i64>::copy(ends[b].data(), static_cast<i64>(ends[b].size()));
    }
    return out;
}

}  // namespace clusterdiff
