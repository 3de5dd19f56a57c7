#include "python/array.hpp"

#include <bit>

namespace clusterdiff {

Array::Array(nb::handle source, const char* name, int ndim) : name_(name) {
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

Labels Array::labels() const {
    if (!is_integer()) throw nb::type_error((std::string(name_) + " must hold integers or booleans").c_str());
    const bool is_signed = code_ == 'b' || code_ == 'h' || code_ == 'i' || code_ == 'l' || code_ == 'q';
    const int log_width = std::countr_zero(static_cast<unsigned>(itemsize()));
    return {data(), size(), stride(), static_cast<Kind>((is_signed ? 0 : 4) + log_width)};
}

Numbers Array::numbers() const {
    Numbers x;
    x.data = data();
    if (view_.ndim == 2) x.rows = size(0), x.row_stride = stride(0);
    x.columns = size(view_.ndim - 1);
    x.stride = stride(view_.ndim - 1);
    x.type = code_ == 'd' ? Real::f64 : code_ == 'f' ? Real::f32 : Real::other;
    x.reader = reader();
    return x;
}

void Array::check(bool floating, i64 width, const char* what) const {
    const bool kind = floating ? code_ == 'd' : is_integer() && code_ != '?';
    if (!kind || itemsize() != width || !contiguous())
        throw nb::type_error((std::string(name_) + " must be a contiguous array of " + what).c_str());
}

Reader Array::reader() const {
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

void Array::parse_format() {
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

nb::object to_int(u128 x) {
    const u64 high = static_cast<u64>(x >> 64), low = static_cast<u64>(x);
    nb::object result = nb::steal(PyLong_FromUnsignedLongLong(low));
    if (high) {
        nb::object top = nb::steal(PyLong_FromUnsignedLongLong(high));
        result = (top << nb::int_(64)) | result;
    }
    return result;
}

}  // namespace clusterdiff
