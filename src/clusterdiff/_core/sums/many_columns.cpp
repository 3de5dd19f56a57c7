#include "sums/many_columns.hpp"

#include <type_traits>

namespace clusterdiff {

namespace {

// `Size` is the narrowest type for sizes, `Squares` one for their squares within a column.
template <class Size, class Squares, bool kDetail>
class ManyColumns {
  public:
    ManyColumns(const Cells& t, Run& run) : t_(t), run_(run), stretches_(t, 16384) {
        const int col_bits = std::bit_width(static_cast<u64>(t.k_pred - 1));
        int bits = 0;
        while (bits < 10 && (t.count() >> bits) > 4096) ++bits;
        shift_ = col_bits - std::min(bits, col_bits);
        buckets_ = ((t.k_pred - 1) >> shift_) + 1;
        team_ = static_cast<int>(std::min<i64>(run.threads(), stretches_.count()));
    }

    void sum(BasicTotals& basic, DetailTotals& detail) {
        partition(basic, detail);
        std::vector<BasicTotals> basics(static_cast<std::size_t>(buckets_));
        std::vector<DetailTotals> details(kDetail ? static_cast<std::size_t>(buckets_) : 0);
        std::vector<Scratch> scratch(static_cast<std::size_t>(run_.threads()));
        run_.tasks(buckets_, [&](i64 b, int worker) {
            sum_bucket(b, scratch[static_cast<std::size_t>(worker)], basics[static_cast<std::size_t>(b)],
                       kDetail ? &details[static_cast<std::size_t>(b)] : nullptr);
        });
        for (const BasicTotals& part : basics) basic.add(part);
        for (const DetailTotals& part : details) detail.add(part);
    }

  private:
    struct Lone {  // the only cell of its row
        u32 col;
        Size m;
    };
    struct Part {
        u32 col;
        Size m;
        double score;
        struct Nothing {};
        [[no_unique_address]] std::conditional_t<kDetail, ClusterScores, Nothing> row;
    };
    struct Light {
        Squares squares = 0;
        Size size = 0, largest = 0;
        bool whole() const { return size == largest; }
        void add(Size m) {
            squares += static_cast<Squares>(m) * static_cast<Squares>(m);
            size += m;
            largest = std::max(largest, m);
        }
    };
    struct Heavy {
        Exactish weighted, parts;
        void add(Size m, double row_score) {
            weighted.add(static_cast<double>(m) * row_score);
            parts.add(xlogx(static_cast<i64>(m)));
        }
    };
    struct Scratch {
        std::vector<Light> light;
        std::vector<Heavy> heavy;  // valid for columns that are not whole
        std::vector<ClusterScores> scores;
    };
    struct Places {
        std::vector<i64> lone, part;  // [buckets]
    };

    i64 first_stretch(int worker) const { return stretches_.count() * worker / team_; }

    void partition(BasicTotals& basic, DetailTotals& detail) {
        std::vector<Places> next(static_cast<std::size_t>(team_));
        run_.workers(team_, [&](int worker) {
            Places mine{std::vector<i64>(static_cast<std::size_t>(buckets_)), std::vector<i64>(static_cast<std::size_t>(buckets_))};
            i64 *lone = mine.lone.data(), *part = mine.part.data();
            for (i64 s = first_stretch(worker), to = first_stretch(worker + 1); s < to; ++s) {
                run_.poll();
                for (i64 row = stretches_.begin(s), end = stretches_.begin(s + 1); row < end; ++row) {
                    const i64 first = t_.indptr[row], last = t_.indptr[row + 1];
                    i64* histogram = last - first == 1 ? lone : part;
                    for (i64 q = first; q < last; ++q) ++histogram[static_cast<u32>(t_.cols[q]) >> shift_];
                }
            }
            next[static_cast<std::size_t>(worker)] = std::move(mine);
        });
        auto prefix = [&](std::vector<i64> Places::*which) {
            std::vector<i64> start;
            i64 total = 0;
            for (i64 b = 0; b < buckets_; ++b) {
                start.push_back(total);
                for (Places& mine : next) {
                    const i64 count = std::exchange((mine.*which)[static_cast<std::size_t>(b)], total);
                    total += count;
                }
            }
            start.push_back(total);
            return start;
        };
        lone_start_ = prefix(&Places::lone);
        part_start_ = prefix(&Places::part);
        lones_ = Buffer<Lone>(lone_start_.back());
        parts_ = Buffer<Part>(part_start_.back());

        std::vector<SideTotals> rows(static_cast<std::size_t>(stretches_.count()));
        std::vector<SideDetails> row_details(kDetail ? rows.size() : 0);
        run_.workers(team_, [&](int worker) {
            i64* lone = next[static_cast<std::size_t>(worker)].lone.data();
            i64* part = next[static_cast<std::size_t>(worker)].part.data();
            for (i64 s = first_stretch(worker), to = first_stretch(worker + 1); s < to; ++s) {
                run_.poll();
                SideTotals totals;
                SideDetails details;
                for (i64 row = stretches_.begin(s), end = stretches_.begin(s + 1); row < end; ++row) {
                    const i64 first = t_.indptr[row], last = t_.indptr[row + 1];
                    const ClusterSums r = row_sums(t_, first, last);
                    totals.add_cluster(r);
                    if (last - first == 1) {
                        const u32 col = static_cast<u32>(t_.cols[first]);
                        lones_[lone[col >> shift_]++] = {col, static_cast<Size>(r.size)};
                        if constexpr (kDetail) details.add_cluster({r.size, 1, 1}, true, t_.n);
                        continue;
                    }
                    const double score = r.score();
                    const ClusterScores scores = kDetail ? scores_of(r.squares, r.size, r.largest) : ClusterScores{};
                    if constexpr (kDetail) details.add_cluster(scores, r.whole(), t_.n);
                    for (i64 q = first; q < last; ++q) {
                        const u32 col = static_cast<u32>(t_.cols[q]);
                        Part& record = parts_[part[col >> shift_]++];
                        record.col = col;
                        record.m = static_cast<Size>(t_.sizes[q]);
                        record.score = score;
                        if constexpr (kDetail) record.row = scores;
                    }
                }
                rows[static_cast<std::size_t>(s)] = totals;
                if constexpr (kDetail) row_details[static_cast<std::size_t>(s)] = details;
            }
        });
        for (const SideTotals& part : rows) basic.rows.add(part);
        for (const SideDetails& part : row_details) detail.rows.add(part);
    }

    void sum_bucket(i64 b, Scratch& scratch, BasicTotals& basic, DetailTotals* detail) const {
        const i64 first = b << shift_, count = std::min(i64{1} << shift_, t_.k_pred - first);
        const u32 base = static_cast<u32>(first);
        const std::size_t bucket = static_cast<std::size_t>(b);
        const Lone *lone = lones_.data() + lone_start_[bucket], *lone_end = lones_.data() + lone_start_[bucket + 1];
        const Part *part = parts_.data() + part_start_[bucket], *part_end = parts_.data() + part_start_[bucket + 1];

        scratch.light.assign(static_cast<std::size_t>(count), Light{});
        scratch.heavy.resize(std::max(scratch.heavy.size(), static_cast<std::size_t>(count)));
        Light* light = scratch.light.data();
        Heavy* heavy = scratch.heavy.data();
        for (const Lone* r = lone; r < lone_end; ++r) light[r->col - base].add(r->m);
        for (const Part* r = part; r < part_end; ++r) light[r->col - base].add(r->m);
        for (i64 c = 0; c < count; ++c)
            if (!light[c].whole()) heavy[c] = {};

        SideTotals& side = basic.columns;
        for (const Lone* r = lone; r < lone_end; ++r) {
            const u32 c = r->col - base;
            if (light[c].whole())
                basic.product.whole += static_cast<i64>(r->m);
            else
                heavy[c].add(r->m, 1.0);
        }
        for (const Part* r = part; r < part_end; ++r) {
            const u32 c = r->col - base;
            if (light[c].whole())
                basic.product.part.add(static_cast<double>(r->m) * r->score);
            else
                heavy[c].add(r->m, r->score);
        }
        for (i64 c = 0; c < count; ++c) {
            const Light& column = light[c];
            const bool whole = column.whole();
            const ClusterSums sum{whole ? 0 : heavy[c].parts.value(), static_cast<u128>(column.squares), static_cast<i64>(column.size),
                                  static_cast<i64>(column.largest)};
            side.add_cluster(sum);
            if (!whole) basic.product.part.add(heavy[c].weighted.value() * sum.score());
        }
        if constexpr (kDetail) {
            scratch.scores.resize(std::max(scratch.scores.size(), static_cast<std::size_t>(count)));
            ClusterScores* scores = scratch.scores.data();
            for (i64 c = 0; c < count; ++c) {
                scores[c] = scores_of(light[c].squares, static_cast<i64>(light[c].size), static_cast<i64>(light[c].largest));
                detail->columns.add_cluster(scores[c], light[c].whole(), t_.n);
            }
            CellAdder cells(t_.n, *detail);
            for (const Lone* r = lone; r < lone_end; ++r) {
                const i64 m = static_cast<i64>(r->m);
                if (light[r->col - base].whole())
                    cells.add_perfect(m);
                else
                    cells.add(m, {m, 1, 1}, scores[r->col - base]);
            }
            for (const Part* r = part; r < part_end; ++r) cells.add(static_cast<i64>(r->m), r->row, scores[r->col - base]);
        }
    }

    const Cells& t_;
    Run& run_;
    Stretches stretches_;
    int shift_ = 0, team_ = 1;
    i64 buckets_ = 0;
    std::vector<i64> lone_start_, part_start_;
    Buffer<Lone> lones_;
    Buffer<Part> parts_;
};

template <bool kDetail>
void sum_columns(const Cells& t, BasicTotals& basic, DetailTotals& detail, Run& run) {
    if (t.n <= static_cast<i64>(UINT32_MAX))
        ManyColumns<u32, u64, kDetail>(t, run).sum(basic, detail);
    else
        ManyColumns<i64, u128, kDetail>(t, run).sum(basic, detail);
}

}  // namespace

BasicTotals sum_many_columns(const Cells& t, Run& run) {
    BasicTotals basic;
    DetailTotals nothing;
    sum_columns<false>(t, basic, nothing, run);
    return basic;
}

DetailTotals detail_many_columns(const Cells& t, BasicTotals& basic, Run& run) {
    DetailTotals detail;
    sum_columns<true>(t, basic, detail, run);
    return detail;
}

}  // namespace clusterdiff
