// Scores of regressions, as parallel lists in the group "scores" of a model file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/hdf5/hdf5_write.hpp"

namespace cairn {

/// Score of one model for one target, on training rows, rows left out one at a time, or held-out rows.
struct StoredScore {
  std::string target;
  std::string on;  ///< train, leave-one-out, held-out
  Index rows = 0;
  std::optional<double> r_squared;  ///< nothing if all targets are equal
  double mean_absolute_error = 0.0;
  double root_mean_squared_error = 0.0;
};

/// Score of predicted normal distributions: of their means, and of what they say of the targets.
struct StoredIntervalScore {
  StoredScore score;
  double coverage = 0.0;              ///< share of the targets inside their 95 % intervals
  double mean_width = 0.0;            ///< of these intervals, in units of the target
  std::optional<double> log_score{};  ///< mean logarithm of the density of the standardized target
  std::optional<double> crps{};  ///< mean continuous ranked probability score, in units of the target; files of earlier
                                 ///< versions have neither
};

/// Creates the group "scores" in `parent`; callers may add lists to it. One rank. @throws Error(resource)
hdf5::Handle write_scores(const hdf5::Handle& parent, const std::vector<StoredScore>& scores);

/// @param group  path of that group @throws Error(input) if the lists have different lengths. Local.
[[nodiscard]] std::vector<StoredScore> read_scores(const hdf5::InputFile& file, const std::string& group);

/// The same for distributions. One rank.
void write_interval_scores(const hdf5::Handle& parent, const std::vector<StoredIntervalScore>& scores);
[[nodiscard]] std::vector<StoredIntervalScore> read_interval_scores(const hdf5::InputFile& file,
                                                                    const std::string& group);

}  // namespace cairn
