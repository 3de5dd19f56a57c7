// Texts, and their order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/memory.hpp"
#include "base/threads.hpp"

namespace clusterdiff {

// Texts in one piece of memory, where they are compared without a look at whom they came from.
class Texts {
  public:
    void reserve(i64 count, i64 bytes) {
        heads_.reserve(static_cast<std::size_t>(count));
        bytes_.reserve(static_cast<std::size_t>(bytes));
    }
    void add(std::string_view text) {
        u64 key = 0;
        for (std::size_t i = 0; i < 8; ++i) key = key << 8 | (i < text.size() ? static_cast<u8>(text[i]) : 0);
        heads_.push_back({key, static_cast<i64>(bytes_.size()), static_cast<i64>(text.size())});
        bytes_ += text;
    }
    i64 size() const { return static_cast<i64>(heads_.size()); }
    std::string_view operator[](i64 i) const {
        const Head& head = heads_[static_cast<std::size_t>(i)];
        return {bytes_.data() + head.start, static_cast<std::size_t>(head.size)};
    }
    // The first eight bytes, by which most texts are told from each other.
    u64 key(i64 i) const { return heads_[static_cast<std::size_t>(i)].key; }
    // By the order of bytes of UTF-8, which is that of the characters.
    bool less(i64 i, i64 j) const {
        return key(i) != key(j) ? key(i) < key(j) : (*this)[i] < (*this)[j];
    }

  private:
    struct Head {
        u64 key;
        i64 start, size;
    };
    std::vector<Head> heads_;
    std::string bytes_;
};

// Where each text stands in their order; equal ones as they come.
inline Buffer<i64> text_ranks(const Texts& texts, Run& run) {
    struct Entry {
        u64 key;
        i64 text;
    };
    std::vector<Entry> order;
    order.reserve(static_cast<std::size_t>(texts.size()));
    run.each(0, texts.size(), [&](i64 i) { order.push_back({texts.key(i), i}); });
    run.stable_sort(order.begin(), order.end(),
                    [&](const Entry& a, const Entry& b) { return a.key != b.key ? a.key < b.key : texts[a.text] < texts[b.text]; });
    Buffer<i64> out(texts.size());
    run.each(0, texts.size(), [&](i64 rank) { out[order[static_cast<std::size_t>(rank)].text] = rank; });
    return out;
}

}  // namespace clusterdiff
