#include <nanobind/stl/optional.h>

#include "meet/locate.hpp"
#include "meet/meet.hpp"
#include "meet/squares.hpp"
#include "python/bind.hpp"
#include "python/result.hpp"

namespace clusterdiff {

using namespace nb::literals;

namespace {

Result transposed, cell_members;

PyCells meet_of(nb::handle truth, nb::handle pred) {
    const Array t(truth, "true"), p(pred, "pred");
    const Labels tl = t.labels(), pl = p.labels();
    return wrap(heavy(tl.n, [&](Run& run) { return meet(tl, pl, run); }));
}

// An array of integers of one dimension; nothing else, and none in a foreign order of bytes.
std::optional<Array> plain(nb::handle source) {
    try {
        Array array(source, "labels");
        if (array.is_integer()) return array;
    } catch (const BadValue&) {
    } catch (const nb::builtin_exception&) {
    }
    return std::nullopt;
}

// What `f(cells, run)` makes of two plain arrays of labels, at once for the sake of small ones; nothing if they are
// anything else.
template <class F>
auto of_plain(nb::handle truth, nb::handle pred, F&& f) -> std::optional<decltype(f(std::declval<Cells>(), std::declval<Run&>()))> {
    const auto t = plain(truth), p = plain(pred);
    if (!t || !p || !t->size() || t->size() != p->size()) return std::nullopt;
    const Labels tl = t->labels(), pl = p->labels();
    return heavy(tl.n, [&](Run& run) { return f(meet(tl, pl, run), run); });
}

std::optional<PySums> sums_of(nb::handle truth, nb::handle pred) {
    return of_plain(truth, pred, [](Cells&& cells, Run&) { return PySums{wrap(std::move(cells)).table}; });
}

std::optional<double> s_h_of(nb::handle truth, nb::handle pred) {
    return of_plain(truth, pred, [](Cells&& cells, Run& run) { return basic_sums(cells, run).s_h; });
}

// The meets of one clustering with each of several, and the sums that rankings read: a thread takes one at a time.
nb::list meets_of(nb::handle truth, nb::list preds) {
    const Array t(truth, "true");
    const Labels tl = t.labels();
    std::vector<Array> arrays;
    std::vector<Labels> labels;
    for (nb::handle pred : preds) {
        arrays.emplace_back(pred, "preds");
        labels.push_back(arrays.back().labels());
        if (labels.back().n != tl.n) throw BadValue("true and preds must have the same length");
    }
    const i64 count = static_cast<i64>(labels.size());
    std::vector<PyCells> made(labels.size());
    heavy(tl.n * count, [&](Run& run) {
        const std::optional<Sorted> sorted = sorted_points(tl, run);
        std::vector<MeetScratch> scratch(static_cast<std::size_t>(run.threads()));
        run.tasks(count, [&](i64 task, int worker) {
            const std::size_t j = static_cast<std::size_t>(task);
            Run alone(&run);
            made[j] = wrap(meet(tl, labels[j], sorted ? &*sorted : nullptr, scratch[static_cast<std::size_t>(worker)], alone));
            Table& table = *made[j].table;
            table.basic.emplace(basic_sums(table.cells, alone));
            table.pred_sizes.emplace(table.cells.pred_sizes(alone));
            table.kept.emplace(kept_by_true(table.cells, alone));
        });
    });
    nb::list out;
    for (PyCells& cells : made) out.append(nb::cast(std::move(cells)));
    return out;
}

nb::object squares_of(nb::list sides) {
    std::vector<Array> arrays;
    std::vector<Labels> labels;
    for (nb::handle side : sides) {
        arrays.emplace_back(side, "sides");
        labels.push_back(arrays.back().labels());
    }
    const i64 count = static_cast<i64>(labels.size()), n = count ? labels[0].n : 0;
    return to_numpy(heavy(n * count * count, [&](Run& run) { return squares(labels, run); }), count, count);
}

std::optional<LabelList> labels_of(nb::handle source, i64 clusters, const char* name) {
    const auto a = maybe(source, name);
    if (!a) return std::nullopt;
    if (!a->is_integer() || a->itemsize() != 8) throw nb::type_error((std::string(name) + " must be int64 or uint64").c_str());
    const Labels labels = a->labels();
    return heavy(clusters, [&](Run& run) { return checked_labels(labels, clusters, name, run); });
}

void make_cells(PyCells* self, nb::handle indptr, nb::handle cols, nb::handle sizes, i64 k_pred, nb::handle true_labels, nb::handle pred_labels) {
    const Array p(indptr, "indptr"), c(cols, "cols"), s(sizes, "sizes");
    if (c.size() != s.size()) throw BadValue("cols and sizes must have the same length");
    if (p.size() < 1) throw BadValue("indptr must not be empty");
    const i64 *starts = p.exactly<i64>("int64"), *sizes_of = s.exactly<i64>("int64");
    const i32* cols_of = c.exactly<i32>("int32");
    Cells cells = heavy(c.size(), [&](Run& run) { return checked_cells(starts, p.size() - 1, cols_of, sizes_of, c.size(), k_pred, run); });
    if (true_labels.is_none() != pred_labels.is_none()) throw BadValue("true_labels and pred_labels must be given together");
    cells.true_labels = labels_of(true_labels, cells.k_true, "true_labels");
    cells.pred_labels = labels_of(pred_labels, cells.k_pred, "pred_labels");
    new (self) PyCells(wrap(std::move(cells)));
}

// A view of the labels of a side, which the cells keep alive; those of an unbroken range are made.
nb::object label_array(nb::handle_t<PyCells> self, std::optional<LabelList> Cells::* side) {
    const std::optional<LabelList>& list = nb::cast<const PyCells&>(self).cells().*side;
    if (!list) return nb::none();
    nb::object array;
    if (!list->values) {
        Buffer<u64> values(list->count);
        heavy(list->count, [&](Run& run) {
            run.each(0, list->count, [&](i64 code) { values[code] = (*list)[code]; });
            return 0;
        });
        array = to_numpy(std::move(values));
    } else {
        array = view_numpy(list->values->data(), list->count, self);
    }
    return list->is_signed ? array.attr("view")("int64") : array;
}

nb::object locate_in(const PyCells& self, nb::handle truth, nb::handle pred) {
    const Array t(truth, "true"), p(pred, "pred");
    const Labels tl = t.labels(), pl = p.labels();
    const Cells& cells = self.cells();
    if (!cells.true_labels || !cells.pred_labels) throw BadValue("these cells were made by hand and know no labels");
    if (tl.n != pl.n) throw BadValue("true and pred must have the same length");
    auto run_with = [&](auto zero) {
        Buffer<decltype(zero)> out(tl.n);
        const bool known = heavy(tl.n, [&](Run& run) { return locate(cells, tl, pl, out.data(), run); });
        if (!known) throw BadValue("these are not the labels that the cells were made from");
        return to_numpy(std::move(out));
    };
    return cells.count() <= INT32_MAX ? run_with(i32{}) : run_with(i64{});
}

nb::object members_in(const PyCells& self, nb::handle truth, nb::handle pred, nb::handle chosen) {
    const Array t(truth, "true"), p(pred, "pred"), c(chosen, "cells");
    const Labels tl = t.labels(), pl = p.labels();
    const Cells& cells = self.cells();
    if (!cells.true_labels || !cells.pred_labels) throw BadValue("these cells were made by hand and know no labels");
    if (tl.n != pl.n) throw BadValue("true and pred must have the same length");
    const i64* numbers = c.exactly<i64>("int64");
    auto found = heavy(tl.n, [&](Run& run) { return members_of(cells, tl, pl, numbers, c.size(), run); });
    return cell_members(to_numpy(std::move(found.indptr)), to_numpy(std::move(found.members)));
}

CLUSTERDIFF_CLONES u64 total_of(const u64* x, i64 count) {
    u64 sum = 0;
    for (i64 i = 0; i < count; ++i) sum += x[i];
    return sum;
}

// Reads every label once and does next to nothing with it: no meet can be faster.
u64 stream(nb::handle truth, nb::handle pred) {
    const Array t(truth, "true"), p(pred, "pred");
    const Labels sides[2] = {t.labels(), p.labels()};
    return heavy(sides[0].n, [&](Run& run) {
        std::atomic<u64> total{0};
        const int team = run.threads();
        run.workers(team, [&](int worker) {
            u64 sum = 0, scratch[kBlock];
            for (const Labels& x : sides) {
                const i64 begin = x.n / team * worker, end = worker + 1 == team ? x.n : x.n / team * (worker + 1);
                for (i64 at = begin; at < end; at += kBlock) {
                    if ((at - begin) % (kBlock * 64) == 0) run.poll();
                    const i64 count = std::min(kBlock, end - at);
                    sum += total_of(x.block(at, count, scratch), count);
                }
            }
            total += sum;
        });
        return total.load();
    });
}

// A property that is a read-only view of memory which the cells keep alive; `f(table)` gives its start and its length.
template <class F>
auto view(F f) {
    return [f](nb::handle_t<PyCells> h) {
        const auto [data, size] = f(*nb::cast<const PyCells&>(h).table);
        return view_numpy(data, size, h);
    };
}

}  // namespace

nb::class_<PyCells> bind_meet(nb::module_& m) {
    transposed.define(m, "Transposed", {"cells", "order"});
    cell_members.define(m, "CellMembers", {"indptr", "members"});
    m.def("meet", &meet_of, "true"_a, "pred"_a);
    m.def("sums", &sums_of, "true"_a, "pred"_a);
    m.def("s_h", &s_h_of, "true"_a, "pred"_a);
    m.def("squares", &squares_of, "sides"_a);
    m.def("meets", &meets_of, "true"_a, "preds"_a);
    m.def("stream", &stream, "true"_a, "pred"_a);
    nb::class_<PyCells> cells(m, "Cells");
    cells.def("__init__", &make_cells, "indptr"_a, "cols"_a, "sizes"_a, "k_pred"_a, "true_labels"_a.none() = nb::none(),
              "pred_labels"_a.none() = nb::none())
        .def("__reduce__",
             [](nb::handle h) {
                 const nb::tuple arguments = nb::make_tuple(h.attr("indptr"), h.attr("cols"), h.attr("sizes"), h.attr("k_pred"),
                                                            h.attr("true_labels"), h.attr("pred_labels"));
                 return nb::make_tuple(h.type(), arguments);
             })
        .def("__len__", [](const PyCells& c) { return c.cells().count(); })
        .def_prop_ro("n", [](const PyCells& c) { return c.cells().n; })
        .def_prop_ro("k_true", [](const PyCells& c) { return c.cells().k_true; })
        .def_prop_ro("k_pred", [](const PyCells& c) { return c.cells().k_pred; })
        .def_prop_ro("indptr", view([](Table& t) { return std::pair(t.cells.indptr.data(), t.cells.k_true + 1); }))
        .def_prop_ro("rows", view([](Table& t) {
            return std::pair(t.once(t.rows, [&](Run& run) { return t.cells.rows(run); }).data(), t.cells.count());
        }))
        .def_prop_ro("cols", view([](Table& t) { return std::pair(t.cells.cols.data(), t.cells.count()); }))
        .def_prop_ro("sizes", view([](Table& t) { return std::pair(t.cells.sizes.data(), t.cells.count()); }))
        .def_prop_ro("true_sizes", view([](Table& t) {
            return std::pair(t.once(t.true_sizes, [&](Run& run) { return t.cells.true_sizes(run); }).data(), t.cells.k_true);
        }))
        .def_prop_ro("pred_sizes", view([](Table& t) {
            return std::pair(t.once(t.pred_sizes, [&](Run& run) { return t.cells.pred_sizes(run); }).data(), t.cells.k_pred);
        }))
        .def_prop_ro("true_labels", [](nb::handle_t<PyCells> c) { return label_array(c, &Cells::true_labels); })
        .def_prop_ro("pred_labels", [](nb::handle_t<PyCells> c) { return label_array(c, &Cells::pred_labels); })
        .def("transpose", [](const PyCells& c) {
            auto t = heavy(c.cells().count(), [&](Run& run) { return transpose(c.cells(), run); });
            return transposed(wrap(std::move(t.cells)), to_numpy(std::move(t.order)));
        })
        .def("locate", &locate_in, "true"_a, "pred"_a)
        .def("members", &members_in, "true"_a, "pred"_a, "cells"_a);
    return cells;
}

}  // namespace clusterdiff
