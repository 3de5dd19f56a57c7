#include "sweep/dense.hpp"

namespace clusterdiff {

CLUSTERDIFF_CLONES u64 sum_products(const u32* sizes, const u64* scores, i64 count) {
    u64 total = 0;
    for (i64 j = 0; j < count; ++j) total += sizes[j] * scores[j];
    return total;
}

CLUSTERDIFF_CLONES u64 DenseCells::add_products(const u32* sizes, i32 count, u64 by, u64* sums, const u64* scores) {
    u64 total = 0;
    for (i32 j = 0; j < count; ++j) {
        sums[j] += sizes[j] * by;
        total += sizes[j] * scores[j];
    }
    return total;
}

}  // namespace clusterdiff
