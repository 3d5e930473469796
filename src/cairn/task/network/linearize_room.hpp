// Memory that linearizing a network takes. Private to this folder.
#pragma once

#include <vector>

#include "cairn/base/cost.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/parameters/memory_limit.hpp"

namespace cairn {

/// What it depends on.
struct LinearizeSizes {
  Index rows = 0;  ///< of a rank
  Index inputs = 0, components = 0, features = 0, outputs = 0;
  Index number_bytes = 8;  ///< of points and features
  bool equations = false;  ///< normal equations of the features are solved (ridge)
  bool several = false;    ///< with several penalties
};

/// Bytes of the rank that takes most, beside points and network: by stage. Local.
[[nodiscard]] std::vector<CostStage> linearize_stages(const LinearizeSizes& sizes);

/// @throws Error(resource) if a rank has no room for one of the stages; it names what takes most. Collective.
void require_linearize_room(const Communicator& communicator, const MemoryLimit& memory, const LinearizeSizes& sizes);

}  // namespace cairn
