#include "match/match.hpp"
#include "python/bind.hpp"
#include "python/result.hpp"
#include "python/stream.hpp"

namespace clusterdiff {

using namespace nb::literals;

namespace {

Result matched;

void read(Matching& matching, int side, nb::handle source, i64 rows) {
    const Offered offered(source, "ids");
    Run run(rows, interrupted);
    nb::gil_scoped_release released;  // whoever fills the stream may need it
    matching.read(side, offered.stream(), run);
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
