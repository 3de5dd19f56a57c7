#include "meet/squares.hpp"

#include "encode/encode.hpp"
#include "meet/meet.hpp"

namespace clusterdiff {

namespace {

// A clustering by numbers from 0 on.
struct Coded {
    Buffer<i32> codes;
    i64 k;
};

// The largest table of counts that stays in a level-2 cache.
constexpr i64 kTable = i64{1} << 16;

i64 by_table(const Coded& a, const Coded& b, i64 n, std::vector<u32>& table, Run& run, int worker) {
    table.assign(static_cast<std::size_t>(a.k * b.k), 0);
    const i32 *row = a.codes.data(), *column = b.codes.data();
    u32* counts = table.data();
    run.each(0, n, [&](i64 i) { ++counts[row[i] * b.k + column[i]]; }, worker);
    i64 sum = 0;
    for (const u32 m : table) sum += static_cast<i64>(m) * m;
    return sum;
}

i64 by_meet(const Labels& a, const Labels& b, Run& run) {
    const Cells cells = meet(a, b, run);
    i64 sum = 0;
    for (i64 q = 0; q < cells.count(); ++q) sum += cells.sizes[q] * cells.sizes[q];
    return sum;
}

}  // namespace

Buffer<i64> squares(const std::vector<Labels>& sides, Run& run) {
    const i64 count = static_cast<i64>(sides.size()), n = count ? sides[0].n : 0;
    for (const Labels& side : sides)
        if (side.n != n) throw BadValue("all sides must have the same length");
    if (n > INT32_MAX) throw TooLarge("squares of more than 2^31 - 1 points may exceed 64 bits");
    std::vector<Coded> coded(sides.size());
    run.tasks(count, [&](i64 i, int worker) {
        Run alone(run, worker);
        Encoded found = encode_integers(sides[static_cast<std::size_t>(i)], alone);
        coded[static_cast<std::size_t>(i)] = {std::move(found.codes), found.first.size()};
    });
    Buffer<i64> out(count * count);
    std::vector<std::vector<u32>> tables(static_cast<std::size_t>(run.threads()));
    run.tasks(count, [&](i64 i, int worker) {
        const auto at = static_cast<std::size_t>(i);
        Run alone(run, worker);
        for (i64 j = i; j < count; ++j) {
            const auto other = static_cast<std::size_t>(j);
            const i64 sum = coded[at].k * coded[other].k <= kTable
                                ? by_table(coded[at], coded[other], n, tables[static_cast<std::size_t>(worker)], run, worker)
                                : by_meet(sides[at], sides[other], alone);
            out[i * count + j] = out[j * count + i] = sum;
        }
    });
    return out;
}

}  // namespace clusterdiff
