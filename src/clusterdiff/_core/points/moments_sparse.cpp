#include <algorithm>

#include "points/moments.hpp"

namespace clusterdiff {

namespace {

template <class Index, class Value>
SparseMoments with_rows(const Members& groups, i64 k, i64 d, const Buffer<i64>& starts, const Index* columns, const Value* values,
                        const double* low, i64 stored, Weight weight, Run& run) {
    auto fetch = [&](i64 at) {
        if (at >= stored) return;
        prefetch(columns + at);
        prefetch(values + at);
        prefetch(reinterpret_cast<const char*>(values + at) + 64);
    };
    // What is known of one column within the group at hand.
    struct Column {
        double first, sum, squares;  // the first point's value; sums over the points that store the column
        double centre, low;
        Exactish mass;
    };
    struct Piece {
        std::vector<i64> counts, indices;
        std::vector<double> data, low;
    };
    struct Scratch {
        Buffer<Column> columns;
        Buffer<u8> used;
        std::vector<i64> touched;
    };
    const i64 per_task = std::max<i64>(1, std::min<i64>(256, k / 64));
    const i64 tasks = (k + per_task - 1) / per_task;
    std::vector<Piece> pieces(static_cast<std::size_t>(tasks));
    std::vector<Scratch> scratches(static_cast<std::size_t>(run.threads()));
    SparseMoments out;
    out.within = Buffer<double>::zeros(k);
    run.tasks(tasks, [&](i64 task, int worker) {
        Scratch& s = scratches[static_cast<std::size_t>(worker)];
        if (s.columns.empty()) {
            s.columns = Buffer<Column>(d);
            s.used = Buffer<u8>::zeros(d);
        }
        Piece& piece = pieces[static_cast<std::size_t>(task)];
        auto each = [&](i64 point, auto&& f) {
            for (i64 at = starts[point], end = starts[point + 1]; at < end; ++at) {
                const i64 j = static_cast<i64>(columns[at]);
                if (j < 0 || j >= d) throw BadValue("column indices must lie in [0, " + std::to_string(d) + ")");
                f(j, static_cast<double>(values[at]), low ? low[at] : 0.0);
            }
        };
        for (i64 group = task * per_task, end = std::min(k, group + per_task); group < end; ++group) {
            const i64 from = groups.indptr[group], to = groups.indptr[group + 1];
            s.touched.clear();
            Exactish whole;
            const i64 last = groups.members.size() - 1;
            for (i64 at = from; at < to; ++at) {
                fetch(starts[groups.members[std::min(at + kFetchAhead, last)]]);
                const i64 point = groups.members[at];
                const double w = weight(point);
                whole.add(w);
                each(point, [&](i64 j, double x, double beyond) {
                    Column& c = s.columns[j];
                    if (!s.used[j]) {
                        s.used[j] = 1;
                        s.touched.push_back(j);
                        c = {at == from ? x : 0.0, 0, 0, 0, 0, {}};
                    }
                    c.sum += w * ((x - c.first) + beyond);
                    c.mass.add(w);
                });
            }
            const double mass = whole.value();
            // The mass of the points that do not store a column, however heavy those are that do.
            auto rest = [&](const Column& c) { return std::max(0.0, (whole.high - c.mass.high) + (whole.low - c.mass.low)); };
            if (static_cast<i64>(s.touched.size()) > d / 64) {  // so many that looking at every column is less than to sort
                s.touched.clear();
                for (i64 j = 0; j < d; ++j)
                    if (s.used[j]) s.touched.push_back(j);
            } else {
                std::sort(s.touched.begin(), s.touched.end());
            }
            for (i64 j : s.touched) {
                Column& c = s.columns[j];
                // Points that do not store the column are zeros: each is `first` below the first point.
                const Centre centre(c.first, mass > 0 ? (c.sum - rest(c) * c.first) / mass : 0.0, 0.0);
                c.centre = centre.high;
                c.low = centre.low;
            }
            for (i64 at = from; at < to; ++at) {
                const i64 point = groups.members[at];
                const double w = weight(point);
                each(point, [&](i64 j, double x, double beyond) {
                    Column& c = s.columns[j];
                    const double deviation = (x - c.centre) + (beyond - c.low);
                    c.squares += w * deviation * deviation;
                });
            }
            Exactish within;
            i64 count = 0;
            for (i64 j : s.touched) {
                const Column& c = s.columns[j];
                within.add(c.squares + rest(c) * c.centre * c.centre);
                s.used[j] = 0;
                if (c.centre == 0) continue;
                piece.indices.push_back(j);
                piece.data.push_back(c.centre);
                piece.low.push_back(c.low);
                ++count;
            }
            piece.counts.push_back(count);
            out.within[group] = within.value();
        }
    });
    std::vector<i64> place{0};  // of the first entry of every task's piece
    out.indptr = Buffer<i64>(k + 1);
    out.indptr[0] = 0;
    i64 group = 0;
    for (const Piece& piece : pieces) {
        for (i64 count : piece.counts) {
            out.indptr[group + 1] = out.indptr[group] + count;
            ++group;
        }
        place.push_back(out.indptr[group]);
    }
    out.indices = Buffer<i64>(place.back());
    out.data = Buffer<double>(place.back());
    out.low = Buffer<double>(place.back());
    run.tasks(tasks, [&](i64 task, int) {
        Piece piece = std::move(pieces[static_cast<std::size_t>(task)]);
        const i64 at = place[static_cast<std::size_t>(task)];
        std::copy(piece.indices.begin(), piece.indices.end(), out.indices.data() + at);
        std::copy(piece.data.begin(), piece.data.end(), out.data.data() + at);
        std::copy(piece.low.begin(), piece.low.end(), out.low.data() + at);
    });
    return out;
}

Buffer<i64> widened(const Labels& x) {
    Buffer<i64> out(x.n);
    for (i64 i = 0; i < x.n; ++i) out[i] = static_cast<i64>(x[i]);
    return out;
}

// Where the rows begin, in memory of our own: what was checked is what is read, whoever writes to the caller's.
Buffer<i64> checked_starts(const SparseRows& x) {
    Buffer<i64> out = widened(x.indptr);
    const i64 n = out.size() - 1;
    for (i64 i = 0; i < n; ++i)
        if (out[i] < 0 || out[i] > out[i + 1]) throw BadValue("indptr must not decrease");
    if (out[n] > x.indices.n) throw BadValue("indptr reaches past the end of the data");
    return out;
}

}  // namespace

// SciPy's own types are read where they are, any others are cast as a whole first.
SparseMoments moments_sparse(const Members& groups, i64 k, const SparseRows& x, const double* low, const double* weights, Run& run) {
    const Buffer<i64> starts = checked_starts(x);
    auto with_values = [&](const auto* columns) {
        auto with = [&](const auto* values) {
            return with_rows(groups, k, x.d, starts, columns, values, low, x.indices.n, Weight{weights}, run);
        };
        if (x.data.in_place<double>()) return with(reinterpret_cast<const double*>(x.data.data));
        if (x.data.in_place<float>()) return with(reinterpret_cast<const float*>(x.data.data));
        Buffer<double> cast(x.data.columns);
        x.data.reader.many(x.data.data, x.data.stride, x.data.columns, cast.data());
        return with(static_cast<const double*>(cast.data()));
    };
    if (x.indices.plain()) {
        if (x.indices.kind == Kind::i32) return with_values(reinterpret_cast<const i32*>(x.indices.data));
        if (x.indices.kind == Kind::i64) return with_values(reinterpret_cast<const i64*>(x.indices.data));
    }
    return with_values(static_cast<const i64*>(widened(x.indices).data()));
}

}  // namespace clusterdiff
