// Columns of a plain Parquet file: integers and texts beside each other, packed by Snappy or not at all, as they are or
// by numbers of a dictionary, in row groups of moderate size. Whatever takes more than that to read is left to readers
// that know it.
#pragma once

#include <mutex>
#include <vector>

#include "match/pieces.hpp"

namespace clusterdiff {

class Parquet : public Pieces {
  public:
    // Of an open file, whose rows have so many fields, some of which are wanted.
    Parquet(int file, i64 fields, std::vector<i64> wanted);
    const std::vector<Column>& columns() const override { return columns_; }
    i64 read(Run& run, Call<const Piece&, int> f) override;

    // Where the values of a column are in the file, for the rows of a group.
    struct Chunk {
        i64 begin = 0, size = 0, unpacked = 0;
        bool packed = false;
    };

  private:
    struct Group {
        i64 rows = 0, first = 0;
        std::vector<Chunk> chunks;  // one a column
    };

    i64 rows() const { return groups_.empty() ? 0 : groups_.back().first + groups_.back().rows; }
    void describe(const u8* at, const u8* end);
    void read_bytes(i64 from, u8* to, i64 size);

    const int file_;
    i64 size_, fields_;
    const std::vector<i64> wanted_;
    std::vector<i64> leaves_;     // of the columns wanted, their places among all that have values
    std::vector<bool> nullable_;  // and whether values may be missing
    std::vector<Column> columns_;
    std::vector<Group> groups_;
    std::mutex turn_;  // where a file is read from one place at a time
};

}  // namespace clusterdiff
