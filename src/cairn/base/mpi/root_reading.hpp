// Reading on rank 0 alone within its memory budget; all ranks agree on the outcome.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "cairn/base/mpi/collective_reading.hpp"
#include "cairn/base/process/reading_scopes.hpp"

namespace cairn {

/// read_collectively(), where rank 0 alone calls `work`, which returns nothing and may take all free memory of its
/// node. @param path  the file that is read, for the message. Collective.
template <class Work>
void read_on_root(const Communicator& communicator, const std::string& path, Work&& work) {
  std::optional<ReadingAlone> alone;
  if (communicator.is_root()) alone.emplace();
  read_collectively(communicator, path, [&] {
    if (communicator.is_root()) std::forward<Work>(work)();
  });
}

}  // namespace cairn
