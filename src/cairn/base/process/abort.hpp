// Ends all ranks when they can no longer agree on anything.
#pragma once

#include <mpi.h>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// From now on an MPI error on `communicator`, or on a duplicate that a library makes, ends all ranks, as an error of a
/// Communicator does. Local.
void end_on_mpi_errors(MPI_Comm communicator);

/// Removes the partial file of this process (base/process/partial_file.hpp) and aborts all ranks with the exit code of
/// `kind`. The caller has already printed the reason. Any thread.
[[noreturn]] void end_all_ranks(MPI_Comm communicator, ErrorKind kind);

/// True if all ranks arrive here within some seconds. Called while an error propagates, before a step that would wait
/// for other ranks, which may be elsewhere. Once they did not arrive, it returns false from then on. All ranks may call
/// it.
/// @param place  identifies the calling place on a communicator: ranks at different places are not together
[[nodiscard]] bool all_leave_together(const Communicator& communicator, Index place = 0);

}  // namespace cairn
