// Python arrays in and out. Inputs come through the buffer protocol (read-only, strided, any native dtype, no copy);
// outputs own their memory and are handed to NumPy without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <string>
#include <type_traits>

#include "base/labels.hpp"
#include "base/memory.hpp"
#include "base/numbers.hpp"

namespace clusterdiff {

namespace nb = nanobind;

// A view of somebody's array, held for as long as it is read.
class Array {
  public:
    Array(nb::handle source, const char* name, int ndim = 1);
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

    Labels labels() const;
    // Of one or two dimensions.
    Numbers numbers() const;

    // A contiguous array of exactly T, as the caller promises.
    template <class T>
    const T* exactly(const char* what) const {
        check(std::is_floating_point_v<T>, sizeof(T), what);
        return reinterpret_cast<const T*>(data());
    }

    static std::string type_name(nb::handle h) { return Py_TYPE(h.ptr())->tp_name; }

  private:
    void check(bool floating, i64 width, const char* what) const;
    Reader reader() const;
    void parse_format();
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
nb::object to_int(u128 x);

}  // namespace clusterdiff
