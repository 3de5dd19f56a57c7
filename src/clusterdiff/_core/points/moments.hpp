// Centres and squared deviations of groups of points, for the mean-squared-error instance.
//
// Points are visited group by group. Sums are taken relative to the group's first point, so a group of identical
// points has exactly that point as its centre and exactly no deviation; deviations are sums of squares, never a
// difference of two of them. A centre is kept as a number and the little that rounding took from it, `low`: centres of
// centres far from the origin are then as good as near it.
#pragma once

#include "points/groups.hpp"

namespace clusterdiff {

// The points of a group lie anywhere: they are asked for so many points before they are read.
constexpr i64 kFetchAhead = 6;

// A point's mass. The branch is always the same and costs nothing next to a row of features.
struct Weight {
    const double* values;
    double operator()(i64 point) const { return values ? values[point] : 1.0; }
};

// first + by, and what rounding took from it (Knuth's two-sum).
struct Centre {
    double high, low;
    Centre(double first, double by, double more) : high(first + by) {
        const double part = high - first;
        low = ((first - (high - part)) + (by - part)) + more;
    }
};

struct DenseMoments {
    Buffer<double> centres, low;  // [k, d]
    Buffer<double> within;        // [k]
};

// `x` has a row of features per point, to which `low` adds what they are beyond their doubles, if it is not null;
// without weights, null, every point weighs 1.
DenseMoments moments_dense(const Members& groups, i64 k, const Numbers& x, const double* low, const double* weights, Run& run);

// Compressed rows of d columns. A row must not list a column twice.
struct SparseRows {
    Labels indptr, indices;
    Numbers data;
    i64 d = 0;
};

struct SparseMoments {
    Buffer<i64> indptr, indices;
    Buffer<double> data, low;
    Buffer<double> within;  // [k]
};

SparseMoments moments_sparse(const Members& groups, i64 k, const SparseRows& x, const double* low, const double* weights, Run& run);

}  // namespace clusterdiff
