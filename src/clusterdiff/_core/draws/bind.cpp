#include "draws/kept.hpp"
#include "draws/resample.hpp"
#include "python/bind.hpp"
#include "python/result.hpp"

namespace clusterdiff {

using namespace nb::literals;

namespace {

Result kept_result;

nb::object kept_of(const PyCells& c) {
    Table& table = *c.table;
    auto k = heavy(c.cells().count(), [&](Run& run) {
        std::unique_lock lock(table.mutex);
        if (auto known = std::exchange(table.kept, std::nullopt)) return std::move(*known);
        lock.unlock();
        return kept_by_true(c.cells(), run);
    });
    return kept_result(to_numpy(std::move(k.kept)), k.split, k.merge);
}

// Rows follow each other in `values`, `width` numbers each, and in `drawn`, one number per block of units each.
nb::object resample(nb::handle values, i64 width, nb::handle drawn, u64 seed) {
    const Array v(values, "values"), d(drawn, "drawn");
    if (width < 1 || v.size() < 1 || v.size() % width) throw BadValue("values must hold a row of width numbers per unit");
    const i64 units = v.size() / width, blocks = (units + kUnits - 1) / kUnits;
    if (d.size() % blocks) throw BadValue("drawn must hold a number per block of units for each resample");
    const double* value = v.exactly<double>("float64");
    const i64 *count = d.exactly<i64>("int64"), resamples = d.size() / blocks;
    i64 work = 0;
    for (i64 i = 0; i < d.size(); ++i) {
        if (count[i] < 0) throw BadValue("drawn must not be negative");
        work += count[i];
    }
    return to_numpy(heavy(work, [&](Run& run) { return resampled(value, units, width, count, resamples, seed, run); }), resamples, width);
}

nb::object toss(nb::handle values, i64 width, i64 draws, u64 seed) {
    const Array v(values, "values");
    if (width < 1 || v.size() < 1 || v.size() % width) throw BadValue("values must hold a row of width numbers per unit");
    if (draws < 0) throw BadValue("draws must not be negative");
    const double* value = v.exactly<double>("float64");
    const i64 units = v.size() / width;
    return to_numpy(heavy(units * draws / 4, [&](Run& run) { return tossed(value, units, width, draws, seed, run); }), draws, width);
}

}  // namespace

void bind_draws(nb::module_& m, nb::class_<PyCells>& cells) {
    kept_result.define(m, "Kept", {"kept", "split", "merge"});
    cells.def("kept_by_true", &kept_of);
    m.def("resample", &resample, "values"_a, "width"_a, "drawn"_a, "seed"_a);
    m.def("toss", &toss, "values"_a, "width"_a, "draws"_a, "seed"_a);
    m.attr("RESAMPLE_BLOCK") = kUnits;
}

}  // namespace clusterdiff
