// Arbitrary Python objects to codes, with the equality of a dict. Runs under the GIL: it reads and may call Python.
#pragma once

#include "array.hpp"
#include "encode.hpp"

namespace clusterdiff {

class ObjectEncoder {
  public:
    ObjectEncoder(nb::handle source, Run& run) : run_(run) {
        if (PyList_Check(source.ptr()) || PyTuple_Check(source.ptr())) {
            // A tuple cannot change under us, whatever __eq__ or __hash__ of an element may do.
            items_ = nb::steal(PySequence_Tuple(source.ptr()));
            if (!items_.is_valid()) throw nb::python_error();
            at_ = reinterpret_cast<const char*>(PySequence_Fast_ITEMS(items_.ptr()));
            n_ = PyTuple_GET_SIZE(items_.ptr());
            stride_ = sizeof(PyObject*);
        } else {
            array_.emplace(source, "objects");
            if (array_->code() != 'O') throw nb::type_error("objects must be a list, a tuple or an array of objects");
            at_ = array_->data();
            n_ = array_->size();
            stride_ = array_->stride();
        }
    }

    nb::object encode() {
        codes_ = Buffer<i32>(n_);
        for (i64 i = 0; i < n_; ++i) {
            if ((i & 0x3fff) == 0) run_.poll(0);
            codes_[i] = code_of(i);
        }
        nb::list types;
        for (const auto& [type, position] : types_) types.append(nb::make_tuple(type, position));
        return nb::make_tuple(to_numpy(std::move(codes_)), to_numpy(first_), types);
    }

  private:
    PyObject* item(i64 i) const {
        PyObject* x;
        std::memcpy(&x, at_ + i * stride_, sizeof x);
        return x ? x : Py_None;  // NumPy leaves null pointers for None in fresh object arrays
    }

    i32 code_of(i64 i) {
        PyObject* x = item(i);
        if (x == Py_None) return -1;
        PyTypeObject* type = Py_TYPE(x);
        if (type == &PyUnicode_Type) {
            note_type(type, i);
            return dict_.is_valid() ? code_in_dict(x, i) : code_of_text(x, i);
        }
        if (type == &PyLong_Type || type == &PyBool_Type) {
            int overflow = 0;
            const long long value = PyLong_AsLongLongAndOverflow(x, &overflow);
            note_type(type, i);
            if (overflow == 0 && !dict_.is_valid()) return code_of_int(value, i);
            use_dict();
            return code_in_dict(x, i);
        }
        nb::object held = nb::borrow(x);  // Python code may run from here on
        if (is_null(x)) return -1;
        note_type(type, i);
        use_dict();
        return code_in_dict(x, i);
    }

    // Missing values: None, and whatever differs from itself (NaN, NaT); pandas.NA refuses to say, so by its type.
    static bool is_null(PyObject* x) {
        if (PyFloat_CheckExact(x)) return PyFloat_AS_DOUBLE(x) != PyFloat_AS_DOUBLE(x);
        if (PyBytes_CheckExact(x) || PyTuple_CheckExact(x)) return false;
        const std::string_view name = Py_TYPE(x)->tp_name;
        if (name.ends_with("NAType") || name.ends_with("NaTType")) return true;
        nb::object differs = nb::steal(PyObject_RichCompare(x, x, Py_NE));
        const int truth = differs.is_valid() ? PyObject_IsTrue(differs.ptr()) : -1;
        if (truth < 0) PyErr_Clear();  // an answer without a truth value (an array, say) is no answer
        return truth > 0;
    }

    i32 add(i64 i) {
        check_clusters(static_cast<i64>(first_.size()) + 1, "The input");
        first_.push_back(i);
        return static_cast<i32>(first_.size()) - 1;
    }

    static Bytes text(PyObject* x) {
        // Equal strings have equal kinds: CPython stores each in the narrowest form.
        return {static_cast<const u8*>(PyUnicode_DATA(x)), static_cast<i64>(PyUnicode_GET_LENGTH(x)) * static_cast<i64>(PyUnicode_KIND(x))};
    }

    i32 code_of_text(PyObject* x, i64 i) {
        const Bytes bytes = text(x);
        const auto kind = PyUnicode_KIND(x);
        const i32 found = texts_.find_or_add(hash_bytes(bytes.data, bytes.length) + static_cast<u64>(kind), [&](i32 c) {
            PyObject* other = item(first_[static_cast<std::size_t>(text_codes_[static_cast<std::size_t>(c)])]);
            if (other == x) return true;
            const Bytes b = text(other);
            return PyUnicode_KIND(other) == kind && b.length == bytes.length &&
                   (b.length == 0 || std::memcmp(b.data, bytes.data, static_cast<std::size_t>(b.length)) == 0);
        });
        if (static_cast<std::size_t>(found) == text_codes_.size()) text_codes_.push_back(add(i));
        return text_codes_[static_cast<std::size_t>(found)];
    }

    i32 code_of_int(long long value, i64 i) {
        const i32 found = ints_.find_or_add(mix(static_cast<u64>(value)), [](i32) { return true; });
        if (static_cast<std::size_t>(found) == int_codes_.size()) int_codes_.push_back(add(i));
        return int_codes_[static_cast<std::size_t>(found)];
    }

    // The first object that is neither text nor a machine integer brings in a dict, which then knows all codes: only
    // Python's own hash and equality tell how such objects compare with the rest (1 == 1.0, numpy.str_("a") == "a").
    void use_dict() {
        if (dict_.is_valid()) return;
        dict_ = nb::steal(PyDict_New());
        for (std::size_t code = 0; code < first_.size(); ++code) {
            nb::object value = nb::steal(PyLong_FromSize_t(code));
            if (PyDict_SetItem(dict_.ptr(), item(first_[code]), value.ptr()) != 0) throw nb::python_error();
        }
    }

    i32 code_in_dict(PyObject* x, i64 i) {
        nb::object held = nb::borrow(x);
        const Py_hash_t hash = PyObject_Hash(x);
        if (hash == -1) {
            if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
            PyErr_Clear();
            throw nb::type_error(("element " + std::to_string(i) + " is not hashable: " + Array::type_name(x)).c_str());
        }
        PyObject* known = PyDict_GetItemWithError(dict_.ptr(), x);
        if (known) return static_cast<i32>(PyLong_AsLong(known));
        if (PyErr_Occurred()) throw nb::python_error();
        const i32 code = add(i);
        nb::object value = nb::steal(PyLong_FromLong(code));
        if (PyDict_SetItem(dict_.ptr(), x, value.ptr()) != 0) throw nb::python_error();
        return code;
    }

    void note_type(PyTypeObject* type, i64 i) {
        if (type == last_type_) return;
        last_type_ = type;
        for (const auto& [known, position] : types_)
            if (known.ptr() == reinterpret_cast<PyObject*>(type)) return;
        types_.emplace_back(nb::borrow(reinterpret_cast<PyObject*>(type)), i);
    }

    Run& run_;
    nb::object items_;
    std::optional<Array> array_;
    const char* at_ = nullptr;
    i64 n_ = 0, stride_ = 0;
    Buffer<i32> codes_;
    std::vector<i64> first_;
    CodeTable texts_, ints_;
    std::vector<i32> text_codes_, int_codes_;  // from the tables' own numbering to the common one
    nb::object dict_;
    std::vector<std::pair<nb::object, i64>> types_;
    PyTypeObject* last_type_ = nullptr;
};

}  // namespace clusterdiff
