// Values of any kind to codes 0, 1, 2, ... by first appearance; -1 stands for null.
//
// With few distinct values every worker numbers those of its own stretch, and the stretches are reconciled in order.
// With many, points are partitioned by hash, so that every table stays in cache: each bucket finds the first occurrence
// of each of its values, and the code of a value is the rank of that position among all first occurrences. Equal hashes
// are never trusted: values are compared.
#pragma once

#include "bits.hpp"
#include "hash.hpp"
#include "labels.hpp"
#include "partition.hpp"

namespace clusterdiff {

struct Encoded {
    Buffer<i32> codes;  // [n]
    Buffer<i64> first;  // position of each code's first occurrence
};

// A source of values has null(i), hash(i), same(i, j) and prefetch(i).

// Appends the codes of points [begin, end) and the first position of every value not met before.
template <class Source>
void encode_stretch(i64 begin, i64 end, const Source& source, CodeTable& table, std::vector<i64>& first, i32* codes, Run& run, int worker) {
    constexpr i64 batch = 32;  // hashes are taken a little ahead, so that the table's cache misses overlap
    u64 hash[batch];
    for (i64 at = begin; at < end; at += batch) {
        if ((at - begin) % (batch * 256) == 0) run.poll(worker);
        const i64 count = std::min(batch, end - at);
        for (i64 i = 0; i < count; ++i) {
            if (source.null(at + i)) continue;
            hash[i] = source.hash(at + i);
            table.prefetch(hash[i]);
        }
        for (i64 i = 0; i < count; ++i) {
            const i64 point = at + i;
            if (source.null(point)) {
                codes[point] = -1;
                continue;
            }
            codes[point] = table.find_or_add(hash[i], [&](i32 c) { return source.same(first[static_cast<std::size_t>(c)], point); });
            if (static_cast<std::size_t>(codes[point]) == first.size()) first.push_back(point);
        }
    }
}

template <class Source>
Encoded encode_few(i64 n, const Source& source, Run& run) {
    Encoded out;
    out.codes = Buffer<i32>(n);
    const int team = run.threads();
    auto begin_of = [&](int worker) { return worker == team ? n : n / team * worker; };
    std::vector<std::vector<i64>> firsts(static_cast<std::size_t>(team));
    run.workers(team, [&](int worker) {
        CodeTable table;
        std::vector<i64> first;
        encode_stretch(begin_of(worker), begin_of(worker + 1), source, table, first, out.codes.data(), run, worker);
        firsts[static_cast<std::size_t>(worker)] = std::move(first);
    });
    // The first worker's codes stand; the others' are translated.
    std::vector<i64>& first = firsts[0];
    if (team > 1) {
        CodeTable table;
        auto code_of = [&](i64 point) {
            return table.find_or_add(source.hash(point), [&](i32 c) { return source.same(first[static_cast<std::size_t>(c)], point); });
        };
        for (i64 point : std::vector<i64>(first)) code_of(point);
        std::vector<std::vector<i32>> translation(static_cast<std::size_t>(team));
        for (int worker = 1; worker < team; ++worker)
            for (i64 point : firsts[static_cast<std::size_t>(worker)]) {
                const i32 code = code_of(point);
                if (static_cast<std::size_t>(code) == first.size()) first.push_back(point);
                translation[static_cast<std::size_t>(worker)].push_back(code);
            }
        run.workers(team, [&](int worker) {
            if (worker == 0) return;
            const auto& to = translation[static_cast<std::size_t>(worker)];
            for (i64 i = begin_of(worker); i < begin_of(worker + 1); ++i)
                if (out.codes[i] >= 0) out.codes[i] = to[static_cast<std::size_t>(out.codes[i])];
        });
    }
    check_clusters(static_cast<i64>(first.size()), "The input");
    out.first = Buffer<i64>::copy(first.data(), static_cast<i64>(first.size()));
    return out;
}

// `Position` holds any position and, as its largest value, "null".
template <class Position, class Source>
Encoded encode_many(i64 n, const Source& source, Run& run) {
    constexpr Position kNull = static_cast<Position>(-1);
    struct [[gnu::packed]] Record {
        u64 hash;
        Position point;
    };
    // Hashing is dear for long values: once. Nulls get a hash like everybody; their bucket tells them apart again.
    Buffer<u64> hashes(n);
    const i64 shard = i64{1} << 16, shards = (n + shard - 1) / shard;
    run.tasks(shards, [&](i64 s, int) {
        for (i64 i = s * shard, end = std::min(n, i + shard); i < end; ++i) hashes[i] = source.null(i) ? 0 : source.hash(i);
    });
    struct Feed {
        const Buffer<u64>& hashes;
        struct Scratch {
            Position point[kBlock];
        };
        struct Both {
            const u64* key;
            const Position* other;
        };
        const u64* keys(i64 at, i64, Scratch&) const { return hashes.data() + at; }
        Both both(i64 at, i64 count, Scratch& s) const {
            for (i64 i = 0; i < count; ++i) s.point[i] = static_cast<Position>(at + i);
            return {hashes.data() + at, s.point};
        }
    };
    const int bits = partition_bits(n, 8192);
    auto part = partition<Record>(
        n, i64{1} << bits, Feed{hashes}, [bits](u64 hash) { return bits ? hash >> (64 - bits) : 0; },
        [](u64 hash, Position point) { return Record{hash, point}; }, run);
    hashes = {};

    // For every point the first occurrence of its value.
    Buffer<Position> first_of(n);
    std::vector<std::vector<u32>> tables(static_cast<std::size_t>(run.threads()));
    std::vector<SlotSet> firsts;  // one a worker
    for (int worker = 0; worker < run.threads(); ++worker) firsts.emplace_back(n);
    run.tasks(part.buckets(), [&](i64 b, int worker) {
        const Record* record = part.records.data() + part.begin(b);
        const i64 points = part.size(b);
        auto& slots = tables[static_cast<std::size_t>(worker)];
        std::size_t capacity = 64;
        while (static_cast<i64>(capacity) < 2 * points) capacity *= 2;
        slots.assign(capacity, 0);  // index into the bucket's records, plus one
        for (i64 i = 0; i < points; ++i) {
            if (i + 16 < points) source.prefetch(static_cast<i64>(record[i + 16].point));
            const i64 point = static_cast<i64>(record[i].point);
            if (source.null(point)) {
                first_of[point] = kNull;
                continue;
            }
            const u64 hash = record[i].hash;
            for (u64 p = hash & (capacity - 1);; p = (p + 1) & (capacity - 1)) {
                if (slots[p] == 0) {
                    slots[p] = static_cast<u32>(i + 1);
                    first_of[point] = static_cast<Position>(point);
                    firsts[static_cast<std::size_t>(worker)].add(point);
                    break;
                }
                const Record& known = record[slots[p] - 1];
                if (known.hash == hash && source.same(static_cast<i64>(known.point), point)) {
                    first_of[point] = known.point;
                    break;
                }
            }
        }
    });
    for (std::size_t worker = 1; worker < firsts.size(); ++worker) firsts[0].unite(firsts[worker]);
    part.records = {};

    const Ranks rank(firsts[0]);
    check_clusters(rank.count(), "The input");
    Encoded out;
    out.codes = Buffer<i32>(n);
    out.first = Buffer<i64>(rank.count());
    run.tasks(shards, [&](i64 s, int) {
        for (i64 i = s * shard, end = std::min(n, i + shard); i < end; ++i) {
            const Position first = first_of[i];
            if (first == kNull) {
                out.codes[i] = -1;
                continue;
            }
            const i64 code = rank(static_cast<i64>(first));
            out.codes[i] = static_cast<i32>(code);
            if (static_cast<i64>(first) == i) out.first[code] = i;
        }
    });
    return out;
}

// The crossover is where the tables and representatives of all values leave a core's own cache.
template <class Source>
Encoded encode(i64 n, const Source& source, Run& run) {
    constexpr i64 kSamplePoints = 16384, kFewInSample = 12000;
    i64 seen = 0;
    if (n > kSamplePoints) {
        CodeTable table;
        for (i64 i = 0, step = n / kSamplePoints; i < n; i += step)
            if (!source.null(i)) table.find_or_add(source.hash(i), [](i32) { return true; });
        seen = table.size();
    }
    // Positions in 32 bits, within a bucket too: beyond, the plain table is slower but right.
    if (seen < kFewInSample || n >= static_cast<i64>(UINT32_MAX)) return encode_few(n, source, run);
    return encode_many<u32>(n, source, run);
}

struct IntegerSource {
    const Labels& x;
    static bool null(i64) { return false; }
    u64 hash(i64 i) const { return mix(x[i]); }
    bool same(i64 i, i64 j) const { return x[i] == x[j]; }
    void prefetch(i64 i) const { __builtin_prefetch(x.data + i * x.stride); }
};

// A run of bytes; the tag tells apart equal bytes of different meaning.
struct Bytes {
    const u8* data;
    i64 length;
    u64 tag = 0;
};

// `null(i)` and `at(i)` -> Bytes.
template <class Null, class At>
struct BytesSource {
    Null is_null;
    At at;
    bool null(i64 i) const { return is_null(i); }
    u64 hash(i64 i) const {
        const Bytes b = at(i);
        return hash_bytes(b.data, b.length) + b.tag;
    }
    bool same(i64 i, i64 j) const {
        const Bytes a = at(i), b = at(j);
        return a.length == b.length && a.tag == b.tag && (a.length == 0 || std::memcmp(a.data, b.data, static_cast<std::size_t>(a.length)) == 0);
    }
    void prefetch(i64 i) const { __builtin_prefetch(at(i).data); }
};

}  // namespace clusterdiff
