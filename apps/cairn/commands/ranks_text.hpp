// Plans by the number of ranks, for people, programs and Slurm. All functions are local.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cairn/run/planning/ranks_choice.hpp"

namespace cairn::app {

[[nodiscard]] std::string bytes_text(Index bytes);

/// Rows of a table, the heading first.
[[nodiscard]] std::vector<std::vector<std::string>> ranks_table(const std::vector<RanksRow>& rows);
[[nodiscard]] nlohmann::ordered_json ranks_json(const std::vector<RanksRow>& rows);
/// Options of sbatch: a quarter more memory than planned, for plans are not exact, and twice the time and five minutes.
/// @param threads  of a rank
[[nodiscard]] std::string sbatch_options(const RanksRow& row, int threads);
/// Lines below the table: the recommended number of ranks, and why. @param there  bytes of a node
[[nodiscard]] std::string recommendation_text(const std::vector<RanksRow>& rows, Index there, int threads);

}  // namespace cairn::app
