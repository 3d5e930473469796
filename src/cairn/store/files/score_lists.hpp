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

/// Creates the group "scores" in `parent`; callers may add lists to it. One rank. @throws Error(resource)
hdf5::Handle write_scores(const hdf5::Handle& parent, const std::vector<StoredScore>& scores);

/// @param group  path of that group @throws Error(input) if the lists have different lengths. Local.
[[nodiscard]] std::vector<StoredScore> read_scores(const hdf5::InputFile& file, const std::string& group);

}  // namespace cairn
