// A loop on the threads of a rank whose steps may throw.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "cairn/base/error.hpp"
#include "cairn/base/index.hpp"
#include "cairn/base/process/watchdog.hpp"

namespace cairn {

/// Runs work(i) for i < count; threads take the next step when they have done one. @throws the error of the lowest step
/// that failed, after all threads have ended; steps beyond it may not have run. Local.
template <class Work>
void on_threads(int threads, Index count, const Work& work) {
  std::mutex guard;
  std::optional<Error> error;
  std::atomic<Index> failed = count;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1) if (threads > 1)
  for (Index i = 0; i < count; ++i) {
    try {
      if (i < failed) work(i);
    } catch (...) {
      const std::scoped_lock lock(guard);
      if (i < failed) failed = i, error = current_error();
    }
    Watchdog::beat();
  }
  if (error) throw Error(*error);
}

}  // namespace cairn
