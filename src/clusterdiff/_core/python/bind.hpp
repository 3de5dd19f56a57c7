// The bindings, a function for each stage. They check what Python hands in, release the GIL, call the core and hand
// the result back.
#pragma once

#include <nanobind/nanobind.h>

#include "python/table.hpp"

namespace clusterdiff {

void bind_encode(nb::module_& m);
void bind_match(nb::module_& m);
nb::class_<PyCells> bind_meet(nb::module_& m);
void bind_sums(nb::module_& m, nb::class_<PyCells>& cells);
void bind_chance(nb::module_& m);
void bind_explain(nb::module_& m, nb::class_<PyCells>& cells);
void bind_patch(nb::module_& m);
void bind_points(nb::module_& m);
void bind_draws(nb::module_& m, nb::class_<PyCells>& cells);
void bind_judgements(nb::module_& m);
void bind_sweep(nb::module_& m);

}  // namespace clusterdiff
