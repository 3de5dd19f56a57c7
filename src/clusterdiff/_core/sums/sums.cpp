#include "sums/sums.hpp"

#include "sums/few_columns.hpp"
#include "sums/many_columns.hpp"

namespace clusterdiff {

namespace {

double mean_of(const Mass& a, const Mass& b, i64 n) { return (a.over(n) + b.over(n)) / 2; }

BasicSums finish(const BasicTotals& totals, i64 n) {
    BasicSums s;
    s.mm = totals.rows.cell_squares;
    s.aa = totals.rows.size_squares;
    s.bb = totals.columns.size_squares;
    s.true_max = totals.rows.largest;
    s.pred_max = totals.columns.largest;
    s.s_h = totals.product.over(n);
    s.s_h_mean = mean_of(totals.rows.entropy, totals.columns.entropy, n);
    s.b3_recall = totals.rows.bcubed.over(n);
    s.b3_precision = totals.columns.bcubed.over(n);
    return s;
}

// Mutual information near independence keeps its digits in the form
// I = (1/n^2) [ sum over cells of a b f(x) + (n^2 - sum over cells of a b) ], x = (n m - a b) / (a b), all terms >= 0;
// the second bracket is what the empty cells add, an exact integer.
DetailSums finish(const DetailTotals& totals, i64 n) {
    DetailSums s;
    const double points = static_cast<double>(n);
    s.split_info = totals.split.value() / points;
    s.merge_info = totals.merge.value() / points;
    s.h_true = totals.rows.entropy.entropy(n);
    s.h_pred = totals.columns.entropy.entropy(n);
    s.h_joint = ((s.h_true + s.split_info) + (s.h_pred + s.merge_info)) / 2;  // sums, nothing cancels
    const double empty = to_double(square(n) - totals.covered);
    s.mutual = (totals.excesses.value() + empty) / (points * points);
    s.chi2 = (totals.chi2.value() + empty) / (points * points);
    s.frobenius = totals.frobenius.value();
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
    s.element = totals.element.over(n);
    s.s_pairs = totals.pairs.over(n);
    s.s_largest = totals.largest.over(n);
    s.s_pairs_mean = mean_of(totals.rows.pairs, totals.columns.pairs, n);
    s.s_largest_mean = mean_of(totals.rows.largest, totals.columns.largest, n);
    return s;
}

}  // namespace

BasicSums basic_sums(const Cells& t, Run& run) {
    if (t.k_pred <= kFewColumns) {
        Buffer<ClusterScores> columns(t.k_pred);
        BasicSums s = finish(sum_few_columns(t, columns.data(), run), t.n);
        s.columns = std::move(columns);
        return s;
    }
    return finish(sum_many_columns(t, run), t.n);
}

DetailSums detail_sums(const Cells& t, std::optional<BasicSums>& basic, Run& run) {
    if (t.k_pred <= kFewColumns) {
        if (!basic) basic = basic_sums(t, run);
        return finish(detail_few_columns(t, basic->columns.data(), run), t.n);
    }
    BasicTotals totals;
    const DetailTotals detail = detail_many_columns(t, totals, run);
    if (!basic) basic = finish(totals, t.n);
    return finish(detail, t.n);
}

}  // namespace clusterdiff
