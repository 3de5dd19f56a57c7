// Snappy, the compression that most Parquet files have.
#pragma once

#include "base/common.hpp"

namespace clusterdiff {

// So many bytes behind what is packed may be read, and behind what is unpacked written.
inline constexpr i64 kSnappySlack = 64;

// Unpacks to exactly so many bytes; false if it does not.
bool unpack_snappy(const u8* from, i64 size, u8* to, i64 unpacked);

}  // namespace clusterdiff
