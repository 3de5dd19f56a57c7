// A stable partition of points into buckets. Every worker takes one contiguous stretch of the points and knows where
// its share of each bucket begins, so the order within a bucket is that of the points, for any number of threads.
#pragma once

#include "base/memory.hpp"
#include "base/threads.hpp"

namespace clusterdiff {

template <class Record>
struct Partition {
    std::vector<i64> start;  // [buckets + 1]
    Buffer<Record> records;

    i64 buckets() const { return static_cast<i64>(start.size()) - 1; }
    i64 begin(i64 bucket) const { return start[static_cast<std::size_t>(bucket)]; }
    i64 size(i64 bucket) const { return begin(bucket + 1) - begin(bucket); }
    i64 largest() const {
        i64 most = 0;
        for (i64 b = 0; b < buckets(); ++b) most = std::max(most, size(b));
        return most;
    }
};

// The number of bits by which to partition n points: buckets of about `points` points, but no more buckets than a core
// can write to at once without missing its caches (measured: 1,024).
inline int partition_bits(i64 n, i64 points) {
    int bits = 0;
    while (bits < 10 && (n >> bits) > points) ++bits;
    return bits;
}

// `feed.keys(at, count, scratch)` gives the values that decide the bucket of points [at, at + count), and
// `feed.both(at, count, scratch)` these and what goes with them; `bucket(key)` and `make(key, other)` do the rest.
//
// The values may change between the two passes. A bucket that then gets more points than were counted runs into the next
// one, and the last beyond the end: there is room for that, which takes no memory unless it is written to (a check per
// point was slower), and that somebody wrote elsewhere than was counted is found out when all is written.
template <class Record, class Feed, class Bucket, class Make>
Partition<Record> partition(i64 n, i64 buckets, const Feed& feed, Bucket bucket, Make make, Run& run) {
    const int team = run.threads();
    auto begin_of = [&](int worker) { return worker == team ? n : n / team * worker; };
    std::vector<std::vector<i64>> next(static_cast<std::size_t>(team), std::vector<i64>(static_cast<std::size_t>(buckets)));
    run.workers(team, [&](int worker) {
        typename Feed::Scratch scratch;
        i64* __restrict histogram = next[static_cast<std::size_t>(worker)].data();
        for (i64 at = begin_of(worker), end = begin_of(worker + 1); at < end; at += kBlock) {
            run.poll();
            const i64 count = std::min(kBlock, end - at);
            const auto* key = feed.keys(at, count, scratch);
            for (i64 i = 0; i < count; ++i) ++histogram[bucket(key[i])];
        }
    });
    Partition<Record> part;
    part.start.assign(static_cast<std::size_t>(buckets) + 1, 0);
    i64 total = 0;
    std::vector<i64> ends;  // of each worker's share of each bucket
    for (i64 b = 0; b < buckets; ++b) {
        part.start[static_cast<std::size_t>(b)] = total;
        for (auto& mine : next) {
            const i64 count = std::exchange(mine[static_cast<std::size_t>(b)], total);
            total += count;
            ends.push_back(total);
        }
    }
    part.start[static_cast<std::size_t>(buckets)] = total;
    part.records = Buffer<Record>(n + (n - begin_of(team - 1)));
    run.workers(team, [&](int worker) {
        typename Feed::Scratch scratch;
        i64* __restrict to = next[static_cast<std::size_t>(worker)].data();
        Record* __restrict records = part.records.data();
        for (i64 at = begin_of(worker), end = begin_of(worker + 1); at < end; at += kBlock) {
            run.poll();
            const i64 count = std::min(kBlock, end - at);
            const auto [key, other] = feed.both(at, count, scratch);
            for (i64 i = 0; i < count; ++i) {
                const auto k = key[i];  // read once: where it goes and what is kept of it belong together
                records[to[bucket(k)]++] = make(k, other[i]);
            }
        }
    });
    auto end = ends.begin();
    for (i64 b = 0; b < buckets; ++b)
        for (const auto& mine : next)
            if (mine[static_cast<std::size_t>(b)] != *end++) throw Changed();
    part.records.truncate(n);
    return part;
}

}  // namespace clusterdiff
