#include "cairn/base/process/launch.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

namespace cairn {

namespace {

std::optional<int> number_of(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  int number = 0;
  const char* const end = text + std::strlen(text);
  const auto [last, error] = std::from_chars(text, end, number);
  return error == std::errc() && last == end ? std::optional(number) : std::nullopt;
}

// Programs started in `srun --pty bash` inherit the step of that shell; srun itself started the task with that number.
bool is_in_terminal_of_step() {
  return std::getenv("SLURM_PTY_PORT") != nullptr && number_of("SLURM_TASK_PID") != static_cast<int>(getpid());
}

}  // namespace

Launch find_launch() {
  struct Variables {
    const char *ranks, *rank;
  };
  constexpr std::array<Variables, 3> launchers = {{{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                                   {"PMI_SIZE", "PMI_RANK"},
                                                   {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}}};
  for (const auto& [ranks, rank] : launchers) {
    const std::optional<int> number = number_of(ranks);
    if (!number) continue;
    if (ranks == launchers.back().ranks && is_in_terminal_of_step()) continue;
    return {*number, number_of(rank).value_or(0), ranks};
  }
  return {};
}

bool launched_by_mpirun() { return std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr; }

bool is_of_launcher(std::string_view variable) {
  // For Slurm, only variables of a step and its task: those of the job stay, since mpirun reads them.
  constexpr std::array prefixes = {"OMPI_",
                                   "PMIX_",
                                   "PMI_",
                                   "PRTE_",
                                   "PALS_",
                                   "HYDI_",
                                   "HYDRA_",
                                   "MPI_LOCAL",
                                   "MV2_COMM_",
                                   "SLURM_STEP_",
                                   "SLURM_STEPID",
                                   "SLURM_PROCID",
                                   "SLURM_LOCALID",
                                   "SLURM_NODEID",
                                   "SLURM_TASK_PID",
                                   "SLURM_GTIDS",
                                   "SLURM_LAUNCH_NODE_IPADDR",
                                   "SLURM_SRUN_COMM_",
                                   "SLURM_MPI_TYPE",
                                   "SLURM_PMI"};
  // The user's settings of Open MPI stay, except those that its launcher sets for the rank.
  constexpr std::array of_user = {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_MCA_"};
  constexpr std::array of_rank = {"OMPI_MCA_orte_",        "OMPI_MCA_ess",           "OMPI_MCA_pmix",
                                  "OMPI_MCA_initial_wdir", "OMPI_MCA_shmem_RUNTIME", "OMPI_MCA_mpi_oversubscribe"};
  const auto begins = [&](const char* prefix) { return variable.starts_with(prefix); };
  if (std::ranges::any_of(of_user, begins)) return std::ranges::any_of(of_rank, begins);
  return std::ranges::any_of(prefixes, begins);
}

StartWithoutDaemon::StartWithoutDaemon() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_FD", "SLURM_STEP_ID"}) {
    if (std::getenv(name) != nullptr) return;
  }
  constexpr std::array<std::pair<const char*, const char*>, 4> settings = {{
      {"OMPI_MCA_ess_singleton_isolated", "1"},
      // The session folder has the same name in all isolated processes: one would remove that of another.
      {"OMPI_MCA_orte_create_session_dirs", "0"},
      {"OMPI_MCA_btl", "self"},
      {"OMPI_MCA_pml", "ob1"},
  }};
  for (const auto& [name, value] : settings) {
    if (std::getenv(name) != nullptr) continue;  // settings of the user take precedence
    setenv(name, value, 1);
    set_.push_back(name);
  }
}

StartWithoutDaemon::~StartWithoutDaemon() {
  for (const char* name : set_) unsetenv(name);
}

}  // namespace cairn
