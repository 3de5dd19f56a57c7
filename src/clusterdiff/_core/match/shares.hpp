// Records by bucket, written while they are read. What a worker writes of a bucket lies in pages; these come from large
// blocks, since thousands of buckets are open at once, and only huge pages keep that many addresses at hand.
#pragma once

#include <mutex>
#include <vector>

#include "base/hash.hpp"
#include "base/memory.hpp"

namespace clusterdiff {

// A page, and a stretch of pages that a worker takes at once, in words of 8 bytes.
inline constexpr i64 kPage = 512, kStretch = 8 * kPage;

class Arena {
  public:
    explicit Arena(bool large) : block_(large ? i64{2} << 20 : kStretch) {}
    ~Arena() {
        for (Buffer<u64>& block : blocks_) block.discard();
    }

    u64* take(i64 words) {
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
    u64* add(i64 words) {
        blocks_.emplace_back(words);
        return blocks_.back().data();
    }

    std::mutex mutex_;
    std::vector<Buffer<u64>> blocks_;
    const i64 block_;
    u64* next_ = nullptr;
    i64 left_ = 0;
};

// What one worker has written of one side.
class Share {
  public:
    struct Page {
        u64* data;
        i64 words;
    };

    Share(Arena& arena, i64 buckets) : arena_(&arena), open_(static_cast<std::size_t>(buckets)), full_(static_cast<std::size_t>(buckets)) {}

    // Where the next record of a bucket goes.
    u64* room(u64 bucket, i64 words) {
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
        u64 *at = nullptr, *end = nullptr;
    };

    // A record that is larger than a page has one of its own.
    u64* alone(u64 bucket, i64 words) {
        u64* data = arena_->take(words);
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
    u64 *next_ = nullptr, *end_ = nullptr;
};

// Buckets of about this many rows: their records and the table over them stay in a level-2 cache.
inline int bits_for(i64 rows) {
    constexpr i64 kRows = 8192;
    constexpr int kMostBits = 12;
    int bits = 0;
    while (bits < kMostBits && (rows >> bits) > kRows) ++bits;
    return bits;
}

inline u64 bucket_of(u64 hash, int bits) { return bits ? hash >> (64 - bits) : 0; }

// ---- records of text: 32 bits of the hash and the length, a word of the writer's, the bytes padded to whole words

inline i64 text_length(u64 first) { return static_cast<i64>(first & UINT32_MAX); }
inline i64 text_words(u64 first) { return 2 + (text_length(first) + 7) / 8; }

inline bool same_bytes(const u64* record, const u64* other) {
    return std::memcmp(record + 2, other + 2, static_cast<std::size_t>(text_length(record[0]))) == 0;
}

inline void put_text(Share& share, int bits, u64 word, const u8* p, i64 length) {
    if (length > INT32_MAX) throw BadValue("a name has more than 2^31 - 1 bytes");
    const u64 hash = length > 16 ? Key::long_hash(p, length) : Key::of_bytes(p, length, 0).hash();
    const u64 first = hash << 32 | static_cast<u64>(length);
    const i64 words = text_words(first);
    u64* to = share.room(bucket_of(hash, bits), words);
    to[words - 1] = 0;
    to[0] = first;
    to[1] = word;
    if (length) std::memcpy(to + 2, p, static_cast<std::size_t>(length));
}

}  // namespace clusterdiff
