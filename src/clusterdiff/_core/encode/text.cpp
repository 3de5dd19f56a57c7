#include "encode/bytes.hpp"

namespace clusterdiff {

namespace {

// Columns are read from front to back, which the processor foresees by itself.
constexpr auto kNoFetch = [](i64) {};

template <class Offset>
void check_offsets(const Offset* offset, i64 n, i64 length) {
    using Unsigned = std::make_unsigned_t<Offset>;
    auto raw = [&](i64 i) { return static_cast<Unsigned>(offset[i]); };
    Unsigned signs = raw(0);  // has its top bit when an offset or a difference is negative
    for (i64 i = 0; i < n; ++i) signs |= raw(i + 1) | (raw(i + 1) - raw(i));
    if (std::bit_width(signs) == 8 * sizeof(Unsigned)) throw BadValue("offsets must not decrease");
    if (offset[n] > length) throw BadValue("offsets reach past the end of the data");
}

i32 field(const u8* view, int at) {
    i32 x;
    std::memcpy(&x, view + at, sizeof x);
    return x;
}

}  // namespace

Encoded encode_text(const Offsets& offsets, i64 n, Bytes data, Validity valid, Run& run) {
    if (offsets.narrow)
        check_offsets(offsets.narrow, n, data.length);
    else
        check_offsets(offsets.wide, n, data.length);
    auto at = [=](i64 i) { return Bytes{data.data + offsets[i], offsets[i + 1] - offsets[i]}; };
    return encode_bytes(n, [=](i64 i) { return valid.null(i); }, at, kNoFetch, run);
}

Encoded encode_views(const Views& views, Validity valid, Run& run) {
    const std::vector<Bytes>& data = views.buffers;
    for (i64 i = 0; i < views.n; ++i) {
        if (valid.null(i)) continue;
        const u8* p = views.data + i * views.stride;
        const i64 length = field(p, 0), buffer = field(p, 8), offset = field(p, 12);
        if (length < 0 || (length > 12 && (buffer < 0 || buffer >= static_cast<i64>(data.size()) || offset < 0 ||
                                           offset + length > data[static_cast<std::size_t>(buffer)].length)))
            throw BadValue("a view reaches past the end of its buffer");
    }
    auto at = [&](i64 i) {
        const u8* p = views.data + i * views.stride;
        const i32 length = field(p, 0);
        if (length <= 12) return Bytes{p + 4, length};
        return Bytes{data[static_cast<std::size_t>(field(p, 8))].data + field(p, 12), length};
    };
    return encode_bytes(views.n, [=](i64 i) { return valid.null(i); }, at, kNoFetch, run);
}

}  // namespace clusterdiff
