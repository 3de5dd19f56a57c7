// Texts from Python.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <charconv>

#include "base/texts.hpp"
#include "python/array.hpp"

namespace clusterdiff {

// A list of strings, or of UTF-8 as bytes where a string cannot be written as such; or whole numbers.
inline Texts texts_of(nb::handle source) {
    Texts out;
    if (!PyList_Check(source.ptr())) {
        const Array numbers(source, "texts");
        const i64* values = numbers.exactly<i64>("int64");
        out.reserve(numbers.size(), 8 * numbers.size());
        std::array<char, 24> digits;
        for (i64 i = 0; i < numbers.size(); ++i) {
            const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), values[i]).ptr;
            out.add({digits.data(), static_cast<std::size_t>(end - digits.data())});
        }
        return out;
    }
    out.reserve(PyList_GET_SIZE(source.ptr()), 16 * PyList_GET_SIZE(source.ptr()));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(source.ptr()); ++i) {
        PyObject* const item = PyList_GET_ITEM(source.ptr(), i);
        Py_ssize_t size = 0;
        const char* text = PyBytes_Check(item) ? (size = PyBytes_GET_SIZE(item), PyBytes_AS_STRING(item)) : PyUnicode_AsUTF8AndSize(item, &size);
        if (!text) throw nb::python_error();
        out.add({text, static_cast<std::size_t>(size)});
    }
    return out;
}

}  // namespace clusterdiff
