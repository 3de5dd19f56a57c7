#include "explain/looks.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace clusterdiff {

namespace {

enum Sign : u8 { kOther, kUpper, kLower, kNumber, kWide, kSpace, kQuote };

Sign sign_of(u8 byte) {
    if (byte >= 'A' && byte <= 'Z') return kUpper;
    if (byte >= 'a' && byte <= 'z') return kLower;
    if (byte >= '0' && byte <= '9') return kNumber;
    if (byte >= 128) return kWide;
    return byte == ' ' ? kSpace : byte == '\'' ? kQuote : kOther;
}

// Characters that words are made of: a letter between two others is no initial.
bool joins(Sign sign) { return sign != kOther && sign != kSpace; }

u32 mark_of(u8 byte) {
    switch (byte) {
        case '-': return kHyphen;
        case '.': return kFullStop;
        case ',': return kComma;
        case '\'': return kApostrophe;
        case '(':
        case '[': return kBracket;
        case '/': return kSlash;
        case '&': return kAmpersand;
        default: return 0;
    }
}

u32 look_of(const u8* text, i64 bytes) {
    i64 counts[kQuote + 1] = {}, words = 0, stops = 0;
    bool initial = false, doubled = false;
    u32 marks = 0;
    Sign before = kOther, sign = bytes ? sign_of(text[0]) : kOther;
    for (i64 i = 0; i < bytes; ++i) {
        const Sign after = i + 1 < bytes ? sign_of(text[i + 1]) : kOther;
        ++counts[sign];
        if (sign != kSpace && (i == 0 || before == kSpace)) ++words;
        initial |= (sign == kUpper || sign == kLower) && !joins(before) && !joins(after);
        doubled |= i > 0 && sign == kSpace && before == kSpace;
        stops += text[i] == '.';
        marks |= mark_of(text[i]);
        before = sign, sign = after;
    }
    const i64 upper = counts[kUpper], lower = counts[kLower], digits = counts[kNumber];
    const bool edge = bytes && (text[0] == ' ' || text[bytes - 1] == ' ');
    auto when = [](bool holds, u32 flag) { return holds ? flag : 0; };
    return marks | when(initial && words > 1, kInitial) |
           when(bytes - stops == 1 && upper + lower + counts[kWide] == 1, kOneLetter) | when(digits > 0, kDigit) |
           when(bytes && digits == bytes, kOnlyDigits) | when(counts[kWide] > 0, kNotAscii) |
           when(upper > 1 && !lower, kCapitals) | when(lower > 1 && !upper, kLowerCase) | when(words == 1, kOneWord) |
           when(words >= 3, kThreeWords) | when(edge || doubled, kExtraSpaces) | when(words == 0, kEmpty);
}

}  // namespace

Looks looks(const u8* text, i64 bytes, i64 n, Run& run) {
    Looks out{Buffer<u32>(n), Buffer<i64>(n), Buffer<u8>(n)};
    i64 at = 0;
    run.each(0, n, [&](i64 i) {
        const u8* end = static_cast<const u8*>(std::memchr(text + at, '\n', static_cast<std::size_t>(bytes - at)));
        if (!end) throw BadValue("every text must end with a line break");
        const i64 length = end - (text + at);
        out.flags[i] = look_of(text + at, length);
        out.length[i] = std::count_if(text + at, end, [](u8 byte) { return (byte & 0xC0) != 0x80; });
        const u8 first = length ? text[at] : u8{0};
        out.first[i] = first >= 128 ? u8{0} : sign_of(first) == kLower ? static_cast<u8>(first - 32) : first;
        at += length + 1;
    });
    if (at != bytes) throw BadValue("there are more texts than n");
    return out;
}

template <class Code>
Buffer<u8> agreement(const i64* indptr, i64 k, const i64* members, const Code* codes, i64 n, Code none, Run& run) {
    auto out = Buffer<u8>::zeros(n);
    std::vector<std::pair<Code, i64>> values;
    run.each(0, k, [&](i64 group) {
        const i64 begin = indptr[group], end = indptr[group + 1];
        bool several = false;
        Code seen = none;
        for (i64 i = begin; i < end && !several; ++i) {
            const Code code = codes[members[i]];
            several = code != none && seen != none && code != seen;
            if (code != none) seen = code;
        }
        if (!several) return;
        values.clear();
        for (i64 i = begin; i < end; ++i) {
            out[members[i]] = 2;
            if (codes[members[i]] != none) values.emplace_back(codes[members[i]], members[i]);
        }
        if (values.size() < 4096)
            std::sort(values.begin(), values.end());
        else  // which polls
            run.stable_sort(values.begin(), values.end(), std::less<>());
        auto each_run = [&](auto&& f) {
            for (auto first = values.begin(); first != values.end();) {
                const auto last = std::find_if(first, values.end(), [&](const auto& value) { return value.first != first->first; });
                f(first, last);
                first = last;
            }
        };
        i64 most = 0;
        each_run([&](auto first, auto last) { most = std::max<i64>(most, last - first); });
        each_run([&](auto first, auto last) {
            if (last - first < most)
                for (auto at = first; at != last; ++at) out[at->second] |= 1;
        });
    });
    return out;
}

template <class Code>
Buffer<double> code_sums(const Code* codes, i64 n, i64 k, const i32* of, const double* rows, i64 classes, i64 width, Run& run) {
    auto sums = Buffer<double>::zeros(width * k);
    run.each(0, n, [&](i64 i) {
        const i64 code = static_cast<i64>(codes[i]), row = of[i];
        if (code < 0 || code >= k) throw BadValue("codes must lie in [0, " + std::to_string(k) + ")");
        if (row < 0 || row >= classes) throw BadValue("rows must lie in [0, " + std::to_string(classes) + ")");
        double* sum = sums.data() + width * code;
        const double* values = rows + width * row;
        for (i64 v = 0; v < width; ++v) sum[v] += values[v];
    });
    return sums;
}

template Buffer<u8> agreement(const i64*, i64, const i64*, const i32*, i64, i32, Run&);
template Buffer<u8> agreement(const i64*, i64, const i64*, const i64*, i64, i64, Run&);
template Buffer<double> code_sums(const i32*, i64, i64, const i32*, const double*, i64, i64, Run&);
template Buffer<double> code_sums(const i64*, i64, i64, const i32*, const double*, i64, i64, Run&);

}  // namespace clusterdiff
