// Everything the measures need to know of the cells, as sums.
//
// Integer sums are exact (128 bits). Floating sums have terms >= 0 only, are compensated, and keep the mass of perfect
// cells, which score exactly 1, as an integer: identical clusterings give exactly 1.0 at any size.
#pragma once

#include <array>
#include <cmath>

#include "cells.hpp"

namespace clusterdiff {

// A sum that carries its own rounding error along (Knuth's two-sum).
struct Exactish {
    double high = 0, low = 0;
    void add(double x) {
        const double sum = high + x, part = sum - high;
        low += (high - (sum - part)) + (x - part);
        high = sum;
    }
    void add(const Exactish& other) {
        add(other.high);
        low += other.low;
    }
    double value() const { return high + low; }
};

// A mass in points: what scores exactly 1 is counted, the rest is summed.
struct Mass {
    i64 whole = 0;
    Exactish part;
    double value() const { return static_cast<double>(whole) + part.value(); }
    double over(i64 n) const { return value() / static_cast<double>(n); }
};

// m log m; small m from a table, since most cells are small.
class XLogX {
  public:
    XLogX() {
        table_[0] = 0;
        for (i64 m = 1; m < kSize; ++m) table_[static_cast<std::size_t>(m)] = static_cast<double>(m) * std::log(static_cast<double>(m));
    }
    double operator()(i64 m) const {
        if (m < kSize) return table_[static_cast<std::size_t>(m)];
        return static_cast<double>(m) * std::log(static_cast<double>(m));
    }

  private:
    static constexpr i64 kSize = 1024;
    std::array<double, kSize> table_;
};
inline const XLogX xlogx;

inline double to_double(u128 x) {
    const u64 high = static_cast<u64>(x >> 64), low = static_cast<u64>(x);
    return high ? static_cast<double>(x) : static_cast<double>(low);
}

inline u128 square(i64 x) { return static_cast<u128>(x) * static_cast<u128>(x); }

// s(parts | whole) of the three instances that need sizes only. A cluster of one point cannot be split: it scores 1.
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
    u128 mm = 0, aa = 0, bb = 0;      // sums of squares of cells, true and predicted sizes
    i64 true_max = 0, pred_max = 0;   // sum over clusters of their largest cell
    double s_h = 0, s_h_mean = 0, b3_recall = 0, b3_precision = 0;
};

// What needs the sizes of both clusters at each cell, and logarithms.
struct DetailSums {
    double h_true = 0, h_pred = 0, h_joint = 0, split_info = 0, merge_info = 0, mutual = 0, element = 0;
    double s_pairs = 0, s_pairs_mean = 0, s_largest = 0, s_largest_mean = 0;
};

struct ColumnSums {
    Exactish weighted;  // sum of m * s(row)
    Exactish parts;     // sum of m log m
    u128 squares = 0;
    i64 size = 0, largest = 0;
};

struct RowSums {
    double parts = 0;
    u128 squares = 0;
    i64 size = 0, largest = 0;
};

inline RowSums row_sums(const Cells& t, i64 row) {
    RowSums r;
    Exactish parts;
    for (i64 q = t.indptr[row], end = t.indptr[row + 1]; q < end;) {
        double block = 0;
        for (i64 stop = std::min(end, q + 64); q < stop; ++q) {
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

inline BasicSums basic_sums(const Cells& t, Run& run) {
    BasicSums s;
    auto columns = std::vector<ColumnSums>(static_cast<std::size_t>(t.k_pred));
    Mass product, split, merge, recall, precision;
    for (i64 row = 0; row < t.k_true; ++row) {
        if ((row & 0xfff) == 0) run.poll(0);
        const RowSums r = row_sums(t, row);
        const bool whole = r.largest == r.size;
        const double score = whole ? 1.0 : entropy_score(r.parts, r.size);
        s.mm += r.squares;
        s.aa += square(r.size);
        s.true_max += r.largest;
        if (whole) {
            split.whole += r.size;
            recall.whole += r.size;
        } else {
            split.part.add(static_cast<double>(r.size) * score);
            recall.part.add(to_double(r.squares) / static_cast<double>(r.size));
        }
        for (i64 q = t.indptr[row]; q < t.indptr[row + 1]; ++q) {
            const i64 m = t.sizes[q];
            ColumnSums& c = columns[static_cast<std::size_t>(t.cols[q])];
            c.weighted.add(static_cast<double>(m) * score);
            c.parts.add(xlogx(m));
            c.squares += square(m);
            c.size += m;
            c.largest = std::max(c.largest, m);
        }
    }
    for (const ColumnSums& c : columns) {
        const bool whole = c.largest == c.size;
        const double score = whole ? 1.0 : entropy_score(c.parts.value(), c.size);
        s.bb += square(c.size);
        s.pred_max += c.largest;
        const double weighted = c.weighted.value();
        if (whole && weighted == static_cast<double>(c.size))
            product.whole += c.size;
        else
            product.part.add(weighted * score);
        if (whole) {
            merge.whole += c.size;
            precision.whole += c.size;
        } else {
            merge.part.add(static_cast<double>(c.size) * score);
            precision.part.add(to_double(c.squares) / static_cast<double>(c.size));
        }
    }
    s.s_h = product.over(t.n);
    s.s_h_mean = (split.over(t.n) + merge.over(t.n)) / 2;
    s.b3_recall = recall.over(t.n);
    s.b3_precision = precision.over(t.n);
    return s;
}

// f(x) = (1 + x) log(1 + x) - x >= 0 for x >= -1. Near 0 through s = x / (2 + x), where nothing cancels:
// log1p(x) = 2 atanh(s), and f = (2 s^2 + 2 s^3 (1 + s) P(s^2)) / (1 - s) with P(z) = 1/3 + z/5 + z^2/7 + ...
inline double excess(double x) {
    if (x > 0.5 || x < -1.0 / 3) return (1 + x) * std::log1p(x) - x;
    const double s = x / (2 + x), z = s * s;
    double p = 0;
    for (int k = 27; k >= 3; k -= 2) p = p * z + 1.0 / k;
    return (2 * z + 2 * s * z * (1 + s) * p) / (1 - s);
}

// m log(whole / m), exactly 0 for the whole.
inline double information(i64 m, i64 whole) {
    return static_cast<double>(m) * std::log1p(static_cast<double>(whole - m) / static_cast<double>(m));
}

inline DetailSums detail_sums(const Cells& t, Run& run) {
    DetailSums s;
    const double n = static_cast<double>(t.n);
    auto columns = std::vector<RowSums>(static_cast<std::size_t>(t.k_pred));
    for (i64 q = 0; q < t.count(); ++q) {
        RowSums& c = columns[static_cast<std::size_t>(t.cols[q])];
        c.squares += square(t.sizes[q]);
        c.size += t.sizes[q];
        c.largest = std::max(c.largest, t.sizes[q]);
    }
    Exactish h_true, h_pred, h_joint, split, merge, excesses;
    Mass pairs, largest, true_pairs, true_largest, pred_pairs, pred_largest, element;
    u128 covered = 0;  // sum of a * b over cells
    auto side = [](const RowSums& r, Mass& p, Mass& l) {
        if (r.largest == r.size) {
            p.whole += r.size;
            l.whole += r.size;
        } else {
            p.part.add(static_cast<double>(r.size) * pairs_score(r.squares, r.size));
            l.part.add(static_cast<double>(r.size) * largest_score(r.largest, r.size));
        }
    };
    for (const RowSums& c : columns) {
        if (c.size) h_pred.add(information(c.size, t.n));
        side(c, pred_pairs, pred_largest);
    }
    for (i64 row = 0; row < t.k_true; ++row) {
        if ((row & 0xfff) == 0) run.poll(0);
        const RowSums r = row_sums(t, row);
        if (r.size) h_true.add(information(r.size, t.n));
        side(r, true_pairs, true_largest);
        const double row_pairs = pairs_score(r.squares, r.size), row_largest = largest_score(r.largest, r.size);
        for (i64 q = t.indptr[row]; q < t.indptr[row + 1]; ++q) {
            const i64 m = t.sizes[q];
            const RowSums& c = columns[static_cast<std::size_t>(t.cols[q])];
            h_joint.add(information(m, t.n));
            split.add(information(m, r.size));
            merge.add(information(m, c.size));
            const u128 both = static_cast<u128>(r.size) * static_cast<u128>(c.size);
            covered += both;
            const i128 difference = static_cast<i128>(t.n) * m - static_cast<i128>(both);
            excesses.add(to_double(both) * excess(static_cast<double>(difference) / to_double(both)));
            if (m == r.size && m == c.size) {
                pairs.whole += m;
                largest.whole += m;
                element.whole += m;
            } else {
                const double mass = static_cast<double>(m);
                pairs.part.add(mass * row_pairs * pairs_score(c.squares, c.size));
                largest.part.add(mass * row_largest * largest_score(c.largest, c.size));
                element.part.add(mass * mass / static_cast<double>(std::max(r.size, c.size)));
            }
        }
    }
    s.split_info = split.value() / n;
    s.merge_info = merge.value() / n;
    s.h_true = h_true.value() / n;
    s.h_pred = h_pred.value() / n;
    s.h_joint = h_joint.value() / n;
    s.mutual = (excesses.value() + to_double(square(t.n) - covered)) / (n * n);
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
    s.element = element.over(t.n);
    s.s_pairs = pairs.over(t.n);
    s.s_largest = largest.over(t.n);
    s.s_pairs_mean = (true_pairs.over(t.n) + pred_pairs.over(t.n)) / 2;
    s.s_largest_mean = (true_largest.over(t.n) + pred_largest.over(t.n)) / 2;
    return s;
}

}  // namespace clusterdiff
