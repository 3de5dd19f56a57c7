// Python arrays in and out. Inputs come through the buffer protocol (read-only, strided, any native dtype, no copy);
// outputs own their memory and are handed to NumPy without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <bit>
#include <string>

#include "base/labels.hpp"
#include "base/memory.hpp"
#include "base/numbers.hpp"

namespace clusterdiff {

namespace nb = nanobind;

// A view of somebody's array, held for as long as it is read.
class Array {
  public:
    Array(nb::handle source, const char* name, int ndim = 1) : name_(name) {
        if (PyObject_GetBuffer(source.ptr(), &view_, PyBUF_RECORDS_RO) != 0) {
            PyErr_Clear();
            throw nb::type_error((std::string(name) + " must be an array of numbers, not " + type_name(source)).c_str());
        }
        held_ = true;
        if (view_.ndim != ndim) {
            const std::string text = std::string(name) + " must have " + std::to_string(ndim) + " dimension" + (ndim == 1 ? "" : "s") +
                                     ", not " + std::to_string(view_.ndim);
            release();
            throw BadValue(text);
        }
        parse_format();
    }
    Array(Array&& other) noexcept : view_(other.view_), name_(other.name_), code_(other.code_), held_(std::exchange(other.held_, false)) {}
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;
    ~Array() { release(); }

    i64 size(int axis = 0) const { return view_.shape[axis]; }
    i64 stride(int axis = 0) const { return view_.strides[axis]; }
    const char* data() const { return static_cast<const char*>(view_.buf); }
    char code() const { return code_; }
    i64 itemsize() const { return view_.itemsize; }
    bool is_integer() const { return std::strchr("?bBhHiIlLqQ", code_) != nullptr; }
    bool is_float() const { return code_ == 'f' || code_ == 'd'; }
    bool contiguous() const { return size() < 2 || stride() == itemsize(); }

    Labels labels() const {
        if (!is_integer()) throw nb::type_error((std::string(name_) + " must hold integers or booleans").c_str());
        const bool is_signed = code_ == 'b' || code_ == 'h' || code_ == 'i' || code_ == 'l' || code_ == 'q';
        const int log_width = std::countr_zero(static_cast<unsigned>(itemsize()));
        return {data(), size(), stride(), static_cast<Kind>((is_signed ? 0 : 4) + log_width)};
    }

    // A contiguous array of exactly T, as the caller promises.
    template <class T>
    const T* exactly(const char* what) const {
        const bool kind = std::is_floating_point_v<T> ? code_ == 'd' : is_integer() && code_ != '?';
        if (!kind || itemsize() != static_cast<i64>(sizeof(T)) || !contiguous())
            throw nb::type_error((std::string(name_) + " must be a contiguous array of " + what).c_str());
        return reinterpret_cast<const T*>(data());
    }

    // Numbers of one or two dimensions.
    Numbers numbers() const {
        Numbers x;
        x.data = data();
        if (view_.ndim == 2) x.rows = size(0), x.row_stride = stride(0);
        x.columns = size(view_.ndim - 1);
        x.stride = stride(view_.ndim - 1);
        x.type = code_ == 'd' ? Real::f64 : code_ == 'f' ? Real::f32 : Real::other;
        x.reader = reader();
        return x;
    }

    static std::string type_name(nb::handle h) { return Py_TYPE(h.ptr())->tp_name; }

  private:
    Reader reader() const {
        switch (code_) {
            case 'f': return reader_of<float>();
            case 'd': return reader_of<double>();
            case 'b': return reader_of<std::int8_t>();
            case 'h': return reader_of<std::int16_t>();
            case 'i': return reader_of<i32>();
            case 'l':
            case 'q': return itemsize() == 8 ? reader_of<i64>() : reader_of<i32>();
            case '?':
            case 'B': return reader_of<u8>();
            case 'H': return reader_of<u16>();
            case 'I': return reader_of<u32>();
            case 'L':
            case 'Q': return itemsize() == 8 ? reader_of<u64>() : reader_of<u32>();
            default: throw nb::type_error((std::string(name_) + " must hold float32, float64, integers or booleans").c_str());
        }
    }
    void parse_format() {
        const char* format = view_.format ? view_.format : "B";
        const bool swapped = *format == '>' || *format == '!';
        if (std::strchr("@=<>!", *format)) ++format;
        if (format[0] == 0 || format[1] != 0 || (swapped && itemsize() > 1)) {
            const std::string text = std::string(name_) + " must be an array of numbers in native byte order, not of '" + view_.format + "'";
            release();
            throw nb::type_error(text.c_str());
        }
        code_ = format[0];
    }
    void release() {
        if (held_) PyBuffer_Release(&view_);
        held_ = false;
    }

    Py_buffer view_{};
    const char* name_;
    char code_ = 0;
    bool held_ = false;
};

// Hands the memory of a buffer to a new NumPy array.
template <class T>
nb::object to_numpy(Buffer<T>&& buffer) {
    auto* owned = new Buffer<T>(std::move(buffer));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Buffer<T>*>(p); });
    const std::size_t size = static_cast<std::size_t>(owned->size());
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(owned->data(), {size}, owner));
}

template <class T>
nb::object to_numpy(Buffer<T>&& buffer, i64 rows, i64 width) {
    auto* owned = new Buffer<T>(std::move(buffer));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Buffer<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<2>>(owned->data(), {static_cast<std::size_t>(rows), static_cast<std::size_t>(width)}, owner));
}

template <class T>
nb::object to_numpy(const std::vector<T>& values) {
    return to_numpy(Buffer<T>::copy(values.data(), static_cast<i64>(values.size())));
}

// A read-only view of memory that `owner` keeps alive.
template <class T>
nb::object view_numpy(const T* data, i64 size, nb::handle owner) {
    return nb::cast(nb::ndarray<nb::numpy, const T, nb::ndim<1>>(data, {static_cast<std::size_t>(size)}, owner));
}

// A whole number of up to 128 bits as a Python int.
inline nb::object to_int(u128 x) {
    const u64 high = static_cast<u64>(x >> 64), low = static_cast<u64>(x);
    nb::object result = nb::steal(PyLong_FromUnsignedLongLong(low));
    if (high) {
        nb::object top = nb::steal(PyLong_FromUnsignedLongLong(high));
        result = (top << nb::int_(64)) | result;
    }
    return result;
}

}  // namespace clusterdiff
