#include "points/links.hpp"

namespace clusterdiff {

namespace {

// `distance(i, j)` is asked for i before j in the group's order; `weight(i)` is a point's mass.
template <class Distance, class Weight>
Buffer<double> sum_links(const Members& groups, i64 k, Distance&& distance, Weight&& weight, Run& run) {
    // A task is a stretch of first points with roughly this many pairs, so that one large group keeps all threads busy.
    constexpr i64 kPairs = i64{1} << 16;
    struct Task {
        i64 group, begin, end;  // positions in members
    };
    std::vector<Task> tasks;
    for (i64 group = 0; group < k; ++group) {
        const i64 end = groups.indptr[group + 1];
        i64 begin = groups.indptr[group], pairs = 0;
        for (i64 at = begin; at < end; ++at) {
            pairs += end - at - 1;
            if (pairs >= kPairs || at + 1 == end) {
                tasks.push_back({group, begin, at + 1});
                begin = at + 1;
                pairs = 0;
            }
        }
    }
    std::vector<double> parts(tasks.size());
    const i64 per_task = 64, count = static_cast<i64>(tasks.size());
    run.tasks((count + per_task - 1) / per_task, [&](i64 batch, int) {
        for (i64 t = batch * per_task; t < std::min(count, (batch + 1) * per_task); ++t) {
            run.poll();
            const Task& task = tasks[static_cast<std::size_t>(t)];
            const i64 end = groups.indptr[task.group + 1];
            Exactish sum;
            for (i64 p = task.begin; p < task.end; ++p) {
                const i64 i = groups.members[p];
                double row = 0;
                for (i64 q = p + 1; q < end; ++q) {
                    const i64 j = groups.members[q];
                    row += weight(j) * distance(i, j);
                }
                sum.add(weight(i) * row);
            }
            parts[static_cast<std::size_t>(t)] = sum.value();
        }
    });
    auto sums = Buffer<Exactish>::zeros(k);
    for (std::size_t t = 0; t < tasks.size(); ++t) sums[tasks[t].group].add(parts[t]);
    Buffer<double> out(k);
    for (i64 group = 0; group < k; ++group) out[group] = sums[group].value();
    return out;
}

// Calls f with a reader of one number, weight(point) along.
template <class F>
Buffer<double> with_readers(const Numbers& d, const double* weights, F&& f) {
    auto with = [&](auto read) {
        if (weights) return f(read, [weights](i64 i) { return weights[i]; });
        return f(read, [](i64) { return 1.0; });
    };
    if (d.type == Real::f64) return with([](const char* at) { return read_number<double>(at); });
    if (d.type == Real::f32) return with([](const char* at) { return read_number<float>(at); });
    return with(d.reader.one);
}

}  // namespace

Buffer<double> link_sums_square(const Members& groups, const Numbers& d, const double* weights, Run& run) {
    return with_readers(d, weights, [&](auto read, auto weight) {
        auto distance = [&](i64 i, i64 j) { return read(d.row(i) + j * d.stride); };
        return sum_links(groups, groups.indptr.size() - 1, distance, weight, run);
    });
}

Buffer<double> link_sums_condensed(const Members& groups, const Numbers& d, i64 n, const double* weights, Run& run) {
    return with_readers(d, weights, [&](auto read, auto weight) {
        auto distance = [&](i64 i, i64 j) {
            const i64 low = std::min(i, j), high = std::max(i, j);
            return read(d.data + (n * low - low * (low + 1) / 2 + high - low - 1) * d.stride);
        };
        return sum_links(groups, groups.indptr.size() - 1, distance, weight, run);
    });
}

}  // namespace clusterdiff
