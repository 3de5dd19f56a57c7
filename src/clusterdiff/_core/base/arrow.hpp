// The Arrow C data and stream interfaces, as their specification lays them out, and columns of names in them.
#pragma once

#include <cstring>
#include <utility>
#include <vector>

#include "base/common.hpp"

namespace clusterdiff {

struct ArrowSchema {
    const char *format, *name, *metadata;
    i64 flags, n_children;
    ArrowSchema **children, *dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    i64 length, null_count, offset, n_buffers, n_children;
    const void** buffers;
    ArrowArray **children, *dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
    int (*get_next)(ArrowArrayStream*, ArrowArray*);
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};

// One of the above, moved out of what its producer handed over, and released when it has been read.
template <class T>
class Released {
  public:
    Released() = default;
    explicit Released(T* from) : value_(std::exchange(*from, T{})) {}
    Released(Released&& other) noexcept : value_(std::exchange(other.value_, T{})) {}
    Released(const Released&) = delete;
    Released& operator=(const Released&) = delete;
    ~Released() {
        if (value_.release) value_.release(&value_);
    }
    T* get() { return &value_; }
    T* operator->() { return &value_; }

  private:
    T value_{};
};

// What a column of names holds. Integers of any width are compared as numbers, text by its bytes.
enum class Ids { i8, i16, i32, i64, u8, u16, u32, u64, boolean, narrow_text, wide_text, view_text };

inline bool is_text(Ids type) { return type >= Ids::narrow_text; }
inline bool alike(Ids a, Ids b) { return is_text(a) == is_text(b) && (a == Ids::boolean) == (b == Ids::boolean); }

// A column of record batches, or what a stream of arrays holds.
struct Column {
    Ids type;
    i64 child = -1;  // its place in the batch
};

// Where record batches with a few columns come from, or the arrays of one. They are read one by one, by one thread at a
// time.
class Batches {
  public:
    virtual ~Batches() = default;
    virtual const std::vector<Column>& columns() const = 0;
    // At the end, one that there is nothing to release of.
    virtual Released<ArrowArray> next() = 0;
};

// A stream of them. What is wrong with it is said of `name`.
class Stream : public Batches {
  public:
    Stream(ArrowArrayStream* from, const char* name, i64 most_columns = 1);
    const std::vector<Column>& columns() const override { return columns_; }
    Released<ArrowArray> next() override;

  private:
    [[noreturn]] void fail();

    Released<ArrowArrayStream> stream_;
    std::vector<Column> columns_;
};

template <class T>
T read_at(const void* from, i64 at) {
    T x;
    std::memcpy(&x, static_cast<const char*>(from) + at * static_cast<i64>(sizeof x), sizeof x);
    return x;
}

// The names of a column in a batch: `offset` counts from the beginning of the buffers.
struct Slice {
    const ArrowArray* array;
    i64 offset, length;
    const u8 *valid = nullptr, *whole = nullptr;  // bitmaps of the column, and of the rows; null where nothing is
    i64 whole_offset = 0;

    bool null(i64 i) const { return lacks(valid, offset + i) || lacks(whole, whole_offset + i); }

    // The first row without a name, or the length. A null_count is of no use: a producer need not know it.
    i64 first_null() const {
        if (!valid && !whole) return length;
        i64 i = 0;
        while (i < length && !null(i)) ++i;
        return i;
    }

    // Text `i`, where it lies, and how many bytes it has.
    std::pair<const u8*, i64> text(Ids type, i64 i) const {
        const void** buffers = array->buffers;
        i64 from, length;
        if (type == Ids::view_text) {
            const u8* view = static_cast<const u8*>(buffers[1]) + 16 * (offset + i);
            length = read_at<i32>(view, 0);
            if (length >= 0 && length <= 12) return {view + 4, length};
            return {static_cast<const u8*>(buffers[2 + read_at<i32>(view, 2)]) + read_at<i32>(view, 3), checked(length)};
        }
        if (type == Ids::narrow_text) {
            from = read_at<i32>(buffers[1], offset + i);
            length = read_at<i32>(buffers[1], offset + i + 1) - from;
        } else {
            from = read_at<i64>(buffers[1], offset + i);
            length = read_at<i64>(buffers[1], offset + i + 1) - from;
        }
        return {static_cast<const u8*>(buffers[2]) + from, checked(length)};
    }

  private:
    static i64 checked(i64 length) {
        if (length < 0) throw BadValue("offsets must not decrease");
        return length;
    }
    static bool lacks(const u8* bits, i64 i) { return bits && !(bits[i >> 3] >> (i & 7) & 1); }
};
// Of the rows from `begin` to `end`.
Slice slice_of(const ArrowArray& batch, const Column& column, i64 begin, i64 end);

// Calls f(at), where at(i) is integer or boolean `i`; negative ones have the bits that they have in 64.
template <class F>
void read_integers(Ids type, const Slice& slice, F&& f) {
    const void* data = slice.array->buffers[1];
    const i64 offset = slice.offset;
    auto as = [&]<class T>(T) {
        f([data, offset](i64 i) { return static_cast<u64>(static_cast<i64>(read_at<T>(data, offset + i))); });
    };
    switch (type) {
        case Ids::i8: return as(std::int8_t{});
        case Ids::i16: return as(std::int16_t{});
        case Ids::i32: return as(i32{});
        case Ids::i64: return as(i64{});
        case Ids::u8: return as(u8{});
        case Ids::u16: return as(u16{});
        case Ids::u32: return as(u32{});
        case Ids::u64: return as(u64{});
        case Ids::boolean: return f([data, offset](i64 i) { return u64{static_cast<const u8*>(data)[(offset + i) >> 3]} >> ((offset + i) & 7) & 1; });
        default: throw BadValue("text is no integer");
    }
}

// Calls f(text), where text(i) is where text `i` lies, and how many bytes it has.
template <class F>
void read_texts(Ids type, const Slice& slice, F&& f) {
    switch (type) {
        case Ids::narrow_text: return f([&](i64 i) { return slice.text(Ids::narrow_text, i); });
        case Ids::wide_text: return f([&](i64 i) { return slice.text(Ids::wide_text, i); });
        default: return f([&](i64 i) { return slice.text(Ids::view_text, i); });
    }
}

}  // namespace clusterdiff
