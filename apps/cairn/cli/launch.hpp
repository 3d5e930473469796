// How the program was started, as far as the environment tells before MPI does.
#pragma once

namespace cairn::app {

/// The number of ranks as Open MPI, PMI or Slurm put it into the environment; 1 where nobody did.
[[nodiscard]] int launched_ranks();
/// Whether mpirun stands between a batch system and the ranks: it kills them within a second of a SIGTERM.
[[nodiscard]] bool launched_by_mpirun();
/// Before MPI_Init, in a process that no launcher started: Open MPI then starts no daemon beside it and no transport
/// between processes, which takes .2 s instead of .6 s. Variables that are set already stay as they are.
void start_without_daemon();

}  // namespace cairn::app
