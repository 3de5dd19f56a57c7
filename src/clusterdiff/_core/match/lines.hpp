// Columns of a plain text file: rows are lines, and fields are what is between delimiters. Whatever takes more than
// that to read (quotes, line breaks of several kinds, rows of another length) is left to readers that know it.
#pragma once

#include <vector>

#include "base/memory.hpp"
#include "match/pieces.hpp"

namespace clusterdiff {

class Lines : public Batches {
  public:
    // Of an open file, from where it stands. Its first line names so many columns, some of which are wanted.
    Lines(int file, u8 delimiter, i64 fields, std::vector<i64> wanted);
    const std::vector<Column>& columns() const override { return columns_; }
    Released<ArrowArray> next() override;

  private:
    struct Batch;

    i64 read(u8* to, i64 room);
    // With the next whole lines; none at the end.
    void fill(Batch& batch);
    void divide(Batch& batch);

    const int file_;
    const u8 delimiter_;
    const i64 fields_;
    const std::vector<i64> wanted_;
    std::vector<Column> columns_;
    Buffer<u8> rest_;  // the beginning of a line that goes on
    bool begun_ = false, over_ = false;
    bool returned_ = false;  // whether lines end with a carriage return too
};

}  // namespace clusterdiff
