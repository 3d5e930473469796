// Trains planes on any rank. Private to this folder.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/task/classification/plane_rows.hpp"

namespace cairn {

/// Trains `positive` against the rest, or against one class, on all rows outside the fold.
struct SvmJob {
  std::int32_t fold = -1;  ///< -1: train on all rows
  double cost = 1.0;
  std::int32_t positive = 0;
  std::int32_t negative = -1;  ///< -1: all others
  bool weighs_others = false;  ///< if weights are balanced, the C of `positive` is kept and that of the others changes
};

/// The planes of jobs, each stored on one rank.
class SvmPlanes {
 public:
  /// Trains all jobs, one at a time on each rank. @param jobs  the same on every rank, longest job first
  /// @param folds  of each row; may be empty if no job holds out a fold
  /// @throws as PlaneRows::train. Memory of a rank: its share of jobs x (columns + 2) doubles; 40 bytes per row and
  ///   about 50 in LIBLINEAR. Collective.
  SvmPlanes(const Execution& execution, const std::string& name, const PlaneRows& rows,
            std::span<const std::int32_t> classes, std::span<const std::int32_t> folds, std::vector<SvmJob> jobs,
            const SvmOptions& options);

  /// Returns some jobs' planes on every rank, in the order of `numbers`. Collective.
  [[nodiscard]] std::vector<SvmPlane> gather(std::span<const Index> numbers) const;

 private:
  const Communicator& communicator_;
  Index width_;                 // weights, intercept, convergence flag
  std::vector<double> values_;  // of own jobs: those whose number modulo the number of ranks is this rank
};

}  // namespace cairn
