#include "base/labels.hpp"

namespace clusterdiff {

template <class T>
void Labels::widen_from(const char* from, i64 count, u64* to) const {
    if (stride == static_cast<i64>(sizeof(T))) {  // a constant stride lets the loop vectorise
        for (i64 i = 0; i < count; ++i) to[i] = get<T>(from + i * static_cast<i64>(sizeof(T)));
    } else {
        for (i64 i = 0; i < count; ++i) to[i] = get<T>(from + i * stride);
    }
}

void Labels::widen(i64 at, i64 count, u64* to) const {
    const char* from = data + at * stride;
    switch (kind) {
        case Kind::i8: widen_from<std::int8_t>(from, count, to); break;
        case Kind::i16: widen_from<std::int16_t>(from, count, to); break;
        case Kind::i32: widen_from<i32>(from, count, to); break;
        case Kind::u8: widen_from<u8>(from, count, to); break;
        case Kind::u16: widen_from<u16>(from, count, to); break;
        case Kind::u32: widen_from<u32>(from, count, to); break;
        default: widen_from<u64>(from, count, to);
    }
}

namespace {

// SSE2 cannot compare 64-bit integers.
CLUSTERDIFF_CLONES void widen_range(const u64* x, i64 count, u64 bias, u64& lo, u64& hi) {
    const u64 flip = bias ^ (u64{1} << 63);  // vector units compare signed
    i64 low = static_cast<i64>(lo ^ flip), high = static_cast<i64>(hi ^ flip);
    for (i64 i = 0; i < count; ++i) {
        const i64 value = static_cast<i64>(x[i] ^ flip);
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    lo = static_cast<u64>(low) ^ flip;
    hi = static_cast<u64>(high) ^ flip;
}

}  // namespace

Range range_of(const Labels& x, Run& run) {
    const i64 shard = i64{1} << 18;
    const i64 shards = (x.n + shard - 1) / shard;
    std::vector<Range> parts(static_cast<std::size_t>(shards));
    run.tasks(shards, [&](i64 s, int) {
        u64 scratch[kBlock];
        Range r{x[s * shard], x[s * shard]};
        for (i64 at = s * shard, end = std::min(x.n, at + shard); at < end; at += kBlock) {
            const i64 count = std::min(kBlock, end - at);
            widen_range(x.block(at, count, scratch), count, order_bias(x), r.lo, r.hi);
        }
        parts[static_cast<std::size_t>(s)] = r;
    });
    Range all = parts[0];
    const u64 bias = order_bias(x);
    for (const Range& r : parts) {
        if ((r.lo ^ bias) < (all.lo ^ bias)) all.lo = r.lo;
        if ((r.hi ^ bias) > (all.hi ^ bias)) all.hi = r.hi;
    }
    return all;
}

Range sample_range(const Labels& x) {
    u64 scratch[kBlock];
    Range r{x[0], x[0]};
    const i64 head = std::min(kBlock, x.n);
    widen_range(x.block(0, head, scratch), head, order_bias(x), r.lo, r.hi);
    if (x.n > kBlock) {
        const i64 step = x.n / kBlock;
        i64 count = 0;
        for (i64 at = step - 1; at < x.n && count < kBlock; at += step) scratch[count++] = x[at];
        widen_range(scratch, count, order_bias(x), r.lo, r.hi);
    }
    return r;
}

}  // namespace clusterdiff
