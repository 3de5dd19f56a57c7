#include "points/moments.hpp"

namespace clusterdiff {

namespace {

// What the features of a point are beyond their doubles: nothing, unless they are centres themselves.
struct Nothing {
    double operator()(i64, i64) const { return 0.0; }
};
struct Low {
    const double* values;
    i64 d;
    double operator()(i64 point, i64 j) const { return values[point * d + j]; }
};

// `row(point, scratch)` points to the features of a point, in place or converted into the scratch.
template <class Row, class Beyond>
DenseMoments with_rows(const Members& groups, i64 k, const Numbers& features, Row&& row, Beyond beyond, Weight weight, Run& run) {
    const i64 d = features.columns, bytes = d * features.stride;
    auto fetch = [&](i64 point) {
        for (i64 line = 0; line < bytes; line += 64) prefetch(features.row(point) + line);
    };
    // Large groups are cut into pieces of fixed length, which threads share and which keep partial sums short.
    constexpr i64 kPiece = 4096;
    struct Piece {
        i64 group, begin, end;
    };
    std::vector<Piece> pieces;
    for (i64 group = 0; group < k; ++group)
        for (i64 at = groups.indptr[group], end = groups.indptr[group + 1]; at < end; at += kPiece)
            pieces.push_back({group, at, std::min(end, at + kPiece)});

    DenseMoments out;
    out.centres = Buffer<double>::zeros(k * d);
    out.low = Buffer<double>::zeros(k * d);
    out.within = Buffer<double>::zeros(k);

    struct Scratch {
        std::vector<double> first, x, sum;
    };
    std::vector<Scratch> scratches(static_cast<std::size_t>(run.threads()));
    for (auto& s : scratches) {
        s.first.resize(static_cast<std::size_t>(d));
        s.x.resize(static_cast<std::size_t>(d));
        s.sum.resize(static_cast<std::size_t>(d));
    }
    auto first_point = [&](i64 group, Scratch& s) {
        const auto* x = row(groups.members[groups.indptr[group]], s.x.data());
        for (i64 j = 0; j < d; ++j) s.first[static_cast<std::size_t>(j)] = static_cast<double>(x[j]);
    };
    // Adds the deviations of a piece's points from the group's first point to `sum`; returns their mass.
    auto add_deviations = [&](const Piece& piece, Scratch& s, double* __restrict sum) {
        const double* first = s.first.data();
        first_point(piece.group, s);
        const i64 from = groups.members[groups.indptr[piece.group]];
        double mass = 0;
        const i64 last = groups.members.size() - 1;
        for (i64 at = piece.begin; at < piece.end; ++at) {
            fetch(groups.members[std::min(at + kFetchAhead, last)]);  // beyond the piece: most likely what comes next
            const i64 point = groups.members[at];
            const double w = weight(point);
            mass += w;
            const auto* __restrict x = row(point, s.x.data());
            for (i64 j = 0; j < d; ++j) sum[j] += w * ((static_cast<double>(x[j]) - first[j]) + (beyond(point, j) - beyond(from, j)));
        }
        return mass;
    };
    auto squared_deviations = [&](const Piece& piece, Scratch& s) {
        const double *centre = out.centres.data() + piece.group * d, *low = out.low.data() + piece.group * d;
        double sum = 0;
        for (i64 at = piece.begin; at < piece.end; ++at) {
            const i64 point = groups.members[at];
            const auto* __restrict x = row(point, s.x.data());
            double lanes[4] = {0, 0, 0, 0};  // four sums the processor can run side by side
            i64 j = 0;
            for (; j + 4 <= d; j += 4)
                for (int lane = 0; lane < 4; ++lane) {
                    const double deviation = (static_cast<double>(x[j + lane]) - centre[j + lane]) + (beyond(point, j + lane) - low[j + lane]);
                    lanes[lane] += deviation * deviation;
                }
            for (; j < d; ++j) {
                const double deviation = (static_cast<double>(x[j]) - centre[j]) + (beyond(point, j) - low[j]);
                lanes[0] += deviation * deviation;
            }
            sum += weight(point) * ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]));
        }
        return sum;
    };
    auto finish_centre = [&](i64 group, Scratch& s, const double* sum, double mass) {
        first_point(group, s);
        const i64 from = groups.members[groups.indptr[group]];
        for (i64 j = 0; j < d; ++j) {
            const Centre centre(s.first[static_cast<std::size_t>(j)], mass > 0 ? sum[j] / mass : 0.0, beyond(from, j));
            out.centres[group * d + j] = centre.high;
            out.low[group * d + j] = centre.low;
        }
    };

    // Groups of one piece are done at once, while their points are in the cache; several of them make a task.
    std::vector<i64> single, multiple;  // indices into pieces
    for (std::size_t p = 0; p < pieces.size(); ++p) {
        const i64 members = groups.indptr[pieces[p].group + 1] - groups.indptr[pieces[p].group];
        (members <= kPiece ? single : multiple).push_back(static_cast<i64>(p));
    }
    const i64 per_task = 256;
    run.tasks((static_cast<i64>(single.size()) + per_task - 1) / per_task, [&](i64 task, int worker) {
        Scratch& s = scratches[static_cast<std::size_t>(worker)];
        const i64 end = std::min(static_cast<i64>(single.size()), (task + 1) * per_task);
        for (i64 q = task * per_task; q < end; ++q) {
            const Piece& piece = pieces[static_cast<std::size_t>(single[static_cast<std::size_t>(q)])];
            std::fill(s.sum.begin(), s.sum.end(), 0.0);
            const double mass = add_deviations(piece, s, s.sum.data());
            finish_centre(piece.group, s, s.sum.data(), mass);
            out.within[piece.group] = squared_deviations(piece, s);
        }
    });

    const i64 parts = static_cast<i64>(multiple.size());
    if (!parts) return out;
    auto sums = Buffer<double>::zeros(parts * d);
    std::vector<double> masses(static_cast<std::size_t>(parts)), squares(static_cast<std::size_t>(parts));
    run.tasks(parts, [&](i64 part, int worker) {
        const Piece& piece = pieces[static_cast<std::size_t>(multiple[static_cast<std::size_t>(part)])];
        masses[static_cast<std::size_t>(part)] = add_deviations(piece, scratches[static_cast<std::size_t>(worker)], sums.data() + part * d);
    });
    auto group_of = [&](i64 part) { return pieces[static_cast<std::size_t>(multiple[static_cast<std::size_t>(part)])].group; };
    for (i64 begin = 0, end; begin < parts; begin = end) {
        double mass = 0;
        for (end = begin; end < parts && group_of(end) == group_of(begin); ++end) {
            mass += masses[static_cast<std::size_t>(end)];
            if (end > begin)
                for (i64 j = 0; j < d; ++j) sums[begin * d + j] += sums[end * d + j];
        }
        finish_centre(group_of(begin), scratches[0], sums.data() + begin * d, mass);
    }
    run.tasks(parts, [&](i64 part, int worker) {
        const Piece& piece = pieces[static_cast<std::size_t>(multiple[static_cast<std::size_t>(part)])];
        squares[static_cast<std::size_t>(part)] = squared_deviations(piece, scratches[static_cast<std::size_t>(worker)]);
    });
    for (i64 part = 0; part < parts; ++part) out.within[group_of(part)] += squares[static_cast<std::size_t>(part)];
    return out;
}

}  // namespace

DenseMoments moments_dense(const Members& groups, i64 k, const Numbers& x, const double* low, const double* weights, Run& run) {
    auto with = [&](auto&& row) {
        if (low) return with_rows(groups, k, x, row, Low{low, x.columns}, Weight{weights}, run);
        return with_rows(groups, k, x, row, Nothing{}, Weight{weights}, run);
    };
    auto in_place = [&](auto zero) {
        using T = decltype(zero);
        return with([&](i64 point, double*) { return reinterpret_cast<const T*>(x.row(point)); });
    };
    if (x.in_place<double>()) return in_place(double{});
    if (x.in_place<float>()) return in_place(float{});
    auto converted = [&](i64 point, double* to) {
        x.reader.many(x.row(point), x.stride, x.columns, to);
        return to;
    };
    return with(converted);
}

}  // namespace clusterdiff
