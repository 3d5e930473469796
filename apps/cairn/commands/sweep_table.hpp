// The lines and the summary of a sweep.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cairn/run/outcome/run_metrics.hpp"
#include "cairn/store/files/sweep_file.hpp"

namespace cairn::app {

/// Summary of one run: the values of the varied keys, and its results or its error.
struct SweepRun {
  struct Result {
    std::optional<double> relative_error = {};  ///< if it was estimated
    double standard_error = 0, share = 0, seconds = 0;
  };
  std::vector<std::string> values;
  std::string seed;
  std::optional<Result> result = {};
  std::string error = {};
};

/// Names of the columns: varied keys, then run_seed, settings, n, method, ...
[[nodiscard]] SweepFile::Fields csv_columns(const std::vector<std::string>& keys);
/// The first fields of a run's line, which identify the run. @param settings  a digest of the keys not varied
[[nodiscard]] SweepFile::Fields csv_key(const std::vector<std::string>& values, std::uint64_t seed,
                                        const std::string& settings);
/// A run's line: its key, then the results, or only the message of its error.
[[nodiscard]] SweepFile::Fields csv_fields(SweepFile::Fields key, const RunMetrics& metrics);
[[nodiscard]] SweepFile::Fields csv_fields(SweepFile::Fields key, const std::string& error);
/// Parses a line. @param keys  number of varied keys. @throws Error(input) for a line that no sweep wrote
[[nodiscard]] SweepRun run_of(const SweepFile& file, const SweepFile::Fields& line, std::size_t keys);

/// Text printed at the end of a run.
[[nodiscard]] std::string progress_line(const std::vector<std::string>& keys, const SweepRun& run, Index done,
                                        Index total);

/// For each combination, in the order of the runs: runs, failures, median and quartiles of the error, median seconds.
[[nodiscard]] std::string summary_table(const std::vector<std::string>& keys, const std::vector<SweepRun>& runs);
[[nodiscard]] nlohmann::ordered_json summary_json(const std::vector<std::string>& keys,
                                                  const std::vector<SweepRun>& runs);

}  // namespace cairn::app
