// A patch as the lines of its file: what to remove, split, merge and add, with clusters by member, size and digest.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/labels.hpp"
#include "base/memory.hpp"
#include "base/threads.hpp"

namespace clusterdiff {

// Lists of numbers, one after the other.
struct Lists {
    const i64* indptr;  // [count + 1]
    const i64* items;
    i64 count;

    i64 size(i64 i) const { return indptr[i + 1] - indptr[i]; }
    const i64* begin(i64 i) const { return items + indptr[i]; }
    const i64* end(i64 i) const { return items + indptr[i + 1]; }
};

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
    // By the order of bytes of UTF-8, which is that of the characters.
    bool less(i64 i, i64 j) const {
        const u64 one = heads_[static_cast<std::size_t>(i)].key, other = heads_[static_cast<std::size_t>(j)].key;
        return one != other ? one < other : (*this)[i] < (*this)[j];
    }

  private:
    struct Head {
        u64 key;  // the first eight bytes
        i64 start, size;
    };
    std::vector<Head> heads_;
    std::string bytes_;
};

// Points are numbers of texts. Cells are sets of points that stay together; splits and merges are sets of cells.
struct Edits {
    const Texts& texts;  // UTF-8
    Lists removed;       // one list: points that go
    Lists cells;
    Lists splits;           // the cells of each old cluster that has several
    Lists merges;           // the cells of each new cluster that has several
    const i64* merge_adds;  // [merges]: the addition to the same new cluster, or -1
    Lists adds;             // the points that come to each new cluster
    Lists targets;          // the cells of these new clusters; none if they are new altogether
};

struct WrittenPatch {
    std::string text;   // operations, with separators between them
    Buffer<i64> start;  // [operations]; the separators belong to none
    Buffer<i64> end;    // [operations]
};

WrittenPatch write_patch(const Edits& edits, std::string_view separator, Run& run);

}  // namespace clusterdiff
