#include "match/match.hpp"
#include "python/bind.hpp"
#include "python/result.hpp"

namespace clusterdiff {

using namespace nb::literals;

namespace {

Result matched;

// A stream is asked for when the one before has been read: two of one connection may not be open at once.
void read(Matching& matching, int side, nb::handle source, i64 rows) {
    if (!nb::hasattr(source, "__arrow_c_stream__"))
        throw nb::type_error(("ids must be an Arrow stream, not " + Array::type_name(source)).c_str());
    const nb::object capsule = source.attr("__arrow_c_stream__")();
    auto* stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
    if (!stream) throw nb::python_error();
    Run run(rows, interrupted);
    nb::gil_scoped_release released;  // whoever fills the stream may need it
    matching.read(side, stream, run);
}

nb::object match(nb::handle left, nb::handle right, i64 rows) {
    Matching matching(rows);
    read(matching, 0, left, rows);
    read(matching, 1, right, rows);
    Matched m = heavy(rows, [&](Run& run) { return matching.match(run); });
    return matched(to_numpy(std::move(m.place)), to_numpy(std::move(m.extra)), to_numpy(std::move(m.repeats[0])), to_numpy(std::move(m.repeats[1])));
}

}  // namespace

void bind_match(nb::module_& m) {
    matched.define(m, "Matched", {"place", "extra", "true_repeats", "pred_repeats"});
    m.def("match", &match, "true"_a, "pred"_a, "rows"_a);
}

}  // namespace clusterdiff
