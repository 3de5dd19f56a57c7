// SHA-256 of short texts (FIPS 180-4).
#pragma once

#include <array>
#include <string_view>

#include "base/common.hpp"

namespace clusterdiff {

// The first 64 bits of the hash.
u64 sha256_head(std::string_view text);

// The same on any processor, for tests.
u64 sha256_head_portable(std::string_view text);

}  // namespace clusterdiff
