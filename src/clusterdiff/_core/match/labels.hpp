// Labels out of an Arrow stream, by row: integers as they are, text as codes by first appearance.
//
// Text is scattered by hash into buckets while it is read, as ids are; each bucket finds the first row of each of its
// texts, and the code of a text is the rank of that row among all first rows. What comes out does not depend on who read
// which batch.
#pragma once

#include <deque>
#include <mutex>

#include "base/labels.hpp"
#include "match/pieces.hpp"
#include "match/shares.hpp"

namespace clusterdiff {

struct StreamLabels {
    Ids type;             // of the column that they were read from
    Buffer<i32> narrow;   // codes of text, -1 for null; or integers, if all of them fit
    Buffer<i64> wide;     // integers, if not; the bits of unsigned ones
    Buffer<bool> absent;  // of integers, those without a label; empty if all have one
    Buffer<i64> ends;     // the distinct texts lie one after the other, in the order of their codes
    Buffer<u8> bytes;
};

class LabelReader {
  public:
    // Of about so many rows, for so many workers.
    LabelReader(const Column& column, i64 rows, int team);

    void add(const Piece& piece, int worker);
    // Once, after all pieces.
    StreamLabels finish(i64 rows, Run& run);

  private:
    // What there is to say of the integers of a piece, apart from those that are in `narrow_`.
    struct Chunk {
        i64 row;
        bool large;           // some of them need more than 32 bits
        Buffer<i64> wide;     // all of them, if so, or if there is no room for them
        Buffer<bool> absent;  // if some of them are null
    };

    void add_integers(const Slice& slice, i64 row);
    template <class Row>
    void add_texts(const Slice& slice, i64 row, int worker);
    StreamLabels integers(i64 rows, Run& run);
    template <class Row>
    StreamLabels texts(i64 rows, Run& run);
    i64 buckets() const { return i64{1} << bits_; }

    Column column_;
    int bits_;
    bool wide_rows_;
    Buffer<i32> narrow_;  // of integers, for as many rows as were expected
    std::mutex mutex_;
    std::deque<Chunk> chunks_;
    Arena arena_;
    std::deque<Share> shares_;  // one a worker, of text
    bool nulls_ = false;        // whether a text is null
};

// Labels at some places of an array; 0 at place -1. They are written as they are, in their own width.
void take_labels(const Labels& from, const Labels& places, char* to, Run& run);

// The labels of what has nothing else.
StreamLabels read_labels(Pieces& from, i64 rows, Run& run);

}  // namespace clusterdiff
