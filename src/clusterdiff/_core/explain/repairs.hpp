// What to fix first: the operations that bring pred closer to true, the gain of S_H that each would bring, and the
// greedy sequence of them that ends when pred equals true.
//
// n·S_H = sum over clusters C of t_C·U_C = sum over clusters L of s_L·W_L, where t and s are the merge and split
// scores, U_C = sum of m·s_L over the cells of C, and W_L = sum of m·t_C over the cells of L. With N = sum of g(m)
// over a cluster's cells and G = g(the whole cluster), a score is N/G. An operation changes few of these numbers, so
// its gain takes constant time.
//
// Operations: split a predicted cluster into its cells; merge the predicted clusters that lie inside one true cluster,
// alone or with one that holds more of it; move one cell to another of its true cluster. No operation ever cuts a cell:
// merges and moves unite cells, splits make pure clusters; so every sequence of them comes to an end.
//
// Where one side lacks points, each of them is a part of its cluster: of g = 0, and alone. Two more operations then: add
// the missing points of a true cluster to one of its cells; remove the spurious points of a predicted cluster.
//
// Where a cell goes: of the pure clusters inside its true cluster the largest gains most, since what is added to N,
// g(k + m) - g(k) - g(m), rises with k and nothing else depends on it. Of the mixed ones it is the home, that with the
// largest cell, or the best of the others.
#pragma once

#include <vector>

#include "base/cells.hpp"

namespace clusterdiff {

// The mass of each cell's points and their sum of w·log(w / unit); both are null where every point weighs 1.
struct CellWeights {
    const double* mass = nullptr;
    const double* entropy = nullptr;
    double unit = 1.0;
};

// The points that only one side has: their clusters, and their weights, which are null where every point weighs 1.
struct LostPoints {
    const i64* cluster = nullptr;
    const double* weights = nullptr;
    i64 count = 0;
};

struct Candidates {
    std::vector<i32> operation;
    std::vector<i64> at;  // split, remove: the predicted cluster; merge, add: the true cluster; move: the cell
    std::vector<i64> to;  // merge: the cell whose cluster, which has points of others too, takes part, or -1; move: the
                          // cell to unite with; add: the same, or -1 for a cluster of their own
    std::vector<double> gain;
};

// Step i concerns the entries indptr[i] … indptr[i + 1] - 1: original cells, and their clusters before and after.
// A split lists all cells of its cluster, a merge those of the true cluster (the home's first), a move only what moves.
// A split's largest part keeps the number of the cluster, unless spurious points stay there; the other parts are numbered
// from k_pred on. Lost points stand among the cells: cells + L are the missing points of true cluster L, whose cluster is
// -1 before they are added, and cells + k_true + C the spurious points of C, whose cluster is -1 after they are removed.
// Those that come along when their cluster is merged are not listed, but when they are removed.
struct Steps {
    std::vector<i32> operation, truth;
    std::vector<double> gain;
    std::vector<i64> indptr{0};
    std::vector<i32> cell, from, to;
};

// All operations and what each alone would gain.
Candidates repairs(const Cells& t, const CellWeights& weights, const LostPoints& missing, const LostPoints& spurious, Run& run);

// The best operation, again and again, until every predicted cluster is a true one.
Steps repair_steps(const Cells& t, const CellWeights& weights, const LostPoints& missing, const LostPoints& spurious, Run& run);

}  // namespace clusterdiff
