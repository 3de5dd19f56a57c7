// The sparse table of non-empty intersections of two clusterings, true-major (compressed sparse rows).
#pragma once

#include <memory>
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
    std::shared_ptr<const Buffer<u64>> values;  // none for an unbroken range; copies have it together
    bool is_signed = true;

    u64 operator[](i64 code) const { return values ? (*values)[code] : lo + static_cast<u64>(code); }
    void list(Buffer<u64>&& labels) { values = std::make_shared<const Buffer<u64>>(std::move(labels)); }
};

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
