// Scores of regressions, as lists side by side in the group "scores" of a model file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/hdf5/hdf5_write.hpp"

namespace cairn {

/// How well one model does for one target, on training rows, rows left out one at a time, or rows held out.
struct StoredScore {
  std::string target;
  std::string on;  ///< train, leave-one-out, held-out
  Index rows = 0;
  std::optional<double> r_squared;  ///< nothing if all targets are alike
  double mean_absolute_error = 0.0;
  double root_mean_squared_error = 0.0;
};

/// Makes the group "scores" in `parent`; others may add lists to it. One rank. @throws Error(resource)
hdf5::Handle write_scores(const hdf5::Handle& parent, const std::vector<StoredScore>& scores);

/// @param group  the path of that group @throws Error(input) if the lists have different lengths. Local.
[[nodiscard]] std::vector<StoredScore> read_scores(const hdf5::InputFile& file, const std::string& group);

}  // namespace cairn
