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

Counted counted(const i64* x, i64 n) {
    i64 most = 0;
    for (i64 i = 0; i < n; ++i) {
        if (x[i] < 0) throw BadValue("x must not be negative");
        most = std::max(most, x[i]);
    }
    Counted out{Buffer<i64>(n), Buffer<i64>(n)};
    i64 found = 0;
    auto add = [&](i64 value, i64 count) { out.values[found] = value, out.counts[found++] = count; };
    if (most <= 4 * n + (i64{1} << 12)) {
        auto times = Buffer<i64>::zeros(most + 1);
        for (i64 i = 0; i < n; ++i) ++times[x[i]];
        for (i64 value = 0; value <= most; ++value)
            if (times[value]) add(value, times[value]);
    } else {  // few, some of them huge: sorting beats a table
        std::vector<i64> sorted(x, x + n);
        std::sort(sorted.begin(), sorted.end());
        for (i64 i = 0, end; i < n; i = end) {
            for (end = i + 1; end < n && sorted[static_cast<std::size_t>(end)] == sorted[static_cast<std::size_t>(i)];) ++end;
            add(sorted[static_cast<std::size_t>(i)], end - i);
        }
    }
    out.values = Buffer<i64>::copy(out.values.data(), found), out.counts = Buffer<i64>::copy(out.counts.data(), found);
    return out;
}

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
    auto pairs = Buffer<Exactish>::zeros(k), entropy = Buffer<Exactish>::zeros(k);
    Contents out{Buffer<double>(k), Buffer<double>(k)};
    Buffer<double> rest(n);
    auto block = [&](i64 at, u64* scratch) {
        run.poll(0);
        return groups.block(at, std::min(kBlock, n - at), scratch);
    };
    auto mass_of = [&](i64 point) { return masses.reader.one(masses.data + point * masses.stride); };
    u64 scratch[kBlock];
    {
        auto before = Buffer<Exactish>::zeros(k);
        for (i64 at = 0; at < n; at += kBlock) {
            const u64* g = block(at, scratch);
            for (i64 i = at; i < std::min(n, at + kBlock); ++i) {
                const i64 group = static_cast<i64>(g[i - at]);
                check_groups(group, k);
                const double mass = mass_of(i);
                rest[i] = before[group].value();
                pairs[group].add(mass * rest[i]);
                before[group].add(mass);
            }
        }
    }
    // Backwards, so that what comes after a mass is known as well as what came before it.
    auto after = Buffer<Exactish>::zeros(k);
    for (i64 at = (n - 1) / kBlock * kBlock; at >= 0; at -= kBlock) {
        const u64* g = block(at, scratch);
        for (i64 i = std::min(n, at + kBlock); i-- > at;) {
            const i64 group = static_cast<i64>(g[i - at]);
            check_groups(group, k);
            const double mass = mass_of(i);
            rest[i] += after[group].value();
            after[group].add(mass);
            if (mass > 0) entropy[group].add(mass * std::log1p(rest[i] / mass));
        }
    }
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
    each([&](i64 group, i64 point) {
        if (group < 0 || group >= k || next[group] == out.indptr[group + 1]) throw Changed();
        out.members[next[group]++] = point;
    });
    return out;
}

}  // namespace clusterdiff
