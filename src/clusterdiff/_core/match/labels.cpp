#include "match/labels.hpp"

#include "base/bits.hpp"
#include "base/codes.hpp"

namespace clusterdiff {

namespace {

// A distinct text of a bucket: where it lies, and the first row that has it.
struct Head {
    const u32* record;
    i64 first;
};

// Records of a bucket; f(record) may change their second words.
template <class Row, class F>
void each_text(const std::deque<Share>& shares, i64 bucket, Run& run, F f) {
    for (const Share& share : shares)
        for (const Share::Page& page : share.pages(bucket)) {
            run.poll();
            for (u32 *at = page.data, *end = at + page.words; at < end; at += text_words<Row>(at)) f(at);
        }
}

// Numbers the texts of a bucket by when they are met: a record gets the number in place of its hash.
template <class Row>
std::vector<Head> number(const std::deque<Share>& shares, i64 bucket, Run& run) {
    i64 words = 0;
    for (const Share& share : shares)
        for (const Share::Page& page : share.pages(bucket)) words += page.words;
    CodeTable table(std::min<i64>(words / 16, 4096));
    std::vector<Head> heads;
    std::vector<u64> keys;
    each_text<Row>(shares, bucket, run, [&](u32* record) {
        const u64 key = first_of(record);
        const i64 row = static_cast<i64>(row_of<Row>(record));
        const auto code = static_cast<std::size_t>(table.find_or_add(key >> 32, [&](i32 known) {
            const auto c = static_cast<std::size_t>(known);
            return keys[c] == key && same_bytes<Row>(record, heads[c].record);
        }));
        if (code == heads.size()) {
            keys.push_back(key);
            heads.push_back({record, row});
        } else {
            heads[code].first = std::min(heads[code].first, row);
        }
        record[1] = static_cast<u32>(code);
    });
    return heads;
}

}  // namespace

LabelReader::LabelReader(const Column& column, i64 rows, int team)
    : column_(column), bits_(bits_for(rows)), wide_rows_(rows >= kWideRows), arena_(bits_ > 0) {
    if (!is_text(column.type))
        narrow_ = Buffer<i32>(rows);
    else
        for (int worker = 0; worker < team; ++worker) shares_.emplace_back(arena_, buckets());
}

void LabelReader::add(const Piece& piece, int worker) {
    const Slice slice = piece.slice(column_);
    if (!is_text(column_.type)) return add_integers(slice, piece.row);
    with_row_type(wide_rows_, [&](auto zero) { add_texts<decltype(zero)>(slice, piece.row, worker); });
}

template <class Row>
void LabelReader::add_texts(const Slice& slice, i64 row, int worker) {
    Share& share = shares_[static_cast<std::size_t>(worker)];
    bool nulls = false;
    read_texts(column_.type, slice, [&](auto text) {
        for (i64 i = 0; i < slice.length; ++i) {
            if (slice.null(i)) {
                nulls = true;
                continue;
            }
            const auto [data, length] = text(i);
            put_text<Row>(share, bits_, static_cast<u64>(row + i), data, length);
        }
    });
    if (nulls) {
        std::lock_guard lock(mutex_);
        nulls_ = true;
    }
}

void LabelReader::add_integers(const Slice& slice, i64 row) {
    Chunk chunk{row, false, {}, {}};
    const bool some_null = slice.first_null() < slice.length, room = row + slice.length <= narrow_.size();
    if (some_null) chunk.absent = Buffer<bool>(slice.length);
    for (i64 i = 0; i < chunk.absent.size(); ++i) chunk.absent[i] = slice.null(i);
    // Signed ones fit if adding 2^31 leaves nothing above 32 bits, unsigned ones if there is nothing above 31.
    const bool is_unsigned = column_.type == Ids::u64;
    const u64 shift = is_unsigned ? 0 : u64{1} << 31;
    const int bits = is_unsigned ? 31 : 32;
    read_integers(column_.type, slice, [&](auto at) {
        auto value = [&](i64 i) { return some_null && chunk.absent[i] ? 0 : at(i); };  // what stands at a null may be anything
        u64 above = 0;
        if (room)
            for (i64 i = 0; i < slice.length; ++i) {
                const u64 x = value(i);
                above |= (x + shift) >> bits;
                narrow_[row + i] = static_cast<i32>(x);
            }
        else
            for (i64 i = 0; i < slice.length; ++i) above |= (value(i) + shift) >> bits;
        chunk.large = above != 0;
        if (room && !chunk.large) return;
        chunk.wide = Buffer<i64>(slice.length);
        for (i64 i = 0; i < slice.length; ++i) chunk.wide[i] = static_cast<i64>(value(i));
    });
    if (chunk.wide.empty() && chunk.absent.empty()) return;
    std::lock_guard lock(mutex_);
    chunks_.push_back(std::move(chunk));
}

StreamLabels LabelReader::finish(i64 rows, Run& run) {
    if (!is_text(column_.type)) return integers(rows, run);
    if (!wide_rows_ && rows >= kWideRows) throw TooLarge("too many points to match");
    for (Share& share : shares_) share.close();
    return with_row_type(wide_rows_, [&](auto zero) { return texts<decltype(zero)>(rows, run); });
}

StreamLabels LabelReader::integers(i64 rows, Run& run) {
    StreamLabels out{column_.type, {}, {}, {}, {}, {}};
    bool large = false, nulls = false;
    for (const Chunk& chunk : chunks_) {
        large |= chunk.large;
        nulls |= !chunk.absent.empty();
    }
    const i64 written = std::min(rows, narrow_.size());
    if (large) {
        out.wide = Buffer<i64>(rows);
        run.each(0, written, [&](i64 i) { out.wide[i] = narrow_[i]; });
    } else if (written < rows) {
        out.narrow = Buffer<i32>(rows);
        run.each(0, written, [&](i64 i) { out.narrow[i] = narrow_[i]; });
    } else {
        narrow_.truncate(rows);
        out.narrow = std::move(narrow_);
    }
    narrow_ = {};
    if (nulls) out.absent = Buffer<bool>::zeros(rows);
    for (const Chunk& chunk : chunks_) {
        run.poll();
        for (i64 i = 0; i < chunk.wide.size(); ++i)
            if (large)
                out.wide[chunk.row + i] = chunk.wide[i];
            else
                out.narrow[chunk.row + i] = static_cast<i32>(chunk.wide[i]);
        for (i64 i = 0; i < chunk.absent.size(); ++i) out.absent[chunk.row + i] = chunk.absent[i];
    }
    return out;
}

template <class Row>
StreamLabels LabelReader::texts(i64 rows, Run& run) {
    std::vector<std::vector<Head>> heads(static_cast<std::size_t>(buckets()));
    std::vector<SlotSet> firsts;  // one a worker
    for (int worker = 0; worker < run.threads(); ++worker) firsts.emplace_back(rows);
    run.tasks(buckets(), [&](i64 b, int worker) {
        std::vector<Head>& mine = heads[static_cast<std::size_t>(b)];
        mine = number<Row>(shares_, b, run);
        for (const Head& head : mine) firsts[static_cast<std::size_t>(worker)].add(head.first);
    });
    for (std::size_t worker = 1; worker < firsts.size(); ++worker) firsts[0].unite(firsts[worker]);
    const Ranks rank(firsts[0]);
    check_clusters(rank.count(), "The input");
    StreamLabels out{column_.type, Buffer<i32>(rows), {}, {}, Buffer<i64>(rank.count()), {}};
    run.tasks(buckets(), [&](i64 b, int) {
        for (const Head& head : heads[static_cast<std::size_t>(b)]) out.ends[rank(head.first)] = text_length(head.record);
    });
    i64 total = 0;
    run.each(0, rank.count(), [&](i64 code) { out.ends[code] = total += out.ends[code]; });
    out.bytes = Buffer<u8>(total);
    if (nulls_) run.each(0, rows, [&](i64 row) { out.narrow[row] = -1; });
    run.tasks(buckets(), [&](i64 b, int) {
        const std::vector<Head>& mine = heads[static_cast<std::size_t>(b)];
        std::vector<i32> codes;
        std::vector<u8*> to;  // found before it is written to, so that the cache misses overlap
        for (const Head& head : mine) codes.push_back(static_cast<i32>(rank(head.first)));
        for (std::size_t i = 0; i < mine.size(); ++i) {
            to.push_back(out.bytes.data() + out.ends[codes[i]] - text_length(mine[i].record));
            prefetch(to[i]);
        }
        for (std::size_t i = 0; i < mine.size(); ++i) copy_bytes(to[i], text_of<Row>(mine[i].record), text_length(mine[i].record));
        each_text<Row>(shares_, b, run, [&](const u32* record) { out.narrow[static_cast<i64>(row_of<Row>(record))] = codes[record[1]]; });
    });
    return out;
}

void take_labels(const Labels& from, const Labels& places, char* to, Run& run) {
    constexpr i64 kShard = i64{1} << 16;
    run.tasks((places.n + kShard - 1) / kShard, [&](i64 shard, int) {
        u64 scratch[kBlock];
        auto take = [&]<class T>(T) {
            for (i64 at = shard * kShard, end = std::min(places.n, at + kShard); at < end; at += kBlock) {
                const i64 count = std::min(kBlock, end - at);
                const u64* place = places.block(at, count, scratch);
                for (i64 i = 0; i < count; ++i) {
                    T label{};
                    if (place[i] < static_cast<u64>(from.n))
                        std::memcpy(&label, from.data + static_cast<i64>(place[i]) * from.stride, sizeof label);
                    else if (place[i] != ~u64{0})
                        throw BadValue("a place must be one of the labels', or -1");
                    std::memcpy(to + (at + i) * static_cast<i64>(sizeof label), &label, sizeof label);
                }
            }
        };
        switch (from.width()) {
            case 1: return take(u8{});
            case 2: return take(std::uint16_t{});
            case 4: return take(u32{});
            default: return take(u64{});
        }
    });
}

StreamLabels read_labels(Pieces& from, i64 rows, Run& run) {
    LabelReader reader(from.columns()[0], rows, run.threads());
    const i64 read = from.read(run, [&](const Piece& piece, int worker) { reader.add(piece, worker); });
    return reader.finish(read, run);
}

}  // namespace clusterdiff
