#include "meet/locate.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

#include "base/bits.hpp"
#include "base/codes.hpp"

namespace clusterdiff {

namespace {

// From labels to codes, the inverse of a LabelList: arithmetic for a range, an array over a small range, else a hash.
class CodeOf {
  public:
    CodeOf(const LabelList& list, i64 n, Run& run) : list_(list) {
        if (!list.values) return;
        u64 lo = list[0], hi = list[0];
        const u64 bias = list.is_signed ? u64{1} << 63 : 0;
        run.each(0, list.count, [&](i64 c) {
            if ((list[c] ^ bias) < (lo ^ bias)) lo = list[c];
            if ((list[c] ^ bias) > (hi ^ bias)) hi = list[c];
        });
        if (hi - lo < 4 * static_cast<u64>(n) + 1024) {
            lo_ = lo;
            direct_ = Buffer<i32>(static_cast<i64>(hi - lo) + 1);
            for (i64 s = 0; s < direct_.size(); ++s) direct_[s] = -1;
            run.each(0, list.count, [&](i64 c) { direct_[static_cast<i64>(list[c] - lo)] = static_cast<i32>(c); });
            return;
        }
        table_ = CodeTable(list.count);
        run.each(0, list.count, [&](i64 c) { table_.find_or_add(fold_hash(list[c]), [](i32) { return false; }); });
    }

    // The codes of some labels, -1 for one that is not there. One label does not wait for the memory of another.
    void operator()(const u64* labels, i64 count, i32* codes) const {
        if (!list_.values) {
            for (i64 i = 0; i < count; ++i) {
                const u64 code = labels[i] - list_.lo;
                codes[i] = code < static_cast<u64>(list_.count) ? static_cast<i32>(code) : -1;
            }
        } else if (!direct_.empty()) {
            const u64 size = static_cast<u64>(direct_.size());
            for (i64 i = 0; i < count; ++i) {
                const u64 slot = labels[i] - lo_;
                codes[i] = slot < size ? direct_[static_cast<i64>(slot)] : -1;
            }
        } else {
            for (i64 i = 0; i < count; ++i)
                codes[i] = table_.find(fold_hash(labels[i]), [&](i32 c) { return list_[c] == labels[i]; });
        }
    }

  private:
    const LabelList& list_;
    u64 lo_ = 0;
    Buffer<i32> direct_;
    CodeTable table_;
};

// The cell at (row, column): an array when it is small enough, else a scan of short rows and a hash for the long ones.
class CellAt {
  public:
    CellAt(const Cells& t, Run& run) : cells_(t) {
        const i64 dense = t.k_true * t.k_pred;  // both are below 2^31
        if (dense <= std::max<i64>(4096, std::min<i64>(t.n, i64{1} << 22))) {
            dense_ = Buffer<i32>(dense);
            for (i64 i = 0; i < dense_.size(); ++i) dense_[i] = -1;
            for (i64 row = 0; row < t.k_true; ++row)
                for (i64 q = t.indptr[row]; q < t.indptr[row + 1]; ++q)
                    dense_[row * t.k_pred + t.cols[q]] = static_cast<i32>(q);
            return;
        }
        i64 hashed = 0;
        for (i64 row = 0; row < t.k_true; ++row)
            if (t.indptr[row + 1] - t.indptr[row] > kScan) hashed += t.indptr[row + 1] - t.indptr[row];
        table_.clear(2 * hashed);
        rows_ = Buffer<i32>(hashed ? t.count() : 0);
        for (i64 row = 0; row < t.k_true; ++row) {
            if (t.indptr[row + 1] - t.indptr[row] <= kScan) continue;
            run.each(t.indptr[row], t.indptr[row + 1], [&](i64 q) {
                rows_[q] = static_cast<i32>(row);
                table_.seek(hash(row, t.cols[q]), [](const Slot&) { return false; }).code = q;
            });
        }
    }

    // The cells of some points by the codes of their clusters; false if one of them is in none.
    template <class Index>
    bool operator()(const i32* rows, const i32* cols, i64 count, Index* out) const {
        i64 begin[kBlock], end[kBlock];
        for (i64 i = 0; i < count; ++i) {
            if (rows[i] < 0 || cols[i] < 0) return false;
            begin[i] = cells_.indptr[rows[i]];
            end[i] = cells_.indptr[rows[i] + 1];
        }
        for (i64 i = 0; i < count; ++i) {
            const i64 cell = find(rows[i], cols[i], begin[i], end[i]);
            if (cell < 0) return false;
            out[i] = static_cast<Index>(cell);
        }
        return true;
    }

  private:
    i64 find(i64 row, i32 col, i64 begin, i64 end) const {
        if (!dense_.empty()) return dense_[row * cells_.k_pred + col];
        if (end - begin <= kScan) {
            for (i64 q = begin; q < end; ++q)
                if (cells_.cols[q] == col) return q;
            return -1;
        }
        return table_.seek(hash(row, col), [&](const Slot& s) { return rows_[s.code] == row && cells_.cols[s.code] == col; }).code;
    }

    struct Slot {
        i64 code;  // a cell
    };
    static constexpr i64 kScan = 8;
    static u64 hash(i64 row, i32 col) { return mix(static_cast<u64>(row) << 32 | static_cast<u32>(col)); }

    const Cells& cells_;
    Buffer<i32> dense_, rows_;
    Probing<Slot> table_;
};

template <class Index>
bool locate_into(const Cells& t, const Labels& truth, const Labels& pred, Index* out, Run& run) {
    const CodeOf row_of(*t.true_labels, t.n, run), col_of(*t.pred_labels, t.n, run);
    const CellAt cell_at(t, run);
    const i64 shard = i64{1} << 16;
    std::atomic<bool> known{true};
    run.tasks((truth.n + shard - 1) / shard, [&](i64 s, int) {
        u64 scratch[kBlock];
        i32 rows[kBlock], cols[kBlock];
        for (i64 at = s * shard, end = std::min(truth.n, at + shard); at < end; at += kBlock) {
            const i64 count = std::min(kBlock, end - at);
            row_of(truth.block(at, count, scratch), count, rows);
            col_of(pred.block(at, count, scratch), count, cols);
            if (!cell_at(rows, cols, count, out + at)) {
                known.store(false, std::memory_order_relaxed);
                return;
            }
        }
    });
    if (!known.load() || truth.n != t.n) return false;
    using Count = std::make_unsigned_t<Index>;  // the more fit a cache, the fewer bits they have
    auto found = Buffer<Count>::zeros(t.count());
    run.each(0, truth.n, [&](i64 i) { ++found[static_cast<i64>(out[i])]; });
    return std::equal(found.data(), found.data() + found.size(), t.sizes.data(), [](Count x, i64 size) { return x == static_cast<Count>(size); });
}

}  // namespace

namespace {

// Some cells by the labels of their clusters. Most points are in none of them, and a bit of their true label says so.
class Wanted {
    struct Pair {
        u64 truth, pred;
    };
    static constexpr int kLeast = 16, kMost = 21, kSparse = 4;  // powers of two: bits in all, and of each cell
    i64 bit(u64 truth) const { return static_cast<i64>(fold_hash(truth) >> shift_); }
    static u64 hash(const Pair& pair) { return fold(mix(pair.truth), pair.pred ^ 0x9e3779b97f4a7c15ull); }
    auto same(const Pair& pair) const {
        return [this, pair](i32 i) {
            const Pair& known = pairs_[static_cast<std::size_t>(i)];
            return known.truth == pair.truth && known.pred == pair.pred;
        };
    }

  public:
    Wanted(const Cells& t, const i64* chosen, i64 count, Run& run)
        : table_(count), shift_(64 - std::clamp<int>(std::bit_width(static_cast<u64>(count)) + kSparse, kLeast, kMost)), seen_(SlotSet(i64{1} << (64 - shift_))) {
        run.each(0, count, [&](i64 i) {
            if (chosen[i] < 0 || chosen[i] >= t.count()) throw BadValue("a cell must be one of these");
            const i64 row = std::upper_bound(t.indptr.data(), t.indptr.data() + t.k_true, chosen[i]) - t.indptr.data() - 1;
            pairs_.push_back({(*t.true_labels)[row], (*t.pred_labels)[t.cols[chosen[i]]]});
            seen_.add(bit(pairs_.back().truth));
            if (table_.find_or_add(hash(pairs_.back()), same(pairs_.back())) != i) throw BadValue("a cell must not be chosen twice");
        });
    }
    bool maybe(u64 truth) const { return seen_.has(bit(truth)); }
    // -1 for none of them.
    i64 operator()(u64 truth, u64 pred) const {
        const Pair pair{truth, pred};
        return table_.find(hash(pair), same(pair));
    }

  private:
    CodeTable table_;
    int shift_;
    SlotSet seen_;
    std::vector<Pair> pairs_;
};

}  // namespace

CellMembers members_of(const Cells& t, const Labels& truth, const Labels& pred, const i64* chosen, i64 count, Run& run) {
    const Wanted wanted(t, chosen, count, run);
    const i64 shard = i64{1} << 16, shards = (truth.n + shard - 1) / shard;
    struct Found {
        i64 cell, point;
    };
    std::vector<std::vector<Found>> found(static_cast<std::size_t>(shards));
    run.tasks(shards, [&](i64 s, int) {
        u64 scratch[kBlock];
        for (i64 at = s * shard, end = std::min(truth.n, at + shard); at < end; at += kBlock) {
            const i64 length = std::min(kBlock, end - at);
            const u64* x = truth.block(at, length, scratch);
            for (i64 i = 0; i < length; ++i)
                if (wanted.maybe(x[i]))
                    if (const i64 cell = wanted(x[i], pred[at + i]); cell >= 0) found[static_cast<std::size_t>(s)].push_back({cell, at + i});
        }
    });
    CellMembers out{Buffer<i64>::zeros(count + 1), {}};
    for (const auto& part : found)
        for (const Found& f : part) ++out.indptr[f.cell + 1];
    for (i64 i = 0; i < count; ++i) out.indptr[i + 1] += out.indptr[i];
    out.members = Buffer<i64>(out.indptr[count]);
    Buffer<i64> next = Buffer<i64>::copy(out.indptr.data(), count + 1);
    for (const auto& part : found) {
        run.poll();
        for (const Found& f : part) out.members[next[f.cell]++] = f.point;
    }
    return out;
}

bool locate(const Cells& t, const Labels& truth, const Labels& pred, i32* out, Run& run) { return locate_into(t, truth, pred, out, run); }
bool locate(const Cells& t, const Labels& truth, const Labels& pred, i64* out, Run& run) { return locate_into(t, truth, pred, out, run); }

}  // namespace clusterdiff
