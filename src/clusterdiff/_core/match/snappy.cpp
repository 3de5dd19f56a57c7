#include "match/snappy.hpp"

#include <cstring>

namespace clusterdiff {

bool unpack_snappy(const u8* from, i64 size, u8* to, i64 unpacked) {
    const u8* const end = from + size;
    u8 *at = to, *const stop = to + unpacked;
    u64 told = 0;
    for (int shift = 0;; shift += 7) {
        if (from == end || shift > 28) return false;
        told |= u64{*from & 0x7fu} << shift;
        if (!(*from++ & 0x80)) break;
    }
    if (told != static_cast<u64>(unpacked)) return false;
    while (from < end) {
        const u8 tag = *from++;
        i64 length = (tag >> 2) + 1;
        if (!(tag & 3)) {  // bytes as they are
            if (length > 60) {
                const i64 more = length - 60;
                if (end - from < more) return false;
                length = 0;
                for (i64 i = 0; i < more; ++i) length |= i64{from[i]} << (8 * i);
                from += more;
                ++length;
            }
            if (length > end - from || length > stop - at) return false;
            if (length <= 16)
                std::memcpy(at, from, 16);
            else
                std::memcpy(at, from, static_cast<std::size_t>(length));
            from += length;
            at += length;
            continue;
        }
        // Bytes that there have been. How many bytes say how far back, two bits tell.
        const i64 said = i64{1} << ((tag & 3) - 1);
        if (end - from < said) return false;
        i64 back;
        if (said == 1) {
            length = ((tag >> 2) & 7) + 4;
            back = i64{tag >> 5} << 8 | from[0];
        } else {
            back = from[0] | i64{from[1]} << 8;
            if (said == 4) back |= i64{from[2]} << 16 | i64{from[3]} << 24;
        }
        from += said;
        if (!back || back > at - to || length > stop - at) return false;
        const u8* source = at - back;
        if (back >= 8) {
            // Most have up to 16 bytes, for which nothing has to be foreseen.
            std::memcpy(at, source, 8);
            std::memcpy(at + 8, source + 8, 8);
            for (i64 i = 16; i < length; i += 8) std::memcpy(at + i, source + i, 8);
        } else {
            for (i64 i = 0; i < length; ++i) at[i] = source[i];
        }
        at += length;
    }
    return at == stop;
}

}  // namespace clusterdiff
