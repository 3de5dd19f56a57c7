// Results with named fields.
#pragma once

#include <nanobind/nanobind.h>

#include <initializer_list>

namespace clusterdiff {

namespace nb = nanobind;

// A type of results: a named tuple, made once when the module is loaded. Callers read the fields by name, or unpack
// them as those of any tuple.
class Result {
  public:
    void define(nb::module_& m, const char* name, std::initializer_list<const char*> fields) {
        nb::list names;
        for (const char* field : fields) names.append(field);
        nb::object type = nb::module_::import_("collections").attr("namedtuple")(name, names, nb::arg("module") = m.attr("__name__"));
        m.attr(name) = type;
        type_ = type.release().ptr();  // never given back: results may outlive the module
    }

    // As `_make` does it: without a detour through the Python code of the named tuple's own `__new__`.
    template <class... Fields>
    nb::object operator()(Fields&&... fields) const {
        const nb::tuple arguments = nb::make_tuple(nb::make_tuple(std::forward<Fields>(fields)...));
        nb::object result = nb::steal(PyTuple_Type.tp_new(reinterpret_cast<PyTypeObject*>(type_), arguments.ptr(), nullptr));
        if (!result.is_valid()) throw nb::python_error();
        return result;
    }

  private:
    PyObject* type_ = nullptr;
};

}  // namespace clusterdiff
