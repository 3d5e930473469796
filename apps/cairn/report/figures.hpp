// What a run found out, as numbers: the report, the JSON object and a line of a sweep are made of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cairn/approximation/approximation.hpp"
#include "cairn/approximation/biharmonic/interpolation.hpp"
#include "cairn/approximation/error/probe.hpp"
#include "cairn/base/phases.hpp"
#include "cairn/evaluation/exact_error.hpp"
#include "cairn/operator/biharmonic_operator.hpp"
#include "cairn/similarity/geodesic/geodesic_check.hpp"

namespace cairn::app {

/// What biharmonic interpolation made: P and W.
struct InterpolationFigures {
  InterpolationReport report;
  std::string operator_kind;   ///< graph, cotangent, neighbours
  Index nonzeros = 0;          ///< of P, over all ranks
  Index left_bytes = 0;        ///< of P, over all ranks
  Index joining_bytes = 0;     ///< of W, over all ranks
  std::string joining_number;  ///< type of W's entries
  bool joining_on_disk = false;
};

/// An error and what it was measured on.
struct MeasuredError {
  ErrorEstimate estimate;
  std::string over;                         ///< rows, pairs
  std::optional<SymmetricError> symmetric;  ///< where values by source are one-sided
};

/// What run.checkpoint gave and cost, over all ranks.
struct CheckpointSummary {
  Index earlier_runs = 0;  ///< that were stopped
  Index restored_tiles = 0, written_tiles = 0, written_bytes = 0;
  Index damages = 0;     ///< parts of it that were of no use
  double seconds = 0.0;  ///< in reading and writing it, of the rank that took most
};

struct Figures {
  Index objects = 0;    ///< n
  Index dimension = 0;  ///< of points; 0 for a matrix
  std::string similarity;
  Meaning meaning = Meaning::similarity;
  std::vector<std::pair<std::string, std::string>> similarity_parameters;
  std::string selection;  ///< of landmarks
  MethodReport method;
  std::optional<InterpolationFigures> interpolation;
  std::optional<CheckpointSummary> checkpoint;
  Index left_columns = 0;
  std::string joining;                     ///< its layout
  Index factor_bytes = 0;                  ///< of the factors and what joins them, over all ranks
  Index evaluations = 0;                   ///< for the factors
  Index restored_evaluations = 0;          ///< of these, what earlier runs made
  std::optional<EdgeFlips> flips;          ///< of a mesh whose triangles were made Delaunay
  std::optional<GeodesicCheck> geodesics;  ///< of geodesics: what a sample of them says
  std::optional<ErrorEstimate> error;
  std::string not_estimated;                      ///< where there is no error: the key that says so
  std::optional<SymmetricError> symmetric_error;  ///< where values by source are not symmetric
  std::string error_over;                         ///< "pairs" or "rows"
  std::vector<PhaseSummary> phases;
  double total_seconds = 0;
  Index peak_bytes = 0;    ///< largest rank
  Index result_bytes = 0;  ///< of the file
  std::uint64_t seed = 0;
  std::string precision;

  void take(MeasuredError measured) {
    error = measured.estimate;
    symmetric_error = measured.symmetric;
    error_over = std::move(measured.over);
  }
  /// Entries of K that were evaluated over those that it has.
  [[nodiscard]] double share() const {
    return static_cast<double>(evaluations) / static_cast<double>(objects) / static_cast<double>(objects);
  }
};

class Context;
/// Sets phases, seconds and peak at the end of a run. Collective.
void finish(Context& context, Figures& figures);

}  // namespace cairn::app
