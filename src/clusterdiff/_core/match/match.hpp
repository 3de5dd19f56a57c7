// Points of two sides matched by their ids: who is where on the other side, who is there only, and who repeats.
//
// The ids of each side are read once, batch by batch, and scattered by hash into buckets that fit a core's cache; there
// they meet. An integer is kept as its hash, which is a bijection, and text with its bytes: nothing is matched by hash
// alone. What comes out is told by rows, so it does not depend on who read which batch.
#pragma once

#include <deque>
#include <optional>

#include "match/labels.hpp"
#include "match/shares.hpp"

namespace clusterdiff {

// Where an id stands in several rows of a side, the first of them counts; the others are its repeats.
struct Matched {
    Buffer<i32> place;       // for each row of true the row of pred, -1 where there is none, and in repeats
    Buffer<i64> wide_place;  // the same, if there are too many rows for 32 bits
    Buffer<i64> extra;       // rows of pred that true lacks, ascending
    Buffer<i64> repeats[2];  // rows of either side, ascending
};

class Matching {
  public:
    // About how many rows a side has: it decides on what is reserved, and on nothing that comes out.
    explicit Matching(i64 rows);

    // Reads a side, first true, then pred: a column of ids, and maybe one of labels, which come back by row. Where that
    // fails, the side can be read anew.
    std::optional<StreamLabels> read(Pieces& pieces, Run& run);
    // What a side is called.
    const char* side() const { return kSides[sides_[0].type ? 1 : 0]; }
    // Once, after both.
    Matched match(Run& run);

  private:
    static constexpr const char* kSides[] = {"true", "pred"};

    struct Side {
        std::optional<Ids> type;
        std::deque<Share> shares;  // one a worker
        i64 rows = 0;
    };

    std::optional<StreamLabels> read_side(int side, Pieces& pieces, Run& run);
    template <class Row>
    void scatter(Share& share, Ids type, const Slice& slice, i64 row) const;
    template <class Row, bool text>
    void match_as(Matched& out, std::make_signed_t<Row>* place, Run& run);

    i64 expected_;
    int bits_;
    bool wide_rows_;
    Arena arena_;
    Side sides_[2];
};

}  // namespace clusterdiff
