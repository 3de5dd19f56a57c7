#include "python/bind.hpp"
#include "python/result.hpp"
#include "sums/expected.hpp"

namespace clusterdiff {

using namespace nb::literals;

namespace {

Result expected_result;

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

// Distinct cluster sizes, and how many clusters have each.
std::vector<SizeCount> size_counts(nb::handle sizes, nb::handle counts, const char* name) {
    const Array s(sizes, name), c(counts, name);
    if (s.size() != c.size()) throw BadValue(std::string(name) + ": sizes and counts must have the same length");
    const i64 *size = s.exactly<i64>("int64"), *count = c.exactly<i64>("int64");
    std::vector<SizeCount> out;
    for (i64 i = 0; i < s.size(); ++i) {
        if (size[i] < 1 || count[i] < 1) throw BadValue(std::string(name) + ": sizes and counts must be at least 1");
        out.push_back({size[i], count[i]});
    }
    return out;
}

nb::object expected(nb::handle true_sizes, nb::handle true_counts, nb::handle pred_sizes, nb::handle pred_counts) {
    const auto t = size_counts(true_sizes, true_counts, "true"), p = size_counts(pred_sizes, pred_counts, "pred");
    auto points = [](const std::vector<SizeCount>& side) {
        i64 n = 0;
        for (const auto& x : side) n += x.size * x.count;
        return n;
    };
    if (points(t) != points(p)) throw BadValue("true and pred must have the same number of points");
    // A pair of sizes takes some dozens of steps.
    const i64 work = static_cast<i64>(t.size() * p.size()) * 32;
    const Expected e = heavy(work, [&](Run& run) { return expected_information(t, p, points(t), run); });
    return expected_result(e.mutual, e.split_info, e.merge_info);
}

}  // namespace

void bind_sums(nb::module_& m, nb::class_<PyCells>& cells) {
    expected_result.define(m, "ExpectedInformation", {"mutual", "split_info", "merge_info"});
    nb::class_<PySums>(m, "Sums")
        .def("__init__", [](PySums* self, const PyCells& c) { new (self) PySums{c.table}; }, "cells"_a)
        .def("__reduce__",
             [](nb::handle_t<PySums> h) { return nb::make_tuple(h.type(), nb::make_tuple(PyCells{nb::cast<const PySums&>(h).table})); })
        .def_prop_ro("n", [](const PySums& s) { return s.cells().n; })
        .def_prop_ro("cells", [](const PySums& s) { return s.cells().count(); })
        .def_prop_ro("k_true", [](const PySums& s) { return s.cells().k_true; })
        .def_prop_ro("k_pred", [](const PySums& s) { return s.cells().k_pred; })
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
        .def_prop_ro("element", detail(&DetailSums::element))
        .def_prop_ro("s_pairs", detail(&DetailSums::s_pairs))
        .def_prop_ro("s_pairs_mean", detail(&DetailSums::s_pairs_mean))
        .def_prop_ro("s_largest", detail(&DetailSums::s_largest))
        .def_prop_ro("s_largest_mean", detail(&DetailSums::s_largest_mean));
    cells.def("sums", [](const PyCells& c) { return PySums{c.table}; });
    m.def("expected_information", &expected, "true_sizes"_a, "true_counts"_a, "pred_sizes"_a, "pred_counts"_a);
}

}  // namespace clusterdiff
