// Texts as Arrow's views have them, and whether they are UTF-8.
#pragma once

#include <cstddef>
#include <cstring>

#include "base/common.hpp"

namespace clusterdiff {

// A short text is in its view; of others there is where they lie. Nobody reads what is behind a short one, nor the
// beginning of another, so these may be anything.
struct View {
    static constexpr i64 kShort = 12;
    i32 length;
    u8 start[4];
    i32 buffer, offset;
};

// Of the text of one buffer that is `at` some place of it. So many bytes as a short one has are read, whatever its length.
inline void set_view(View& to, const u8* text, i64 at, i64 length) {
    u8* view = reinterpret_cast<u8*>(&to);
    const i32 size = static_cast<i32>(length), where[] = {0, static_cast<i32>(at)};
    std::memcpy(view, &size, sizeof size);
    std::memcpy(view + sizeof size, text + at, View::kShort);
    if (length > View::kShort) std::memcpy(view + offsetof(View, buffer), where, sizeof where);
}

// How many bytes a character has that begins here; 0 if it is none.
inline i64 utf8_length(const u8* p, i64 left) {
    auto follows = [&](i64 i, u8 low = 0x80, u8 high = 0xbf) { return i < left && p[i] >= low && p[i] <= high; };
    const u8 lead = p[0];
    if (lead < 0x80) return 1;
    if (lead >= 0xc2 && lead <= 0xdf) return follows(1) ? 2 : 0;
    // No longer than need be, no half of a pair, and nothing beyond the last character.
    if (lead >= 0xe0 && lead <= 0xef) return follows(1, lead == 0xe0 ? 0xa0 : 0x80, lead == 0xed ? 0x9f : 0xbf) && follows(2) ? 3 : 0;
    if (lead >= 0xf0 && lead <= 0xf4) return follows(1, lead == 0xf0 ? 0x90 : 0x80, lead == 0xf4 ? 0x8f : 0xbf) && follows(2) && follows(3) ? 4 : 0;
    return 0;
}

inline bool is_utf8(const u8* text, i64 size) {
    for (i64 i = 0; i < size;) {
        const i64 length = utf8_length(text + i, size - i);
        if (!length) return false;
        i += length;
    }
    return true;
}

}  // namespace clusterdiff
