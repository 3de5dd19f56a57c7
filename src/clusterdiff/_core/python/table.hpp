// What Python holds: the cells, and what has been computed from them so far.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "draws/kept.hpp"
#include "explain/assignment.hpp"
#include "python/call.hpp"
#include "sums/sums.hpp"

namespace clusterdiff {

struct Table {
    Cells cells;
    std::mutex mutex;
    std::optional<BasicSums> basic;
    std::optional<DetailSums> detail;
    std::optional<Buffer<i32>> rows;
    std::optional<Buffer<i64>> true_sizes, pred_sizes;
    std::optional<Kept> kept;  // until it is asked for
    std::optional<Contested> contested;

    // Computes a cached value on first use. The mutex is taken without the GIL, so a waiting thread blocks nobody.
    template <class T, class F>
    const T& once(std::optional<T>& slot, F&& make) {
        heavy(cells.count() + cells.k_pred, [&](Run& run) {
            std::lock_guard lock(mutex);
            if (!slot) slot.emplace(make(run));
        });
        return *slot;
    }
    const BasicSums& basics() {
        return once(basic, [&](Run& run) { return basic_sums(cells, run); });
    }
    const DetailSums& details() {
        return once(detail, [&](Run& run) { return detail_sums(cells, basic, run); });
    }
};

struct PyCells {
    std::shared_ptr<Table> table;
    const Cells& cells() const { return table->cells; }
};

struct PySums {
    std::shared_ptr<Table> table;
    const Cells& cells() const { return table->cells; }
};

inline PyCells wrap(Cells&& cells) {
    auto table = std::make_shared<Table>();
    table->cells = std::move(cells);
    return {std::move(table)};
}

}  // namespace clusterdiff
