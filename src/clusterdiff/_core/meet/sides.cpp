#include "meet/sides.hpp"

#include "base/codes.hpp"

namespace clusterdiff {

void sort_labels(std::vector<u64>& keys, const Labels& x) {
    const u64 bias = order_bias(x);
    std::sort(keys.begin(), keys.end(), [bias](u64 a, u64 b) { return (a ^ bias) < (b ^ bias); });
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

Sample sample_labels(const Labels& x, i64 most) {
    KeyTable table;
    std::vector<u32> times;
    const i64 step = std::max<i64>(1, x.n / most);
    for (i64 at = 0; at < x.n; at += step) {
        const auto code = static_cast<std::size_t>(table.find_or_add(x[at]));
        if (code == times.size()) times.push_back(0);
        ++times[code];
    }
    return {table.keys(), likely_distinct(times)};
}

Side coded_side(const Labels& x, Run& run) {
    Side side;
    side.labels = x;
    side.codes = Buffer<u32>(x.n);
    const int team = run.threads();
    auto begin_of = [&](int worker) { return worker == team ? x.n : x.n / team * worker; };
    std::vector<KeyTable> tables(static_cast<std::size_t>(team));
    run.workers(team, [&](int worker) {
        u64 scratch[kBlock];
        KeyTable table;
        for (i64 at = begin_of(worker), end = begin_of(worker + 1); at < end; at += kBlock) {
            run.poll();
            const i64 count = std::min(kBlock, end - at);
            const u64* key = x.block(at, count, scratch);
            for (i64 i = 0; i < count; ++i) side.codes[at + i] = static_cast<u32>(table.find_or_add(key[i]));
        }
        tables[static_cast<std::size_t>(worker)] = std::move(table);
    });
    std::vector<u64> all;
    for (const KeyTable& table : tables) all.insert(all.end(), table.keys().begin(), table.keys().end());
    sort_labels(all, x);
    check_clusters(static_cast<i64>(all.size()), "One side");
    side.slots = static_cast<i64>(all.size());
    side.keys = Buffer<u64>::copy(all.data(), side.slots);
    KeyTable rank;
    for (u64 key : all) rank.find_or_add(key);
    run.workers(team, [&](int worker) {
        std::vector<u32> code;
        for (u64 key : tables[static_cast<std::size_t>(worker)].keys()) code.push_back(static_cast<u32>(rank.find(key)));
        for (i64 at = begin_of(worker), end = begin_of(worker + 1); at < end; ++at) side.codes[at] = code[side.codes[at]];
    });
    return side;
}

}  // namespace clusterdiff
