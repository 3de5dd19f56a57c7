// Sums of link weights (distances) over the pairs of points inside each group.
#pragma once

#include "groups.hpp"

namespace clusterdiff {

// `distance(i, j)` is asked for i before j in the group's order; `weight(i)` is a point's mass.
template <class Distance, class Weight>
Buffer<double> link_sums(const Members& groups, i64 k, Distance&& distance, Weight&& weight, Run& run) {
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
    run.tasks((count + per_task - 1) / per_task, [&](i64 batch, int worker) {
        for (i64 t = batch * per_task; t < std::min(count, (batch + 1) * per_task); ++t) {
            run.poll(worker);
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

}  // namespace clusterdiff
