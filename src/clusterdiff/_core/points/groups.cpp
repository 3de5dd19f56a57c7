#include "points/groups.hpp"

namespace clusterdiff {

namespace {

void check_groups(i64 group, i64 k) {
    if (group < 0 || group >= k)
        throw BadValue("groups must lie in [0, " + std::to_string(k) + "), but " + std::to_string(group) + " was found");
}

template <class T>
Buffer<double> sum_floats(const Labels& groups, i64 k, const Numbers& values, Run& run) {
    auto sums = Buffer<Exactish>::zeros(k);
    u64 scratch[kBlock];
    for (i64 at = 0; at < groups.n; at += kBlock) {
        run.poll(0);
        const i64 count = std::min(kBlock, groups.n - at);
        const u64* g = groups.block(at, count, scratch);
        for (i64 i = 0; i < count; ++i) {
            check_groups(static_cast<i64>(g[i]), k);
            sums[static_cast<i64>(g[i])].add(read_number<T>(values.data + (at + i) * values.stride));
        }
    }
    Buffer<double> out(k);
    for (i64 group = 0; group < k; ++group) out[group] = sums[group].value();
    return out;
}

}  // namespace

u128 sum_squares(const Labels& x, Run& run) {
    const i64 shard = i64{1} << 18, shards = (x.n + shard - 1) / shard;
    std::vector<u128> parts(static_cast<std::size_t>(shards));
    run.tasks(shards, [&](i64 s, int) {
        u64 scratch[kBlock];
        u128 sum = 0;
        for (i64 at = s * shard, end = std::min(x.n, at + shard); at < end; at += kBlock) {
            const i64 count = std::min(kBlock, end - at);
            const u64* v = x.block(at, count, scratch);
            for (i64 i = 0; i < count; ++i) {
                const u128 magnitude = static_cast<i64>(v[i]) < 0 ? 0 - v[i] : v[i];
                if (add_overflows(sum, magnitude * magnitude)) throw TooLarge("the sum of squares exceeds 128 bits");
            }
        }
        parts[static_cast<std::size_t>(s)] = sum;
    });
    u128 total = 0;
    for (const u128& part : parts)
        if (add_overflows(total, part)) throw TooLarge("the sum of squares exceeds 128 bits");
    return total;
}

Buffer<i64> group_sum(const Labels& groups, i64 k, const Labels& values, Run& run) {
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
            if (add_overflows(sum, static_cast<i64>(v[i]))) throw TooLarge("a group's sum exceeds 64 bits");
        }
    }
    return out;
}

Buffer<double> group_sum(const Labels& groups, i64 k, const Numbers& values, Run& run) {
    return values.type == Real::f32 ? sum_floats<float>(groups, k, values, run) : sum_floats<double>(groups, k, values, run);
}

Contents contents(const Labels& groups, i64 k, const Numbers& masses, Run& run) {
    const i64 n = groups.n;
    auto sums = Buffer<Exactish>::zeros(k), pairs = Buffer<Exactish>::zeros(k), entropy = Buffer<Exactish>::zeros(k);
    Contents out{Buffer<double>(k), Buffer<double>(k), Buffer<double>(n)};
    auto each = [&](auto&& f) {
        u64 scratch[kBlock];
        for (i64 at = 0; at < n; at += kBlock) {
            run.poll(0);
            const i64 count = std::min(kBlock, n - at);
            const u64* g = groups.block(at, count, scratch);
            for (i64 i = 0; i < count; ++i) {
                check_groups(static_cast<i64>(g[i]), k);
                f(static_cast<i64>(g[i]), at + i, masses.reader.one(masses.data + (at + i) * masses.stride));
            }
        }
    };
    each([&](i64 group, i64, double mass) {
        pairs[group].add(mass * sums[group].value());
        sums[group].add(mass);
    });
    each([&](i64 group, i64 point, double mass) {
        const double rest = std::max(0.0, (sums[group].high - mass) + sums[group].low);
        out.rest[point] = rest;
        if (mass > 0) entropy[group].add(mass * std::log1p(rest / mass));
    });
    for (i64 group = 0; group < k; ++group) {
        out.pairs[group] = pairs[group].value();
        out.entropy[group] = entropy[group].value();
    }
    return out;
}

Members group_members(const Labels& groups, i64 k, Run& run) {
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
