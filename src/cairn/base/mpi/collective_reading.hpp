// Reading on this rank, within the memory that it may take, agreed on by all ranks.
#pragma once

#include <string>
#include <utility>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/reading_room.hpp"

namespace cairn {

/// collectively(), where `work` may allocate no more than is left to this rank (within_reading_room).
/// @param path  of what is read, for the message Collective.
template <class Work>
auto read_collectively(const Communicator& communicator, const std::string& path, Work&& work) {
  return collectively(
      communicator, [&] { return within_reading_room(path + ": what is read of it takes", std::forward<Work>(work)); });
}

}  // namespace cairn
