// Arbitrary Python objects to codes, with the equality of a dict. The calling thread keeps the GIL throughout, so
// nobody changes the objects while other threads read the characters of strings.
#pragma once

#include <nanobind/nanobind.h>

#include <utility>
#include <vector>

#include "encode/encode.hpp"

namespace clusterdiff {

namespace nb = nanobind;

struct EncodedObjects {
    Encoded encoded;
    std::vector<std::pair<nb::object, i64>> types;  // the types met, nulls excluded, and where each was met first
};

// Of a list, a tuple or an array of objects.
EncodedObjects encode_objects(nb::handle source);
// Of several lists as if they were one.
EncodedObjects encode_lists(const std::vector<nb::list>& lists);

}  // namespace clusterdiff
