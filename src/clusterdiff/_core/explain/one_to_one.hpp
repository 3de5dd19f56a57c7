// The one-to-one matching of true with predicted clusters that explanation, fates and names share.
#pragma once

#include "base/labels.hpp"
#include "base/memory.hpp"

namespace clusterdiff {

// The cell that shares most points comes first; of equal ones that of smaller clusters, counted over the points of all
// cells; then that of the least turn. A cell is taken if no earlier one has either of its clusters.
class OneToOne {
  public:
    // `size[i]` points are in cell i, of these clusters.
    OneToOne(const Labels& truth, const Labels& pred, const i64* size, Run& run);

    // The cells, ascending, that only their turn tells from another one of their clusters.
    Buffer<i64> tied() const;

    // The cells that are taken, ascending; `turn` has a number for each of the tied ones.
    Buffer<i64> taken(const Labels& turn, Run& run);

  private:
    // The clusters of a side that have contested cells, and these, the first to be taken first.
    struct Side {
        Buffer<i32> cluster;  // of each contested cell, by number
        Buffer<i64> points;   // of each cluster
        Buffer<i64> begin, order;
        Buffer<u8> done;
        i64 count() const { return begin.size() - 1; }
    };

    void list(Side& side, const i32* codes, i64 clusters, Run& run);
    void sort(Side& side, bool marks, Run& run);
    bool alike(i64 i, i64 j) const { return size_[i] == size_[j] && together(i) == together(j); }
    bool before(i64 i, i64 j) const;
    i64 together(i64 i) const { return true_.points[true_.cluster[i]] + pred_.points[pred_.cluster[i]]; }
    i64 next(Side& side, const Side& other, i64 cluster);

    i64 cells_;
    Buffer<i64> place_, size_, turn_;  // of the contested cells: those that share a cluster
    Buffer<u8> contested_, tied_;
    Side true_, pred_;
};

}  // namespace clusterdiff
