#include "explain/assignment.hpp"
#include "explain/join.hpp"
#include "explain/looks.hpp"
#include "explain/losses.hpp"
#include "explain/one_to_one.hpp"
#include "explain/repairs.hpp"
#include "python/bind.hpp"
#include "python/result.hpp"

namespace clusterdiff {

using namespace nb::literals;

namespace {

Result charges_result, join_result, looks_result, losses_result, repairs_result, side_losses_result, steps_result;

nb::object join_of(const PyCells& c) {
    auto j = heavy(c.cells().count(), [&](Run& run) { return join(c.cells(), run); });
    return join_result(to_numpy(std::move(j.of_true)), to_numpy(std::move(j.of_pred)), j.count);
}

nb::object entropy_scores_of(const PyCells& c) {
    return to_numpy(heavy(c.cells().count(), [&](Run& run) { return entropy_scores(c.cells(), run); }));
}

nb::object pred_entropy_scores_of(const PyCells& c) {
    return to_numpy(heavy(c.cells().count(), [&](Run& run) { return pred_entropy_scores(c.cells(), run); }));
}

nb::object losses_of(const PyCells& c, nb::handle split, nb::handle merge, double total, nb::handle mass) {
    const Cells& t = c.cells();
    const Array s(split, "split"), m(merge, "merge");
    const auto w = maybe(mass, "mass");
    if (s.size() != t.k_true || m.size() != t.k_pred) throw BadValue("split and merge must have one score per cluster");
    if (w && w->size() != t.count()) throw BadValue("mass must have one entry per cell");
    const double *by_true = s.exactly<double>("float64"), *by_pred = m.exactly<double>("float64");
    const double* weight = w ? w->exactly<double>("float64") : nullptr;
    auto lost = heavy(t.count(), [&](Run& run) { return cell_losses(t, weight, total, by_true, by_pred, run); });
    return losses_result(to_numpy(std::move(lost.split)), to_numpy(std::move(lost.merge)));
}

nb::object side_losses_of(const PyCells& c, nb::handle inner, nb::handle kept, nb::handle others, double total, nb::handle mass, bool pred) {
    const Cells& t = c.cells();
    const Array s(inner, "inner"), u(others, "others");
    const auto r = maybe(kept, "kept"), w = maybe(mass, "mass");
    const i64 mine = pred ? t.k_pred : t.k_true;
    if (s.size() != mine || (r && r->size() != mine) || u.size() != t.k_true + t.k_pred - mine)
        throw BadValue("inner, kept and others must have one score per cluster");
    if (w && w->size() != t.count()) throw BadValue("mass must have one entry per cell");
    const double *within = s.exactly<double>("float64"), *other = u.exactly<double>("float64");
    const double *share = r ? r->exactly<double>("float64") : nullptr, *weight = w ? w->exactly<double>("float64") : nullptr;
    auto lost = heavy(t.count(), [&](Run& run) { return side_losses(t, weight, total, within, share, other, pred, run); });
    return side_losses_result(to_numpy(std::move(lost.inner)), share ? to_numpy(std::move(lost.kept)) : nb::none());
}

nb::object charges_of(nb::handle indptr, nb::handle order, nb::handle mass, nb::handle lost) {
    const Array p(indptr, "indptr"), m(mass, "mass"), l(lost, "lost");
    const auto o = maybe(order, "order");
    const i64 cells = m.size(), clusters = p.size() - 1, *starts = p.exactly<i64>("int64"), *places = o ? o->exactly<i64>("int64") : nullptr;
    if (l.size() != cells || (o && o->size() != cells)) throw BadValue("order, mass and lost must have one entry per cell");
    if (clusters < 0 || starts[0] != 0 || starts[clusters] != cells) throw BadValue("indptr must start at 0 and end with the cells");
    const double *masses = m.exactly<double>("float64"), *losses = l.exactly<double>("float64");
    auto found = heavy(cells, [&](Run& run) {
        run.each(0, clusters, [&](i64 c) {
            if (starts[c] > starts[c + 1]) throw BadValue("indptr must not decrease");
        });
        run.each(0, o ? cells : 0, [&](i64 q) {
            if (places[q] < 0 || places[q] >= cells) throw BadValue("order must name cells");
        });
        return charges(starts, clusters, places, masses, losses, cells, run);
    });
    return charges_result(to_numpy(std::move(found.off)), to_numpy(std::move(found.charged)));
}

nb::object descending_of(nb::handle values) {
    const Array v(values, "values");
    const double* x = v.exactly<double>("float64");
    return to_numpy(heavy(v.size(), [&](Run& run) { return descending(x, v.size(), run); }));
}

nb::object assign_in(const PyCells& self, nb::handle values) {
    const Array v(values, "values");
    const Cells& c = self.cells();
    if (v.size() != c.count()) throw BadValue("values must have one entry per cell");
    const Contested& some = self.table->once(self.table->contested, [&](Run& run) { return contested(c, run); });
    auto with = [&](const auto* value) {
        return to_numpy(heavy(c.count(), [&](Run& run) {
            run.each(0, c.count(), [&](i64 q) {
                if (!(value[q] >= 0)) throw BadValue("values must not be negative");
            });
            return assign(c, some, value, run);
        }));
    };
    return v.is_integer() ? with(v.exactly<i64>("int64")) : with(v.exactly<double>("float64"));
}

nb::object one_to_one_of(nb::handle truth, nb::handle pred, nb::handle size, nb::callable least) {
    const Array t(truth, "true"), p(pred, "pred"), s(size, "size");
    const Labels rows = t.labels(), columns = p.labels();
    const i64* sizes = s.exactly<i64>("int64");
    if (rows.n != columns.n || rows.n != s.size()) throw BadValue("true, pred and size must have the same length");
    auto found = heavy(rows.n, [&](Run& run) { return OneToOne(rows, columns, sizes, run); });
    auto tied = found.tied();
    const i64 count = tied.size();
    nb::object given = count ? least(to_numpy(std::move(tied))) : to_numpy(std::move(tied));
    const Array turn(given, "least(…)");
    if (turn.size() != count) throw BadValue("least must give a number for each cell");
    const Labels turns = turn.labels();
    return to_numpy(heavy(rows.n, [&](Run& run) { return found.taken(turns, run); }));
}

// Calls f(cells, weights, run) for cells whose points may have weights.
template <class F>
auto with_weights(const PyCells& self, nb::handle mass, nb::handle entropy, double unit, F&& f) {
    const Cells& cells = self.cells();
    const auto m = maybe(mass, "mass"), e = maybe(entropy, "entropy");
    if (m.has_value() != e.has_value()) throw BadValue("mass and entropy must be given together");
    if (cells.count() + cells.k_true + cells.k_pred > kMaxClusters) throw BadValue("at most 2^31 - 1 cells and clusters are possible");
    if (m && (m->size() != cells.count() || e->size() != cells.count())) throw BadValue("mass and entropy must have one entry per cell");
    CellWeights weights;
    weights.unit = unit;
    if (m) weights.mass = m->exactly<double>("float64"), weights.entropy = e->exactly<double>("float64");
    return heavy(cells.count(), [&](Run& run) { return f(cells, weights, run); });
}

// The points that one side lacks, as (clusters, weights or None), or None.
class Lost {
  public:
    Lost(nb::handle points, const char* name, i64 k, bool weighted) {
        if (points.is_none()) return;
        const auto both = nb::cast<nb::tuple>(points);
        if (nb::len(both) != 2) throw BadValue(std::string(name) + " must have clusters and weights");
        cluster_.emplace(both[0], name);
        if (!both[1].is_none()) weights_.emplace(both[1], name);
        if (weights_.has_value() != weighted) throw BadValue(std::string(name) + " must have weights as the cells have");
        found.cluster = cluster_->exactly<i64>("int64");
        found.count = cluster_->size();
        for (i64 i = 0; i < found.count; ++i)
            if (found.cluster[i] < 0 || found.cluster[i] >= k) throw BadValue(std::string(name) + " must be in clusters that exist");
        if (!weights_) return;
        if (weights_->size() != found.count) throw BadValue(std::string(name) + " must have one weight per point");
        found.weights = weights_->exactly<double>("float64");
    }

    LostPoints found;

  private:
    std::optional<Array> cluster_, weights_;
};

// Calls f(cells, weights, missing, spurious, run).
template <class F>
auto with_lost(const PyCells& cells, nb::handle mass, nb::handle entropy, double unit, nb::handle missing, nb::handle spurious, F&& f) {
    const bool weighted = !mass.is_none();
    const Lost no_pred(missing, "missing", cells.cells().k_true, weighted), no_true(spurious, "spurious", cells.cells().k_pred, weighted);
    return with_weights(cells, mass, entropy, unit,
                        [&](const Cells& c, const CellWeights& w, Run& run) { return f(c, w, no_pred.found, no_true.found, run); });
}

nb::object repairs_of(const PyCells& cells, nb::handle mass, nb::handle entropy, double unit, nb::handle missing, nb::handle spurious) {
    const Candidates r = with_lost(cells, mass, entropy, unit, missing, spurious, repairs);
    return repairs_result(to_numpy(r.operation), to_numpy(r.at), to_numpy(r.to), to_numpy(r.gain));
}

nb::object steps_of(const PyCells& cells, nb::handle mass, nb::handle entropy, double unit, nb::handle missing, nb::handle spurious) {
    const Steps s = with_lost(cells, mass, entropy, unit, missing, spurious, repair_steps);
    return steps_result(to_numpy(s.operation), to_numpy(s.truth), to_numpy(s.gain), to_numpy(s.indptr), to_numpy(s.cell), to_numpy(s.from),
                        to_numpy(s.to));
}

nb::object looks_of(nb::handle text, i64 n) {
    const Array t(text, "text");
    const u8* bytes = t.exactly<u8>("uint8");
    Looks l = heavy(t.size(), [&](Run& run) { return looks(bytes, t.size(), n, run); });
    return looks_result(to_numpy(std::move(l.flags)), to_numpy(std::move(l.length)), to_numpy(std::move(l.first)));
}

// Calls f(codes) with an array of 32 or 64 bits.
template <class F>
auto with_codes(const Array& codes, F&& f) {
    return codes.itemsize() == 4 ? f(codes.exactly<i32>("int32")) : f(codes.exactly<i64>("int64"));
}

// Positions of points, each of which must be one of `n`.
const i64* checked_positions(const Array& at, i64 n) {
    const i64* positions = at.exactly<i64>("int64");
    for (i64 i = 0; i < at.size(); ++i)
        if (positions[i] < 0 || positions[i] >= n) throw BadValue("positions must lie in [0, " + std::to_string(n) + ")");
    return positions;
}

nb::object agreement_of(nb::handle indptr, nb::handle members, nb::handle codes, i64 none) {
    const Array p(indptr, "indptr"), m(members, "members"), c(codes, "codes");
    const i64 k = p.size() - 1, *starts = p.exactly<i64>("int64"), *list = checked_positions(m, c.size());
    if (k < 0 || starts[0] != 0 || starts[k] > m.size()) throw BadValue("indptr must start at 0 and end within members");
    for (i64 g = 0; g < k; ++g)
        if (starts[g] > starts[g + 1]) throw BadValue("indptr must not decrease");
    return to_numpy(with_codes(c, [&]<class Code>(const Code* values) {
        return heavy(c.size(), [&](Run& run) { return agreement(starts, k, list, values, c.size(), static_cast<Code>(none), run); });
    }));
}

nb::object code_sums_of(nb::handle codes, i64 k, nb::handle of, nb::handle rows, i64 width) {
    const Array c(codes, "codes"), o(of, "of"), r(rows, "rows");
    if (k < 0) throw BadValue("k must not be negative");
    if (width < 1 || r.size() % width) throw BadValue("rows must have `width` numbers each");
    if (o.size() != c.size()) throw BadValue("there must be one row per point");
    const i32* classes = o.exactly<i32>("int32");
    const double* numbers = r.exactly<double>("float64");
    return to_numpy(with_codes(c, [&](const auto* values) {
        return heavy(c.size(), [&](Run& run) { return code_sums(values, c.size(), k, classes, numbers, r.size() / width, width, run); });
    }), k, width);
}

}  // namespace

void bind_explain(nb::module_& m, nb::class_<PyCells>& cells) {
    join_result.define(m, "Join", {"of_true", "of_pred", "count"});
    looks_result.define(m, "Looks", {"flags", "length", "first"});
    repairs_result.define(m, "Repairs", {"operation", "at", "to", "gain"});
    steps_result.define(m, "RepairSteps", {"operation", "true", "gain", "indptr", "cell", "source", "target"});
    losses_result.define(m, "CellLosses", {"split", "merge"});
    side_losses_result.define(m, "SideLosses", {"inner", "kept"});
    charges_result.define(m, "Charges", {"off", "charged"});
    cells.def("join", &join_of).def("assign", &assign_in, "values"_a).def("entropy_scores", &entropy_scores_of);
    cells.def("pred_entropy_scores", &pred_entropy_scores_of);
    cells.def("losses", &losses_of, "split"_a, "merge"_a, "total"_a, "mass"_a.none() = nb::none());
    cells.def("side_losses", &side_losses_of, "inner"_a, "kept"_a.none(), "others"_a, "total"_a, "mass"_a.none() = nb::none(), nb::kw_only(), "pred"_a = false);
    m.def("charges", &charges_of, "indptr"_a, "order"_a.none(), "mass"_a, "lost"_a);
    m.def("descending", &descending_of, "values"_a);
    m.def("one_to_one", &one_to_one_of, "true"_a, "pred"_a, "size"_a, "least"_a);
    m.def("looks", &looks_of, "text"_a, "n"_a);
    m.def("agreement", &agreement_of, "indptr"_a, "members"_a, "codes"_a, "none"_a);
    m.def("code_sums", &code_sums_of, "codes"_a, "k"_a, "of"_a, "rows"_a, "width"_a);
    m.def("repairs", &repairs_of, "cells"_a, "mass"_a.none() = nb::none(), "entropy"_a.none() = nb::none(), "unit"_a = 1.0,
          "missing"_a.none() = nb::none(), "spurious"_a.none() = nb::none());
    m.def("repair_steps", &steps_of, "cells"_a, "mass"_a.none() = nb::none(), "entropy"_a.none() = nb::none(), "unit"_a = 1.0,
          "missing"_a.none() = nb::none(), "spurious"_a.none() = nb::none());
}

}  // namespace clusterdiff
