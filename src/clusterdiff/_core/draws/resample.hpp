// Units drawn again, many times over: with replacement for the bootstrap, by a coin for a permutation.
//
// `values` has a row of `width` sums per unit; the result has a row of sums per draw. A block of units stays in the
// cache while a stretch of draws goes through it, and each block of a draw has random numbers of its own, so that any
// number of threads gives the same bits.
#pragma once

#include "base/memory.hpp"
#include "base/threads.hpp"

namespace clusterdiff {

// Units of a block that are drawn with replacement.
inline constexpr i64 kUnits = 2048;

// Resample r draws drawn[r * blocks + b] units of block b, each with the same chance.
Buffer<double> resampled(const double* values, i64 units, i64 width, const i64* drawn, i64 resamples, u64 seed, Run& run);

// Every unit is picked or not, by a fair coin.
Buffer<double> tossed(const double* values, i64 units, i64 width, i64 draws, u64 seed, Run& run);

}  // namespace clusterdiff
