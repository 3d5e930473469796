// How the program was started, as far as the environment tells before MPI does.
#pragma once

#include <vector>

namespace cairn::app {

/// The number of ranks as Open MPI, PMI or Slurm put it into the environment; 1 where nobody did.
[[nodiscard]] int launched_ranks();
/// Whether mpirun stands between a batch system and the ranks: it kills them within a second of a SIGTERM.
[[nodiscard]] bool launched_by_mpirun();

/// While it lives, MPI_Init in a process that no launcher started starts no daemon of Open MPI beside it and no
/// transport between processes, which takes half the time. It sets variables of the environment that are not set
/// already, and removes them: programs that Cairn runs may be MPI programs of several ranks.
class StartWithoutDaemon {
 public:
  StartWithoutDaemon();
  ~StartWithoutDaemon();
  StartWithoutDaemon(const StartWithoutDaemon&) = delete;
  StartWithoutDaemon& operator=(const StartWithoutDaemon&) = delete;

 private:
  std::vector<const char*> set_;
};

}  // namespace cairn::app
