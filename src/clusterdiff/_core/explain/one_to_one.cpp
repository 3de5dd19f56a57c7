#include "explain/one_to_one.hpp"

#include <algorithm>

namespace clusterdiff {

namespace {

constexpr i64 kClusters = i64{1} << 15;  // so many at a time are put in order by one thread
constexpr i64 kMany = i64{1} << 14;      // cells of one cluster

// The codes of a side, in place if they are 32-bit integers that lie there as such.
struct Codes {
    Codes(const Labels& x, Run& run) : at(reinterpret_cast<const i32*>(x.data)) {
        i64 most = -1;
        if (x.kind == Kind::i32 && x.plain()) {
            run.each(0, x.n, [&](i64 i) { most = std::max<i64>(most, static_cast<std::uint32_t>(at[i])); });
        } else {
            own = Buffer<i32>(x.n);
            at = own.data();
            run.each(0, x.n, [&](i64 i) {
                const i64 code = static_cast<i64>(x[i]);
                most = std::max(most, code < 0 ? INT64_MAX : code);
                own[i] = static_cast<i32>(code);
            });
        }
        if (most >= INT32_MAX) throw BadValue("true and pred must be codes of clusters");
        count = most + 1;
    }

    i32 operator[](i64 i) const { return at[i]; }

    const i32* at;
    i64 count;
    Buffer<i32> own;
};

// How many cells a cluster has: none, one or more. That fits a cache.
Buffer<u8> counted(const Codes& codes, i64 cells, Run& run) {
    auto found = Buffer<u8>::zeros(codes.count);
    run.each(0, cells, [&](i64 i) { found[codes[i]] |= static_cast<u8>(found[codes[i]] + 1); });
    return found;
}

}  // namespace

OneToOne::OneToOne(const Labels& truth, const Labels& pred, const i64* size, Run& run) : cells_(truth.n) {
    const Codes rows(truth, run), columns(pred, run);
    contested_ = Buffer<u8>(cells_);
    i64 count = 0;
    {
        const Buffer<u8> by_true = counted(rows, cells_, run), by_pred = counted(columns, cells_, run);
        run.each(0, cells_, [&](i64 i) { count += contested_[i] = (by_true[rows[i]] | by_pred[columns[i]]) > 1; });
    }
    place_ = Buffer<i64>(count), size_ = Buffer<i64>(count);
    i64 at = 0;
    run.each(0, cells_, [&](i64 i) {
        if (contested_[i]) place_[at] = i, size_[at++] = size[i];
    });
    turn_ = Buffer<i64>::zeros(count), tied_ = Buffer<u8>::zeros(count);
    list(true_, rows.at, rows.count, run), list(pred_, columns.at, columns.count, run);
    sort(true_, true, run), sort(pred_, true, run);
}

void OneToOne::list(Side& side, const i32* codes, i64 clusters, Run& run) {
    const i64 count = place_.size();
    side.cluster = Buffer<i32>(count);
    // Clusters with contested cells are numbered as they come: neighbours stay neighbours, and others take no room.
    i32 found = 0;
    {
        auto number = Buffer<i32>::zeros(clusters);
        run.each(0, count, [&](i64 i) {
            i32& mine = number[codes[place_[i]]];
            if (!mine) mine = ++found;
            side.cluster[i] = mine - 1;
        });
    }
    side.points = Buffer<i64>::zeros(found), side.done = Buffer<u8>::zeros(found);
    side.begin = Buffer<i64>::zeros(i64{found} + 1), side.order = Buffer<i64>(count);
    run.each(0, count, [&](i64 i) { ++side.begin[side.cluster[i] + 1], side.points[side.cluster[i]] += size_[i]; });
    run.each(0, found, [&](i64 c) { side.begin[c + 1] += side.begin[c]; });
    // Each beginning runs to the end of its cluster, and is the next one's then.
    run.each(0, count, [&](i64 i) { side.order[side.begin[side.cluster[i]]++] = i; });
    for (i64 c = found; c > 0; --c) side.begin[c] = side.begin[c - 1];
    side.begin[0] = 0;
}

bool OneToOne::before(i64 i, i64 j) const {
    if (size_[i] != size_[j]) return size_[i] > size_[j];
    const i64 mine = together(i), theirs = together(j);
    if (mine != theirs) return mine < theirs;
    return turn_[i] != turn_[j] ? turn_[i] < turn_[j] : i < j;
}

// All clusters, with marks on what is tied; or those alone that have such cells.
void OneToOne::sort(Side& side, bool marks, Run& run) {
    auto less = [&](i64 i, i64 j) { return before(i, j); };
    std::vector<i64> wide;
    auto tie = [&](i64 c) {
        for (i64 p = side.begin[c] + 1; p < side.begin[c + 1]; ++p)
            if (alike(side.order[p - 1], side.order[p])) tied_[side.order[p - 1]] = tied_[side.order[p]] = 1;
    };
    run.each(0, side.count(), [&](i64 c) {
        if (side.begin[c + 1] - side.begin[c] > kMany) wide.push_back(c);
    });
    run.tasks((side.count() + kClusters - 1) / kClusters, [&](i64 task, int) {
        run.each(task * kClusters, std::min(side.count(), (task + 1) * kClusters), [&](i64 c) {
            i64 *first = &side.order[side.begin[c]], *last = first + (side.begin[c + 1] - side.begin[c]);
            if (last - first < 2 || last - first > kMany) return;
            if (!marks && std::none_of(first, last, [&](i64 i) { return tied_[i]; })) return;
            if (last - first == 2) {
                if (before(first[1], first[0])) std::swap(first[0], first[1]);
            } else {
                std::sort(first, last, less);
            }
            if (marks) tie(c);
        });
    });
    for (const i64 c : wide) {
        run.stable_sort(side.order.data() + side.begin[c], side.order.data() + side.begin[c + 1], less);
        if (marks) tie(c);
    }
}

Buffer<i64> OneToOne::tied() const {
    i64 count = 0;
    for (i64 i = 0; i < tied_.size(); ++i) count += tied_[i];
    Buffer<i64> out(count);
    for (i64 i = 0, at = 0; i < tied_.size(); ++i)
        if (tied_[i]) out[at++] = place_[i];
    return out;
}

// The first cell of a cluster whose other cluster is still to be had; -1 if there is none.
i64 OneToOne::next(Side& side, const Side& other, i64 cluster) {
    if (side.done[cluster]) return -1;
    i64& at = side.points[cluster];  // which are not needed any more: where the search goes on
    for (; at < side.begin[cluster + 1]; ++at)
        if (!other.done[other.cluster[side.order[at]]]) return side.order[at];
    return -1;
}

Buffer<i64> OneToOne::taken(const Labels& turn, Run& run) {
    i64 at = 0;
    run.each(0, tied_.size(), [&](i64 i) {
        if (tied_[i]) turn_[i] = static_cast<i64>(turn[at++]);
    });
    if (at) sort(true_, false, run), sort(pred_, false, run);
    for (Side* side : {&true_, &pred_})
        run.each(0, side->count(), [&](i64 c) { side->points[c] = side->begin[c]; });
    // A cell that comes first in both of its clusters is taken. From one that does not, to the cell that comes before it in
    // its other cluster, and so on: each comes earlier than the last, so the way ends, and back along it nothing is lost.
    Buffer<u8> chosen(cells_);
    run.each(0, cells_, [&](i64 i) { chosen[i] = !contested_[i]; });
    struct Stop {
        i64 cluster;
        bool is_true;
    };
    std::vector<Stop> way;
    i64 looks = 0;
    for (i64 c = 0; c < true_.count(); ++c) {
        for (way.assign(1, {c, true}); !way.empty();) {
            if (++looks % (i64{1} << 16) == 0) run.poll();
            const Stop stop = way.back();
            Side &mine = stop.is_true ? true_ : pred_, &other = stop.is_true ? pred_ : true_;
            const i64 i = next(mine, other, stop.cluster);
            if (i < 0) {
                way.pop_back();
                continue;
            }
            const i64 partner = other.cluster[i];
            if (next(other, mine, partner) != i) {
                way.push_back({partner, !stop.is_true});
                continue;
            }
            chosen[place_[i]] = 1;
            mine.done[stop.cluster] = other.done[partner] = 1;
            way.pop_back();
        }
    }
    i64 count = 0;
    run.each(0, cells_, [&](i64 i) { count += chosen[i]; });
    Buffer<i64> out(count);
    at = 0;
    run.each(0, cells_, [&](i64 i) {
        if (chosen[i]) out[at++] = i;
    });
    return out;
}

}  // namespace clusterdiff
