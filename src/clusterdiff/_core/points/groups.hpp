// Sums over groups of points, and the points of each group.
#pragma once

#include "base/labels.hpp"
#include "base/memory.hpp"
#include "base/numbers.hpp"

namespace clusterdiff {

// Exact sum of squares.
u128 sum_squares(const Labels& x, Run& run);

// The distinct values of numbers that are not negative, ascending, and how often each comes.
struct Counted {
    Buffer<i64> values, counts;
};
Counted counted(const i64* x, i64 n, Run& run);

// Sums of whole numbers, which either are exact or fail.
Buffer<i64> group_sum(const Labels& groups, i64 k, const Labels& values, Run& run);

// Compensated sums of float32 or float64.
Buffer<double> group_sum(const Labels& groups, i64 k, const Numbers& values, Run& run);

// The same of two columns at once.
struct TwoSums {
    Buffer<double> first, second;
};
TwoSums group_sums(const Labels& groups, i64 k, const double* first, const double* second, Run& run);

// The greatest value of each group; 0 if it has none that is greater.
Buffer<i64> group_max(const Labels& groups, i64 k, const i64* values, Run& run);
Buffer<double> group_max(const Labels& groups, i64 k, const double* values, Run& run);

// What there is to lose in taking groups of masses apart. Every term is at least 0 and what is left of a group without
// one of its masses is summed, not subtracted: a mass of 10^12 hides nothing beside it, and one mass alone has nothing.
struct Contents {
    Buffer<double> pairs;    // [k]: sum of m m' over the pairs in a group
    Buffer<double> entropy;  // [k]: sum of m log(M / m), M being the mass of the group
    Buffer<i64> heavy;       // [k]: how many masses are not 0
};

Contents contents(const Labels& groups, i64 k, const Numbers& masses, Run& run);

struct Members {
    Buffer<i64> indptr;   // [k + 1]
    Buffer<i64> members;  // [n], ascending within a group
};

Members group_members(const Labels& groups, i64 k, Run& run);

}  // namespace clusterdiff
