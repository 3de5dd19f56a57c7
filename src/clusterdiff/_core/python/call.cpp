#include "python/call.hpp"

namespace clusterdiff {

bool interrupted() {
    nb::gil_scoped_acquire gil;
    return PyErr_CheckSignals() != 0;
}

std::optional<Array> maybe(nb::handle source, const char* name) {
    if (source.is_none()) return std::nullopt;
    return std::optional<Array>(std::in_place, source, name);
}

}  // namespace clusterdiff
