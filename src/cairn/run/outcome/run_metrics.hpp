// Metrics of a run, from which the report, the JSON object and a line of a sweep are made.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cairn/base/schedule/phases.hpp"
#include "cairn/run/computation/computation.hpp"
#include "cairn/run/keys/checkpointing.hpp"
#include "cairn/similarity/geodesic/geodesic.hpp"

namespace cairn {

/// Sizes of the factors, over all ranks.
struct FactorSizes {
  Index objects = 0;        ///< n
  Index right_objects = 0;  ///< objects that the columns represent; 0: the same
  Index dimension = 0;      ///< of points; 0 for other objects
  Index left_columns = 0;
  Meaning meaning = Meaning::similarity;
  std::string core_matrix;  ///< layout of the core matrix
  Index left_bytes = 0;     ///< of both factors
  Index core_bytes = 0;     ///< of the core matrix
  // For sparse factors under a core matrix in tiles:
  Index nonzeros = 0;
  std::string core_value;  ///< type of its entries
  bool core_on_disk = false;
};

/// Resources that a run used.
struct RunTotals {
  std::vector<PhaseSummary> phases;
  double seconds = 0;
  Index peak_bytes = 0;    ///< of the largest rank
  Index result_bytes = 0;  ///< of the file
};

struct RunMetrics {
  ResultDescription description;
  MethodReport method;
  FactorSizes factors;
  Index restored_evaluations = 0;                 ///< evaluations of earlier runs, included in the description
  std::optional<EdgeFlips> flips;                 ///< for a mesh whose triangles were made Delaunay
  std::optional<GeodesicCheck> geodesics;         ///< for geodesics: results of a sample of them
  std::optional<SymmetricError> symmetric_error;  ///< if K(i, j) computed from i and from j differ
  std::string not_estimated;                      ///< if there is no error: the key that turned it off
  std::optional<CheckpointSummary> checkpoint;
  RunTotals totals;

  /// Number of entries of K, and evaluations divided by it.
  [[nodiscard]] double entries() const {
    const auto columns = static_cast<double>(factors.right_objects > 0 ? factors.right_objects : factors.objects);
    return static_cast<double>(factors.objects) * columns;
  }
  [[nodiscard]] double share() const { return static_cast<double>(description.evaluations) / entries(); }
};

/// Metrics of a computation, without its error, checkpoint and totals. Collective.
template <class T>
[[nodiscard]] RunMetrics metrics_of(const Communicator& communicator, const Data<T>& data, const ExactMatrix<T>& exact,
                                    const Computed<T>& computed);

}  // namespace cairn
