#include "match/match.hpp"

#include "base/bits.hpp"

namespace clusterdiff {

namespace {

// ---- records
//
// Their row is doubled; its last bit is set for integers from 2^63 on, which look like negative ones.

template <class Row, class At>
void put_integers(Share& share, int bits, i64 count, i64 row, bool wide, At at) {
    for (i64 i = 0; i < count; ++i) {
        const u64 x = at(i), key = mix(x);
        put_head<Row>(share.room(bucket_of(key, bits), kHead<Row>), key, static_cast<u64>(row + i) << 1 | (wide ? x >> 63 : 0));
    }
}

// ---- the ids of one bucket

// An id, and the doubled rows of its first records on either side.
template <class Row>
struct Entry {
    static constexpr Row kNobody = static_cast<Row>(~u64{0});
    u64 key;
    Row first[2];
    bool large() const { return (first[0] == kNobody ? first[1] : first[0]) & 1; }
};
template <class Row>
struct TextEntry : Entry<Row> {
    const u32* record;
};

template <class Row, bool text>
class Bucket {
  public:
    using Item = std::conditional_t<text, TextEntry<Row>, Entry<Row>>;
    static constexpr Row kNobody = Item::kNobody;

    void clear(i64 expected) {
        std::size_t slots = 64;
        while (slots < 2 * static_cast<std::size_t>(expected)) slots *= 2;
        slots_.assign(slots, 0);
        items_.clear();
    }

    // A record of a side: the row that repeats an id, if there is one.
    std::optional<i64> add(int side, const u32* record) {
        Row& first = find(record).first[side];
        const Row row = static_cast<Row>(row_of<Row>(record));
        if (first == kNobody) {
            first = row;
            return std::nullopt;
        }
        const Row later = std::max(first, row);
        first = std::min(first, row);
        return static_cast<i64>(later >> 1);
    }

    const std::vector<Item>& items() const { return items_; }

  private:
    static u64 hash(u64 key) { return text ? key >> 32 : key; }

    static bool same(const Item& item, u64 key, const u32* record) {
        if (item.key != key) return false;
        if constexpr (text)
            return same_bytes<Row>(record, item.record);
        else
            return item.large() == static_cast<bool>(row_of<Row>(record) & 1);
    }

    Item& find(const u32* record) {
        if (2 * items_.size() >= slots_.size()) grow();
        const std::size_t mask = slots_.size() - 1;
        const u64 key = first_of(record);
        std::size_t at = hash(key) & mask;
        for (; slots_[at]; at = (at + 1) & mask)
            if (same(items_[slots_[at] - 1], key, record)) return items_[slots_[at] - 1];
        Item item;
        item.key = key;
        item.first[0] = item.first[1] = kNobody;
        if constexpr (text) item.record = record;
        items_.push_back(item);
        slots_[at] = static_cast<u32>(items_.size());
        return items_.back();
    }

    void grow() {
        if (items_.size() > UINT32_MAX / 2) throw TooLarge("too many points to match");
        slots_.assign(2 * slots_.size(), 0);
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t i = 0; i < items_.size(); ++i) {
            std::size_t at = hash(items_[i].key) & mask;
            while (slots_[at]) at = (at + 1) & mask;
            slots_[at] = static_cast<u32>(i + 1);
        }
    }

    std::vector<u32> slots_;  // number of an item, from 1 on
    std::vector<Item> items_;
};

// What one worker has found.
struct Found {
    Found(i64 true_rows, i64 pred_rows) : extra(pred_rows), repeats{SlotSet(true_rows), SlotSet(pred_rows)} {}
    SlotSet extra, repeats[2];
};

// So many rows fill a large block of the arena for the most part.
constexpr i64 kManyRows = i64{1} << 17;

}  // namespace

Matching::Matching(i64 rows) : expected_(rows), bits_(bits_for(rows)), wide_rows_(rows >= kWideRows), arena_(rows >= kManyRows) {}

std::optional<StreamLabels> Matching::read(Pieces& pieces, Run& run) {
    if (sides_[1].type) throw BadValue("both sides have been read");
    const int side = sides_[0].type ? 1 : 0;
    try {
        return read_side(side, pieces, run);
    } catch (...) {
        sides_[side] = {};
        throw;
    }
}

std::optional<StreamLabels> Matching::read_side(int side, Pieces& pieces, Run& run) {
    Side& mine = sides_[side];
    const Column ids = pieces.columns()[0];
    if (side == 1 && !alike(*sides_[0].type, ids.type)) throw BadValue("the ids of true and pred must be of one type");
    const int team = run.threads();
    std::optional<LabelReader> labels;
    if (pieces.columns().size() > 1) labels.emplace(pieces.columns()[1], expected_, team);
    for (int worker = 0; worker < team; ++worker) mine.shares.emplace_back(arena_, i64{1} << bits_);
    std::mutex turn;
    i64 null = INT64_MAX;  // the first row without an id
    mine.rows = pieces.read(run, [&](const Piece& piece, int worker) {
        const Slice slice = piece.slice(ids);
        if (const i64 at = slice.first_null(); at < slice.length) {  // what stands there may be anything
            std::lock_guard lock(turn);
            null = std::min(null, piece.row + at);
            return;
        }
        with_row_type(wide_rows_, [&](auto zero) { scatter<decltype(zero)>(mine.shares[static_cast<std::size_t>(worker)], ids.type, slice, piece.row); });
        if (labels) labels->add(piece, worker);
    });
    for (Share& share : mine.shares) share.close();
    if (!wide_rows_ && mine.rows >= kWideRows) throw TooLarge("too many points to match");
    if (null < INT64_MAX) throw BadValue(std::string(kSides[side]) + " has no id in row " + std::to_string(null));
    mine.type = ids.type;
    if (!labels) return std::nullopt;
    return labels->finish(mine.rows, run);
}

template <class Row>
void Matching::scatter(Share& share, Ids type, const Slice& slice, i64 row) const {
    if (is_text(type))
        read_texts(type, slice, [&](auto text) {
            for (i64 i = 0; i < slice.length; ++i) {
                const auto [data, length] = text(i);
                put_text<Row>(share, bits_, static_cast<u64>(row + i) << 1, data, length);
            }
        });
    else
        read_integers(type, slice, [&](auto at) { put_integers<Row>(share, bits_, slice.length, row, type == Ids::u64, at); });
}

Matched Matching::match(Run& run) {
    if (!sides_[1].type) throw BadValue("both sides must have been read");
    Matched out;
    const i64 rows = sides_[0].rows;
    with_row_type(wide_rows_, [&]<class Row>(Row) {
        using Place = std::make_signed_t<Row>;
        Buffer<Place> place(rows);
        is_text(*sides_[0].type) ? match_as<Row, true>(out, place.data(), run) : match_as<Row, false>(out, place.data(), run);
        if constexpr (sizeof(Row) == 4)
            out.place = std::move(place);
        else
            out.wide_place = std::move(place);
    });
    return out;
}

template <class Row, bool text>
void Matching::match_as(Matched& out, std::make_signed_t<Row>* place, Run& run) {
    using Place = std::make_signed_t<Row>;
    using Ids = Bucket<Row, text>;
    std::vector<Ids> buckets(static_cast<std::size_t>(run.threads()));
    std::vector<Found> found;
    for (int worker = 0; worker < run.threads(); ++worker) found.emplace_back(sides_[0].rows, sides_[1].rows);
    run.tasks(i64{1} << bits_, [&](i64 b, int worker) {
        Ids& ids = buckets[static_cast<std::size_t>(worker)];
        Found& mine = found[static_cast<std::size_t>(worker)];
        i64 words = 0;
        for (const Share& share : sides_[0].shares)
            for (const Share::Page& page : share.pages(b)) words += page.words;
        ids.clear(words / (text ? 2 * kHead<Row> : kHead<Row>));
        for (int side = 0; side < 2; ++side)
            for (const Share& share : sides_[side].shares)
                for (const Share::Page& page : share.pages(b)) {
                    run.poll();
                    for (const u32 *at = page.data, *end = at + page.words; at < end;) {
                        if (const auto repeat = ids.add(side, at)) mine.repeats[side].add(*repeat);
                        at += text ? text_words<Row>(at) : kHead<Row>;
                    }
                }
        for (const auto& item : ids.items()) {
            const i64 row = static_cast<i64>(item.first[0] >> 1), other = static_cast<i64>(item.first[1] >> 1);
            if (item.first[0] == Ids::kNobody)
                mine.extra.add(other);
            else
                place[row] = item.first[1] == Ids::kNobody ? -1 : static_cast<Place>(other);
        }
    });
    for (std::size_t worker = 1; worker < found.size(); ++worker) {
        found[0].extra.unite(found[worker].extra);
        for (int side = 0; side < 2; ++side) found[0].repeats[side].unite(found[worker].repeats[side]);
    }
    out.extra = found[0].extra.members();
    for (int side = 0; side < 2; ++side) out.repeats[side] = found[0].repeats[side].members();
    for (i64 i = 0; i < out.repeats[0].size(); ++i) place[out.repeats[0][i]] = -1;
}

}  // namespace clusterdiff
