// Handling of large blocks by malloc.
#pragma once

namespace cairn {

/// Makes malloc map large blocks from the system and unmap them when they are freed. Call at program start.
void return_large_blocks();

/// Repeats return_large_blocks() after libraries were loaded that may have turned it off. SuperLU_DIST, which PETSc
/// loads, does so; freed memory then counts towards the peak, which was three times the memory in use at any time. No
/// effect unless return_large_blocks() was called before.
void return_large_blocks_again();

}  // namespace cairn
