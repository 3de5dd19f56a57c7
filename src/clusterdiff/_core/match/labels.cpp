#include "match/labels.hpp"

#include "base/bits.hpp"
#include "base/codes.hpp"

namespace clusterdiff {

namespace {

// A distinct text of a bucket: where it lies, and the first row that has it.
struct Head {
    const u64* record;
    i64 first;
};

// Records of a bucket; f(record) may change the first word of one, but for its length.
template <class F>
void each_text(const std::deque<Share>& shares, i64 bucket, Run& run, int worker, F f) {
    for (const Share& share : shares)
        for (const Share::Page& page : share.pages(bucket)) {
            run.poll(worker);
            for (u64 *at = page.data, *end = at + page.words; at < end; at += text_words(at[0])) f(at);
        }
}

// Numbers the texts of a bucket by when they are met: a record gets the number in place of its hash.
std::vector<Head> number(const std::deque<Share>& shares, i64 bucket, Run& run, int worker) {
    i64 words = 0;
    for (const Share& share : shares)
        for (const Share::Page& page : share.pages(bucket)) words += page.words;
    CodeTable table(std::min<i64>(words / 8, 4096));
    std::vector<Head> heads;
    std::vector<u64> keys;
    each_text(shares, bucket, run, worker, [&](u64* record) {
        const u64 key = record[0];
        const i64 row = static_cast<i64>(record[1]);
        const auto code = static_cast<std::size_t>(table.find_or_add(key >> 32, [&](i32 known) {
            const auto c = static_cast<std::size_t>(known);
            return keys[c] == key && same_bytes(record, heads[c].record);
        }));
        if (code == heads.size()) {
            keys.push_back(key);
            heads.push_back({record, row});
        } else {
            heads[code].first = std::min(heads[code].first, row);
        }
        record[0] = static_cast<u64>(code) << 32 | static_cast<u64>(text_length(key));
    });
    return heads;
}

}  // namespace

LabelReader::LabelReader(const Column& column, int bits, int team) : column_(column), bits_(bits), arena_(bits > 0) {
    if (is_text(column.type))
        for (int worker = 0; worker < team; ++worker) shares_.emplace_back(arena_, buckets());
}

void LabelReader::add(const Piece& piece, int worker) {
    const Slice slice = piece.slice(column_);
    if (!is_text(column_.type)) {
        Chunk chunk = chunk_of(slice, piece.row);
        std::lock_guard lock(mutex_);
        chunks_.push_back(std::move(chunk));
        return;
    }
    Share& share = shares_[static_cast<std::size_t>(worker)];
    bool nulls = false;
    read_texts(column_.type, slice, [&](auto text) {
        for (i64 i = 0; i < slice.length; ++i) {
            if (slice.null(i)) {
                nulls = true;
                continue;
            }
            const auto [data, length] = text(i);
            put_text(share, bits_, static_cast<u64>(piece.row + i), data, length);
        }
    });
    if (nulls) {
        std::lock_guard lock(mutex_);
        nulls_ = true;
    }
}

LabelReader::Chunk LabelReader::chunk_of(const Slice& slice, i64 row) const {
    Chunk out{row, slice.length, Buffer<i32>(slice.length), {}, {}};
    const bool some_null = slice.first_null() < slice.length;
    if (some_null) out.absent = Buffer<bool>(slice.length);
    for (i64 i = 0; i < out.absent.size(); ++i) out.absent[i] = slice.null(i);
    // Signed ones fit if adding 2^31 leaves nothing above 32 bits, unsigned ones if there is nothing above 31.
    const bool is_unsigned = column_.type == Ids::u64;
    const u64 shift = is_unsigned ? 0 : u64{1} << 31;
    const int bits = is_unsigned ? 31 : 32;
    read_integers(column_.type, slice, [&](auto at) {
        auto value = [&](i64 i) { return some_null && out.absent[i] ? 0 : at(i); };  // what stands at a null may be anything
        u64 above = 0;
        for (i64 i = 0; i < slice.length; ++i) {
            const u64 x = value(i);
            above |= (x + shift) >> bits;
            out.narrow[i] = static_cast<i32>(x);
        }
        if (!above) return;
        out.narrow.discard();
        out.wide = Buffer<i64>(slice.length);
        for (i64 i = 0; i < slice.length; ++i) out.wide[i] = static_cast<i64>(value(i));
    });
    return out;
}

StreamLabels LabelReader::finish(i64 rows, Run& run) {
    if (!is_text(column_.type)) return integers(rows, run);
    for (Share& share : shares_) share.close();
    return texts(rows, run);
}

StreamLabels LabelReader::integers(i64 rows, Run& run) {
    StreamLabels out{column_.type, {}, {}, {}, {}, {}};
    bool wide = false, nulls = false;
    for (const Chunk& chunk : chunks_) {
        wide |= !chunk.wide.empty();
        nulls |= !chunk.absent.empty();
    }
    if (wide)
        out.wide = Buffer<i64>(rows);
    else
        out.narrow = Buffer<i32>(rows);
    if (nulls) out.absent = Buffer<bool>(rows);
    run.tasks(static_cast<i64>(chunks_.size()), [&](i64 task, int) {
        Chunk& chunk = chunks_[static_cast<std::size_t>(task)];
        for (i64 i = 0; i < chunk.length; ++i) {
            const i64 to = chunk.row + i;
            if (!wide)
                out.narrow[to] = chunk.narrow[i];
            else
                out.wide[to] = chunk.wide.empty() ? chunk.narrow[i] : chunk.wide[i];
            if (nulls) out.absent[to] = !chunk.absent.empty() && chunk.absent[i];
        }
        chunk.narrow.discard();
        chunk.wide.discard();
    });
    return out;
}

StreamLabels LabelReader::texts(i64 rows, Run& run) {
    std::vector<std::vector<Head>> heads(static_cast<std::size_t>(buckets()));
    std::vector<SlotSet> firsts;  // one a worker
    for (int worker = 0; worker < run.threads(); ++worker) firsts.emplace_back(rows);
    run.tasks(buckets(), [&](i64 b, int worker) {
        std::vector<Head>& mine = heads[static_cast<std::size_t>(b)];
        mine = number(shares_, b, run, worker);
        for (const Head& head : mine) firsts[static_cast<std::size_t>(worker)].add(head.first);
    });
    for (std::size_t worker = 1; worker < firsts.size(); ++worker) firsts[0].unite(firsts[worker]);
    const Ranks rank(firsts[0]);
    check_clusters(rank.count(), "The input");
    StreamLabels out{column_.type, Buffer<i32>(rows), {}, {}, Buffer<i64>(rank.count()), {}};
    run.tasks(buckets(), [&](i64 b, int) {
        for (const Head& head : heads[static_cast<std::size_t>(b)]) out.ends[rank(head.first)] = text_length(head.record[0]);
    });
    i64 total = 0;
    run.each(0, rank.count(), [&](i64 code) { out.ends[code] = total += out.ends[code]; });
    out.bytes = Buffer<u8>(total);
    if (nulls_) run.each(0, rows, [&](i64 row) { out.narrow[row] = -1; });
    run.tasks(buckets(), [&](i64 b, int worker) {
        const std::vector<Head>& mine = heads[static_cast<std::size_t>(b)];
        std::vector<i32> codes;
        std::vector<u8*> to;  // found before it is written to, so that the cache misses overlap
        for (const Head& head : mine) codes.push_back(static_cast<i32>(rank(head.first)));
        for (std::size_t i = 0; i < mine.size(); ++i) {
            to.push_back(out.bytes.data() + out.ends[codes[i]] - text_length(mine[i].record[0]));
            prefetch(to[i]);
        }
        for (std::size_t i = 0; i < mine.size(); ++i)
            if (const i64 length = text_length(mine[i].record[0])) std::memcpy(to[i], mine[i].record + 2, static_cast<std::size_t>(length));
        each_text(shares_, b, run, worker, [&](const u64* record) { out.narrow[static_cast<i64>(record[1])] = codes[record[0] >> 32]; });
    });
    return out;
}

StreamLabels read_labels(ArrowArrayStream* from, i64 rows, Run& run) {
    Stream stream(from, "labels");
    LabelReader reader(stream.columns()[0], bits_for(rows), run.threads());
    const i64 read = read_pieces(stream, run, [&](const Piece& piece, int worker) { reader.add(piece, worker); });
    return reader.finish(read, run);
}

i64 read_pieces(Stream& stream, Run& run, Call<const Piece&, int> f) {
    constexpr i64 kRows = i64{1} << 16;
    std::mutex turn;
    Piece last{nullptr, 0, 0, 0};
    bool over = false;
    auto take = [&] {
        std::lock_guard lock(turn);
        while (!over && (!last.batch || last.end == (*last.batch)->length)) {
            over = true;  // also if what follows fails
            last = {std::make_shared<Released<ArrowArray>>(stream.next()), 0, 0, last.row + last.end - last.begin};
            over = !(*last.batch)->release;
        }
        if (over) return Piece{};
        last = {last.batch, last.end, std::min((*last.batch)->length, last.end + kRows), last.row + last.end - last.begin};
        return last;
    };
    run.workers(run.threads(), [&](int worker) {
        for (;;) {
            run.poll(worker);
            const Piece piece = take();
            if (!piece.batch) return;
            f(piece, worker);
        }
    });
    return last.row;
}

}  // namespace clusterdiff
