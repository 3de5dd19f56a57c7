// What is summed over clusters and cells, and how partial sums add up.
//
// Integer sums are exact (128 bits). Floating sums have terms >= 0 only, are compensated, and keep the mass of perfect
// clusters, which score exactly 1, as an integer: identical clusterings give exactly 1.0 at any size.
#pragma once

#include "base/cells.hpp"
#include "base/numeric.hpp"

namespace clusterdiff {

// s(parts | whole) of the instances that need sizes only. A cluster of one point cannot be split: it scores 1.
inline double entropy_score(double parts, i64 whole) { return whole > 1 ? parts / xlogx(whole) : 1.0; }
inline double pairs_score(u128 squares, i64 whole) {
    if (whole <= 1) return 1.0;
    return to_double(squares - wide(whole)) / to_double(square(whole) - wide(whole));
}
inline double largest_score(i64 largest, i64 whole) {
    return whole > 1 ? static_cast<double>(largest - 1) / static_cast<double>(whole - 1) : 1.0;
}

// The sums over one cluster's cells.
struct ClusterSums {
    double parts = 0;  // sum of m log m
    u128 squares = 0;
    i64 size = 0, largest = 0;

    bool whole() const { return largest == size; }
    double score() const { return whole() ? 1.0 : entropy_score(parts, size); }
};

inline ClusterSums row_sums(const Cells& t, i64 begin, i64 end) {
    if (end - begin == 1) {
        const i64 m = t.sizes[begin];
        return {0, square(m), m, m};  // an unsplit cluster scores 1 without its m log m
    }
    ClusterSums r;
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

// Totals over the clusters of one side.
struct SideTotals {
    u128 cell_squares = 0, size_squares = 0;
    i64 largest = 0;
    Mass entropy, bcubed;

    void add_cluster(const ClusterSums& c) {
        cell_squares += c.squares;
        size_squares += square(c.size);
        largest += c.largest;
        if (c.whole()) {
            entropy.whole += c.size;
            bcubed.whole += c.size;
        } else {
            entropy.part.add(static_cast<double>(c.size) * c.score());
            bcubed.part.add(to_double(c.squares) / static_cast<double>(c.size));
        }
    }
    void add(const SideTotals& other) {
        cell_squares += other.cell_squares;
        size_squares += other.size_squares;
        largest += other.largest;
        entropy.add(other.entropy);
        bcubed.add(other.bcubed);
    }
};

// What S_H needs, and whatever falls out of the same pass.
struct BasicTotals {
    SideTotals rows, columns;
    Mass product;  // sum of m * s(row) * s(column)

    void add(const BasicTotals& other) {
        rows.add(other.rows);
        columns.add(other.columns);
        product.add(other.product);
    }
};

// ---- The second pass: what needs the sizes of both clusters at each cell, and logarithms.

// What a cell wants to know of its cluster.
struct ClusterScores {
    i64 size = 0;
    double pairs = 1, largest = 1;
};

inline ClusterScores scores_of(u128 squares, i64 size, i64 largest) {
    if (largest == size) return {size, 1, 1};
    return {size, pairs_score(squares, size), largest_score(largest, size)};
}

// Sum of size * log(n / size) over clusters. Small sizes are counted first: a logarithm for each size, not each cluster.
class EntropySum {
  public:
    void add(i64 size, i64 n) {
        if (size < kSmall)
            ++small_[static_cast<std::size_t>(size)];
        else
            large_.add(information(size, n));
    }
    void add(const EntropySum& other) {
        for (std::size_t m = 0; m < kSmall; ++m) small_[m] += other.small_[m];
        large_.add(other.large_);
    }
    double entropy(i64 n) const {
        Exactish sum = large_;
        for (std::size_t m = 1; m < kSmall; ++m)
            if (small_[m]) sum.add(static_cast<double>(small_[m]) * information(static_cast<i64>(m), n));
        return sum.value() / static_cast<double>(n);
    }

  private:
    static constexpr i64 kSmall = 128;
    std::array<i64, kSmall> small_{};
    Exactish large_;
};

struct SideDetails {
    EntropySum entropy;
    Mass pairs, largest;

    void add_cluster(const ClusterScores& c, bool whole, i64 n) {
        entropy.add(c.size, n);
        if (whole) {
            pairs.whole += c.size;
            largest.whole += c.size;
        } else {
            pairs.part.add(static_cast<double>(c.size) * c.pairs);
            largest.part.add(static_cast<double>(c.size) * c.largest);
        }
    }
    void add(const SideDetails& other) {
        entropy.add(other.entropy);
        pairs.add(other.pairs);
        largest.add(other.largest);
    }
};

struct DetailTotals {
    SideDetails rows, columns;
    Exactish split, merge, excesses, chi2, frobenius;
    Mass pairs, largest, element;
    u128 covered = 0;  // sum of a * b over cells

    void add(const DetailTotals& other) {
        rows.add(other.rows);
        columns.add(other.columns);
        split.add(other.split);
        merge.add(other.merge);
        excesses.add(other.excesses);
        chi2.add(other.chi2);
        frobenius.add(other.frobenius);
        pairs.add(other.pairs);
        largest.add(other.largest);
        element.add(other.element);
        covered += other.covered;
    }
};

// Cells in small blocks, laid out so that the logarithms vectorise.
struct CellBlock {
    static constexpr int kSize = 256;
    int count = 0;
    double m[kSize], split[kSize], merge[kSize], both[kSize], ratio[kSize];  // arguments of logarithms
    double pairs[kSize], largest[kSize], element[kSize], frobenius[kSize];   // terms, ready to be summed
    double chi2[kSize];                                                      // made of the others
};

// Loops as plain as can be: the compiler turns each into vector code. The terms are stored over their arguments.
// `count` is a multiple of eight.
void evaluate(CellBlock& block, int count);

// Eight partial sums, always the same eight, let the additions overlap.
inline double total(const double* x, int count) {
    double lanes[8] = {};
    for (int i = 0; i < count; i += 8)
        for (int lane = 0; lane < 8; ++lane) lanes[lane] += x[i + lane];
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

// Adds up the cells of one stretch or bucket.
class CellAdder {
  public:
    CellAdder(i64 n, DetailTotals& totals) : n_(n), narrow_(n < 3037000499), totals_(totals) {}  // narrow: n^2 < 2^63
    ~CellAdder() {
        for (i64 m = 1; m < kSmall; ++m)
            if (const i64 times = perfect_[static_cast<std::size_t>(m)]) {
                totals_.excesses.add(static_cast<double>(times) * to_double(square(m)) * excess(static_cast<double>(n_ - m) / static_cast<double>(m)));
                totals_.chi2.add(static_cast<double>(times) * to_double(square(n_ - m)));
            }
        flush();
    }
    CellAdder(const CellAdder&) = delete;
    CellAdder& operator=(const CellAdder&) = delete;

    // A cell that is a whole cluster on both sides: nothing split, nothing merged; only its size matters.
    void add_perfect(i64 m) {
        totals_.pairs.whole += m;
        totals_.largest.whole += m;
        totals_.element.whole += m;
        totals_.covered += square(m);
        if (m < kSmall)
            ++perfect_[static_cast<std::size_t>(m)];
        else
            push({static_cast<double>(m), 0, 0, to_double(square(m)), static_cast<double>(n_ - m) / static_cast<double>(m), 0, 0, 0, 0});
    }

    void add(i64 m, const ClusterScores& row, const ClusterScores& column) {
        const double mass = static_cast<double>(m);
        double both, ahead;  // a * b, n * m - a * b
        if (narrow_) {
            const i64 product = row.size * column.size;
            both = static_cast<double>(product);
            ahead = static_cast<double>(n_ * m - product);
            totals_.covered += static_cast<u64>(product);
        } else {
            const u128 product = wide(row.size) * wide(column.size), all = wide(n_) * wide(m);
            both = to_double(product);
            ahead = product <= all ? to_double(all - product) : -to_double(product - all);
            totals_.covered += product;
        }
        push({mass, static_cast<double>(row.size - m) / mass, static_cast<double>(column.size - m) / mass, both, ahead / both,
              mass * row.pairs * column.pairs, mass * row.largest * column.largest,
              mass * mass / static_cast<double>(std::max(row.size, column.size)),
              mass * static_cast<double>(row.size - m + (column.size - m)) / both});
    }

  private:
    struct Terms {
        double m, split, merge, both, ratio, pairs, largest, element, frobenius;
    };
    void set(int i, const Terms& x) {
        block_.m[i] = x.m;
        block_.split[i] = x.split;
        block_.merge[i] = x.merge;
        block_.both[i] = x.both;
        block_.ratio[i] = x.ratio;
        block_.pairs[i] = x.pairs;
        block_.largest[i] = x.largest;
        block_.element[i] = x.element;
        block_.frobenius[i] = x.frobenius;
    }
    void push(const Terms& x) {
        set(block_.count++, x);
        if (block_.count == CellBlock::kSize) flush();
    }
    void flush() {
        if (!block_.count) return;
        const int count = (block_.count + 7) / 8 * 8;
        for (int i = block_.count; i < count; ++i) set(i, {});
        evaluate(block_, count);
        totals_.pairs.part.add(total(block_.pairs, count));
        totals_.largest.part.add(total(block_.largest, count));
        totals_.element.part.add(total(block_.element, count));
        totals_.split.add(total(block_.split, count));
        totals_.merge.add(total(block_.merge, count));
        totals_.excesses.add(total(block_.ratio, count));
        totals_.chi2.add(total(block_.chi2, count));
        totals_.frobenius.add(total(block_.frobenius, count));
        block_.count = 0;
    }

    static constexpr i64 kSmall = 128;
    i64 n_;
    bool narrow_;
    DetailTotals& totals_;
    std::array<i64, kSmall> perfect_{};
    CellBlock block_;
};

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

}  // namespace clusterdiff
