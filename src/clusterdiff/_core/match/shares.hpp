// Records by bucket, written while they are read. What a worker writes of a bucket lies in pages; these come from large
// blocks, since thousands of buckets are open at once, and only huge pages keep that many addresses at hand.
#pragma once

#include <mutex>
#include <vector>

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
        const u64* data;
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

}  // namespace clusterdiff
