#include "cli/launch.hpp"

#include <array>
#include <cstdlib>
#include <utility>

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

StartWithoutDaemon::StartWithoutDaemon() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_FD", "SLURM_STEP_ID"}) {
    if (std::getenv(name) != nullptr) return;
  }
  constexpr std::array<std::pair<const char*, const char*>, 4> settings = {{
      {"OMPI_MCA_ess_singleton_isolated", "1"},
      // The folder of a session has the same name in all isolated processes: one would remove that of another.
      {"OMPI_MCA_orte_create_session_dirs", "0"},
      {"OMPI_MCA_btl", "self"},
      {"OMPI_MCA_pml", "ob1"},
  }};
  for (const auto& [name, value] : settings) {
    if (std::getenv(name) != nullptr) continue;  // a user's own settings stay
    setenv(name, value, 1);
    set_.push_back(name);
  }
}

StartWithoutDaemon::~StartWithoutDaemon() {
  for (const char* name : set_) unsetenv(name);
}

}  // namespace cairn::app
