// The vocabulary shared by every header of the core: integer names and the errors that reach Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "base/portable.hpp"

namespace clusterdiff {

using i32 = std::int32_t;
using i64 = std::int64_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

// Points are read a block at a time: two blocks of 8-byte labels (16 KiB) leave half of a level-1 cache free.
inline constexpr i64 kBlock = 1024;

// Codes are int32 in Python.
inline constexpr i64 kMaxClusters = INT32_MAX;

// Becomes ValueError.
struct BadValue : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

// Arrays belong to the caller, and another thread of his may write to them while they are read. What was learnt of the
// labels in one pass is therefore never trusted in the next: it may cost the answer, but never the process. Becomes
// LabelError.
struct Changed : std::exception {};

// Becomes OverflowError.
struct TooLarge : std::overflow_error {
    using std::overflow_error::overflow_error;
};

inline void check_clusters(i64 count, const char* side) {
    if (count > kMaxClusters)
        throw BadValue(std::string(side) + " has " + std::to_string(count) + " clusters; at most 2^31 - 1 are possible");
}

}  // namespace clusterdiff
