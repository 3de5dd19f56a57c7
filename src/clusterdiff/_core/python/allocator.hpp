// Where NumPy has the memory of its arrays from.
#pragma once

#include <nanobind/nanobind.h>

namespace clusterdiff {

// From here on large arrays of NumPy that are made in this context have their memory where the core's have it, or, given
// what an earlier call returned, where they had it before that. Each array's memory goes back to where it is from.
nanobind::object set_array_memory(nanobind::handle before);

}  // namespace clusterdiff
