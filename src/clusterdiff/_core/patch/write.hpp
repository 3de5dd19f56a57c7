// A patch as the lines of its file: what to remove, split, merge and add, with clusters by member, size and digest.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/labels.hpp"
#include "base/memory.hpp"
#include "base/texts.hpp"
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
