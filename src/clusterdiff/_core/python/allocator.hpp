// Where NumPy has the memory of its arrays from.
#pragma once

namespace clusterdiff {

// From here on NumPy's large arrays share the blocks that the core keeps, in this thread and in whatever runs in copies
// of its context; smaller ones malloc's, which then keeps what is freed. For a process of our own: it stays large until
// it ends.
void share_blocks();

}  // namespace clusterdiff
