// The lines and the summary of a sweep.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "figures.hpp"

namespace cairn::app {

/// One run: the values of the varied keys, and what came out, or the numeric error that it ended with.
struct SweepRun {
  std::vector<std::string> values;
  std::uint64_t seed = 0;
  std::optional<Figures> figures = {};
  std::string error = {};
};

/// The names of the columns: varied keys, then seed, n, s1, ... one line.
[[nodiscard]] std::string csv_heading(const std::vector<std::string>& keys);
[[nodiscard]] std::string csv_line(const SweepRun& run);
/// What is printed when a run ends.
[[nodiscard]] std::string progress_line(const std::vector<std::string>& keys, const SweepRun& run, Index done,
                                        Index total);

/// First quartile, median, third quartile, by linear interpolation between order statistics. `values` is not empty.
struct Quartiles {
  double first = 0, median = 0, third = 0;
};
[[nodiscard]] Quartiles quartiles(std::vector<double> values);

/// For each combination, in the order of the runs: runs, failures, median and quartiles of the error, median seconds.
[[nodiscard]] std::string summary_table(const std::vector<std::string>& keys, const std::vector<SweepRun>& runs);
[[nodiscard]] nlohmann::ordered_json summary_json(const std::vector<std::string>& keys,
                                                  const std::vector<SweepRun>& runs);

}  // namespace cairn::app
