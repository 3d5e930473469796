// The end of all ranks where nothing can be agreed on any more.
#pragma once

#include <mpi.h>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// From now on an MPI error on `communicator`, and on those that libraries duplicate it to, ends all ranks as one of a
/// Communicator does. Local.
void end_on_mpi_errors(MPI_Comm communicator);

/// Removes the partial file of this process (base/partial_file.hpp) and aborts all ranks with the exit code of `kind`.
/// The caller has said why. Any thread.
[[noreturn]] void end_all_ranks(MPI_Comm communicator, ErrorKind kind);

/// Whether all ranks come here within some seconds: asked on the way out of an error, before a step that would wait for
/// the others, who may be elsewhere. Where they once did not, the answer is no from then on. All ranks may call it.
/// @param place  tells the places from each other that ask on one communicator: ranks at two of them are not together
[[nodiscard]] bool all_leave_together(const Communicator& communicator, Index place = 0);

}  // namespace cairn
