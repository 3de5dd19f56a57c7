// Everything the measures need to know of the cells, as sums.
//
// Integer sums are exact (128 bits). Floating sums have terms >= 0 only, are compensated, and keep the mass of perfect
// clusters, which score exactly 1, as an integer: identical clusterings give exactly 1.0 at any size.
//
// A row's sums need its own cells only, and they are adjacent. A column's cells are scattered. With few columns, each
// stretch of rows has its own set of column accumulators, which are added up in order. With many, the cells are first
// partitioned by column into buckets whose accumulators fit the cache. Stretches and buckets depend on the data alone.
#pragma once

#include <memory>

#include "cells.hpp"
#include "numeric.hpp"

namespace clusterdiff {

// s(parts | whole) of the instances that need sizes only. A cluster of one point cannot be split: it scores 1.
inline double entropy_score(double parts, i64 whole) { return whole > 1 ? parts / xlogx(whole) : 1.0; }
inline double pairs_score(u128 squares, i64 whole) {
    if (whole <= 1) return 1.0;
    return to_double(squares - static_cast<u128>(whole)) / to_double(square(whole) - static_cast<u128>(whole));
}
inline double largest_score(i64 largest, i64 whole) {
    return whole > 1 ? static_cast<double>(largest - 1) / static_cast<double>(whole - 1) : 1.0;
}

// What S_H needs, and whatever falls out of the same pass.
struct BasicSums {
    u128 mm = 0, aa = 0, bb = 0;     // sums of squares of cells, true and predicted sizes
    i64 true_max = 0, pred_max = 0;  // sum over clusters of their largest cell
    double s_h = 0, s_h_mean = 0, b3_recall = 0, b3_precision = 0;
};

// What needs the sizes of both clusters at each cell, and logarithms.
struct DetailSums {
    double h_true = 0, h_pred = 0, h_joint = 0, split_info = 0, merge_info = 0, mutual = 0, element = 0;
    double s_pairs = 0, s_pairs_mean = 0, s_largest = 0, s_largest_mean = 0;
};

// The sums over one cluster's cells.
struct RowSums {
    double parts = 0;  // sum of m log m
    u128 squares = 0;
    i64 size = 0, largest = 0;
};

inline RowSums row_sums(const Cells& t, i64 begin, i64 end) {
    if (end - begin == 1) {
        const i64 m = t.sizes[begin];
        return {0, square(m), m, m};  // an unsplit cluster scores 1 without its m log m
    }
    RowSums r;
    Exactish parts;
    for (i64 q = begin; q < end;) {
        double block = 0;
        for (const i64 stop = std::min(end, q + 64); q < stop; ++q) {
            const i64 m = t.sizes[q];
            block += xlogx(m);
            r.squares += square(m);
            r.size += m;
            r.largest = std::max(r.largest, m);
        }
        parts.add(block);
    }
    r.parts = parts.value();
    return r;
}

// The same for a column, whose cells come one by one, with the row's score along.
struct ColumnSums {
    Exactish weighted;  // sum of m * s(row)
    Exactish parts;
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

// Totals over clusters of one side, or over a stretch of them.
struct SideTotals {
    u128 squares = 0, own = 0;  // of the cells, of the clusters' sizes
    i64 largest = 0;
    Mass entropy, bcubed, product;

    template <class Sums>
    void add_cluster(const Sums& c, double score) {
        squares += c.squares;
        own += square(c.size);
        largest += c.largest;
        if (c.largest == c.size) {
            entropy.whole += c.size;
            bcubed.whole += c.size;
        } else {
            entropy.part.add(static_cast<double>(c.size) * score);
            bcubed.part.add(to_double(c.squares) / static_cast<double>(c.size));
        }
    }
    void add_column(const ColumnSums& c) {
        const bool whole = c.largest == c.size;
        const double score = whole ? 1.0 : entropy_score(c.parts.value(), c.size);
        add_cluster(c, score);
        const double weighted = c.weighted.value();
        if (whole && weighted == static_cast<double>(c.size))
            product.whole += c.size;
        else
            product.part.add(weighted * score);
    }
    void add(const SideTotals& other) {
        squares += other.squares;
        own += other.own;
        largest += other.largest;
        entropy.add(other.entropy);
        bcubed.add(other.bcubed);
        product.add(other.product);
    }
};

// What the second pass wants to know of a column.
struct ColumnScores {
    i64 size = 0;
    double pairs = 0, largest = 0;
};

inline ColumnScores scores_of(const ColumnSums& c) {
    return {c.size, pairs_score(c.squares, c.size), largest_score(c.largest, c.size)};
}

// Rows in stretches of about `cells` cells each.
class Stretches {
  public:
    Stretches(const Cells& t, i64 cells) : cells_(t), step_(std::max<i64>(1, cells)), count_((t.count() + step_ - 1) / step_) {}
    i64 count() const { return count_; }
    // The first row of a stretch: the first that starts at or after its share of the cells.
    i64 begin(i64 stretch) const {
        if (stretch >= count_) return cells_.k_true;
        const i64* indptr = cells_.indptr.data();
        return std::lower_bound(indptr, indptr + cells_.k_true, stretch * step_) - indptr;
    }

  private:
    const Cells& cells_;
    i64 step_, count_;
};

// Calls each(cell, row score) for the cells of a stretch of rows, adding up the rows on the way.
template <class Each>
void walk_rows(const Cells& t, i64 begin, i64 end, SideTotals& totals, Each&& each) {
    for (i64 row = begin; row < end; ++row) {
        const i64 first = t.indptr[row], last = t.indptr[row + 1];
        const RowSums r = row_sums(t, first, last);
        const double score = r.largest == r.size ? 1.0 : entropy_score(r.parts, r.size);
        totals.add_cluster(r, score);
        for (i64 q = first; q < last; ++q) each(q, score);
    }
}

// Few columns: one set of accumulators for each stretch of rows.
inline void sum_few_columns(const Cells& t, SideTotals& rows, SideTotals& columns, ColumnScores* scores, Run& run) {
    constexpr i64 kCellsAColumn = 8, kMostStretches = 16;
    const i64 wanted = std::clamp<i64>(t.count() / (kCellsAColumn * t.k_pred), 1, t.count() < 32768 ? 1 : kMostStretches);
    const Stretches stretches(t, (t.count() + wanted - 1) / wanted);
    std::vector<SideTotals> parts(static_cast<std::size_t>(stretches.count()));
    std::vector<std::vector<ColumnSums>> sums(static_cast<std::size_t>(stretches.count()));
    run.tasks(stretches.count(), [&](i64 s, int) {
        auto& mine = sums[static_cast<std::size_t>(s)];
        mine.resize(static_cast<std::size_t>(t.k_pred));
        walk_rows(t, stretches.begin(s), stretches.begin(s + 1), parts[static_cast<std::size_t>(s)],
                  [&](i64 q, double score) { mine[static_cast<std::size_t>(t.cols[q])].add(t.sizes[q], score); });
    });
    for (const SideTotals& part : parts) rows.add(part);
    for (i64 c = 0; c < t.k_pred; ++c) {
        ColumnSums& column = sums[0][static_cast<std::size_t>(c)];
        for (std::size_t s = 1; s < sums.size(); ++s) column.add(sums[s][static_cast<std::size_t>(c)]);
        columns.add_column(column);
        if (scores) scores[c] = scores_of(column);
    }
}

// Many columns: the cells, with their row's score, partitioned by column. `Size` is the narrowest type for m.
template <class Size>
void sum_many_columns(const Cells& t, SideTotals& rows, SideTotals& columns, ColumnScores* scores, Run& run) {
    struct Record {
        u32 col;
        Size m;
        double score;
    };
    constexpr int kMostBits = 10;
    constexpr i64 kBucketCells = 4096;
    const int col_bits = std::bit_width(static_cast<u64>(t.k_pred - 1));
    int bits = 0;
    while (bits < kMostBits && (t.count() >> bits) > kBucketCells) ++bits;
    bits = std::min(bits, col_bits);
    const int shift = col_bits - bits;
    const i64 buckets = ((t.k_pred - 1) >> shift) + 1;

    const Stretches stretches(t, 16384);
    const int team = static_cast<int>(std::min<i64>(run.threads(), stretches.count()));
    auto first_stretch = [&](int worker) { return stretches.count() * worker / team; };
    std::vector<std::vector<i64>> next(static_cast<std::size_t>(team), std::vector<i64>(static_cast<std::size_t>(buckets)));
    run.workers(team, [&](int worker) {
        i64* histogram = next[static_cast<std::size_t>(worker)].data();
        const i64 begin = t.indptr[stretches.begin(first_stretch(worker))], end = t.indptr[stretches.begin(first_stretch(worker + 1))];
        for (i64 q = begin; q < end; ++q) ++histogram[static_cast<u32>(t.cols[q]) >> shift];
    });
    std::vector<i64> start(static_cast<std::size_t>(buckets) + 1);
    i64 total = 0;
    for (i64 b = 0; b < buckets; ++b) {
        start[static_cast<std::size_t>(b)] = total;
        for (auto& mine : next) total += std::exchange(mine[static_cast<std::size_t>(b)], total);
    }
    start[static_cast<std::size_t>(buckets)] = total;

    Buffer<Record> records(t.count());
    std::vector<SideTotals> row_parts(static_cast<std::size_t>(stretches.count()));
    run.workers(team, [&](int worker) {
        i64* to = next[static_cast<std::size_t>(worker)].data();
        Record* out = records.data();
        for (i64 s = first_stretch(worker); s < first_stretch(worker + 1); ++s) {
            run.poll(worker);
            SideTotals part;
            walk_rows(t, stretches.begin(s), stretches.begin(s + 1), part, [&](i64 q, double score) {
                const u32 col = static_cast<u32>(t.cols[q]);
                out[to[col >> shift]++] = {col, static_cast<Size>(t.sizes[q]), score};
            });
            row_parts[static_cast<std::size_t>(s)] = part;
        }
    });
    for (const SideTotals& part : row_parts) rows.add(part);

    const i64 width = i64{1} << shift;
    std::vector<std::vector<ColumnSums>> scratch(static_cast<std::size_t>(run.threads()));
    std::vector<SideTotals> column_parts(static_cast<std::size_t>(buckets));
    run.tasks(buckets, [&](i64 b, int worker) {
        auto& mine = scratch[static_cast<std::size_t>(worker)];
        const i64 first = b << shift, count = std::min(width, t.k_pred - first);
        mine.assign(static_cast<std::size_t>(count), ColumnSums{});
        for (i64 i = start[static_cast<std::size_t>(b)]; i < start[static_cast<std::size_t>(b) + 1]; ++i) {
            const Record& r = records[i];
            mine[static_cast<std::size_t>(r.col - first)].add(static_cast<i64>(r.m), r.score);
        }
        SideTotals part;
        for (i64 c = 0; c < count; ++c) {
            part.add_column(mine[static_cast<std::size_t>(c)]);
            if (scores) scores[first + c] = scores_of(mine[static_cast<std::size_t>(c)]);
        }
        column_parts[static_cast<std::size_t>(b)] = part;
    });
    for (const SideTotals& part : column_parts) columns.add(part);
}

// The first pass; `scores` [k_pred] is filled when the second is to follow.
inline BasicSums basic_sums(const Cells& t, ColumnScores* scores, Run& run) {
    constexpr i64 kFewColumns = 16384;  // a megabyte of accumulators
    SideTotals rows, columns;
    if (t.k_pred <= kFewColumns)
        sum_few_columns(t, rows, columns, scores, run);
    else if (t.n <= static_cast<i64>(UINT32_MAX))
        sum_many_columns<u32>(t, rows, columns, scores, run);
    else
        sum_many_columns<i64>(t, rows, columns, scores, run);
    BasicSums s;
    s.mm = rows.squares;
    s.aa = rows.own;
    s.bb = columns.own;
    s.true_max = rows.largest;
    s.pred_max = columns.largest;
    s.s_h = columns.product.over(t.n);
    s.s_h_mean = (rows.entropy.over(t.n) + columns.entropy.over(t.n)) / 2;
    s.b3_recall = rows.bcubed.over(t.n);
    s.b3_precision = columns.bcubed.over(t.n);
    return s;
}

// Sum of size * log(n / size) over clusters. Small sizes are counted first: a logarithm for each size, not each cluster.
class EntropySum {
  public:
    explicit EntropySum(i64 n) : n_(n) {}
    void add(i64 size) {
        if (size < kSmall)
            ++small_[static_cast<std::size_t>(size)];
        else
            large_.add(information(size, n_));
    }
    void add(const EntropySum& other) {
        for (std::size_t m = 0; m < kSmall; ++m) small_[m] += other.small_[m];
        large_.add(other.large_);
    }
    double entropy() const {
        Exactish sum = large_;
        for (std::size_t m = 1; m < kSmall; ++m)
            if (small_[m]) sum.add(static_cast<double>(small_[m]) * information(static_cast<i64>(m), n_));
        return sum.value() / static_cast<double>(n_);
    }

  private:
    static constexpr i64 kSmall = 256;
    i64 n_;
    std::array<i64, kSmall> small_{};
    Exactish large_;
};

// Cells in small blocks, laid out so that the logarithms vectorise.
struct CellBlock {
    static constexpr int kSize = 256;
    int count = 0;
    double m[kSize], split[kSize], merge[kSize], both[kSize], ratio[kSize];
};

// Loops as plain as can be: the compiler turns each into vector code. The terms are stored over their arguments.
CLUSTERDIFF_CLONES inline void evaluate(CellBlock& block) {
    for (int i = 0; i < CellBlock::kSize; ++i) block.split[i] = block.m[i] * log_one_plus(block.split[i]);
    for (int i = 0; i < CellBlock::kSize; ++i) block.merge[i] = block.m[i] * log_one_plus(block.merge[i]);
    for (int i = 0; i < CellBlock::kSize; ++i) block.ratio[i] = block.both[i] * excess(block.ratio[i]);
}

// Eight partial sums, always the same eight, let the additions overlap.
inline double total(const double (&x)[CellBlock::kSize]) {
    double lanes[8] = {};
    for (int i = 0; i < CellBlock::kSize; i += 8)
        for (int lane = 0; lane < 8; ++lane) lanes[lane] += x[i + lane];
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

// Totals of the second pass over a stretch of rows.
struct DetailTotals {
    explicit DetailTotals(i64 n) : h_true(n) {}
    EntropySum h_true;
    Exactish split, merge, excesses;
    Mass pairs, largest, row_pairs, row_largest, element;
    u128 covered = 0;  // sum of a * b over cells

    void add(const DetailTotals& other) {
        h_true.add(other.h_true);
        split.add(other.split);
        merge.add(other.merge);
        excesses.add(other.excesses);
        pairs.add(other.pairs);
        largest.add(other.largest);
        row_pairs.add(other.row_pairs);
        row_largest.add(other.row_largest);
        element.add(other.element);
        covered += other.covered;
    }
};

inline void flush(CellBlock& block, DetailTotals& totals) {
    for (int i = block.count; i < CellBlock::kSize; ++i) block.m[i] = block.split[i] = block.merge[i] = block.both[i] = block.ratio[i] = 0;
    evaluate(block);
    totals.split.add(total(block.split));
    totals.merge.add(total(block.merge));
    totals.excesses.add(total(block.ratio));
    block.count = 0;
}

inline void detail_rows(const Cells& t, const ColumnScores* columns, i64 begin, i64 end, DetailTotals& totals) {
    // Below this n, n * m and a * b fit 64 bits.
    const bool narrow = t.n < 3037000499;
    CellBlock block;
    for (i64 row = begin; row < end; ++row) {
        const i64 first = t.indptr[row], last = t.indptr[row + 1];
        if (first == last) continue;
        const RowSums r = row_sums(t, first, last);
        const double pairs = pairs_score(r.squares, r.size), largest = largest_score(r.largest, r.size);
        totals.h_true.add(r.size);
        if (r.largest == r.size) {
            totals.row_pairs.whole += r.size;
            totals.row_largest.whole += r.size;
        } else {
            totals.row_pairs.part.add(static_cast<double>(r.size) * pairs);
            totals.row_largest.part.add(static_cast<double>(r.size) * largest);
        }
        for (i64 q = first; q < last; ++q) {
            if (q + 24 < t.count()) __builtin_prefetch(&columns[t.cols[q + 24]]);
            const i64 m = t.sizes[q];
            const ColumnScores& c = columns[t.cols[q]];
            const double mass = static_cast<double>(m);
            if (m == r.size && m == c.size) {
                totals.pairs.whole += m;
                totals.largest.whole += m;
                totals.element.whole += m;
            } else {
                totals.pairs.part.add(mass * pairs * c.pairs);
                totals.largest.part.add(mass * largest * c.largest);
                totals.element.part.add(mass * mass / static_cast<double>(std::max(r.size, c.size)));
            }
            double both, ahead;  // a * b, n * m - a * b
            if (narrow) {
                const i64 product = r.size * c.size;
                both = static_cast<double>(product);
                ahead = static_cast<double>(t.n * m - product);
                totals.covered += static_cast<u64>(product);
            } else {
                const i128 product = static_cast<i128>(r.size) * c.size;
                both = to_double(static_cast<u128>(product));
                ahead = static_cast<double>(static_cast<i128>(t.n) * m - product);
                totals.covered += static_cast<u128>(product);
            }
            const int i = block.count++;
            block.m[i] = mass;
            block.split[i] = static_cast<double>(r.size - m) / mass;
            block.merge[i] = static_cast<double>(c.size - m) / mass;
            block.both[i] = both;
            block.ratio[i] = ahead / both;
            if (block.count == CellBlock::kSize) flush(block, totals);
        }
    }
    if (block.count) flush(block, totals);
}

// The second pass. Mutual information near independence keeps its digits in the form
// I = (1/n^2) [ sum over cells of a b f(x) + (n^2 - sum over cells of a b) ], x = (n m - a b) / (a b), all terms >= 0;
// the second bracket is what the empty cells add, an exact integer.
inline DetailSums detail_sums(const Cells& t, const ColumnScores* columns, Run& run) {
    const Stretches stretches(t, std::max<i64>(16384, t.count() / 4096));
    std::vector<DetailTotals> parts(static_cast<std::size_t>(stretches.count()), DetailTotals(t.n));
    run.tasks(stretches.count(), [&](i64 s, int) {
        detail_rows(t, columns, stretches.begin(s), stretches.begin(s + 1), parts[static_cast<std::size_t>(s)]);
    });
    DetailTotals all(t.n);
    for (const DetailTotals& part : parts) all.add(part);
    EntropySum h_pred(t.n);
    Mass column_pairs, column_largest;
    for (i64 c = 0; c < t.k_pred; ++c) {
        const ColumnScores& column = columns[c];
        if (!column.size) continue;
        h_pred.add(column.size);
        if (column.largest == 1.0) {
            column_pairs.whole += column.size;
            column_largest.whole += column.size;
        } else {
            column_pairs.part.add(static_cast<double>(column.size) * column.pairs);
            column_largest.part.add(static_cast<double>(column.size) * column.largest);
        }
    }

    DetailSums s;
    const double n = static_cast<double>(t.n);
    s.split_info = all.split.value() / n;
    s.merge_info = all.merge.value() / n;
    s.h_true = all.h_true.entropy();
    s.h_pred = h_pred.entropy();
    s.h_joint = ((s.h_true + s.split_info) + (s.h_pred + s.merge_info)) / 2;  // sums, nothing cancels
    s.mutual = (all.excesses.value() + to_double(square(t.n) - all.covered)) / (n * n);
    // Nested clusterings: what is equal in theory is equal in bits.
    const bool pred_known = s.split_info == 0, true_known = s.merge_info == 0;
    if (pred_known && true_known) s.h_pred = s.h_true;
    if (pred_known) {
        s.h_joint = s.h_true;
        s.mutual = s.h_pred;
    } else if (true_known) {
        s.h_joint = s.h_pred;
        s.mutual = s.h_true;
    }
    s.element = all.element.over(t.n);
    s.s_pairs = all.pairs.over(t.n);
    s.s_largest = all.largest.over(t.n);
    s.s_pairs_mean = (all.row_pairs.over(t.n) + column_pairs.over(t.n)) / 2;
    s.s_largest_mean = (all.row_largest.over(t.n) + column_largest.over(t.n)) / 2;
    return s;
}

}  // namespace clusterdiff
