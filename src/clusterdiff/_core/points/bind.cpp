#include <algorithm>

#include "points/links.hpp"
#include "points/moments.hpp"
#include "python/bind.hpp"
#include "python/result.hpp"

namespace clusterdiff {

using namespace nb::literals;

namespace {

Result counted_result, two_result, members_result, contents_result, dense_result, sparse_result;

nb::object squares(nb::handle x) {
    const Array a(x, "x");
    const Labels labels = a.labels();
    return to_int(heavy(labels.n, [&](Run& run) { return sum_squares(labels, run); }));
}

nb::object counts_of(nb::handle x) {
    const Array a(x, "x");
    const i64* values = a.exactly<i64>("int64");
    Counted c = heavy(a.size(), [&](Run& run) { return counted(values, a.size(), run); });
    return counted_result(to_numpy(std::move(c.values)), to_numpy(std::move(c.counts)));
}

Labels checked_groups(const Array& groups, i64 k) {
    if (k < 0) throw BadValue("k must not be negative");
    return groups.labels();
}

nb::object sum_of(nb::handle groups, i64 k, nb::handle values) {
    const Array g(groups, "groups"), v(values, "values");
    const Labels labels = checked_groups(g, k);
    if (v.size() != labels.n) throw BadValue("groups and values must have the same length");
    if (v.is_integer()) return to_numpy(heavy(labels.n, [&](Run& run) { return group_sum(labels, k, v.labels(), run); }));
    const Numbers numbers = v.numbers();
    return to_numpy(heavy(labels.n, [&](Run& run) { return group_sum(labels, k, numbers, run); }));
}

nb::object sums_of(nb::handle groups, i64 k, nb::handle first, nb::handle second) {
    const Array g(groups, "groups"), a(first, "first"), b(second, "second");
    const Labels labels = checked_groups(g, k);
    if (a.size() != labels.n || b.size() != labels.n) throw BadValue("groups and values must have the same length");
    const double *x = a.exactly<double>("float64"), *y = b.exactly<double>("float64");
    auto sums = heavy(labels.n, [&](Run& run) { return group_sums(labels, k, x, y, run); });
    return two_result(to_numpy(std::move(sums.first)), to_numpy(std::move(sums.second)));
}

nb::object max_of(nb::handle groups, i64 k, nb::handle values) {
    const Array g(groups, "groups"), v(values, "values");
    const Labels labels = checked_groups(g, k);
    if (v.size() != labels.n) throw BadValue("groups and values must have the same length");
    auto with = [&](const auto* x) { return to_numpy(heavy(labels.n, [&](Run& run) { return group_max(labels, k, x, run); })); };
    return v.is_integer() ? with(v.exactly<i64>("int64")) : with(v.exactly<double>("float64"));
}

nb::object contents_of(nb::handle groups, i64 k, nb::handle masses) {
    const Array g(groups, "groups"), m(masses, "masses");
    const Labels labels = checked_groups(g, k);
    if (m.size() != labels.n) throw BadValue("groups and masses must have the same length");
    const Numbers numbers = m.numbers();
    auto c = heavy(labels.n, [&](Run& run) { return contents(labels, k, numbers, run); });
    return contents_result(to_numpy(std::move(c.pairs)), to_numpy(std::move(c.entropy)), to_numpy(std::move(c.heavy)));
}

nb::object members_of(nb::handle groups, i64 k) {
    const Array g(groups, "groups");
    const Labels labels = checked_groups(g, k);
    auto m = heavy(labels.n, [&](Run& run) { return group_members(labels, k, run); });
    return members_result(to_numpy(std::move(m.indptr)), to_numpy(std::move(m.members)));
}

// Null when there are none.
const double* checked_weights(const std::optional<Array>& weights, i64 n) {
    if (!weights) return nullptr;
    if (weights->size() != n) throw BadValue("weights must have one entry per point");
    return weights->exactly<double>("float64");
}

// The heaviest point of each group comes first: what all deviations are taken from. The centre then differs from it by
// little, of which no digit is lost, however light the others are.
Members heaviest_first(Members&& m, const double* weights) {
    if (!weights) return std::move(m);
    for (i64 g = 0; g + 1 < m.indptr.size(); ++g) {
        i64 *first = m.members.data() + m.indptr[g], *end = m.members.data() + m.indptr[g + 1], *heaviest = first;
        for (i64* at = first; at < end; ++at)
            if (weights[*at] > weights[*heaviest]) heaviest = at;
        if (heaviest != first) std::rotate(first, heaviest, heaviest + 1);
    }
    return std::move(m);
}

nb::object dense(nb::handle groups, i64 k, nb::handle x, nb::handle weights, nb::handle low) {
    const Array g(groups, "groups"), a(x, "x", 2);
    const Labels labels = checked_groups(g, k);
    const Numbers features = a.numbers();
    if (labels.n != features.rows) throw BadValue("x must have one row per point");
    const auto w = maybe(weights, "weights");
    const double* mass = checked_weights(w, labels.n);
    const auto l = maybe(low, "low");
    if (l && l->size() != features.rows * features.columns) throw BadValue("low must have one entry per entry of x");
    const double* rest = l ? l->exactly<double>("float64") : nullptr;
    auto m = heavy(features.rows * std::max<i64>(features.columns, 1),
                   [&](Run& run) { return moments_dense(heaviest_first(group_members(labels, k, run), mass), k, features, rest, mass, run); });
    return dense_result(to_numpy(std::move(m.centres), k, features.columns), to_numpy(std::move(m.low), k, features.columns),
                        to_numpy(std::move(m.within)));
}

nb::object sparse(nb::handle groups, i64 k, nb::handle indptr, nb::handle indices, nb::handle data, i64 d, nb::handle weights,
                  nb::handle low) {
    const Array g(groups, "groups"), p(indptr, "indptr"), j(indices, "indices"), v(data, "data");
    const Labels labels = checked_groups(g, k);
    const SparseRows x{p.labels(), j.labels(), v.numbers(), d};
    const i64 n = labels.n;
    if (x.indptr.n != n + 1) throw BadValue("indptr must have one entry per point and one more");
    if (x.indices.n != x.data.columns) throw BadValue("indices and data must have the same length");
    if (d < 0) throw BadValue("d must not be negative");
    const auto w = maybe(weights, "weights");
    const double* mass = checked_weights(w, n);
    const auto l = maybe(low, "low");
    if (l && l->size() != x.indices.n) throw BadValue("low must have one entry per stored value");
    const double* rest = l ? l->exactly<double>("float64") : nullptr;
    auto m = heavy(x.indices.n + n, [&](Run& run) { return moments_sparse(heaviest_first(group_members(labels, k, run), mass), k, x, rest, mass, run); });
    return sparse_result(to_numpy(std::move(m.indptr)), to_numpy(std::move(m.indices)), to_numpy(std::move(m.data)),
                         to_numpy(std::move(m.low)), to_numpy(std::move(m.within)));
}

// Groups given as (indptr, members), checked against the number of points.
Members checked_members(nb::handle indptr, nb::handle members, i64 points) {
    const Array p(indptr, "group_indptr"), m(members, "members");
    const Labels starts = p.labels(), list = m.labels();
    if (starts.n < 1 || starts[0] != 0 || static_cast<i64>(starts[starts.n - 1]) != list.n)
        throw BadValue("group_indptr must start at 0 and end at the number of members");
    Members out{Buffer<i64>(starts.n), Buffer<i64>(list.n)};
    for (i64 i = 0; i < starts.n; ++i) {
        out.indptr[i] = static_cast<i64>(starts[i]);
        if (i && out.indptr[i] < out.indptr[i - 1]) throw BadValue("group_indptr must not decrease");
    }
    for (i64 i = 0; i < list.n; ++i) {
        out.members[i] = static_cast<i64>(list[i]);
        if (out.members[i] < 0 || out.members[i] >= points) throw BadValue("members must lie in [0, " + std::to_string(points) + ")");
    }
    return out;
}

i64 pair_count(const Members& m) {
    i64 pairs = m.members.size();
    for (i64 g = 0; g + 1 < m.indptr.size(); ++g) pairs += (m.indptr[g + 1] - m.indptr[g]) * (m.indptr[g + 1] - m.indptr[g]) / 2;
    return pairs;
}

nb::object links_square(nb::handle indptr, nb::handle members, nb::handle d, nb::handle weights) {
    const Array a(d, "d", 2);
    if (a.size(0) != a.size(1)) throw BadValue("d must be square");
    const Members m = checked_members(indptr, members, a.size());
    const auto w = maybe(weights, "weights");
    const double* mass = checked_weights(w, a.size());
    const Numbers distances = a.numbers();
    return to_numpy(heavy(pair_count(m), [&](Run& run) { return link_sums_square(m, distances, mass, run); }));
}

nb::object links_condensed(nb::handle indptr, nb::handle members, nb::handle condensed, i64 points, nb::handle weights) {
    const Array a(condensed, "condensed");
    if (points < 0 || a.size() != points * (points - 1) / 2) throw BadValue("condensed must have N (N - 1) / 2 entries");
    const Members m = checked_members(indptr, members, points);
    const auto w = maybe(weights, "weights");
    const double* mass = checked_weights(w, points);
    const Numbers distances = a.numbers();
    return to_numpy(heavy(pair_count(m), [&](Run& run) { return link_sums_condensed(m, distances, points, mass, run); }));
}

}  // namespace

void bind_points(nb::module_& m) {
    two_result.define(m, "TwoSums", {"first", "second"});
    members_result.define(m, "Members", {"indptr", "members"});
    contents_result.define(m, "Contents", {"pairs", "entropy", "heavy"});
    dense_result.define(m, "DenseMoments", {"centres", "low", "within"});
    sparse_result.define(m, "SparseMoments", {"indptr", "indices", "data", "low", "within"});
    counted_result.define(m, "Counted", {"values", "counts"});
    m.def("sum_squares", &squares, "x"_a);
    m.def("counted", &counts_of, "x"_a);
    m.def("group_sum", &sum_of, "groups"_a, "k"_a, "values"_a);
    m.def("group_sums", &sums_of, "groups"_a, "k"_a, "first"_a, "second"_a);
    m.def("group_max", &max_of, "groups"_a, "k"_a, "values"_a);
    m.def("contents", &contents_of, "groups"_a, "k"_a, "masses"_a);
    m.def("group_members", &members_of, "groups"_a, "k"_a);
    m.def("moments_dense", &dense, "groups"_a, "k"_a, "x"_a, "weights"_a.none() = nb::none(), "low"_a.none() = nb::none());
    m.def("moments_sparse", &sparse, "groups"_a, "k"_a, "indptr"_a, "indices"_a, "data"_a, "d"_a, "weights"_a.none() = nb::none(),
          "low"_a.none() = nb::none());
    m.def("link_sums_square", &links_square, "group_indptr"_a, "members"_a, "d"_a, "weights"_a.none() = nb::none());
    m.def("link_sums_condensed", &links_condensed, "group_indptr"_a, "members"_a, "condensed"_a, "n"_a, "weights"_a.none() = nb::none());
}

}  // namespace clusterdiff
