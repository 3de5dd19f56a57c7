#include "encode/lexicon.hpp"

namespace clusterdiff {

namespace {

// Whether there are only zeros.
bool blank(const u8* p, i64 length) {
    u64 any = 0;
    for (; length >= 8; length -= 8, p += 8) any |= read8(p);
    for (; length > 0; --length, ++p) any |= *p;
    return any == 0;
}

// Characters of `kUnit` bytes.
template <i64 kUnit>
struct FixedSource {
    const u8* data;
    i64 stride, width;

    CLUSTERDIFF_INLINE Key key(i64 i) const {
        constexpr i64 head = 16 * kUnit;  // so many characters are kept whole if they are narrow and all there is
        const u8* p = data + i * stride;
        if (width <= 16) return Key::of_bytes(p, width, 0);
        if (width <= head || blank(p + head, width - head)) {
            if (kUnit == 1) return {read8(p), read8(p + 8), 0};
            u64 half[2] = {0, 0}, all = 0;
            for (i64 c = 0; c < 16; c += 2) {
                if (c * 4 >= width) break;
                const u64 two = c * 4 + 8 <= width ? read8(p + c * 4) : read4(p + c * 4);
                half[c >> 3] |= ((two & 0xff) | (two >> 24 & 0xff00)) << (8 * (c & 7));
                all |= two;
            }
            if (!(all & 0xffffff00ffffff00)) return {half[0], half[1], 0};
        }
        return {Key::long_hash(p, width), 0, Key::kLong};
    }
    bool same(i64 i, i64 j) const { return std::memcmp(data + i * stride, data + j * stride, static_cast<std::size_t>(width)) == 0; }
    static void prefetch(i64) {}
};

}  // namespace

Encoded encode_fixed(const FixedText& x, Run& run) {
    if (x.unit == 1) return encode(x.n, FixedSource<1>{x.data, x.stride, x.width}, run);
    return encode(x.n, FixedSource<4>{x.data, x.stride, x.width}, run);
}

}  // namespace clusterdiff
