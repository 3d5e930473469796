// Timing of work that all ranks do at once.
#pragma once

#include <algorithm>
#include <chrono>

#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// Seconds of one call on the slowest rank: the minimum of `calls`, the first of which finds memory and caches cold.
/// Collective.
template <class Work>
double seconds_of(const Communicator& communicator, const Work& work, int calls) {
  double least = 0.0;
  for (int call = 0; call < calls; ++call) {
    communicator.barrier();
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    const double seconds = std::max(communicator.maximum(elapsed.count()), 1e-9);
    least = call == 0 ? seconds : std::min(least, seconds);
  }
  return least;
}

}  // namespace cairn
