// How the program was started, as far as the environment tells before MPI does.
#pragma once

namespace cairn::app {

/// This process's rank and the number of ranks as Open MPI, PMI, PMIx or Slurm put them into the environment; 0 and 1
/// where nobody did.
struct Launch {
  int rank = 0;
  int ranks = 1;
};
[[nodiscard]] Launch launch_from_environment();

}  // namespace cairn::app
