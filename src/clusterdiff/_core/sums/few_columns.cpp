#include "sums/few_columns.hpp"

namespace clusterdiff {

namespace {

struct ColumnSums {
    Exactish weighted;  // sum of m * s(row)
    Exactish parts;     // sum of m log m
    u128 squares = 0;
    i64 size = 0, largest = 0;

    void add(i64 m, double row_score) {
        weighted.add(static_cast<double>(m) * row_score);
        parts.add(xlogx(m));
        squares += square(m);
        size += m;
        largest = std::max(largest, m);
    }
    void add(const ColumnSums& other) {
        weighted.add(other.weighted);
        parts.add(other.parts);
        squares += other.squares;
        size += other.size;
        largest = std::max(largest, other.largest);
    }
};

}  // namespace

BasicTotals sum_few_columns(const Cells& t, ClusterScores* scores, Run& run) {
    // Clearing and adding up a set of accumulators must cost little next to filling it.
    constexpr i64 kCellsAColumn = 8, kMostStretches = 16, kSmall = 32768;
    const i64 wanted = std::clamp<i64>(t.count() / (kCellsAColumn * t.k_pred), 1, t.count() < kSmall ? 1 : kMostStretches);
    const Stretches stretches(t, (t.count() + wanted - 1) / wanted);
    std::vector<SideTotals> rows(static_cast<std::size_t>(stretches.count()));
    std::vector<Buffer<ColumnSums>> sums(static_cast<std::size_t>(stretches.count()));
    run.tasks(stretches.count(), [&](i64 s, int) {
        auto& mine = sums[static_cast<std::size_t>(s)];
        mine = Buffer<ColumnSums>::zeros(t.k_pred);
        SideTotals totals;
        for (i64 row = stretches.begin(s), end = stretches.begin(s + 1); row < end; ++row) {
            if ((row & 0x3f) == 0) run.poll();  // a row has few cells
            const i64 first = t.indptr[row], last = t.indptr[row + 1];
            const ClusterSums r = row_sums(t, first, last);
            const double score = r.score();
            totals.add_cluster(r);
            for (i64 q = first; q < last; ++q) mine[t.cols[q]].add(t.sizes[q], score);
        }
        rows[static_cast<std::size_t>(s)] = totals;
    });
    BasicTotals out;
    for (const SideTotals& part : rows) out.rows.add(part);
    for (i64 c = 0; c < t.k_pred; ++c) {
        ColumnSums& column = sums[0][c];
        for (std::size_t s = 1; s < sums.size(); ++s) column.add(sums[s][c]);
        const ClusterSums sum{column.parts.value(), column.squares, column.size, column.largest};
        out.columns.add_cluster(sum);
        const double weighted = column.weighted.value();
        if (sum.whole() && weighted == static_cast<double>(column.size))
            out.product.whole += column.size;
        else
            out.product.part.add(weighted * sum.score());
        scores[c] = scores_of(column.squares, column.size, column.largest);
    }
    return out;
}

DetailTotals detail_few_columns(const Cells& t, const ClusterScores* columns, Run& run) {
    const Stretches stretches(t, std::max<i64>(16384, t.count() / 1024));
    std::vector<DetailTotals> parts(static_cast<std::size_t>(stretches.count()));
    run.tasks(stretches.count(), [&](i64 s, int) {
        DetailTotals& totals = parts[static_cast<std::size_t>(s)];
        CellAdder cells(t.n, totals);
        for (i64 row = stretches.begin(s), end = stretches.begin(s + 1); row < end; ++row) {
            if ((row & 0x3f) == 0) run.poll();
            const i64 first = t.indptr[row], last = t.indptr[row + 1];
            const ClusterSums r = row_sums(t, first, last);
            const ClusterScores scores = scores_of(r.squares, r.size, r.largest);
            totals.rows.add_cluster(scores, r.whole(), t.n);
            for (i64 q = first; q < last; ++q) {
                const ClusterScores& column = columns[t.cols[q]];
                if (t.sizes[q] == r.size && t.sizes[q] == column.size)
                    cells.add_perfect(r.size);
                else
                    cells.add(t.sizes[q], scores, column);
            }
        }
    });
    DetailTotals all;
    for (const DetailTotals& part : parts) all.add(part);
    for (i64 c = 0; c < t.k_pred; ++c) all.columns.add_cluster(columns[c], columns[c].largest == 1, t.n);
    return all;
}

}  // namespace clusterdiff
