// SLEPc and PETSc, started when they are first needed.
#pragma once

#include "cairn/base/index.hpp"
#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// Loads SLEPc and PETSc and starts SLEPc, once in the life of a process, and of each process by itself: what is
/// computed has its own communicator, and the next one may have other ranks. Later calls do nothing. Signals stay with
/// Cairn. MPI_Finalize ends SLEPc (a failure is a warning). Collective.
/// @throws Error(resource) if they cannot be loaded, Error(internal) if SLEPc cannot start
void start_slepc(const Communicator& communicator);

/// Bytes that start_slepc takes on a rank: measured of Debian's libraries, rounded up. Local.
[[nodiscard]] Index slepc_bytes();

/// Turns a code that a PETSc or SLEPc call returned into an Error(internal), of memory Error(resource), that names
/// `call`. Where `communicator` has other ranks they may be waiting inside the same call: then the message is printed
/// and all ranks are aborted with that error's exit code.
void check_petsc(int code, const char* call, const Communicator& communicator);

}  // namespace cairn
