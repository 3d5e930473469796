// How the program was started, as far as the environment tells before MPI does.
#pragma once

namespace cairn::app {

/// The number of ranks as Open MPI, PMI or Slurm put it into the environment; 1 where nobody did.
[[nodiscard]] int launched_ranks();

}  // namespace cairn::app
