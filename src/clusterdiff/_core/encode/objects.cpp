#include "encode/objects.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string_view>

#include "encode/bytes.hpp"
#include "python/array.hpp"
#include "python/call.hpp"

namespace clusterdiff {

namespace {

class ObjectEncoder {
  public:
    explicit ObjectEncoder(nb::handle source) {
        if (PyList_Check(source.ptr()) || PyTuple_Check(source.ptr())) {
            items_ = nb::borrow(source);
            n_ = PySequence_Fast_GET_SIZE(source.ptr());
            at_ = reinterpret_cast<const char*>(PySequence_Fast_ITEMS(source.ptr()));
            stride_ = sizeof(PyObject*);
        } else {
            array_.emplace(source, "objects");
            if (array_->code() != 'O') throw nb::type_error("objects must be a list, a tuple or an array of objects");
            at_ = array_->data();
            n_ = array_->size();
            stride_ = array_->stride();
        }
    }

    // Several lists, one after the other: pointers are gathered, and no object is touched for it.
    explicit ObjectEncoder(const std::vector<nb::list>& lists) {
        for (const nb::list& list : lists) n_ += static_cast<i64>(list.size());
        gathered_ = Buffer<PyObject*>(n_);
        i64 end = 0;
        for (const nb::list& list : lists) {
            const auto size = static_cast<i64>(list.size());
            std::copy_n(PySequence_Fast_ITEMS(list.ptr()), size, gathered_.data() + end);
            end += size;
        }
        at_ = reinterpret_cast<const char*>(gathered_.data());
        stride_ = sizeof(PyObject*);
    }

    i64 size() const { return n_; }

    EncodedObjects encode(Run& run) {
        std::optional<Encoded> text = encode_text(run);
        Encoded result = text ? std::move(*text) : all_integers() ? encode_integers(run) : encode_any(run);
        return {std::move(result), std::move(types_)};
    }

  private:
    static constexpr i64 kAhead = 12;  // objects lie anywhere in memory: fetch them some time before they are read

    PyObject* item(i64 i) const {
        PyObject* x;
        std::memcpy(&x, at_ + i * stride_, sizeof x);
        return x ? x : Py_None;  // NumPy leaves null pointers for None in fresh object arrays
    }
    void prefetch(i64 i) const {
        if (i + kAhead < n_) clusterdiff::prefetch(item(i + kAhead));
    }

    // Equal strings have equal kinds: CPython stores each in the narrowest form.
    static Bytes bytes(PyObject* x) {
        const auto kind = static_cast<u32>(PyUnicode_KIND(x));
        return {static_cast<const u8*>(PyUnicode_DATA(x)), static_cast<i64>(PyUnicode_GET_LENGTH(x)) * kind, kind};
    }

    // Strings, read where they lie. Whatever else but None turns up is noted: then the codes mean nothing, and there
    // are none.
    std::optional<Encoded> encode_text(Run& run) {
        i64 head = 0;
        while (head < n_ && item(head) == Py_None) ++head;
        if (head < n_ && !PyUnicode_CheckExact(item(head))) return std::nullopt;
        std::atomic<bool> odd{false};
        auto null = [&](i64 i) {
            PyObject* x = item(i);
            if (x == Py_None) return true;
            if (PyUnicode_CheckExact(x)) [[likely]]
                return false;
            odd.store(true, std::memory_order_relaxed);
            return true;
        };
        auto at = [&](i64 i) { return bytes(item(i)); };
        auto fetch = [&](i64 i) {
            if (i >= n_) return;
            const char* x = reinterpret_cast<const char*>(item(i));
            clusterdiff::prefetch(x);
            clusterdiff::prefetch(x + 63);  // short text follows its head
        };
        Encoded out = encode_bytes(n_, null, at, fetch, run);
        if (odd.load()) return std::nullopt;
        if (head < n_) note_type(&PyUnicode_Type, head);
        return out;
    }

    // Only integers of up to 64 bits, and booleans?
    bool all_integers() {
        integers_ = Buffer<i64>(n_);
        for (i64 i = 0; i < n_; ++i) {
            prefetch(i);
            PyObject* x = item(i);
            int overflow = 1;
            if (PyLong_CheckExact(x) || PyBool_Check(x)) integers_[i] = PyLong_AsLongLongAndOverflow(x, &overflow);
            if (overflow) {
                types_.clear();
                integers_ = {};
                return false;
            }
            note_type(Py_TYPE(x), i);
        }
        return true;
    }
    Encoded encode_integers(Run& run) const {
        const Labels labels{reinterpret_cast<const char*>(integers_.data()), n_, sizeof(i64), Kind::i64};
        return clusterdiff::encode_integers(labels, run);
    }

    // Anything else: a dict, since only Python's own hash and equality tell how such objects compare (1 == 1.0,
    // numpy.str_("a") == "a"). They may run any code, so the elements are held fast first.
    Encoded encode_any(Run& run) {
        nb::object held = items_.is_valid() ? nb::steal(PySequence_Tuple(items_.ptr())) : snapshot();
        if (!held.is_valid()) throw nb::python_error();
        nb::object known = nb::steal(PyDict_New());
        Encoded out;
        out.codes = Buffer<i32>(n_);
        std::vector<i64> first;
        nb::object next;
        for (i64 i = 0; i < n_; ++i) {
            if (i % kBlock == 0) run.poll();
            PyObject* x = PyTuple_GET_ITEM(held.ptr(), i);
            if (x == Py_None || is_null(x)) {
                out.codes[i] = -1;
                continue;
            }
            note_type(Py_TYPE(x), i);
            out.codes[i] = code_in(known, x, i, first, next);
        }
        out.first = Buffer<i64>::copy(first.data(), static_cast<i64>(first.size()));
        return out;
    }

    nb::object snapshot() const {
        nb::object tuple = nb::steal(PyTuple_New(n_));
        if (!tuple.is_valid()) throw nb::python_error();
        for (i64 i = 0; i < n_; ++i) PyTuple_SET_ITEM(tuple.ptr(), i, nb::borrow(item(i)).release().ptr());
        return tuple;
    }

    // Missing values: None, and whatever differs from itself (NaN, NaT); pandas.NA refuses to say, so by its type.
    static bool is_null(PyObject* x) {
        if (PyUnicode_CheckExact(x) || PyLong_CheckExact(x) || PyBytes_CheckExact(x) || PyTuple_CheckExact(x)) return false;
        if (PyFloat_CheckExact(x)) return PyFloat_AS_DOUBLE(x) != PyFloat_AS_DOUBLE(x);
        const std::string_view name = Py_TYPE(x)->tp_name;
        if (name.ends_with("NAType") || name.ends_with("NaTType")) return true;
        nb::object differs = nb::steal(PyObject_RichCompare(x, x, Py_NE));
        const int truth = differs.is_valid() ? PyObject_IsTrue(differs.ptr()) : -1;
        if (truth < 0) {
            if (!PyErr_ExceptionMatches(PyExc_Exception)) throw nb::python_error();  // somebody wants us to stop
            PyErr_Clear();  // an answer without a truth value (an array, say) is no answer
        }
        return truth > 0;
    }

    // An object is hashed once: a tuple, or an object of the user's own, does that anew each time. `next` is the number
    // that a new one gets.
    static i32 code_in(nb::handle known, PyObject* x, i64 i, std::vector<i64>& first, nb::object& next) {
        const i64 code = static_cast<i64>(first.size());
        if (!next.is_valid()) next = nb::steal(PyLong_FromLongLong(code));
        PyObject* found = next.is_valid() ? PyDict_SetDefault(known.ptr(), x, next.ptr()) : nullptr;
        if (!found) {
            nb::python_error error;
            if (!error.matches(PyExc_TypeError) || PyObject_Hash(x) != -1) throw error;
            PyErr_Clear();
            throw nb::type_error(("element " + std::to_string(i) + " is not hashable: " + Array::type_name(x)).c_str());
        }
        if (found != next.ptr()) return static_cast<i32>(PyLong_AsLong(found));
        check_clusters(code + 1, "The input");
        next.reset();
        first.push_back(i);
        return static_cast<i32>(code);
    }

    void note_type(PyTypeObject* type, i64 i) {
        if (type == last_type_ && !types_.empty()) return;
        last_type_ = type;
        for (const auto& [known, position] : types_)
            if (known.ptr() == reinterpret_cast<PyObject*>(type)) return;
        types_.emplace_back(nb::borrow(reinterpret_cast<PyObject*>(type)), i);
    }

    nb::object items_;
    std::optional<Array> array_;
    const char* at_ = nullptr;
    i64 n_ = 0, stride_ = 0;
    Buffer<PyObject*> gathered_;
    Buffer<i64> integers_;
    std::vector<std::pair<nb::object, i64>> types_;
    PyTypeObject* last_type_ = nullptr;
};

}  // namespace

EncodedObjects encode_objects(nb::handle source) {
    ObjectEncoder objects(source);
    Run run(objects.size(), interrupted);
    return objects.encode(run);
}

EncodedObjects encode_lists(const std::vector<nb::list>& lists) {
    ObjectEncoder objects(lists);
    Run run(objects.size(), interrupted);
    return objects.encode(run);
}

}  // namespace clusterdiff
