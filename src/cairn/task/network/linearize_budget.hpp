// Memory needed to linearize a network. Private to this folder.
#pragma once

#include <vector>

#include "cairn/base/cost.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/parameters/memory_limit.hpp"

namespace cairn {

/// Sizes that determine the memory.
struct LinearizeSizes {
  Index rows = 0;  ///< of a rank
  Index inputs = 0, components = 0, features = 0, outputs = 0;
  Index number_bytes = 8;  ///< bytes of a number of the points and features
  bool equations = false;  ///< normal equations of the features are solved (ridge)
  bool several = false;    ///< several penalties are tried
};

/// Bytes per stage on the rank that needs most, in addition to points and network. Local.
[[nodiscard]] std::vector<CostStage> linearize_stages(const LinearizeSizes& sizes);

/// @throws Error(resource) if a rank's memory does not suffice for one of the stages; the message names the largest
///   item. Collective.
void require_linearize_budget(const Communicator& communicator, const MemoryLimit& memory, const LinearizeSizes& sizes);

}  // namespace cairn
