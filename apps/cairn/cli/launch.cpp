#include "cli/launch.hpp"

#include <cstdlib>

#include "cairn/parameters/units.hpp"

namespace cairn::app {

int launched_ranks() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    const char* text = std::getenv(name);
    if (text == nullptr) continue;
    if (const auto ranks = parse_integer(text)) return static_cast<int>(*ranks);
  }
  return 1;
}

bool launched_by_mpirun() { return std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr; }

}  // namespace cairn::app
