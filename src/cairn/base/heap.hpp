// What malloc does with large blocks.
#pragma once

namespace cairn {

/// Large blocks come from the system and go back to it when they are freed. For the beginning of a program.
void return_large_blocks();

/// The same for a program that has asked for it, once libraries are loaded that may have turned it off: SuperLU_DIST,
/// which PETSc brings along, does so, and what is freed then adds to the peak, which was three times what lived at any
/// time. Has no effect if the program has not asked for it.
void return_large_blocks_again();

}  // namespace cairn
