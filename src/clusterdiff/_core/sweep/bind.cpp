#include "sweep/sweep.hpp"

#include "python/bind.hpp"
#include "python/result.hpp"

namespace clusterdiff {

using namespace nb::literals;

namespace {

Result merges_result, leaves_result, pruned_result, levels_result;

void check_points(i64 points) {
    if (points > kMaxLeaves) throw TooLarge("a tree of merges has at most 2^30 points");
}

// A tree as Python holds it: every merge joins two different nodes that are there by then.
struct PyTree {
    Array left, right;
    Tree tree;
    PyTree(nb::handle l, nb::handle r, i64 points) : left(l, "left"), right(r, "right") {
        check_points(points);
        tree = {points, left.size(), left.exactly<i32>("int32"), right.exactly<i32>("int32")};
        if (right.size() != tree.merges) throw BadValue("left and right must have the same length");
        if (tree.merges && tree.merges >= points) throw BadValue("there are fewer merges than points");
        auto used = Buffer<u8>::zeros(points + tree.merges);
        heavy(tree.merges, [&](Run& run) {
            run.each(0, tree.merges, [&](i64 k) {
                for (const i32 x : {tree.left[k], tree.right[k]})
                    if (x < 0 || x >= points + k || used[x]++) throw BadValue("merge " + std::to_string(k) + " joins a node that is not there");
            });
            return 0;
        });
    }
};

nb::object merges_of(Merges&& m) {
    return merges_result(to_numpy(std::move(m.left)), to_numpy(std::move(m.right)), to_numpy(std::move(m.height)), to_numpy(std::move(m.link)));
}

nb::object dendrogram_of(nb::handle left, nb::handle right, nb::handle height) {
    const Array l(left, "left"), r(right, "right"), h(height, "height");
    if (l.size() != r.size() || l.size() != h.size()) throw BadValue("left, right and height must have the same length");
    check_points(l.size() + 1);
    const i64 *a = l.exactly<i64>("int64"), *b = r.exactly<i64>("int64");
    const double* heights = h.exactly<double>("float64");
    return merges_of(heavy(l.size(), [&](Run& run) { return dendrogram(a, b, heights, l.size(), run); }));
}

nb::object spanning_of(nb::handle left, nb::handle right, nb::handle score, i64 points) {
    const Array l(left, "left"), r(right, "right"), s(score, "score");
    if (l.size() != r.size() || l.size() != s.size()) throw BadValue("left, right and score must have the same length");
    check_points(points);
    if (l.size() >= i64{1} << 32) throw TooLarge("there may be at most 2^32 - 1 pairs");
    const i32 *a = l.exactly<i32>("int32"), *b = r.exactly<i32>("int32");
    const double* scores = s.exactly<double>("float64");
    return merges_of(heavy(l.size() + points, [&](Run& run) {
        run.each(0, l.size(), [&](i64 i) {
            if (a[i] < 0 || a[i] >= points || b[i] < 0 || b[i] >= points) throw BadValue("a pair joins a point that is not there");
        });
        return spanning(a, b, scores, l.size(), points, run);
    }));
}

nb::object pruned_of(nb::handle left, nb::handle right, nb::handle keep) {
    const Array kept(keep, "keep");
    const PyTree t(left, right, kept.size());
    if (kept.itemsize() != 1 || !kept.contiguous()) throw BadValue("keep must be an array of bools");
    Merges m = heavy(kept.size(), [&](Run& run) { return pruned(t.tree, reinterpret_cast<const u8*>(kept.data()), run); });
    return pruned_result(to_numpy(std::move(m.left)), to_numpy(std::move(m.right)), to_numpy(std::move(m.link)));
}

nb::object cut_of(nb::handle left, nb::handle right, i64 points, i64 count) {
    const PyTree t(left, right, points);
    if (count < 0 || count > t.tree.merges) throw BadValue("count must be from 0 to the number of merges");
    return to_numpy(heavy(points, [&](Run& run) { return cut(t.tree, count, run); }));
}

nb::object leaves_of(nb::handle left, nb::handle right, i64 points) {
    const PyTree t(left, right, points);
    Leaves l = heavy(points, [&](Run& run) { return leaves(t.tree, run); });
    return leaves_result(to_numpy(std::move(l.order)), to_numpy(std::move(l.start)), to_numpy(std::move(l.size)));
}

nb::object sweep_of(nb::handle truth, i64 rows, nb::handle left, nb::handle right, nb::handle ends, bool changes) {
    const Array codes(truth, "truth"), at(ends, "ends");
    const PyTree t(left, right, codes.size());
    const i32* row = codes.exactly<i32>("int32");
    const i64* end = at.exactly<i64>("int64");
    check_clusters(rows, "true");
    Levels l = heavy(codes.size(), [&](Run& run) {
        run.each(0, codes.size(), [&](i64 i) {
            if (row[i] < 0 || row[i] >= rows) throw BadValue("truth must hold codes from 0 to rows - 1");
        });
        run.each(0, at.size(), [&](i64 j) {
            if (end[j] < (j ? end[j - 1] : 0) || end[j] > t.tree.merges) throw BadValue("ends must ascend and not exceed the number of merges");
        });
        return sweep(row, rows, t.tree, end, at.size(), changes, run);
    });
    return levels_result(to_numpy(std::move(l.s_h)), to_numpy(std::move(l.split)), to_numpy(std::move(l.merge)), to_numpy(std::move(l.h_pred)),
                         to_numpy(std::move(l.split_info)), to_numpy(std::move(l.merge_info)), to_numpy(std::move(l.b3_recall)),
                         to_numpy(std::move(l.b3_precision)), to_numpy(std::move(l.mm)), to_numpy(std::move(l.bb)), to_numpy(std::move(l.true_max)),
                         to_numpy(std::move(l.pred_max)), to_numpy(std::move(l.cells)), to_numpy(std::move(l.clusters)),
                         to_numpy(std::move(l.change)));
}

}  // namespace

void bind_sweep(nb::module_& m) {
    merges_result.define(m, "Merges", {"left", "right", "height", "link"});
    pruned_result.define(m, "Pruned", {"left", "right", "merges"});
    leaves_result.define(m, "Leaves", {"order", "start", "size"});
    levels_result.define(m, "Levels", {"s_h", "split", "merge", "h_pred", "split_info", "merge_info", "b3_recall", "b3_precision", "mm", "bb",
                                       "true_max", "pred_max", "cells", "clusters", "change"});
    m.def("dendrogram", &dendrogram_of, "left"_a, "right"_a, "height"_a);
    m.def("spanning", &spanning_of, "left"_a, "right"_a, "score"_a, "points"_a);
    m.def("pruned", &pruned_of, "left"_a, "right"_a, "keep"_a);
    m.def("cut", &cut_of, "left"_a, "right"_a, "points"_a, "count"_a);
    m.def("leaves", &leaves_of, "left"_a, "right"_a, "points"_a);
    m.def("sweep", &sweep_of, "truth"_a, "rows"_a, "left"_a, "right"_a, "ends"_a, "changes"_a = false);
}

}  // namespace clusterdiff
