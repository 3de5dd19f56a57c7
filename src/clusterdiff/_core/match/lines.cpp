#include "match/lines.hpp"

#include "match/views.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#if defined(_WIN32)
#include <io.h>
#else
#include <unistd.h>
#endif

namespace clusterdiff {

namespace {

// So much is divided at once: with its views, it stays in a level-2 cache until it has been read. No line is longer.
constexpr i64 kText = i64{1} << 18;

const u8* find(const u8* from, const u8* end, u8 byte) {
    const void* at = from == end ? nullptr : std::memchr(from, byte, static_cast<std::size_t>(end - from));
    return at ? static_cast<const u8*>(at) : end;
}

// How many lines end within a text, all of which must be plain, with a carriage return for each or with none. Steps are so
// short that a byte counts their lines, and each question has an answer of its own: so compilers see how to look at many
// bytes at once.
i64 count_lines(const u8* text, i64 size, bool returned) {
    constexpr i64 kStep = 128;
    i64 total = 0, returns = 0;
    u8 quotes = 0, zeros = 0, high = 0;
    for (i64 begin = 0; begin < size; begin += kStep) {
        u8 ended = 0, back = 0;
        for (i64 i = begin, end = std::min(size, begin + kStep); i < end; ++i) {
            const u8 c = text[i];
            ended = static_cast<u8>(ended + (c == '\n'));
            quotes = static_cast<u8>(quotes | (c == '"'));
            back = static_cast<u8>(back + (c == '\r'));
            zeros = static_cast<u8>(zeros | (c == 0));
            high = static_cast<u8>(high | c);
        }
        total += ended;
        returns += back;
    }
    if (quotes | zeros || returns != (returned ? total : 0)) throw NotPlain();
    if (high >= 0x80 && !is_utf8(text, size)) throw NotPlain();
    return total;
}

}  // namespace

// Some lines, and the columns wanted of them. It holds what an ArrowArray points to.
struct Lines::Batch {
    struct Field {
        Buffer<View> views;
        Buffer<u8> valid;  // bits; none if all are
        i64 nulls = 0;
        const void* buffers[3] = {};
        ArrowArray array{};

        void add(i64 row, const u8* text, const u8* from, i64 length) {
            if (!length) set_null(row);
            set_view(views[row], text, from - text, length);
        }

      private:
        void set_null(i64 row) {
            if (valid.empty()) {
                valid = Buffer<u8>((views.size() + 7) / 8);
                std::memset(valid.data(), 0xff, static_cast<std::size_t>(valid.size()));
            }
            valid[row >> 3] = static_cast<u8>(valid[row >> 3] & ~(1 << (row & 7)));
            ++nulls;
        }
    };

    Buffer<u8> text;
    i64 size = 0, rows = 0;  // bytes of it that are lines
    std::vector<Field> fields;
    std::vector<ArrowArray*> children;
    const void* none = nullptr;
};

Lines::Lines(int file, u8 delimiter, i64 fields, std::vector<i64> wanted)
    : file_(file), delimiter_(delimiter), fields_(fields), wanted_(std::move(wanted)) {
    for (const i64 field : wanted_) {
        if (field < 0 || field >= fields_) throw BadValue("a column that is wanted must be one of the file's");
        columns_.push_back({Ids::view_text, static_cast<i64>(columns_.size())});
    }
}

i64 Lines::read(u8* to, i64 room) {
    for (;;) {
#if defined(_WIN32)
        const i64 got = ::_read(file_, to, static_cast<unsigned>(room));
#else
        const i64 got = ::read(file_, to, static_cast<std::size_t>(room));
#endif
        if (got >= 0) return got;
        if (errno != EINTR) throw std::runtime_error(std::strerror(errno));
    }
}

void Lines::fill(Batch& batch) {
    Buffer<u8> text(kText + View::kShort);  // which are read with every text, whatever its length
    i64 size = rest_.size();
    std::copy_n(rest_.data(), size, text.data());
    while (!over_ && size < kText) {
        const i64 got = read(text.data() + size, kText - size);
        over_ = got == 0;
        size += got;
    }
    i64 end = size;
    while (!over_ && end > 0 && text[end - 1] != '\n') --end;
    if (!over_ && !end) throw NotPlain();
    rest_ = Buffer<u8>::copy(text.data() + end, size - end);
    batch.text = std::move(text);
    batch.size = end;
}

Released<ArrowArray> Lines::next() {
    auto batch = std::make_unique<Batch>();
    fill(*batch);
    if (!batch->size) return {};
    divide(*batch);
    ArrowArray whole{batch->rows, 0, 0, 1, static_cast<i64>(columns_.size()), &batch->none, batch->children.data(), nullptr, nullptr, nullptr};
    whole.release = [](ArrowArray* array) {
        delete static_cast<Batch*>(array->private_data);
        array->release = nullptr;
    };
    whole.private_data = batch.release();
    return Released<ArrowArray>(&whole);
}

void Lines::divide(Batch& batch) {
    const u8 *text = batch.text.data(), *end = text + batch.size, *line = text;
    if (!std::exchange(begun_, true)) {  // the names of the columns, whose break is that of all lines
        const u8* stop = find(line, end, '\n');
        returned_ = stop < end && stop > line && stop[-1] == '\r';
        line = std::min(end, stop + 1);
    }
    const i64 lines = count_lines(text, end - text, returned_) + 1;  // maybe one without a break
    batch.fields = std::vector<Batch::Field>(columns_.size());
    for (Batch::Field& field : batch.fields) field.views = Buffer<View>(lines);
    for (; line < end; ++batch.rows) {
        const u8 *broken = find(line, end, '\n'), *stop = broken, *from = line;
        if (returned_ && broken < end && *--stop != '\r') throw NotPlain();
        if (from == stop) throw NotPlain();
        for (i64 at = 0; at < fields_; ++at) {
            const u8* to = find(from, stop, delimiter_);
            if ((to == stop) != (at + 1 == fields_)) throw NotPlain();
            for (std::size_t i = 0; i < wanted_.size(); ++i)
                if (wanted_[i] == at) batch.fields[i].add(batch.rows, text, from, to - from);
            from = to + 1;
        }
        line = broken + 1;
    }
    for (Batch::Field& field : batch.fields) {
        field.buffers[0] = field.valid.empty() ? nullptr : field.valid.data();
        field.buffers[1] = field.views.data();
        field.buffers[2] = text;
        field.array = {batch.rows, field.nulls, 0, 3, 0, field.buffers, nullptr, nullptr, nullptr, nullptr};
        batch.children.push_back(&field.array);
    }
}

}  // namespace clusterdiff
