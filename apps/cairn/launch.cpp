#include "launch.hpp"

#include <cstdlib>
#include <optional>

#include "units.hpp"

namespace cairn::app {

namespace {

std::optional<int> environment_number(const char* name) {
  const char* text = std::getenv(name);
  const auto number = text == nullptr ? std::nullopt : parse_integer(text);
  return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

}  // namespace

Launch launch_from_environment() {
  static constexpr const char* names[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                             {"PMI_RANK", "PMI_SIZE"},
                                             {"PMIX_RANK", "SLURM_STEP_NUM_TASKS"},
                                             {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
  for (const auto& [rank_name, ranks_name] : names) {
    const auto rank = environment_number(rank_name), ranks = environment_number(ranks_name);
    if (rank && ranks) return {*rank, *ranks};
  }
  return {};
}

}  // namespace cairn::app
