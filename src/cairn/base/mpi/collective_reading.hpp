// Reading on each rank within its memory budget; all ranks agree on the outcome.
#pragma once

#include <string>
#include <utility>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/reading_budget.hpp"

namespace cairn {

/// collectively(), where `work` may allocate no more than this rank has left (within_reading_budget).
/// @param path  the file that is read, for the message. Collective.
template <class Work>
auto read_collectively(const Communicator& communicator, const std::string& path, Work&& work) {
  return collectively(communicator, [&] {
    return within_reading_budget(path + ": what is read of it takes", std::forward<Work>(work));
  });
}

}  // namespace cairn
