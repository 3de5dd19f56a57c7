// Values of any kind to codes 0, 1, 2, ... by first appearance; -1 stands for null.
//
// With few distinct values every worker numbers those of its own stretch, and the stretches are reconciled in order.
// With many, points are partitioned by hash, so that every table stays in cache: each bucket finds the first occurrence
// of each of its values, and the code of a value is the rank of that position among all first occurrences. Equal hashes
// are never trusted: values are compared.
#pragma once

#include "base/bits.hpp"
#include "base/codes.hpp"
#include "base/numeric.hpp"
#include "base/partition.hpp"
#include "encode/encode.hpp"

namespace clusterdiff {

// A source of values has key(i), same(i, j) for values whose keys are equal but not whole, and prefetch(i).

// The values met so far: their keys and where each was met first.
template <class Source>
class Lexicon {
  public:
    explicit Lexicon(const Source& source) : source_(&source) {}

    void clear(i64 expected) {
        table_.clear(expected);
        keys_.clear();
        first_.clear();
    }
    void prefetch(u64 hash) const { table_.prefetch(hash); }
    i32 code(const Key& key, u64 hash, i64 point) {
        const i32 code = table_.find_or_add(hash, [&](i32 c) {
            const auto known = static_cast<std::size_t>(c);
            return keys_[known] == key && (key.is_whole() || source_->same(first_[known], point));
        });
        if (static_cast<std::size_t>(code) == first_.size()) {
            keys_.push_back(key);
            first_.push_back(point);
        }
        return code;
    }
    i32 code(const Key& key, i64 point) { return code(key, key.hash(), point); }
    const std::vector<Key>& keys() const { return keys_; }
    const std::vector<i64>& first() const { return first_; }

  private:
    const Source* source_;
    CodeTable table_;
    std::vector<Key> keys_;
    std::vector<i64> first_;
};

template <class Source>
Encoded encode_few(i64 n, const Source& source, Run& run) {
    constexpr i64 batch = 32;  // keys are taken a little ahead, so that the table's cache misses overlap
    Encoded out;
    out.codes = Buffer<i32>(n);
    const int team = run.threads();
    auto begin_of = [&](int worker) { return worker == team ? n : n / team * worker; };
    std::vector<Lexicon<Source>> lexicons;
    for (int worker = 0; worker < team; ++worker) lexicons.emplace_back(source);
    run.workers(team, [&](int worker) {
        const Source from = source;  // a copy: what the loop reads is surely not what it writes
        Lexicon<Source> mine(source);
        Key key[batch];
        u64 hash[batch];
        const i64 begin = begin_of(worker), end = begin_of(worker + 1);
        for (i64 at = begin; at < end; at += batch) {
            if ((at - begin) % (batch * 256) == 0) run.poll();
            const i64 count = std::min(batch, end - at);
            for (i64 i = 0; i < count; ++i) {
                from.prefetch(at + i + batch);
                key[i] = from.key(at + i);
                hash[i] = key[i].hash();
                mine.prefetch(hash[i]);
            }
            for (i64 i = 0; i < count; ++i) out.codes[at + i] = key[i].is_null() ? -1 : mine.code(key[i], hash[i], at + i);
        }
        lexicons[static_cast<std::size_t>(worker)] = std::move(mine);
    });
    // The first worker's codes stand; the others' are translated.
    Lexicon<Source>& all = lexicons[0];
    std::vector<std::vector<i32>> translation(static_cast<std::size_t>(team));
    for (std::size_t worker = 1; worker < lexicons.size(); ++worker) {
        const Lexicon<Source>& other = lexicons[worker];
        for (std::size_t c = 0; c < other.keys().size(); ++c) translation[worker].push_back(all.code(other.keys()[c], other.first()[c]));
    }
    const i64 shard = i64{1} << 16, translated = begin_of(1);
    run.tasks((n - translated + shard - 1) / shard, [&](i64 s, int) {
        i64 at = translated + s * shard;
        const i64 end = std::min(n, at + shard);
        for (int worker = 1; worker < team; ++worker) {
            const auto& to = translation[static_cast<std::size_t>(worker)];
            for (const i64 stop = std::min(end, begin_of(worker + 1)); at < stop; ++at)
                if (out.codes[at] >= 0) out.codes[at] = to[static_cast<std::size_t>(out.codes[at])];
        }
    });
    const std::vector<i64>& first = all.first();
    check_clusters(static_cast<i64>(first.size()), "The input");
    out.first = Buffer<i64>::copy(first.data(), static_cast<i64>(first.size()));
    return out;
}

// Every shard of points is partitioned by itself, in cache, in one pass over the values; a bucket is the pieces that all
// shards have of it. Its records come back to their shard with the answer, so that nothing is written far away.
template <class Source>
Encoded encode_many(i64 n, const Source& source, Run& run) {
    constexpr i64 shard = i64{1} << 14;
    struct Record {
        u64 a, b;  // of the key; then in `a` where its value stands first
        u32 tag, point;
    };
    const int bits = partition_bits(n, 8192);
    const i64 shards = (n + shard - 1) / shard, buckets = i64{1} << bits;
    auto bucket_of = [bits](u64 hash) { return bits ? hash >> (64 - bits) : 0; };
    Buffer<Record> records(n);
    Buffer<u16> piece(shards * (buckets + 1));  // where each bucket's piece of a shard begins
    run.tasks(shards, [&](i64 s, int) {
        static_assert(shard <= UINT16_MAX);
        const i64 begin = s * shard, count = std::min(shard, n - begin);
        Buffer<Record> read(count);
        Buffer<u16> bucket(count);
        u16* start = piece.data() + s * (buckets + 1);
        std::vector<u16> next(static_cast<std::size_t>(buckets) + 1);
        for (i64 i = 0; i < count; ++i) {
            source.prefetch(begin + i + 16);
            const Key key = source.key(begin + i);
            read[i] = {key.a, key.b, key.tag, static_cast<u32>(begin + i)};
            bucket[i] = static_cast<u16>(bucket_of(key.hash()));
            ++next[bucket[i] + 1u];
        }
        for (i64 b = 0; b < buckets; ++b) next[static_cast<std::size_t>(b) + 1] += next[static_cast<std::size_t>(b)];
        std::copy(next.begin(), next.end(), start);
        for (i64 i = 0; i < count; ++i) records[begin + next[bucket[i]]++] = read[i];
    });

    std::vector<SlotSet> firsts;  // one a worker
    std::vector<Lexicon<Source>> lexicons;
    for (int worker = 0; worker < run.threads(); ++worker) {
        firsts.emplace_back(n);
        lexicons.emplace_back(source);
    }
    run.tasks(buckets, [&](i64 b, int worker) {
        Lexicon<Source>& values = lexicons[static_cast<std::size_t>(worker)];
        SlotSet& heads = firsts[static_cast<std::size_t>(worker)];
        values.clear(8192);
        for (i64 s = 0; s < shards; ++s) {
            const u16* start = piece.data() + s * (buckets + 1) + b;
            if (s + 2 < shards) prefetch(&records[(s + 2) * shard + start[2 * (buckets + 1)]]);
            for (i64 i = s * shard + start[0], end = s * shard + start[1]; i < end; ++i) {
                Record& record = records[i];
                const Key key{record.a, record.b, record.tag};
                if (key.is_null()) continue;
                const auto code = static_cast<std::size_t>(values.code(key, static_cast<i64>(record.point)));
                record.a = static_cast<u64>(values.first()[code]);
                if (record.a == record.point) heads.add(static_cast<i64>(record.point));
            }
        }
    });
    for (std::size_t worker = 1; worker < firsts.size(); ++worker) firsts[0].unite(firsts[worker]);

    const Ranks rank(firsts[0]);
    check_clusters(rank.count(), "The input");
    Encoded out;
    out.codes = Buffer<i32>(n);
    out.first = Buffer<i64>(rank.count());
    run.tasks(shards, [&](i64 s, int) {
        for (i64 i = s * shard, end = std::min(n, i + shard); i < end; ++i) {
            const Record& record = records[i];
            if (record.tag == Key::kNull) {
                out.codes[record.point] = -1;
                continue;
            }
            const i64 code = rank(static_cast<i64>(record.a));
            out.codes[record.point] = static_cast<i32>(code);
            if (record.a == record.point) out.first[code] = record.point;
        }
    });
    return out;
}

// The crossover is where the tables of all values leave a core's own cache.
template <class Source>
Encoded encode(i64 n, const Source& source, Run& run) {
    constexpr i64 kSamplePoints = 4096, kFewValues = 26000;
    std::vector<u32> times;
    if (n > kSamplePoints) {
        Lexicon<Source> sample(source);
        for (i64 i = 0, step = n / kSamplePoints; i < n; i += step) {
            const Key key = source.key(i);
            if (key.is_null()) continue;
            const auto code = static_cast<std::size_t>(sample.code(key, i));
            if (code == times.size()) times.push_back(0);
            ++times[code];
        }
    }
    // Positions in 32 bits: beyond, the plain table is slower but right.
    if (likely_distinct(times) < kFewValues || n >= static_cast<i64>(UINT32_MAX)) return encode_few(n, source, run);
    return encode_many(n, source, run);
}

}  // namespace clusterdiff
