#include "base/cells.hpp"

#include <algorithm>

#include "base/codes.hpp"
#include "base/partition.hpp"

namespace clusterdiff {

namespace {

// A row that makes it more cells than this since the last poll is gone through with polls.
constexpr i64 kOften = i64{1} << 16;

}  // namespace

Buffer<i32> Cells::rows(Run& run) const {
    Buffer<i32> out(count());
    run.each(0, k_true, [&](i64 row) { std::fill(out.data() + indptr[row], out.data() + indptr[row + 1], static_cast<i32>(row)); });
    return out;
}

Buffer<i64> Cells::true_sizes(Run& run) const {
    Buffer<i64> a(k_true);
    i64 since = 0;
    for (i64 row = 0; row < k_true; ++row) {
        i64 size = 0;
        const i64 begin = indptr[row], end = indptr[row + 1];
        if ((since += end - begin + 1) > kOften) {
            since = 0;
            run.each(begin, end, [&](i64 q) { size += sizes[q]; });
        } else {
            for (i64 q = begin; q < end; ++q) size += sizes[q];
        }
        a[row] = size;
    }
    return a;
}

Buffer<i64> Cells::pred_sizes(Run& run) const {
    auto b = Buffer<i64>::zeros(k_pred);
    run.each(0, count(), [&](i64 q) { b[cols[q]] += sizes[q]; });
    return b;
}

Cells checked_cells(const i64* indptr, i64 k_true, const i32* cols, const i64* sizes, i64 cells, i64 k_pred, Run& run) {
    if (cells < 1 || k_true < 1) throw BadValue("at least one cell is needed");
    if (k_pred < 1) throw BadValue("k_pred must be at least 1");
    check_clusters(k_true, "indptr");
    check_clusters(k_pred, "k_pred");
    if (indptr[0] != 0 || indptr[k_true] != cells)
        throw BadValue("indptr must start at 0 and end at the number of cells");
    // Which row last used a column: a second use in the same row would be the same cell twice.
    Buffer<i32> last(k_pred);
    for (i64 c = 0; c < k_pred; ++c) last[c] = -1;
    i64 n = 0, since = 0;
    for (i64 row = 0; row < k_true; ++row) {
        if (indptr[row + 1] < indptr[row] || indptr[row + 1] > cells) throw BadValue("indptr must not decrease");
        for (i64 q = indptr[row]; q < indptr[row + 1]; ++q) {
            if (cols[q] < 0 || cols[q] >= k_pred) throw BadValue("cols must lie in [0, k_pred)");
            if (sizes[q] < 1) throw BadValue("sizes must be at least 1");
            if (last[cols[q]] == row) throw BadValue("a row lists the same column twice");
            last[cols[q]] = static_cast<i32>(row);
            if (add_overflows(n, sizes[q])) throw BadValue("the sizes add up to 2^63 or more");
            if (++since == kOften) run.poll(), since = 0;
        }
    }
    Cells t;
    t.n = n;
    t.k_true = k_true;
    t.k_pred = k_pred;
    t.indptr = Buffer<i64>::copy(indptr, k_true + 1);
    run.poll();
    t.cols = Buffer<i32>::copy(cols, cells);
    run.poll();
    t.sizes = Buffer<i64>::copy(sizes, cells);
    return t;
}

LabelList checked_labels(const Labels& x, i64 clusters, const char* name, Run& run) {
    if (x.n != clusters) throw BadValue(std::string(name) + " must have one entry per cluster");
    LabelList list;
    list.count = x.n;
    list.lo = x[0];
    list.is_signed = x.is_signed();
    bool unbroken = true;
    run.each(0, x.n, [&](i64 code) { unbroken &= x[code] == list.lo + static_cast<u64>(code); });
    if (unbroken) return list;
    Buffer<u64> labels(x.n);
    KeyTable seen;
    run.each(0, x.n, [&](i64 code) {
        labels[code] = x[code];
        if (seen.find_or_add(x[code]) != code) throw BadValue(std::string(name) + " must not name two clusters alike");
    });
    list.list(std::move(labels));
    return list;
}

namespace {

// A cell on its way to its column; `Index` holds the number of cells and that of points.
template <class Index>
struct Sent {
    u32 col, row;
    Index cell, size;
};

// Cells block by block for a partition by column.
template <class Index>
struct SentFeed {
    struct Scratch {
        Sent<Index> sent[kBlock];
    };
    const Cells& t;

    const i32* keys(i64 at, i64, Scratch&) const { return t.cols.data() + at; }
    std::pair<const i32*, const Sent<Index>*> both(i64 at, i64 count, Scratch& scratch) const {
        const i64* indptr = t.indptr.data();
        i64 row = std::upper_bound(indptr, indptr + t.k_true, at) - indptr - 1;
        for (i64 i = 0; i < count; ++i) {
            while (at + i >= indptr[row + 1]) ++row;
            scratch.sent[i] = {static_cast<u32>(t.cols[at + i]), static_cast<u32>(row), static_cast<Index>(at + i),
                               static_cast<Index>(t.sizes[at + i])};
        }
        return {t.cols.data() + at, scratch.sent};
    }
};

// Cells are sent to buckets of columns, each of which fits a core's cache while its columns are told apart.
template <class Index>
void send(const Cells& t, Transposed& out, Run& run) {
    Cells& x = out.cells;
    int shift = 0;
    for (const int bits = partition_bits(t.count(), 2048); ((t.k_pred - 1) >> shift) >= (i64{1} << bits);) ++shift;
    const i64 buckets = ((t.k_pred - 1) >> shift) + 1;
    const auto part = partition<Sent<Index>>(
        t.count(), buckets, SentFeed<Index>{t}, [&](i32 col) { return col >> shift; }, [](i32, const Sent<Index>& sent) { return sent; }, run);
    std::vector<std::vector<i64>> scratch(static_cast<std::size_t>(run.threads()));
    run.tasks(buckets, [&](i64 b, int worker) {
        const i64 first = b << shift, columns = std::min(i64{1} << shift, t.k_pred - first);
        auto& next = scratch[static_cast<std::size_t>(worker)];
        next.assign(static_cast<std::size_t>(columns), 0);
        const auto place = [&](u32 col) -> i64& { return next[col - static_cast<u32>(first)]; };
        run.each(part.begin(b), part.begin(b + 1), [&](i64 i) { ++place(part.records[i].col); });
        i64 total = part.begin(b);
        for (i64 c = 0; c < columns; ++c) {
            x.indptr[first + c] = total;
            total += std::exchange(next[static_cast<std::size_t>(c)], total);
        }
        run.each(part.begin(b), part.begin(b + 1), [&](i64 i) {
            const Sent<Index>& sent = part.records[i];
            const i64 to = place(sent.col)++;
            x.cols[to] = static_cast<i32>(sent.row);
            x.sizes[to] = static_cast<i64>(sent.size);
            out.order[to] = static_cast<i64>(sent.cell);
        });
    });
    x.indptr[t.k_pred] = t.count();
}

}  // namespace

Transposed transpose(const Cells& t, Run& run) {
    Transposed out;
    Cells& x = out.cells;
    x.n = t.n;
    x.k_true = t.k_pred;
    x.k_pred = t.k_true;
    x.indptr = Buffer<i64>(t.k_pred + 1);
    x.cols = Buffer<i32>(t.count());
    x.sizes = Buffer<i64>(t.count());
    x.true_labels = t.pred_labels, x.pred_labels = t.true_labels;
    out.order = Buffer<i64>(t.count());
    if (t.n <= static_cast<i64>(UINT32_MAX))  // no cell is empty
        send<u32>(t, out, run);
    else
        send<u64>(t, out, run);
    return out;
}

}  // namespace clusterdiff
