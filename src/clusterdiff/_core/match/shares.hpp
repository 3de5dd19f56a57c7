// Records by bucket, written while they are read. What a worker writes of a bucket lies in pages, which come from large
// blocks.
#pragma once

#include <mutex>
#include <vector>

#include "base/hash.hpp"
#include "base/memory.hpp"
#include "base/pages.hpp"

namespace clusterdiff {

// A page, and a stretch of pages that a worker takes at once, in words of 4 bytes.
inline constexpr i64 kPage = 1024, kStretch = 8 * kPage;

class Arena {
  public:
    explicit Arena(bool large) : block_(large ? i64{4} << 20 : kStretch) {}

    u32* take(i64 words) {
        std::lock_guard lock(mutex_);
        if (words > kStretch) return add(words);
        if (left_ < words) {
            next_ = add(block_);
            left_ = block_;
        }
        left_ -= words;
        return std::exchange(next_, next_ + words);
    }

  private:
    u32* add(i64 words) {
        blocks_.emplace_back(words);
        use_small_pages(blocks_.back().data(), static_cast<std::size_t>(words) * sizeof(u32));
        return blocks_.back().data();
    }

    std::mutex mutex_;
    std::vector<Buffer<u32>> blocks_;
    const i64 block_;
    u32* next_ = nullptr;
    i64 left_ = 0;
};

// What one worker has written of one side.
class Share {
  public:
    struct Page {
        u32* data;
        i64 words;
    };

    Share(Arena& arena, i64 buckets) : arena_(&arena), open_(static_cast<std::size_t>(buckets)), full_(static_cast<std::size_t>(buckets)) {}

    // Where the next record of a bucket goes.
    u32* room(u64 bucket, i64 words) {
        Open& open = open_[bucket];
        if (open.end - open.at < words) [[unlikely]] {
            if (words > kPage) return alone(bucket, words);
            renew(bucket);
        }
        return std::exchange(open.at, open.at + words);
    }

    // After the last record.
    void close() {
        for (std::size_t b = 0; b < open_.size(); ++b) shut(b);
    }

    const std::vector<Page>& pages(i64 bucket) const { return full_[static_cast<std::size_t>(bucket)]; }

  private:
    struct Open {
        u32 *at = nullptr, *end = nullptr;
    };

    // A record that is larger than a page has one of its own.
    u32* alone(u64 bucket, i64 words) {
        u32* data = arena_->take(words);
        full_[bucket].push_back({data, words});
        return data;
    }
    void renew(u64 bucket) {
        shut(bucket);
        if (next_ == end_) {
            next_ = arena_->take(kStretch);
            end_ = next_ + kStretch;
        }
        open_[bucket] = {next_, next_ + kPage};
        next_ += kPage;
    }
    void shut(std::size_t bucket) {
        Open& open = open_[bucket];
        if (open.at) full_[bucket].push_back({open.end - kPage, open.at - (open.end - kPage)});
        open = {};
    }

    Arena* arena_;
    std::vector<Open> open_;
    std::vector<std::vector<Page>> full_;
    u32 *next_ = nullptr, *end_ = nullptr;
};

// Buckets of about this many rows: their records and the table over them stay in a level-2 cache.
inline int bits_for(i64 rows) {
    constexpr i64 kRows = 16384;
    constexpr int kMostBits = 12;
    int bits = 0;
    while (bits < kMostBits && (rows >> bits) > kRows) ++bits;
    return bits;
}

inline u64 bucket_of(u64 hash, int bits) { return bits ? hash >> (64 - bits) : 0; }

// ---- records: what is compared first, the row, and the bytes of a text
//
// A row takes one word, or two if there may be as many. Of what is compared first, an integer's hash, the words are the
// low and the high half; those of a text are its length, and half of its hash, or whatever its reader replaces that by.

// Rows from here on do not fit a word, in which one bit is the writer's.
inline constexpr i64 kWideRows = i64{1} << 31;

template <class Row>
inline constexpr i64 kHead = 2 + static_cast<i64>(sizeof(Row) / 4);

inline u64 first_of(const u32* record) { return u64{record[1]} << 32 | record[0]; }

template <class Row>
u64 row_of(const u32* record) {
    Row row;
    std::memcpy(&row, record + 2, sizeof row);
    return row;
}

template <class Row>
void put_head(u32* record, u64 first, u64 row) {
    const Row kept = static_cast<Row>(row);
    record[0] = static_cast<u32>(first);
    record[1] = static_cast<u32>(first >> 32);
    std::memcpy(record + 2, &kept, sizeof kept);
}

inline i64 text_length(const u32* record) { return record[0]; }

template <class Row>
i64 text_words(const u32* record) {
    return kHead<Row> + (text_length(record) + 3) / 4;
}

template <class Row>
const u8* text_of(const u32* record) {
    return reinterpret_cast<const u8*>(record + kHead<Row>);
}

// Of texts of the same length. Short ones are compared, and copied, without a call.
template <class Row>
bool same_bytes(const u32* record, const u32* other) {
    const u8 *a = text_of<Row>(record), *b = text_of<Row>(other);
    const i64 length = text_length(record);
    if (length <= 16) return Key::of_bytes(a, length, 0) == Key::of_bytes(b, length, 0);
    return std::memcmp(a, b, static_cast<std::size_t>(length)) == 0;
}

inline void copy_bytes(u8* to, const u8* from, i64 length) {
    if (length > 16) {
        std::memcpy(to, from, static_cast<std::size_t>(length));
    } else if (length >= 8) {
        const u64 head = read8(from), tail = read8(from + length - 8);
        std::memcpy(to, &head, 8);
        std::memcpy(to + length - 8, &tail, 8);
    } else if (length >= 4) {
        const u32 head = static_cast<u32>(read4(from)), tail = static_cast<u32>(read4(from + length - 4));
        std::memcpy(to, &head, 4);
        std::memcpy(to + length - 4, &tail, 4);
    } else {
        for (i64 i = 0; i < length; ++i) to[i] = from[i];
    }
}

template <class Row>
void put_text(Share& share, int bits, u64 row, const u8* p, i64 length) {
    if (length > INT32_MAX) throw BadValue("a name has more than 2^31 - 1 bytes");
    const u64 hash = length > 16 ? Key::long_hash(p, length) : Key::of_bytes(p, length, 0).hash();
    u32* to = share.room(bucket_of(hash, bits), kHead<Row> + (length + 3) / 4);
    put_head<Row>(to, hash << 32 | static_cast<u64>(length), row);
    copy_bytes(reinterpret_cast<u8*>(to + kHead<Row>), p, length);
}

// Calls f with a 0 of the type that holds the rows.
template <class F>
auto with_row_type(bool wide, F&& f) {
    return wide ? f(u64{}) : f(u32{});
}

}  // namespace clusterdiff
