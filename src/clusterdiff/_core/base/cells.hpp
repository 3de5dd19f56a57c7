// The sparse table of non-empty intersections of two clusterings, true-major (compressed sparse rows).
#pragma once

#include <optional>
#include <vector>

#include "base/labels.hpp"
#include "base/memory.hpp"
#include "base/threads.hpp"

namespace clusterdiff {

// The distinct labels of one side in code order: a list, or the unbroken range lo, lo + 1, ... which needs no memory.
struct LabelList {
    i64 count = 0;
    u64 lo = 0;
    Buffer<u64> values;  // empty for an unbroken range
    bool is_signed = true;

    u64 operator[](i64 code) const { return values.empty() ? lo + static_cast<u64>(code) : values[code]; }
};

LabelList copy_of(const LabelList& list);

struct Cells {
    i64 n = 0, k_true = 0, k_pred = 0;
    Buffer<i64> indptr;  // [k_true + 1]
    Buffer<i32> cols;    // [cells]
    Buffer<i64> sizes;   // [cells]
    std::optional<LabelList> true_labels, pred_labels;  // absent for a hand-made table

    i64 count() const { return cols.size(); }

    Buffer<i32> rows(Run& run) const;  // of each cell
    Buffer<i64> true_sizes(Run& run) const;
    Buffer<i64> pred_sizes(Run& run) const;
};

// A table made by hand: everything is checked, because the kernels trust it afterwards.
Cells checked_cells(const i64* indptr, i64 k_true, const i32* cols, const i64* sizes, i64 cells, i64 k_pred, Run& run);

// The labels of such a table's clusters, in code order and all different.
LabelList checked_labels(const Labels& x, i64 clusters, const char* name, Run& run);

// Cells in pred-major order, and for each of them its index in `t`. A counting sort by column.
struct Transposed {
    Cells cells;
    Buffer<i64> order;
};

Transposed transpose(const Cells& t, Run& run);

}  // namespace clusterdiff
