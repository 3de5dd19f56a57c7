#include "encode/lexicon.hpp"

#include <optional>

namespace clusterdiff {

namespace {

struct IntegerSource {
    const Labels& x;
    CLUSTERDIFF_INLINE Key key(i64 i) const { return {x[i], 0, 0}; }
    static bool same(i64, i64) { return true; }
    static void prefetch(i64) {}
};

// A table of so many codes stays near the core; and it should cost little next to the points.
constexpr u64 kMostSlots = u64{1} << 22;

// The labels of a small range need no hashing. Nothing when one lies outside of it, since somebody has changed it.
std::optional<Encoded> encode_range(const Labels& x, Range range, Run& run) {
    Buffer<i32> code(static_cast<i64>(range.span()) + 1);
    for (i64 slot = 0; slot < code.size(); ++slot) code[slot] = -1;
    Encoded out;
    out.codes = Buffer<i32>(x.n);
    std::vector<i64> first;
    u64 scratch[kBlock];
    for (i64 at = 0; at < x.n; at += kBlock) {
        if (at % (kBlock * 64) == 0) run.poll();
        const i64 count = std::min(kBlock, x.n - at);
        const u64* labels = x.block(at, count, scratch);
        for (i64 i = 0; i < count; ++i) {
            const u64 slot = labels[i] - range.lo;
            if (slot > range.span()) return std::nullopt;
            i32& found = code[static_cast<i64>(slot)];
            if (found < 0) {
                found = static_cast<i32>(first.size());
                first.push_back(at + i);
            }
            out.codes[at + i] = found;
        }
    }
    out.first = Buffer<i64>::copy(first.data(), static_cast<i64>(first.size()));
    return out;
}

}  // namespace

Encoded encode_integers(const Labels& x, Run& run) {
    auto small = [&](Range range) { return range.span() < kMostSlots && range.span() < 2 * static_cast<u64>(x.n); };
    if (x.n && small(sample_range(x))) {
        const Range range = range_of(x, run);
        if (small(range))
            if (auto out = encode_range(x, range, run)) return std::move(*out);
    }
    return encode(x.n, IntegerSource{x}, run);
}

}  // namespace clusterdiff
