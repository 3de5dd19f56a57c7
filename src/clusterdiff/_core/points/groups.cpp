#include "points/groups.hpp"

#include "base/partition.hpp"

namespace clusterdiff {

namespace {

void check_groups(i64 group, i64 k) {
    if (group < 0 || group >= k)
        throw BadValue("groups must lie in [0, " + std::to_string(k) + "), but " + std::to_string(group) + " was found");
}

// Calls f(point, group) for every point in order. What is checked is what is passed on: it is read once. Groups may lie
// anywhere among `sums`, so those of points to come are fetched early.
template <class T, class F>
void each_point(const Labels& groups, i64 k, const Buffer<T>& sums, Run& run, F&& f) {
    constexpr i64 kAhead = 24;
    u64 scratch[kBlock];
    for (i64 at = 0; at < groups.n; at += kBlock) {
        run.poll();
        const i64 count = std::min(kBlock, groups.n - at);
        const u64* block = groups.block(at, count, scratch);
        for (i64 i = 0; i < count; ++i) {
            prefetch(sums.data() + std::min(block[std::min(i + kAhead, count - 1)], static_cast<u64>(k)));
            const i64 group = static_cast<i64>(block[i]);
            check_groups(group, k);
            f(at + i, group);
        }
    }
}

template <class T>
Buffer<double> sum_floats(const Labels& groups, i64 k, const Numbers& values, Run& run) {
    auto sums = Buffer<Exactish>::zeros(k);
    each_point(groups, k, sums, run, [&](i64 i, i64 group) { sums[group].add(read_number<T>(values.data + i * values.stride)); });
    Buffer<double> out(k);
    for (i64 group = 0; group < k; ++group) out[group] = sums[group].value();
    return out;
}

template <class Value>
Buffer<Value> greatest(const Labels& groups, i64 k, const Value* values, Run& run) {
    auto most = Buffer<Value>::zeros(k);
    each_point(groups, k, most, run, [&](i64 i, i64 group) { most[group] = std::max(most[group], values[i]); });
    return most;
}

}  // namespace

Counted counted(const i64* x, i64 n, Run& run) {
    // Most values are found in a table. Those beyond it, of which there are few among the sizes of clusters, are sorted.
    const i64 within = 4 * n + (i64{1} << 12);
    i64 most = -1;
    std::vector<i64> beyond;
    run.each(0, n, [&](i64 i) {
        if (x[i] < 0) throw BadValue("x must not be negative");
        if (x[i] > within)
            beyond.push_back(x[i]);
        else
            most = std::max(most, x[i]);
    });
    const i64 room = n + static_cast<i64>(beyond.size());
    Counted out{Buffer<i64>(room), Buffer<i64>(room)};
    i64 found = 0;
    auto add = [&](i64 value, i64 count) { out.values[found] = value, out.counts[found++] = count; };
    auto times = Buffer<i64>::zeros(most + 1);
    run.each(0, n, [&](i64 i) {
        const i64 value = x[i];
        if (value >= 0 && value <= most) ++times[value];
    });
    run.each(0, most + 1, [&](i64 value) {
        if (times[value]) add(value, times[value]);
    });
    run.stable_sort(beyond.begin(), beyond.end(), std::less<>());
    for (auto at = beyond.begin(); at != beyond.end();) {
        const auto end = std::upper_bound(at, beyond.end(), *at);
        add(*at, end - at);
        at = end;
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
    u64 scratch[kBlock];
    const u64* block = scratch;
    each_point(groups, k, out, run, [&](i64 i, i64 group) {
        if (i % kBlock == 0) block = values.block(i, std::min(kBlock, values.n - i), scratch);
        if (add_overflows(out[group], static_cast<i64>(block[i % kBlock]))) throw TooLarge("a group's sum exceeds 64 bits");
    });
    return out;
}

Buffer<double> group_sum(const Labels& groups, i64 k, const Numbers& values, Run& run) {
    return values.type == Real::f32 ? sum_floats<float>(groups, k, values, run) : sum_floats<double>(groups, k, values, run);
}

TwoSums group_sums(const Labels& groups, i64 k, const double* first, const double* second, Run& run) {
    struct Both {
        Exactish first, second;
    };
    // Most groups have nothing but zeros as a rule: only others have sums, the first of which are those of nobody.
    auto place = Buffer<u32>::zeros(k);
    std::vector<Both> sums(1);
    // Neither the place of a group nor its sums are near those of the group before: both are fetched early, a few points
    // at once.
    constexpr i64 kFew = 64;
    i64 points[kFew];
    u32 places[kFew];
    i64 few = 0;
    auto add = [&] {
        for (i64 i = 0; i < few; ++i) prefetch(&sums[places[i]]);
        for (i64 i = 0; i < few; ++i) {
            sums[places[i]].first.add(first[points[i]]);
            sums[places[i]].second.add(second[points[i]]);
        }
        few = 0;
    };
    each_point(groups, k, place, run, [&](i64 i, i64 group) {
        if (first[i] == 0 && second[i] == 0) return;
        u32& mine = place[group];
        if (!mine) {
            mine = static_cast<u32>(sums.size());
            sums.emplace_back();
        }
        points[few] = i, places[few] = mine;
        if (++few == kFew) add();
    });
    add();
    TwoSums out{Buffer<double>(k), Buffer<double>(k)};
    run.each(0, k, [&](i64 group) {
        const Both& both = sums[place[group]];
        out.first[group] = both.first.value(), out.second[group] = both.second.value();
    });
    return out;
}

Buffer<i64> group_max(const Labels& groups, i64 k, const i64* values, Run& run) { return greatest(groups, k, values, run); }
Buffer<double> group_max(const Labels& groups, i64 k, const double* values, Run& run) { return greatest(groups, k, values, run); }

Contents contents(const Labels& groups, i64 k, const Numbers& masses, Run& run) {
    const i64 n = groups.n;
    struct Block {
        u64 scratch[kBlock];
        double mass[kBlock];
        const u64* group;
        i64 count;
    };
    auto read = [&](i64 at, i64 end, Block& block) {
        block.count = std::min(kBlock, end - at);
        block.group = groups.block(at, block.count, block.scratch);
        masses.reader.many(masses.data + at * masses.stride, masses.stride, block.count, block.mass);
        for (i64 i = 0; i < block.count; ++i) check_groups(static_cast<i64>(block.group[i]), k);
    };
    auto each = [&](auto&& f) {
        Block block;
        for (i64 at = 0; at < n; at += kBlock) {
            run.poll();
            read(at, n, block);
            for (i64 i = 0; i < block.count; ++i) f(at + i, static_cast<i64>(block.group[i]), block.mass[i]);
        }
    };
    Buffer<double> whole(k);
    {
        auto sums = Buffer<Exactish>::zeros(k);
        each([&](i64, i64 group, double mass) { sums[group].add(mass); });
        for (i64 group = 0; group < k; ++group) whole[group] = sums[group].value();
    }
    // Beside the rest of its group, a mass up to half of it is known as well as the group is. One that is more, of which
    // a group has one at most, is known by the sum of the others, below.
    constexpr double kMost = -1;
    Buffer<double> terms(n);
    const i64 shard = 16 * kBlock;
    run.tasks((n + shard - 1) / shard, [&](i64 s, int) {
        Block block;
        double others[kBlock];
        for (i64 at = s * shard, end = std::min(n, at + shard); at < end; at += kBlock) {
            run.poll();
            read(at, end, block);
            for (i64 i = 0; i < block.count; ++i) others[i] = whole[static_cast<i64>(block.group[i])] - block.mass[i];
            for (i64 i = 0; i < block.count; ++i) {
                const double mass = block.mass[i], safe = mass > 0 ? mass : 1;
                const double term = mass * log_one_plus(others[i] / safe);
                terms[at + i] = mass > others[i] ? kMost : term;
            }
        }
    });
    struct Sums {
        Exactish rest, squares, entropy;
        double most;
        i64 heavy;
    };
    auto sums = Buffer<Sums>::zeros(k);
    each([&](i64 i, i64 group, double mass) {
        Sums& s = sums[group];
        s.heavy += mass > 0;
        if (terms[i] == kMost) {
            s.most = mass;
        } else {
            s.rest.add(mass);
            s.squares.add(mass * mass);
            s.entropy.add(terms[i]);
        }
    });
    Contents out{Buffer<double>(k), Buffer<double>(k), Buffer<i64>(k)};
    for (i64 group = 0; group < k; ++group) {
        const Sums& s = sums[group];
        out.heavy[group] = s.heavy;
        const double rest = s.rest.value();
        out.pairs[group] = s.most * rest + std::max(rest * rest - s.squares.value(), 0.0) / 2;
        out.entropy[group] = s.entropy.value() + (s.most > 0 ? s.most * std::log1p(rest / s.most) : 0.0);
    }
    return out;
}

namespace {

// Points and their groups for a partition, block by block; groups are copied, since the caller's own may change.
struct GroupFeed {
    struct Scratch {
        u64 wide[kBlock], group[kBlock];
        i64 point[kBlock];
    };
    const Labels& groups;
    i64 k;

    const u64* keys(i64 at, i64 count, Scratch& s) const {
        const u64* block = groups.block(at, count, s.wide);
        for (i64 i = 0; i < count; ++i) {
            const u64 group = block[i];
            check_groups(static_cast<i64>(group), k);
            s.group[i] = group;
        }
        return s.group;
    }
    std::pair<const u64*, const i64*> both(i64 at, i64 count, Scratch& s) const {
        for (i64 i = 0; i < count; ++i) s.point[i] = at + i;
        return {keys(at, count, s), s.point};
    }
};

// Points are sent to buckets of groups, each of which fits a core's cache while its groups are told apart.
template <class Index>
Members members_by_bucket(const Labels& groups, i64 k, int shift, Run& run) {
    struct Record {
        Index group, point;
    };
    Members out{Buffer<i64>(k + 1), Buffer<i64>(groups.n)};
    const i64 buckets = ((k - 1) >> shift) + 1;
    const auto part = partition<Record>(
        groups.n, buckets, GroupFeed{groups, k}, [shift](u64 group) { return group >> shift; },
        [](u64 group, i64 point) { return Record{static_cast<Index>(group), static_cast<Index>(point)}; }, run);
    run.tasks(buckets, [&](i64 b, int) {
        const i64 first = b << shift, count = std::min(i64{1} << shift, k - first);
        auto next = Buffer<i64>::zeros(count);
        const auto place = [&](i64 i) -> i64& { return next[static_cast<i64>(part.records[i].group) - first]; };
        run.each(part.begin(b), part.begin(b + 1), [&](i64 i) { ++place(i); });
        i64 total = part.begin(b);
        for (i64 g = 0; g < count; ++g) {
            out.indptr[first + g] = total;
            total += std::exchange(next[g], total);
        }
        run.each(part.begin(b), part.begin(b + 1), [&](i64 i) { out.members[place(i)++] = static_cast<i64>(part.records[i].point); });
    });
    out.indptr[k] = groups.n;
    return out;
}

}  // namespace

Members group_members(const Labels& groups, i64 k, Run& run) {
    int shift = 0;
    for (const int bits = partition_bits(groups.n, 2048); ((k - 1) >> shift) >= (i64{1} << bits);) ++shift;
    if (shift == 0) {  // a bucket for each group
        auto part = partition<i64>(
            groups.n, k, GroupFeed{groups, k}, [](u64 group) { return group; }, [](u64, i64 point) { return point; }, run);
        return {Buffer<i64>::copy(part.start.data(), k + 1), std::move(part.records)};
    }
    return std::max(groups.n, k) <= static_cast<i64>(UINT32_MAX) ? members_by_bucket<u32>(groups, k, shift, run)
                                                                 : members_by_bucket<u64>(groups, k, shift, run);
}

}  // namespace clusterdiff
