// How the program was started, as far as the environment tells before MPI does.
#pragma once

namespace cairn::app {

/// The number of ranks as Open MPI, PMI or Slurm put it into the environment; 1 where nobody did.
[[nodiscard]] int launched_ranks();
/// Whether mpirun stands between a batch system and the ranks: it kills them within a second of a SIGTERM.
[[nodiscard]] bool launched_by_mpirun();

}  // namespace cairn::app
