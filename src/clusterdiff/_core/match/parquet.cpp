#include "match/parquet.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/memory.hpp"
#include "match/snappy.hpp"
#include "match/thrift.hpp"
#include "match/views.hpp"

#if defined(_WIN32)
#include <io.h>
#else
#include <unistd.h>
#endif

namespace clusterdiff {

namespace {

// A group of rows is unpacked at once, by whoever reads it, so it must not be large.
constexpr i64 kMostRows = i64{1} << 21, kMostBytes = i64{1} << 26;
constexpr i64 kSlack = kSnappySlack;

u32 read_u32(const u8* p) { return static_cast<u32>(read_at<i32>(p, 0)); }

void check(bool plain) {
    if (!plain) throw NotPlain();
}

// Some bytes of a page.
struct Bytes {
    const u8 *at, *end;
    i64 left() const { return end - at; }
    Bytes take(i64 count) {
        check(count >= 0 && count <= left());
        at += count;
        return {at - count, at};
    }
};

// What stands before a page. A second version has its levels apart.
struct PageHead {
    enum Kind { data, index, dictionary, second };
    i64 kind = -1, unpacked = -1, packed = -1, values = -1, encoding = -1, levels = 0, repeated = 0;
    bool is_packed = true;

    explicit PageHead(Thrift& from) {
        auto read = [&](i64& to) {
            to = from.integer();
            return true;
        };
        from.fields([&](i64 field, Thrift::Type type) {
            if (type == Thrift::i32) {
                if (field == 1) return read(kind);
                if (field == 2) return read(unpacked);
                if (field == 3) return read(packed);
            }
            if (type != Thrift::structure || (field != 5 && field != 7 && field != 8)) return false;
            from.fields([&](i64 inner, Thrift::Type told) {
                if (field == 8 && inner == 7) is_packed = told == Thrift::yes;
                if (told != Thrift::i32) return false;
                if (inner == 1) return read(values);
                if (inner == (field == 8 ? 4 : 2)) return read(encoding);
                if (field == 8 && inner == 5) return read(levels);
                if (field == 8 && inner == 6) return read(repeated);
                return false;
            });
            return true;
        });
        check(unpacked >= 0 && packed >= 0 && levels >= 0 && repeated == 0);
    }
};

// Numbers of a few bits, of which some are repeated: calls f(number, times) until there have been `count` of them.
template <class F>
void each_number(Bytes bytes, int width, i64 count, F&& f) {
    check(width <= 32);
    const u64 mask = (u64{1} << width) - 1;
    while (count > 0) {
        u64 head = 0;
        for (int shift = 0;; shift += 7) {
            check(shift < 35);
            const u8 part = *bytes.take(1).at;
            head |= u64{part & 0x7fu} << shift;
            if (part < 0x80) break;
        }
        if (head & 1) {  // by eights
            const i64 some = std::min(count, static_cast<i64>(head >> 1) * 8);
            const u8* at = bytes.take(static_cast<i64>(head >> 1) * width).at;
            for (i64 i = 0; i < some; ++i) {
                const i64 bit = i * width;
                f(static_cast<u32>(static_cast<u64>(read_at<i64>(at + (bit >> 3), 0)) >> (bit & 7) & mask), i64{1});
            }
            check(some > 0);
            count -= some;
        } else {
            const i64 times = std::min(count, static_cast<i64>(head >> 1));
            u8 number[4] = {};
            const Bytes from = bytes.take((width + 7) / 8);
            std::copy(from.at, from.end, number);
            check(times > 0);
            f(read_u32(number), times);
            count -= times;
        }
    }
}

// The texts that lie one after the other, each behind its length.
void view_texts(const u8* whole, Bytes bytes, View* to, i64 count) {
    u8 high = 0;  // lengths below 128 have no high bit either
    for (const u8* p = bytes.at; p < bytes.end; ++p) high = static_cast<u8>(high | *p);
    for (i64 i = 0; i < count; ++i) {
        const Bytes text = bytes.take(read_u32(bytes.take(4).at));
        if (high >= 0x80) check(is_utf8(text.at, text.left()));
        set_view(to[i], whole, text.at - whole, text.left());
    }
}

template <class T>
void grow(Buffer<T>& buffer, i64 count) {
    if (buffer.size() < count) buffer = Buffer<T>(count);
}

// A column of a group of rows. It is used for one group after the other.
class Part {
  public:
    // `file` is what the file has of it.
    void unpack(const u8* file, const Parquet::Chunk& chunk, i64 rows, Ids type, bool nullable) {
        const i64 width = type == Ids::view_text ? sizeof(View) : type == Ids::i64 ? 8 : 4;
        grow(pages_, chunk.unpacked + kSlack);
        grow(values_, rows * width + kSlack);
        if (nullable) grow(valid_, rows / 8 + 1);
        nulls_ = 0;
        words_ = {};
        used_ = 0;
        Bytes from{file, file + chunk.size};
        for (i64 row = 0; row < rows;) {
            Thrift told(from.at, from.end);
            const PageHead head(told);
            from.at = told.at();
            const Bytes page = from.take(head.packed);
            if (head.kind == PageHead::index) continue;
            check(head.values >= 0 && head.unpacked <= chunk.unpacked - used_ && head.levels <= std::min(head.packed, head.unpacked));
            if (head.kind == PageHead::dictionary) {
                check(head.encoding == kPlain || head.encoding == kNumbersOnce);
                check(words_.empty() && head.values <= kMostRows);
                words_ = Buffer<u8>(head.values * width + kSlack);
                known_ = head.values;
                put_values(type, words_.data(), unpacked(page, head, chunk.packed), known_);
                continue;
            }
            check((head.kind == PageHead::data || head.kind == PageHead::second) && head.values <= rows - row);
            check(nullable || !head.levels);
            Bytes bytes = unpacked(page, head, chunk.packed && head.is_packed);
            const i64 present = nullable ? read_levels(bytes, head, row) : head.values;
            u8* const to = values_.data() + row * width;
            if (head.encoding == kPlain) {
                put_values(type, to, bytes, present);
            } else {
                check((head.encoding == kNumbersOnce || head.encoding == kNumbers) && !words_.empty());
                width == 16 ? look_up<View>(to, bytes, present) : width == 8 ? look_up<i64>(to, bytes, present) : look_up<i32>(to, bytes, present);
            }
            if (present < head.values) spread(row, present, head.values, width);
            row += head.values;
        }
        buffers_[0] = nulls_ ? valid_.data() : nullptr;
        buffers_[1] = values_.data();
        buffers_[2] = pages_.data();
        array_ = {rows, nulls_, 0, 3, 0, buffers_, nullptr, nullptr, nullptr, nullptr};
    }

    ArrowArray* array() { return &array_; }

  private:
    static constexpr i64 kPlain = 0, kNumbersOnce = 2, kNumbers = 8;

    // A page behind those before it: texts are not moved any more.
    Bytes unpacked(Bytes page, const PageHead& head, bool packed) {
        u8* const to = pages_.data() + used_;
        const Bytes levels = page.take(head.levels);
        std::copy(levels.at, levels.end, to);
        const i64 size = head.unpacked - head.levels;
        if (packed) {
            check(!size || unpack_snappy(page.at, page.left(), to + head.levels, size));
        } else {
            check(page.left() == size);
            std::copy(page.at, page.end, to + head.levels);
        }
        used_ += head.unpacked;
        return {to, to + head.unpacked};
    }

    // Takes off what says which values there are, and returns how many these are.
    i64 read_levels(Bytes& bytes, const PageHead& head, i64 row) {
        const Bytes levels = bytes.take(head.kind == PageHead::second ? head.levels : i64{read_u32(bytes.take(4).at)});
        i64 present = 0, at = row;
        each_number(levels, 1, head.values, [&](u32 level, i64 times) {
            check(level <= 1);
            if (level)
                present += times;
            else
                for (i64 i = at; i < at + times; ++i) set_null(i);
            at += times;
        });
        return present;
    }

    void set_null(i64 row) {
        if (!nulls_++) std::fill_n(valid_.data(), valid_.size(), u8{0xff});
        valid_[row >> 3] = static_cast<u8>(valid_[row >> 3] & ~(1 << (row & 7)));
    }

    void put_values(Ids type, u8* to, Bytes bytes, i64 count) {
        if (type == Ids::view_text) return view_texts(pages_.data(), bytes, reinterpret_cast<View*>(to), count);
        const Bytes numbers = bytes.take(count * (type == Ids::i64 ? 8 : 4));
        std::copy(numbers.at, numbers.end, to);
    }

    template <class T>
    void look_up(u8* to, Bytes bytes, i64 count) {
        const int width = count ? *bytes.take(1).at : 0;
        each_number(bytes, width, count, [&](u32 number, i64 times) {
            check(number < static_cast<u64>(known_));
            for (; times > 0; --times, to += sizeof(T)) std::memcpy(to, words_.data() + number * sizeof(T), sizeof(T));
        });
    }

    // From where they follow each other to their rows, the last one first.
    void spread(i64 row, i64 present, i64 count, i64 width) {
        for (i64 i = row + count - 1; i >= row; --i)
            if (valid_[i >> 3] >> (i & 7) & 1) {
                --present;
                std::memmove(values_.data() + i * width, values_.data() + (row + present) * width, static_cast<std::size_t>(width));
            } else {
                std::memset(values_.data() + i * width, 0, static_cast<std::size_t>(width));
            }
    }

    Buffer<u8> pages_, values_, valid_, words_;
    i64 used_ = 0, nulls_ = 0, known_ = 0;
    const void* buffers_[3] = {};
    ArrowArray array_{};
};

// The columns of a group of rows.
struct Parts {
    explicit Parts(std::size_t columns) : columns(columns) {}
    Buffer<u8> file;
    std::vector<Part> columns;
    std::vector<ArrowArray*> arrays;
    const void* none = nullptr;
};

// What a column may hold, as its physical type and what it was converted from say.
Ids type_of(i64 physical, i64 converted, bool annotated) {
    constexpr i64 kInt32 = 1, kInt64 = 2, kBytes = 6, kUtf8 = 0, kOf32 = 17, kOf64 = 18;
    if (physical == kBytes && converted == kUtf8) return Ids::view_text;
    const bool alone = converted < 0 && !annotated;
    if (physical == kInt32 && (alone || converted == kOf32)) return Ids::i32;
    if (physical == kInt64 && (alone || converted == kOf64)) return Ids::i64;
    throw NotPlain();
}

}  // namespace

Parquet::Parquet(int file, i64 fields, std::vector<i64> wanted)
    : file_(file), fields_(fields), wanted_(std::move(wanted)), leaves_(wanted_.size(), -1), nullable_(wanted_.size()) {
    constexpr i64 kEnds = 4, kFoot = 8;  // bytes of what begins and ends a file, and of this and a length
    for (const i64 field : wanted_)
        if (field < 0 || field >= fields_) throw BadValue("a column that is wanted must be one of the file's");
#if defined(_WIN32)
    size_ = ::_lseeki64(file_, 0, SEEK_END);
#else
    size_ = ::lseek(file_, 0, SEEK_END);
#endif
    if (size_ < 0) throw std::runtime_error(std::strerror(errno));
    check(size_ >= kEnds + kFoot);
    u8 foot[kFoot];
    read_bytes(size_ - kFoot, foot, kFoot);
    const i64 length = read_u32(foot);
    check(std::memcmp(foot + 4, "PAR1", 4) == 0 && length <= size_ - kEnds - kFoot);
    Buffer<u8> described(length);
    read_bytes(size_ - kFoot - length, described.data(), length);
    describe(described.data(), described.data() + length);
}

void Parquet::describe(const u8* at, const u8* end) {
    Thrift from(at, end);
    i64 element = 0, leaves = 0, top = -1, stated = -1;
    std::vector<i64> open;  // of the groups around an element, how many of theirs are to come
    columns_.resize(wanted_.size());
    auto describe_element = [&] {
        i64 physical = -1, repetition = -1, children = 0, converted = -1;
        bool annotated = false;
        from.fields([&](i64 field, Thrift::Type type) {
            annotated |= field == 10;
            if (type != Thrift::i32) return false;
            if (field != 1 && field != 3 && field != 5 && field != 6) return false;
            (field == 1 ? physical : field == 3 ? repetition : field == 5 ? children : converted) = from.integer();
            return true;
        });
        check(children >= 0);
        if (!element++) {
            check(children == fields_);
            open.push_back(children);
            return;
        }
        while (!open.empty() && !open.back()) open.pop_back();
        check(!open.empty());
        --open.back();
        if (open.size() == 1) {
            ++top;
            for (std::size_t i = 0; i < wanted_.size(); ++i)
                if (wanted_[i] == top) {
                    check(!children && (repetition == 0 || repetition == 1));
                    leaves_[i] = leaves;
                    nullable_[i] = repetition == 1;
                    columns_[i] = {type_of(physical, converted, annotated), static_cast<i64>(i)};
                }
        }
        children ? open.push_back(children) : void(++leaves);
    };
    auto describe_chunk = [&](Chunk& chunk, i64& values) {
        i64 codec = -1, data = -1, dictionary = -1;
        bool elsewhere = false;
        from.fields([&](i64 field, Thrift::Type type) {
            elsewhere |= field == 1 || field == 8;  // in another file, or encrypted
            if (field != 3 || type != Thrift::structure) return false;
            from.fields([&](i64 inner, Thrift::Type told) {
                if (told != Thrift::i32 && told != Thrift::i64_) return false;
                i64* const to = inner == 4 ? &codec : inner == 5 ? &values : inner == 6 ? &chunk.unpacked : inner == 7 ? &chunk.size : inner == 9 ? &data : inner == 11 ? &dictionary : nullptr;
                if (to) *to = from.integer();
                return to != nullptr;
            });
            return true;
        });
        check(!elsewhere && (codec == 0 || codec == 1));
        chunk.packed = codec == 1;
        chunk.begin = dictionary > 0 ? std::min(data, dictionary) : data;
        check(chunk.begin >= 0 && chunk.size >= 0 && chunk.unpacked >= 0 && chunk.unpacked <= kMostBytes);
        check(chunk.size <= size_ && chunk.begin <= size_ - chunk.size);
    };
    auto describe_group = [&] {
        Group group{0, 0, std::vector<Chunk>(wanted_.size())};
        std::vector<i64> values(wanted_.size(), -1);
        from.fields([&](i64 field, Thrift::Type type) {
            if (field == 3 && type == Thrift::i64_) {
                group.rows = from.integer();
                return true;
            }
            if (field != 1 || type != Thrift::list) return false;
            i64 leaf = 0;
            from.structures([&] {
                Chunk chunk;
                i64 count = -1;
                const bool is_wanted = std::count(leaves_.begin(), leaves_.end(), leaf) > 0;
                is_wanted ? describe_chunk(chunk, count) : from.fields([](i64, Thrift::Type) { return false; });
                for (std::size_t i = 0; i < leaves_.size(); ++i)
                    if (leaves_[i] == leaf) group.chunks[i] = chunk, values[i] = count;
                ++leaf;
            });
            return true;
        });
        check(group.rows >= 0 && group.rows <= kMostRows);
        for (const i64 count : values) check(count == group.rows);
        group.first = rows();
        groups_.push_back(std::move(group));
    };
    from.fields([&](i64 field, Thrift::Type type) {
        if (field == 3 && type == Thrift::i64_) {
            stated = from.integer();
            return true;
        }
        if (type != Thrift::list || (field != 2 && field != 4)) return false;
        field == 2 ? from.structures(describe_element) : from.structures(describe_group);
        return true;
    });
    for (const i64 leaf : leaves_) check(leaf >= 0);
    check(rows() == stated);
}

void Parquet::read_bytes(i64 from, u8* to, i64 size) {
    while (size > 0) {
#if defined(_WIN32)
        std::lock_guard lock(turn_);
        const i64 got = ::_lseeki64(file_, from, SEEK_SET) < 0 ? -1 : ::_read(file_, to, static_cast<unsigned>(size));
#else
        const i64 got = ::pread(file_, to, static_cast<std::size_t>(size), from);
#endif
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw std::runtime_error(std::strerror(errno));
        check(got > 0);
        from += got;
        to += got;
        size -= got;
    }
}

i64 Parquet::read(Run& run, Call<const Piece&, int> f) {
    std::vector<Parts> parts;  // one a worker
    for (int worker = 0; worker < run.threads(); ++worker) parts.emplace_back(columns_.size());
    run.tasks(static_cast<i64>(groups_.size()), [&](i64 g, int worker) {
        const Group& group = groups_[static_cast<std::size_t>(g)];
        Parts& mine = parts[static_cast<std::size_t>(worker)];
        mine.arrays.clear();
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const Chunk& chunk = group.chunks[i];
            grow(mine.file, chunk.size + kSlack);
            read_bytes(chunk.begin, mine.file.data(), chunk.size);
            mine.columns[i].unpack(mine.file.data(), chunk, group.rows, columns_[i].type, nullable_[i]);
            mine.arrays.push_back(mine.columns[i].array());
        }
        ArrowArray whole{group.rows, 0, 0, 1, static_cast<i64>(mine.arrays.size()), &mine.none, mine.arrays.data(), nullptr, nullptr, nullptr};
        const auto batch = std::make_shared<Released<ArrowArray>>(&whole);
        for (i64 begin = 0; begin < group.rows; begin += Piece::kRows) {
            run.poll();
            f({batch, begin, std::min(group.rows, begin + Piece::kRows), group.first + begin}, worker);
        }
    });
    return rows();
}

}  // namespace clusterdiff
