// Execution context of every long computation: where it runs, on how many threads, and its records.
#pragma once

#include <cstdint>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/schedule/phases.hpp"
#include "cairn/base/schedule/tile_ledger.hpp"

namespace cairn {

/// All references must outlive the call that receives them.
struct Execution {
  const Communicator& communicator;
  Phases& phases;
  TileLedger& ledger;
  int threads = 1;         ///< OpenMP and BLAS threads of this rank
  std::uint64_t seed = 0;  ///< for all random draws
};

}  // namespace cairn
