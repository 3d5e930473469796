// SLEPc and PETSc, started on first use.
#pragma once

#include "cairn/base/index.hpp"
#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// Loads SLEPc and PETSc and starts SLEPc, once in the life of a process, and in each process separately: computations
/// have their own communicators, and the next one may have other ranks. Later calls do nothing. Cairn keeps its signal
/// handlers. MPI_Finalize ends SLEPc (a failure is a warning). Collective.
/// @throws Error(resource) if they cannot be loaded, Error(internal) if SLEPc cannot start
void start_slepc(const Communicator& communicator);

/// False in a build without them (CAIRN_PETSC = OFF), in which start_slepc throws Error(resource). Local.
[[nodiscard]] bool has_petsc();

/// Bytes that start_slepc takes on a rank: measured with Debian's libraries, rounded up. Local.
[[nodiscard]] Index slepc_bytes();

/// Turns an error code of a PETSc or SLEPc call into an Error(internal), or Error(resource) for lack of memory, that
/// names `call`. If `communicator` has other ranks, they may be waiting inside the same call: then the message is
/// printed and all ranks are aborted with that error's exit code.
void check_petsc(int code, const char* call, const Communicator& communicator);

}  // namespace cairn
