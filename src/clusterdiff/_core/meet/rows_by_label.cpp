// Rows that are arbitrary labels, and columns that are.
#include "meet/buckets.hpp"
#include "meet/rows.hpp"

namespace clusterdiff {

namespace {

// Rows are arbitrary labels, numbered by first appearance in the bucket.
class LabelRows {
  public:
    using Record = TrueRecord;
    explicit LabelRows(Buffer<u64>& labels) : labels_(labels) {}
    i64 start(i64, const TrueRecord* record, i64 points) {
        codes_.clear(points);
        rows_.resize(static_cast<std::size_t>(points));
        for (i64 i = 0; i < points; ++i) rows_[static_cast<std::size_t>(i)] = static_cast<u32>(codes_.find_or_add(record[i].key));
        return static_cast<i64>(codes_.keys().size());
    }
    i64 row(const TrueRecord*, i64 i) const { return rows_[static_cast<std::size_t>(i)]; }
    static u32 col(const TrueRecord* record, i64 i) { return record[i].col; }
    void use(i64) {}
    void store_labels(i64 at) {
        std::memcpy(labels_.data() + at, codes_.keys().data(), codes_.keys().size() * sizeof(u64));
    }

  private:
    Buffer<u64>& labels_;
    LocalCodes codes_;
    std::vector<u32> rows_;
};

// The true side is arbitrary; `feed` yields (true label, pred slot).
template <class Feed>
Cells rows_by_label(Feed feed, const Labels& t, Side& p, Run& run) {
    const int bits = partition_bits(t.n, kBucketPoints);
    const auto part = partition<TrueRecord>(
        t.n, i64{1} << bits, feed, [bits](u64 key) { return bits ? fold_hash(key) >> (64 - bits) : 0; },
        [](u64 key, u32 col) { return TrueRecord{key, col}; }, run);
    if constexpr (requires { feed.records; }) feed.records = {};
    const int team = static_cast<int>(std::min<i64>(run.threads(), part.buckets()));
    Buffer<u64> labels(t.n);
    std::vector<LabelRows> rows(static_cast<std::size_t>(team), LabelRows(labels));
    auto used_cols = slot_sets(p.slots, team);
    Cells out = count_buckets(part, rows, used_cols, p.slots, t.n, run);
    out.true_labels = listed_labels(std::move(labels), out.k_true, t);
    finish_columns(out, p, used_cols, run);
    return out;
}

}  // namespace

Cells meet_by_label(const Labels& t, Side& p, Run& run) { return rows_by_label(TrueFeed{t, p}, t, p, run); }

Cells meet_by_label(Buffer<PredRecord>&& records, const Labels& t, Side& p, Run& run) {
    return rows_by_label(CodedFeed<u64>{std::move(records), 0, 0}, t, p, run);
}

Buffer<PredRecord> code_predicted(const Labels& t, Side& p, Run& run) {
    const int bits = partition_bits(t.n, kBucketPoints);
    auto part = partition<PredRecord>(
        t.n, i64{1} << bits, PredFeed{t, p.labels}, [bits](u64 key) { return bits ? fold_hash(key) >> (64 - bits) : 0; },
        [](u64 key, u64 truth) { return PredRecord{key, truth}; }, run);
    // Codes count on from bucket to bucket: first within each, then shifted by the buckets before it.
    std::vector<std::vector<u64>> keys(static_cast<std::size_t>(part.buckets()));
    std::vector<LocalCodes> codes(static_cast<std::size_t>(run.threads()));
    run.tasks(part.buckets(), [&](i64 b, int worker) {
        LocalCodes& local = codes[static_cast<std::size_t>(worker)];
        local.clear(part.size(b));
        PredRecord* record = part.records.data() + part.begin(b);
        for (i64 i = 0; i < part.size(b); ++i) record[i].key = static_cast<u64>(local.find_or_add(record[i].key));
        keys[static_cast<std::size_t>(b)] = local.keys();
    });
    std::vector<i64> offset{0};
    for (const auto& mine : keys) offset.push_back(offset.back() + static_cast<i64>(mine.size()));
    check_clusters(offset.back(), "pred");
    p.slots = offset.back();
    p.keys = Buffer<u64>(p.slots);
    run.tasks(part.buckets(), [&](i64 b, int) {
        const auto& mine = keys[static_cast<std::size_t>(b)];
        const i64 from = offset[static_cast<std::size_t>(b)];
        std::memcpy(p.keys.data() + from, mine.data(), mine.size() * sizeof(u64));
        for (i64 i = part.begin(b); i < part.begin(b + 1); ++i) part.records[i].key += static_cast<u64>(from);
    });
    return std::move(part.records);
}

}  // namespace clusterdiff
