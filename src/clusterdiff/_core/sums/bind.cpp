#include "python/bind.hpp"
#include "python/result.hpp"
#include "sums/weighed.hpp"

namespace clusterdiff {

using namespace nb::literals;

namespace {

// A property that is a field of the sums of the first pass, or of the second.
template <class T>
auto basic(T BasicSums::*field) {
    return [field](const PySums& s) {
        if constexpr (std::is_same_v<T, u128>)
            return to_int(s.table->basics().*field);
        else
            return s.table->basics().*field;
    };
}
auto detail(double DetailSums::*field) {
    return [field](const PySums& s) { return s.table->details().*field; };
}

// So few cells have their squares added up faster than the logarithms that all basic sums need.
constexpr i64 kFewCells = 1000;

nb::tuple sums_of_squares(const PySums& s) {
    const Cells& t = s.cells();
    u128 mm = 0, aa = 0, bb = 0;
    if (t.count() > kFewCells || t.k_true > kFewCells || t.k_pred > kFewCells) {
        const BasicSums& basic = s.table->basics();
        mm = basic.mm, aa = basic.aa, bb = basic.bb;
    } else {
        std::array<i64, kFewCells> columns;
        std::fill_n(columns.begin(), t.k_pred, 0);
        for (i64 row = 0; row < t.k_true; ++row) {
            i64 size = 0;
            for (i64 q = t.indptr[row]; q < t.indptr[row + 1]; ++q) {
                size += t.sizes[q];
                columns[static_cast<std::size_t>(t.cols[q])] += t.sizes[q];
                mm += square(t.sizes[q]);
            }
            aa += square(size);
        }
        for (i64 column = 0; column < t.k_pred; ++column) bb += square(columns[static_cast<std::size_t>(column)]);
    }
    return nb::make_tuple(t.n, to_int(mm), to_int(aa), to_int(bb));
}

// Cells that are alone in their row and in their column.
i64 exact_cells(const PySums& s) {
    const Cells& t = s.cells();
    return heavy(t.count(), [&](Run& run) {
        auto columns = Buffer<i32>::zeros(t.k_pred);
        run.each(0, t.count(), [&](i64 q) { ++columns[t.cols[q]]; });
        i64 exact = 0;
        run.each(0, t.k_true, [&](i64 row) {
            const i64 q = t.indptr[row];
            exact += t.indptr[row + 1] - q == 1 && columns[t.cols[q]] == 1;
        });
        return exact;
    });
}

Result weighed_result;

nb::object weighed_of(const PyCells& self, nb::handle mass) {
    const Array m(mass, "mass");
    const Cells& cells = self.cells();
    if (m.size() != cells.count()) throw BadValue("mass must have one entry per cell");
    const double* masses = m.exactly<double>("float64");
    for (i64 q = 0; q < cells.count(); ++q)
        if (!(masses[q] >= 0 && masses[q] < HUGE_VAL)) throw BadValue("mass must be finite and not negative");
    const Weighed w = heavy(cells.count(), [&](Run& run) { return weighed(cells, masses, run); });
    return weighed_result(w.true_only, w.pred_only, w.apart, w.mutual, w.chi2, w.frobenius);
}

}  // namespace

void bind_sums(nb::module_& m, nb::class_<PyCells>& cells) {
    nb::class_<PySums>(m, "Sums")
        .def("__init__", [](PySums* self, const PyCells& c) { new (self) PySums{c.table}; }, "cells"_a)
        .def("__reduce__",
             [](nb::handle_t<PySums> h) { return nb::make_tuple(h.type(), nb::make_tuple(PyCells{nb::cast<const PySums&>(h).table})); })
        .def_prop_ro("n", [](const PySums& s) { return s.cells().n; })
        .def_prop_ro("cells", [](const PySums& s) { return s.cells().count(); })
        .def_prop_ro("k_true", [](const PySums& s) { return s.cells().k_true; })
        .def_prop_ro("k_pred", [](const PySums& s) { return s.cells().k_pred; })
        .def_prop_ro("squares", &sums_of_squares)
        .def_prop_ro("exact", &exact_cells)
        .def_prop_ro("mm", basic(&BasicSums::mm))
        .def_prop_ro("aa", basic(&BasicSums::aa))
        .def_prop_ro("bb", basic(&BasicSums::bb))
        .def_prop_ro("true_max", basic(&BasicSums::true_max))
        .def_prop_ro("pred_max", basic(&BasicSums::pred_max))
        .def_prop_ro("s_h", basic(&BasicSums::s_h))
        .def_prop_ro("s_h_mean", basic(&BasicSums::s_h_mean))
        .def_prop_ro("b3_recall", basic(&BasicSums::b3_recall))
        .def_prop_ro("b3_precision", basic(&BasicSums::b3_precision))
        .def_prop_ro("h_true", detail(&DetailSums::h_true))
        .def_prop_ro("h_pred", detail(&DetailSums::h_pred))
        .def_prop_ro("h_joint", detail(&DetailSums::h_joint))
        .def_prop_ro("split_info", detail(&DetailSums::split_info))
        .def_prop_ro("merge_info", detail(&DetailSums::merge_info))
        .def_prop_ro("mutual", detail(&DetailSums::mutual))
        .def_prop_ro("chi2", detail(&DetailSums::chi2))
        .def_prop_ro("frobenius", detail(&DetailSums::frobenius))
        .def_prop_ro("element", detail(&DetailSums::element))
        .def_prop_ro("s_pairs", detail(&DetailSums::s_pairs))
        .def_prop_ro("s_pairs_mean", detail(&DetailSums::s_pairs_mean))
        .def_prop_ro("s_largest", detail(&DetailSums::s_largest))
        .def_prop_ro("s_largest_mean", detail(&DetailSums::s_largest_mean));
    weighed_result.define(m, "Weighed", {"true_only", "pred_only", "apart", "mutual", "chi2", "frobenius"});
    cells.def("weighed", &weighed_of, "mass"_a);
    cells.def("sums", [](const PyCells& c) { return PySums{c.table}; });
}

}  // namespace clusterdiff
