// How the program was started, as far as the environment tells before MPI does.
#pragma once

#include <string_view>
#include <vector>

namespace cairn {

/// What a launcher put into the environment of its tasks.
struct Launch {
  int ranks = 1;                   ///< tasks that it started
  int rank = 0;                    ///< of them this one, as far as it is known
  const char* variable = nullptr;  ///< that tells the number; null: no launcher did
};

/// As Open MPI, PMI or a step of Slurm tell. A shell in a terminal of its own (srun --pty) is one task, whatever step
/// it is in, and so is a batch script: what they start alone is no rank. Local.
[[nodiscard]] Launch find_launch();
/// Whether mpirun stands between a batch system and the ranks: it kills them within a second of a SIGTERM.
[[nodiscard]] bool launched_by_mpirun();
/// Whether a variable of the environment ("NAME=VALUE" or "NAME") tells a process which rank of a launcher it is, or
/// where to find the others: a program that a rank starts must not take itself for that rank.
[[nodiscard]] bool is_of_launcher(std::string_view variable);

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

}  // namespace cairn
