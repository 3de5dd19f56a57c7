// Rows of a few columns, piece by piece, from whatever has them.
#pragma once

#include <memory>
#include <vector>

#include "base/arrow.hpp"
#include "base/threads.hpp"

namespace clusterdiff {

// Rows of a batch, the first of which is the `row`th of all: so few that nothing is asked while they are read.
struct Piece {
    static constexpr i64 kRows = i64{1} << 16;

    std::shared_ptr<Released<ArrowArray>> batch;
    i64 begin, end, row;
    Slice slice(const Column& column) const { return slice_of(*batch->get(), column, begin, end); }
};

class Pieces {
  public:
    virtual ~Pieces() = default;
    virtual const std::vector<Column>& columns() const = 0;
    // Calls f(piece, worker) for all of them, by several workers at once, and returns how many rows they have.
    virtual i64 read(Run& run, Call<const Piece&, int> f) = 0;
};

// Those of batches that are read one by one.
class BatchPieces : public Pieces {
  public:
    explicit BatchPieces(Batches& batches) : batches_(batches) {}
    const std::vector<Column>& columns() const override { return batches_.columns(); }
    i64 read(Run& run, Call<const Piece&, int> f) override;

  private:
    Batches& batches_;
};

// Thrown where a file is not plain: to be left to readers that know more.
struct NotPlain : std::exception {};

}  // namespace clusterdiff
