// What every long computation is handed: where it runs, on how many threads, and who watches.
#pragma once

#include <cstdint>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/phases.hpp"
#include "cairn/base/schedule/tile_ledger.hpp"

namespace cairn {

/// All references outlive the call that they are handed to.
struct Execution {
  const Communicator& communicator;
  Phases& phases;
  TileLedger& ledger;
  int threads = 1;         ///< OpenMP and BLAS threads of this rank
  std::uint64_t seed = 0;  ///< of every random draw
};

}  // namespace cairn
