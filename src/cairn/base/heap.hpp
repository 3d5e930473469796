// What malloc does with large blocks.
#pragma once

namespace cairn {

/// Large blocks come from the system and go back to it when they are freed. (SuperLU_DIST, which PETSc brings along,
/// turns that off when it is loaded, and what is freed then adds to the peak: it was three times what lived at any
/// time.) For the beginning of a program.
void return_large_blocks();

}  // namespace cairn
