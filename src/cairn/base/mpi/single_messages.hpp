// Messages from one rank to another, outside loops over tiles.
#pragma once

#include <cstddef>
#include <span>

#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// Sends up to 2^30 bytes, and may wait until they are received: in the order of the calls, between two ranks. Called
/// by the sender alone; `to` calls receive_bytes().
void send_bytes(const Communicator& communicator, std::span<const char> bytes, int to);

/// Waits for the next message of rank `from`, which must fit into `target`; returns its size. Called by the receiver
/// alone.
[[nodiscard]] std::size_t receive_bytes(const Communicator& communicator, std::span<char> target, int from);

}  // namespace cairn
