// What repairs are made on: the cells of the meet, and the clusters of either side with what their scores need.
#pragma once

#include "base/common.hpp"

namespace clusterdiff::pieces {

enum Operation : i32 { kSplit = 0, kMerge = 1, kMove = 2, kAdd = 3, kRemove = 4 };

// A set of points: all that scores need to know of it.
struct Set {
    double mass = 0.0, entropy = 0.0;
    i64 size = 0;
    Set& operator+=(const Set& o) {
        mass += o.mass, entropy += o.entropy, size += o.size;
        return *this;
    }
    Set& operator-=(const Set& o) {
        mass -= o.mass, entropy -= o.entropy, size -= o.size;
        return *this;
    }
    friend Set operator+(Set a, const Set& b) { return a += b; }
    friend Set operator-(Set a, const Set& b) { return a -= b; }
};

struct Cell {
    Set set;
    double g = 0.0;
    i32 truth = -1, cluster = -1;
    i32 place = -1;                // where it stands in by_cluster_
    i32 previous = -1, next = -1;  // in its true cluster's list of pure or of mixed cells
    i32 joined = -1, last = -1;    // the original cells it is made of: a chain, and the chain's end
};

struct Truth {
    Set set;
    double kept = 0.0, score = 1.0, through = 0.0;  // N, s, W
    i64 cells = 0;
    i32 pure = -1, mixed = -1;  // heads of the lists; the mixed ones stand in order of size
    // The cells that have a predicted cluster to themselves: but for spurious points, which are added up in pure_lost. A
    // cell beside such points stands in the list of mixed ones. pure_short is what they lack of scoring in full.
    Set pure_set, pure_lost;
    double pure_g = 0.0, pure_short = 0.0;
    i64 pure_cells = 0;
    i32 largest_pure = -1;  // of those without spurious points
    // its best operation
    i32 operation = kMerge, chosen = -1, target = -1;
    i64 version = 0;
    bool dirty = false;
};

struct Cluster {
    Set set;
    double kept = 0.0, score = 1.0, through = 0.0;  // N, t, U
    i64 begin = 0, end = 0;
    i64 version = 0;
};

}  // namespace clusterdiff::pieces
