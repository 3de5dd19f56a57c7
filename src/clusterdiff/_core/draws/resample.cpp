#include "draws/resample.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "draws/random.hpp"

namespace clusterdiff {

namespace {

// Draws that a task goes through block by block; each writes its own rows.
constexpr i64 kStretch = 64;

i64 in_pieces(i64 count, i64 size) { return (count + size - 1) / size; }

// Two chains of additions, so that neither waits for the other. Either half of a random number makes an index below
// `size`, with a bias of at most size / 2^32, one in two million.
template <i64 kWidth>
void draw(const double* block, u64 size, i64 width, i64 count, Stream random, double* sums, double* other) {
    const i64 w = kWidth ? kWidth : width;
    std::fill(sums, sums + w, 0.0);
    std::fill(other, other + w, 0.0);
    const auto row = [&](u64 half) { return block + static_cast<i64>((half * size) >> 32) * w; };
    for (i64 i = 0; i + 1 < count; i += 2) {
        const u64 x = random.next();
        const double *one = row(x & 0xffffffff), *two = row(x >> 32);
        for (i64 c = 0; c < w; ++c) {
            sums[c] += one[c];
            other[c] += two[c];
        }
    }
    if (count & 1) {
        const double* last = row(random.next() >> 32);
        for (i64 c = 0; c < w; ++c) sums[c] += last[c];
    }
    for (i64 c = 0; c < w; ++c) sums[c] += other[c];
}

auto drawing(i64 width) {
    switch (width) {
        case 1: return &draw<1>;
        case 2: return &draw<2>;
        case 3: return &draw<3>;
        case 4: return &draw<4>;
        default: return &draw<0>;
    }
}

// Four units have sixteen choices, which are added up once per block; a random number picks for 64 units at a time.
constexpr i64 kWords = 8, kFours = 16 * kWords, kTossed = 4 * kFours;

void choices(const double* values, i64 units, i64 width, std::vector<double>& table) {
    std::fill(table.begin(), table.end(), 0.0);
    for (i64 unit = 0; unit < units; ++unit)
        for (i64 choice = 0; choice < 16; ++choice)
            if (choice >> (unit % 4) & 1)
                for (i64 c = 0; c < width; ++c)
                    table[static_cast<std::size_t>((unit / 4 * 16 + choice) * width + c)] += values[unit * width + c];
}

// Some draws of one block, the first of them `at`, one `step` apart; each adds to its own row of sums. Those that go on
// side by side do not wait for each other's additions.
template <i64 kWidth, i64 kDraws>
void toss(const double* table, i64 words, i64 width, u64 seed, u64 at, u64 step, double* sums) {
    const i64 w = kWidth ? kWidth : width;
    std::array<Stream, kDraws> random = [&]<std::size_t... d>(std::index_sequence<d...>) {
        return std::array<Stream, kDraws>{Stream(seed, at + d * step)...};
    }(std::make_index_sequence<kDraws>());
    for (i64 word = 0; word < words; ++word) {
        std::array<u64, kDraws> x;
        for (std::size_t d = 0; d < kDraws; ++d) x[d] = random[d].next();
        for (i64 i = 0; i < 16; ++i, table += 16 * w)
            for (std::size_t d = 0; d < kDraws; ++d, x[d - 1] >>= 4)
                for (i64 c = 0; c < w; ++c) sums[static_cast<i64>(d) * w + c] += table[static_cast<i64>(x[d] & 15) * w + c];
    }
}

template <i64 kDraws>
auto tossing(i64 width) {
    switch (width) {
        case 1: return &toss<1, kDraws>;
        case 2: return &toss<2, kDraws>;
        default: return &toss<0, kDraws>;
    }
}

}  // namespace

Buffer<double> resampled(const double* values, i64 units, i64 width, const i64* drawn, i64 resamples, u64 seed, Run& run) {
    const i64 blocks = in_pieces(units, kUnits);
    const auto one_draw = drawing(width);
    auto out = Buffer<double>::zeros(resamples * width);
    run.tasks(in_pieces(resamples, kStretch), [&](i64 task, int) {
        std::vector<double> sums(static_cast<std::size_t>(width)), other(static_cast<std::size_t>(width));
        const i64 first = task * kStretch, stop = std::min(resamples, first + kStretch);
        for (i64 b = 0; b < blocks; ++b) {
            run.poll();
            const u64 size = static_cast<u64>(std::min(kUnits, units - b * kUnits));
            for (i64 r = first; r < stop; ++r) {
                const i64 at = r * blocks + b;
                one_draw(values + b * kUnits * width, size, width, drawn[at], Stream(seed, static_cast<u64>(at)), sums.data(), other.data());
                for (i64 c = 0; c < width; ++c) out[r * width + c] += sums[static_cast<std::size_t>(c)];
            }
        }
    });
    return out;
}

Buffer<double> tossed(const double* values, i64 units, i64 width, i64 draws, u64 seed, Run& run) {
    const i64 blocks = in_pieces(units, kTossed);
    auto out = Buffer<double>::zeros(draws * width);
    constexpr i64 kLong = 16 * kStretch;  // the table of a block has to pay off
    constexpr i64 kBeside = 4;
    const auto beside = tossing<kBeside>(width), alone = tossing<1>(width);
    run.tasks(in_pieces(draws, kLong), [&](i64 task, int) {
        std::vector<double> table(static_cast<std::size_t>(kFours * 16 * width));
        const i64 first = task * kLong, stop = std::min(draws, first + kLong);
        for (i64 b = 0; b < blocks; ++b) {
            run.poll();
            const i64 here = std::min(kTossed, units - b * kTossed);
            choices(values + b * kTossed * width, here, width, table);
            const i64 words = in_pieces(here, 64);
            auto some = [&](auto draws, i64 r) {
                draws(table.data(), words, width, seed, static_cast<u64>(r * blocks + b), static_cast<u64>(blocks), out.data() + r * width);
            };
            i64 r = first;
            for (; r + kBeside <= stop; r += kBeside) some(beside, r);
            for (; r < stop; ++r) some(alone, r);
        }
    });
    return out;
}

}  // namespace clusterdiff
