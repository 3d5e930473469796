#include "cairn/base/mpi/collective_guard.hpp"

#include <string>

namespace cairn {

void agree(const Communicator& communicator, const std::optional<Error>& mine) {
  const int failed = communicator.minimum(mine ? communicator.rank() : communicator.size());
  if (failed == communicator.size()) return;
  const bool first = failed == communicator.rank();
  int kind = first ? mine->exit_code() : 0;
  communicator.broadcast(std::span(&kind, 1), failed);
  std::string message = first ? mine->what() : "";
  communicator.broadcast(message, failed);
  throw Error(static_cast<ErrorKind>(kind), message);
}

}  // namespace cairn
