// Numbers of any type, strided or not, to be read as doubles. Only float32 and float64 are worth loops of their own;
// every other type is converted on the way in, a row or a number at a time.
#pragma once

#include <cstring>

#include "base/memory.hpp"

namespace clusterdiff {

struct Reader {
    double (*one)(const char* from);
    void (*many)(const char* from, i64 stride, i64 count, double* to);
};

// The memory may be unaligned.
template <class T>
double read_number(const char* from) {
    T x;
    std::memcpy(&x, from, sizeof x);
    return static_cast<double>(x);
}

template <class T>
constexpr Reader reader_of() {
    return {read_number<T>, [](const char* from, i64 stride, i64 count, double* to) {
                for (i64 i = 0; i < count; ++i) to[i] = read_number<T>(from + i * stride);
            }};
}

enum class Real { f32, f64, other };

// A matrix; a vector is one row.
struct Numbers {
    const char* data = nullptr;
    i64 rows = 1, columns = 0;
    i64 row_stride = 0, stride = 0;  // bytes
    Real type = Real::other;
    Reader reader{};

    const char* row(i64 i) const { return data + i * row_stride; }

    // Whether rows can be handed out as pointers to T.
    template <class T>
    bool in_place() const {
        constexpr i64 width = sizeof(T);
        constexpr Real real = width == 4 ? Real::f32 : Real::f64;
        return type == real && stride == width && row_stride % width == 0 && reinterpret_cast<std::uintptr_t>(data) % width == 0;
    }
};

}  // namespace clusterdiff
