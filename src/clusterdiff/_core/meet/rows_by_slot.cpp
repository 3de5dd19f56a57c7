// Rows that are slots: small ranges, and the codes of few labels.
#include "meet/buckets.hpp"
#include "meet/rows.hpp"

namespace clusterdiff {

namespace {

// Rows are slots: record = row << kColBits | column.
template <class Word, int kColBits>
class SlotRows {
  public:
    using Record = Word;
    SlotRows(i64 slots, int shift) : slots_(slots), shift_(shift), used_(slots) {}
    static Word record(u32 row, u32 col) { return static_cast<Word>(row) << kColBits | col; }
    i64 start(i64 bucket, const Word*, i64) {
        first_ = bucket << shift_;
        return std::min(i64{1} << shift_, slots_ - first_);
    }
    static i64 row(const Word* record, i64 i) { return static_cast<i64>(record[i] >> kColBits); }
    static u32 col(const Word* record, i64 i) { return static_cast<u32>(record[i] & ((Word{1} << kColBits) - 1)); }
    void use(i64 row) { used_.add(first_ + row); }
    void store_labels(i64) {}
    const SlotSet& used() const { return used_; }
    SlotSet& used() { return used_; }

  private:
    i64 slots_;
    int shift_;
    i64 first_ = 0;
    SlotSet used_;
};

// The true side has slots; `feed` yields (true slot, pred slot).
template <class Rows, class Feed>
Cells rows_by_slot(Feed& feed, Side& t, Side& p, int shift, Run& run) {
    const i64 n = t.labels.n, buckets = ((t.slots - 1) >> shift) + 1;
    const u32 within = static_cast<u32>((u64{1} << shift) - 1);
    const auto part = partition<typename Rows::Record>(
        n, buckets, feed, [shift](u32 slot) { return slot >> shift; },
        [within](u32 slot, u32 col) { return Rows::record(slot & within, col); }, run);
    if constexpr (requires { feed.records; }) feed.records = {};
    const int team = static_cast<int>(std::min<i64>(run.threads(), buckets));
    std::vector<Rows> rows;
    for (int worker = 0; worker < team; ++worker) rows.emplace_back(t.slots, shift);
    auto used_cols = slot_sets(p.slots, team);
    Cells out = count_buckets(part, rows, used_cols, p.slots, std::min(n, t.slots), run);
    for (int worker = 1; worker < team; ++worker) rows[0].used().unite(rows[static_cast<std::size_t>(worker)].used());
    if (t.coded())
        out.true_labels = listed_labels(std::move(t.keys), out.k_true, t.labels);
    else
        out.true_labels = used_labels(rows[0].used(), t, out.k_true);
    finish_columns(out, p, used_cols, run);
    return out;
}

template <class Feed>
Cells rows_by_slot(Feed feed, Side& t, Side& p, Run& run) {
    const int slot_bits = std::bit_width(static_cast<u64>(t.slots - 1)), col_bits = std::bit_width(static_cast<u64>(p.slots - 1));
    const int shift = slot_bits - std::min(slot_bits, partition_bits(t.labels.n, kBucketPoints));
    // Half the traffic where a row and a column fit a word.
    const bool narrow = t.labels.n <= static_cast<i64>(UINT32_MAX);
    if (narrow && col_bits <= 16 && shift <= 16) return rows_by_slot<SlotRows<u32, 16>>(feed, t, p, shift, run);
    if (narrow && col_bits <= 20 && shift <= 12) return rows_by_slot<SlotRows<u32, 20>>(feed, t, p, shift, run);
    return rows_by_slot<SlotRows<u64, 32>>(feed, t, p, shift, run);
}

}  // namespace

Cells meet_by_slot(Side& t, Side& p, Run& run) { return rows_by_slot(SlotFeed{t, p}, t, p, run); }

Cells meet_by_slot(Buffer<PredRecord>&& records, u64 lo, Side& t, Side& p, Run& run) {
    return rows_by_slot(CodedFeed<u32>{std::move(records), lo, static_cast<u64>(t.slots)}, t, p, run);
}

}  // namespace clusterdiff
