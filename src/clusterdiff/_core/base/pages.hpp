// The size of the pages that memory has.
#pragma once

#include <cstddef>

namespace clusterdiff {

// For a large block that is filled once and read once: where the system has no huge page at hand, it takes longer to
// make one than all small ones, and such a block is not read often enough to gain that back. Until it is given back.
void use_small_pages(void* data, std::size_t bytes);

}  // namespace clusterdiff
