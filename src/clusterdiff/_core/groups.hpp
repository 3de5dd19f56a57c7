// Sums over groups of points, and the points of each group.
#pragma once

#include "labels.hpp"
#include "memory.hpp"

namespace clusterdiff {

inline void check_groups(const i64 group, i64 k) {
    if (group < 0 || group >= k)
        throw BadValue("groups must lie in [0, " + std::to_string(k) + "), but " + std::to_string(group) + " was found");
}

// Exact sum of squares.
inline u128 sum_squares(const Labels& x, Run& run) {
    const i64 shard = i64{1} << 18, shards = (x.n + shard - 1) / shard;
    std::vector<u128> parts(static_cast<std::size_t>(shards));
    run.tasks(shards, [&](i64 s, int) {
        u64 scratch[kBlock];
        u128 sum = 0;
        for (i64 at = s * shard, end = std::min(x.n, at + shard); at < end; at += kBlock) {
            const i64 count = std::min(kBlock, end - at);
            const u64* v = x.block(at, count, scratch);
            for (i64 i = 0; i < count; ++i) {
                const i128 value = static_cast<i64>(v[i]);
                if (__builtin_add_overflow(sum, static_cast<u128>(value * value), &sum)) throw TooLarge("the sum of squares exceeds 128 bits");
            }
        }
        parts[static_cast<std::size_t>(s)] = sum;
    });
    u128 total = 0;
    for (u128 part : parts)
        if (__builtin_add_overflow(total, part, &total)) throw TooLarge("the sum of squares exceeds 128 bits");
    return total;
}

// Sums of whole numbers, which either are exact or fail.
inline Buffer<i64> group_sum(const Labels& groups, i64 k, const Labels& values, Run& run) {
    auto out = Buffer<i64>::zeros(k);
    u64 g_scratch[kBlock], v_scratch[kBlock];
    for (i64 at = 0; at < groups.n; at += kBlock) {
        run.poll(0);
        const i64 count = std::min(kBlock, groups.n - at);
        const u64* g = groups.block(at, count, g_scratch);
        const u64* v = values.block(at, count, v_scratch);
        for (i64 i = 0; i < count; ++i) {
            check_groups(static_cast<i64>(g[i]), k);
            i64& sum = out[static_cast<i64>(g[i])];
            if (__builtin_add_overflow(sum, static_cast<i64>(v[i]), &sum)) throw TooLarge("a group's sum exceeds 64 bits");
        }
    }
    return out;
}

// Compensated sums of floating-point numbers.
template <class Value>
Buffer<double> group_sum_floats(const Labels& groups, i64 k, Value&& value, Run& run) {
    auto sums = Buffer<Exactish>::zeros(k);
    u64 scratch[kBlock];
    for (i64 at = 0; at < groups.n; at += kBlock) {
        run.poll(0);
        const i64 count = std::min(kBlock, groups.n - at);
        const u64* g = groups.block(at, count, scratch);
        for (i64 i = 0; i < count; ++i) {
            check_groups(static_cast<i64>(g[i]), k);
            sums[static_cast<i64>(g[i])].add(value(at + i));
        }
    }
    Buffer<double> out(k);
    for (i64 group = 0; group < k; ++group) out[group] = sums[group].value();
    return out;
}

struct Members {
    Buffer<i64> indptr;   // [k + 1]
    Buffer<i64> members;  // [n], ascending within a group
};

inline Members group_members(const Labels& groups, i64 k, Run& run) {
    Members out;
    out.indptr = Buffer<i64>::zeros(k + 1);
    out.members = Buffer<i64>(groups.n);
    u64 scratch[kBlock];
    auto each = [&](auto&& f) {
        for (i64 at = 0; at < groups.n; at += kBlock) {
            run.poll(0);
            const i64 count = std::min(kBlock, groups.n - at);
            const u64* g = groups.block(at, count, scratch);
            for (i64 i = 0; i < count; ++i) f(static_cast<i64>(g[i]), at + i);
        }
    };
    each([&](i64 group, i64) {
        check_groups(group, k);
        ++out.indptr[group + 1];
    });
    for (i64 group = 0; group < k; ++group) out.indptr[group + 1] += out.indptr[group];
    Buffer<i64> next = Buffer<i64>::copy(out.indptr.data(), k);
    each([&](i64 group, i64 point) { out.members[next[group]++] = point; });
    return out;
}

}  // namespace clusterdiff
