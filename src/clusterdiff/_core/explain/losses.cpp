#include "explain/losses.hpp"

#include <bit>

#include "base/partition.hpp"
#include "sums/totals.hpp"

namespace clusterdiff {

namespace {

constexpr i64 kStretch = 16384;  // cells

// The cells of a table as records by column.
struct ByColumn {
    struct Scratch {};
    const Cells& t;
    const i32* keys(i64 at, i64, Scratch&) const { return t.cols.data() + at; }
    std::pair<const i32*, const i64*> both(i64 at, i64, Scratch&) const { return {t.cols.data() + at, t.sizes.data() + at}; }
};

// The sums over a column's cells, which come in the order of the rows and are added up as row_sums does.
struct Column {
    i64 cells = 0, size = 0;
    double block = 0;
    Exactish parts;

    void add(i64 m) {
        size += m;
        block += xlogx(m);
        if (++cells % 64 == 0) flush();
    }
    double score() {
        if (cells <= 1) return 1.0;
        if (cells % 64) flush();
        return entropy_score(parts.value(), size);
    }

  private:
    void flush() { parts.add(std::exchange(block, 0.0)); }
};

template <class Size>
Buffer<double> column_scores(const Cells& t, Run& run) {
    struct Record {
        u32 col;
        Size m;
    };
    const int bits = std::bit_width(static_cast<u64>(t.k_pred - 1)), shift = bits - std::min(bits, partition_bits(t.count(), kStretch / 4));
    const auto part = partition<Record>(
        t.count(), ((t.k_pred - 1) >> shift) + 1, ByColumn{t}, [&](i32 col) { return static_cast<u32>(col) >> shift; },
        [](i32 col, i64 m) { return Record{static_cast<u32>(col), static_cast<Size>(m)}; }, run);
    Buffer<double> scores(t.k_pred);
    run.tasks(part.buckets(), [&](i64 b, int) {
        const i64 first = b << shift, width = std::min(i64{1} << shift, t.k_pred - first);
        std::vector<Column> columns(static_cast<std::size_t>(width));
        run.each(part.begin(b), part.begin(b + 1), [&](i64 i) {
            const Record& record = part.records[i];
            columns[static_cast<std::size_t>(static_cast<i64>(record.col) - first)].add(static_cast<i64>(record.m));
        });
        for (i64 c = 0; c < width; ++c) scores[first + c] = columns[static_cast<std::size_t>(c)].score();
    });
    return scores;
}

}  // namespace

Buffer<double> entropy_scores(const Cells& t, Run& run) {
    Buffer<double> scores(t.k_true);
    const Stretches stretches(t, kStretch);
    run.tasks(stretches.count(), [&](i64 s, int) {
        for (i64 row = stretches.begin(s), end = stretches.begin(s + 1); row < end; ++row) {
            const i64 first = t.indptr[row], last = t.indptr[row + 1];
            scores[row] = last - first == 1 ? 1.0 : row_sums(t, first, last).score();
        }
    });
    return scores;
}

Buffer<double> pred_entropy_scores(const Cells& t, Run& run) {
    return t.n <= static_cast<i64>(UINT32_MAX) ? column_scores<u32>(t, run) : column_scores<i64>(t, run);
}

namespace {

// Calls f(row, q) for the cells of a stretch. Rows are short as a rule: a look at the clock for each would take longer.
template <class F>
void each_cell(const Cells& t, const Stretches& stretches, i64 stretch, Run& run, F&& f) {
    i64 row = stretches.begin(stretch);
    const i64* indptr = t.indptr.data();
    run.each(indptr[row], indptr[stretches.begin(stretch + 1)], [&](i64 q) {
        while (q >= indptr[row + 1]) ++row;
        f(row, q);
    });
}

}  // namespace

CellLosses cell_losses(const Cells& t, const double* mass, double total, const double* split, const double* merge, Run& run) {
    CellLosses out{Buffer<double>(t.count()), Buffer<double>(t.count())};
    const Stretches stretches(t, kStretch);
    run.tasks(stretches.count(), [&](i64 stretch, int) {
        each_cell(t, stretches, stretch, run, [&](i64 row, i64 q) {
            const double s = split[row], u = merge[t.cols[q]];
            const double share = (mass ? mass[q] : static_cast<double>(t.sizes[q])) / total;
            out.split[q] = share * (1 - s) * (1 + u) / 2;
            out.merge[q] = share * (1 - u) * (1 + s) / 2;
        });
    });
    return out;
}

SideLosses side_losses(const Cells& t, const double* mass, double total, const double* inner, const double* kept, const double* others, bool pred, Run& run) {
    SideLosses out{Buffer<double>(t.count()), Buffer<double>(kept ? t.count() : 0)};
    const Stretches stretches(t, kStretch);
    run.tasks(stretches.count(), [&](i64 stretch, int) {
        each_cell(t, stretches, stretch, run, [&](i64 row, i64 q) {
            const i64 mine = pred ? t.cols[q] : row, other = pred ? row : t.cols[q];
            const double share = (mass ? mass[q] : static_cast<double>(t.sizes[q])) / total * ((1 + others[other]) / 2);
            const double s = inner[mine], r = kept ? kept[mine] : 1;
            out.inner[q] = share * ((1 - s) * (1 + r) / 2);
            if (kept) out.kept[q] = share * ((1 - r) * (1 + s) / 2);
        });
    });
    return out;
}

Charges charges(const i64* indptr, i64 clusters, const i64* order, const double* mass, const double* lost, i64 cells, Run& run) {
    Charges out{Buffer<double>::zeros(cells), Buffer<double>::zeros(cells)};
    const i64 shard = kStretch / 4;
    run.tasks((clusters + shard - 1) / shard, [&](i64 task, int) {
        for (i64 c = task * shard, end = std::min(clusters, c + shard); c < end; ++c) {
            const i64 first = indptr[c], last = indptr[c + 1];
            if (last - first < 2) continue;  // whoever is alone in a cluster has not left it
            auto each = [&](auto&& f) {
                if (last - first < kBlock)
                    for (i64 at = first; at < last; ++at) f(order ? order[at] : at);
                else
                    run.each(first, last, [&](i64 at) { f(order ? order[at] : at); });
            };
            double most = 0, share = 0;
            i64 ties = 0;
            Exactish whole;
            each([&](i64 q) {
                ties = mass[q] > most ? 1 : ties + (mass[q] == most);
                most = std::max(most, mass[q]);
                whole.add(lost[q]);
            });
            const double tied = 1 - 1 / static_cast<double>(std::max<i64>(ties, 1));
            each([&](i64 q) {
                out.off[q] = mass[q] == most ? tied : 1.0;
                share += mass[q] * out.off[q];
            });
            if (!(share > 0)) continue;
            const double cost = whole.value();
            each([&](i64 q) { out.charged[q] = mass[q] * out.off[q] * cost / share; });
        }
    });
    return out;
}

Buffer<i64> descending(const double* x, i64 n, Run& run) {
    // Most values are 0 as a rule, and are in order already. The bits of the others, turned so that they ascend as the
    // values descend, are sorted digit by digit; a digit that all have alike is passed over.
    struct Keyed {
        u64 key;
        i64 place;
    };
    constexpr u64 sign = u64{1} << 63;
    constexpr int kDigit = 11, kDigits = (64 + kDigit - 1) / kDigit;
    auto descend = [](double value) {
        const u64 bits = std::bit_cast<u64>(value);
        if (value != value) return ~u64{0};
        return bits & sign ? bits : ~(bits | sign);
    };
    i64 zero = 0, above = 0;
    run.each(0, n, [&](i64 i) { zero += x[i] == 0, above += x[i] > 0; });
    Buffer<i64> out(n);
    Buffer<Keyed> from(n - zero), to(n - zero);
    i64 some = 0, none = above;
    run.each(0, n, [&](i64 i) {
        if (x[i] == 0)
            out[none++] = i;
        else
            from[some++] = {descend(x[i]), i};
    });
    std::vector<i64> next(std::size_t{1} << kDigit);
    for (int digit = 0; digit < kDigits && some; ++digit) {
        auto at = [&](i64 i) { return static_cast<std::size_t>(from[i].key >> (digit * kDigit)) & (next.size() - 1); };
        std::fill(next.begin(), next.end(), 0);
        run.each(0, some, [&](i64 i) { ++next[at(i)]; });
        if (next[at(0)] == some) continue;
        i64 total = 0;
        for (i64& place : next) total += std::exchange(place, total);
        run.each(0, some, [&](i64 i) { to[next[at(i)]++] = from[i]; });
        from.swap(to);
    }
    run.each(0, some, [&](i64 i) { out[i < above ? i : zero + i] = from[i].place; });
    return out;
}

}  // namespace clusterdiff
