// Centres and squared deviations of groups of points, for the mean-squared-error instance.
//
// Points are visited group by group. Sums are taken relative to the group's first point, so a group of identical
// points has exactly that point as its centre and exactly no deviation; deviations are sums of squares, never a
// difference of two of them.
#pragma once

#include <algorithm>

#include "groups.hpp"

namespace clusterdiff {

struct DenseMoments {
    Buffer<double> centres;  // [k, d]
    Buffer<double> within;   // [k]
};

// The points of a group lie anywhere: they are asked for so many points before they are read.
constexpr i64 kFetchAhead = 6;

// `row(point, scratch)` points to the d features of a point, in place or converted into the scratch; `fetch(point)` asks
// for them; `weight(point)` is its mass.
template <class Row, class Fetch, class Weight>
DenseMoments moments_dense(const Members& groups, i64 k, i64 d, Row&& row, Fetch&& fetch, Weight&& weight, Run& run) {
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
        double mass = 0;
        const i64 last = groups.members.size() - 1;
        for (i64 at = piece.begin; at < piece.end; ++at) {
            fetch(groups.members[std::min(at + kFetchAhead, last)]);  // beyond the piece: most likely what comes next
            const i64 point = groups.members[at];
            const double w = weight(point);
            mass += w;
            const auto* __restrict x = row(point, s.x.data());
            for (i64 j = 0; j < d; ++j) sum[j] += w * (static_cast<double>(x[j]) - first[j]);
        }
        return mass;
    };
    auto squared_deviations = [&](const Piece& piece, Scratch& s, const double* centre) {
        double sum = 0;
        for (i64 at = piece.begin; at < piece.end; ++at) {
            const i64 point = groups.members[at];
            const auto* __restrict x = row(point, s.x.data());
            double lanes[4] = {0, 0, 0, 0};  // four sums the processor can run side by side
            i64 j = 0;
            for (; j + 4 <= d; j += 4)
                for (int lane = 0; lane < 4; ++lane) {
                    const double deviation = static_cast<double>(x[j + lane]) - centre[j + lane];
                    lanes[lane] += deviation * deviation;
                }
            for (; j < d; ++j) {
                const double deviation = static_cast<double>(x[j]) - centre[j];
                lanes[0] += deviation * deviation;
            }
            sum += weight(point) * ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]));
        }
        return sum;
    };
    auto finish_centre = [&](i64 group, Scratch& s, const double* sum, double mass) {
        first_point(group, s);
        double* centre = out.centres.data() + group * d;
        for (i64 j = 0; j < d; ++j)
            centre[j] = mass > 0 ? s.first[static_cast<std::size_t>(j)] + sum[j] / mass : s.first[static_cast<std::size_t>(j)];
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
            out.within[piece.group] = squared_deviations(piece, s, out.centres.data() + piece.group * d);
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
        squares[static_cast<std::size_t>(part)] =
            squared_deviations(piece, scratches[static_cast<std::size_t>(worker)], out.centres.data() + piece.group * d);
    });
    for (i64 part = 0; part < parts; ++part) out.within[group_of(part)] += squares[static_cast<std::size_t>(part)];
    return out;
}

struct SparseMoments {
    Buffer<i64> indptr, indices;
    Buffer<double> data;
    Buffer<double> within;  // [k]
};

// Rows are given as start(point), index(at) and value(at); `fetch(at)` asks for what is stored there. A row must not list
// a column twice.
template <class Start, class Index, class Value, class Fetch, class Weight>
SparseMoments moments_sparse(const Members& groups, i64 k, i64 d, Start&& start, Index&& index, Value&& value, Fetch&& fetch,
                             Weight&& weight, Run& run) {
    // What is known of one column within the group at hand.
    struct Column {
        double first, sum, mass, squares;  // the first point's value; sums over the points that store the column
        double centre;
    };
    struct Piece {
        std::vector<i64> counts, indices;
        std::vector<double> data;
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
            for (i64 at = start(point), end = start(point + 1); at < end; ++at) f(index(at), value(at));
        };
        for (i64 group = task * per_task, end = std::min(k, group + per_task); group < end; ++group) {
            const i64 from = groups.indptr[group], to = groups.indptr[group + 1];
            s.touched.clear();
            double mass = 0;
            const i64 last = groups.members.size() - 1;
            for (i64 at = from; at < to; ++at) {
                fetch(start(groups.members[std::min(at + kFetchAhead, last)]));
                const i64 point = groups.members[at];
                const double w = weight(point);
                mass += w;
                each(point, [&](i64 j, double x) {
                    if (j < 0 || j >= d) throw BadValue("column indices must lie in [0, " + std::to_string(d) + ")");
                    Column& c = s.columns[j];
                    if (!s.used[j]) {
                        s.used[j] = 1;
                        s.touched.push_back(j);
                        c = {at == from ? x : 0.0, 0, 0, 0, 0};
                    }
                    c.sum += w * (x - c.first);
                    c.mass += w;
                });
            }
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
                c.centre = mass > 0 ? c.first + (c.sum - (mass - c.mass) * c.first) / mass : c.first;
            }
            for (i64 at = from; at < to; ++at) {
                const i64 point = groups.members[at];
                const double w = weight(point);
                each(point, [&](i64 j, double x) {
                    Column& c = s.columns[j];
                    c.squares += w * (x - c.centre) * (x - c.centre);
                });
            }
            Exactish within;
            i64 count = 0;
            for (i64 j : s.touched) {
                const Column& c = s.columns[j];
                within.add(c.squares + (mass - c.mass) * c.centre * c.centre);
                s.used[j] = 0;
                if (c.centre == 0) continue;
                piece.indices.push_back(j);
                piece.data.push_back(c.centre);
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
    run.tasks(tasks, [&](i64 task, int) {
        Piece piece = std::move(pieces[static_cast<std::size_t>(task)]);
        const i64 at = place[static_cast<std::size_t>(task)];
        std::copy(piece.indices.begin(), piece.indices.end(), out.indices.data() + at);
        std::copy(piece.data.begin(), piece.data.end(), out.data.data() + at);
    });
    return out;
}

}  // namespace clusterdiff
