// A call into the core: how its heavy part runs, and what many calls have in common.
#pragma once

#include <optional>

#include "base/threads.hpp"
#include "python/array.hpp"

namespace clusterdiff {

// Whether the user has asked for the run to end; the Python exception is then set.
bool interrupted();

// The heavy part of a call: without the GIL, unless the work is over sooner than the hand-over.
template <class F>
auto heavy(i64 work, F&& f) {
    Run run(work, interrupted);
    if (work < 4096) return f(run);
    nb::gil_scoped_release released;
    return f(run);
}

// Nothing for None.
std::optional<Array> maybe(nb::handle source, const char* name);

}  // namespace clusterdiff
