// What a run found out: the report, the JSON object and a line of a sweep are made of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cairn/base/phases.hpp"
#include "cairn/run/computation/computation.hpp"
#include "cairn/similarity/geodesic/geodesic.hpp"

namespace cairn::app {

/// Sizes of the factors, over all ranks.
struct FactorSizes {
  Index objects = 0;        ///< n
  Index right_objects = 0;  ///< that the columns stand for; 0: the same
  Index dimension = 0;      ///< of points; 0 for others
  Index left_columns = 0;
  Meaning meaning = Meaning::similarity;
  std::string joining;      ///< its layout
  Index left_bytes = 0;     ///< of both factors
  Index joining_bytes = 0;  ///< of what joins them
  // Of sparse factors under a joining matrix in tiles:
  Index nonzeros = 0;
  std::string joining_value;  ///< type of its entries
  bool joining_on_disk = false;
};

/// What run.checkpoint gave and cost, over all ranks.
struct CheckpointSummary {
  Index earlier_runs = 0;  ///< that were stopped
  Index restored_tiles = 0, written_tiles = 0, written_bytes = 0;
  Index damages = 0;     ///< parts of it that were of no use
  double seconds = 0.0;  ///< in reading and writing it, of the rank that took most
};

/// What it took.
struct RunTotals {
  std::vector<PhaseSummary> phases;
  double seconds = 0;
  Index peak_bytes = 0;    ///< largest rank
  Index result_bytes = 0;  ///< of the file
};

struct RunFigures {
  ResultDescription description;
  MethodReport method;
  FactorSizes factors;
  Index restored_evaluations = 0;                 ///< of those of the description, what earlier runs made
  std::optional<EdgeFlips> flips;                 ///< of a mesh whose triangles were made Delaunay
  std::optional<GeodesicCheck> geodesics;         ///< of geodesics: what a sample of them says
  std::optional<SymmetricError> symmetric_error;  ///< if values from i and from j differ
  std::string not_estimated;                      ///< if there is no error: the key that says so
  std::optional<CheckpointSummary> checkpoint;
  RunTotals totals;

  /// Entries that K has, and evaluations over that.
  [[nodiscard]] double entries() const {
    const auto columns = static_cast<double>(factors.right_objects > 0 ? factors.right_objects : factors.objects);
    return static_cast<double>(factors.objects) * columns;
  }
  [[nodiscard]] double share() const { return static_cast<double>(description.evaluations) / entries(); }
};

/// Those of a computation, but for its error, checkpoint and totals. Collective.
template <class T>
[[nodiscard]] RunFigures figures_of(const Communicator& communicator, const Data<T>& data, const ExactMatrix<T>& exact,
                                    const Computed<T>& computed);

}  // namespace cairn::app
