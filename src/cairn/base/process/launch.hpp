// Launch of the program, as far as the environment shows before MPI starts.
#pragma once

#include <string_view>
#include <vector>

namespace cairn {

/// Environment variables that a launcher sets for its tasks.
struct Launch {
  int ranks = 1;                   ///< number of tasks that it started
  int rank = 0;                    ///< this task among them, if known
  const char* variable = nullptr;  ///< that gives the number of tasks; null: no launcher
};

/// Reads the variables of Open MPI, PMI or a step of Slurm. A shell in its own terminal (srun --pty) is one task,
/// whatever its step, and so is a batch script: a program that it starts directly is not a rank. Local.
[[nodiscard]] Launch find_launch();
/// True if mpirun is between a batch system and the ranks: it kills them within a second of a SIGTERM.
[[nodiscard]] bool launched_by_mpirun();
/// True if an environment variable ("NAME=VALUE" or "NAME") identifies a process as a rank of a launcher or locates the
/// other ranks: a program that a rank starts must not take itself for that rank.
[[nodiscard]] bool is_of_launcher(std::string_view variable);

/// During its lifetime, MPI_Init in a process without a launcher starts no Open MPI daemon and no transport between
/// processes, which takes half the time. It sets environment variables that are not yet set, and removes them: programs
/// that Cairn runs may be MPI programs with several ranks.
class StartWithoutDaemon {
 public:
  StartWithoutDaemon();
  ~StartWithoutDaemon();
  StartWithoutDaemon(const StartWithoutDaemon&) = delete;
  StartWithoutDaemon& operator=(const StartWithoutDaemon&) = delete;

 private:
  std::vector<const char*> set_;
};

}  // namespace cairn
