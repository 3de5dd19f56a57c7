#include "draws/kept.hpp"

#include "sums/totals.hpp"

namespace clusterdiff {

Kept kept_by_true(const Cells& t, Run& run) {
    struct Column {
        double parts;
        i64 size, largest;
    };
    auto columns = Buffer<Column>::zeros(t.k_pred);
    run.each(0, t.count(), [&](i64 q) {
        Column& c = columns[t.cols[q]];
        const i64 m = t.sizes[q];
        c.parts += xlogx(m);
        c.size += m;
        c.largest = std::max(c.largest, m);
    });
    Buffer<double> merge(t.k_pred);
    for (i64 c = 0; c < t.k_pred; ++c) {
        const Column& column = columns[c];
        merge[c] = column.largest == column.size ? 1.0 : entropy_score(column.parts, column.size);
    }
    Kept out{Buffer<double>(t.k_true)};
    Exactish to_splits, to_merges;
    i64 since = 0;
    for (i64 row = 0; row < t.k_true; ++row) {
        const i64 begin = t.indptr[row], end = t.indptr[row + 1];
        if ((since += end - begin + 1) > (i64{1} << 16)) run.poll(), since = 0;
        const double split = row_sums(t, begin, end).score();
        double kept = 0, lost = 0, merged = 0;
        for (i64 q = begin; q < end; ++q) {
            const double m = static_cast<double>(t.sizes[q]), other = merge[t.cols[q]];
            kept += m * split * other;
            lost += m * (1 + other);
            merged += m * (1 - other);
        }
        out.kept[row] = kept;
        to_splits.add((1 - split) * lost / 2);
        to_merges.add((1 + split) * merged / 2);
    }
    out.split = to_splits.value();
    out.merge = to_merges.value();
    return out;
}

}  // namespace clusterdiff
