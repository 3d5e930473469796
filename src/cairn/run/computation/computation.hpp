// From data and K to an approximation, and to its error.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cairn/evaluation/exact_error.hpp"
#include "cairn/run/computation/exact_matrix.hpp"
#include "cairn/run/computation/joining_storage.hpp"
#include "cairn/run/computation/kept_distances.hpp"
#include "cairn/run/computation/near_step.hpp"
#include "cairn/similarity/shortest_paths/stored_hierarchy.hpp"
#include "cairn/store/output_path.hpp"
#include "cairn/store/result/result_file.hpp"

namespace cairn {

/// What a computation is given beside data, K and method.
struct ComputationOptions {
  const Values* similarity = nullptr;         ///< that K was made with; null: by a function of a program
  DistanceUse distances{};                    ///< of entries that are functions of a distance
  std::optional<OutputPath> operator_path{};  ///< also write the operator of the data there, if the method takes one
  RunRoom room{};
  RunKeys keys{};
  bool keep_hierarchy = false;  ///< of path lengths that are searched by one: it is handed back
  NearChoice near{};            ///< exact entries that are kept beside the factors
};

/// What it made.
template <class T>
struct Computed {
  Approximation<T> approximation;               ///< its report has the notes and warnings of all steps
  ResultDescription description;                ///< without what only the caller knows: config, versions, phases
  std::shared_ptr<DistanceTable<T>> distances;  ///< if they are kept, else null
  Index restored_evaluations = 0;               ///< of those in the description, what earlier runs made
  std::optional<StoredHierarchy> hierarchy;     ///< this rank's part, if it is kept
  std::shared_ptr<const NearEntries<T>> near;   ///< S, or null
};

/// Selects landmarks and approximates K by the method. Landmarks and P are those of another result if the method's
/// values say so. @throws as the selection and approximate(). Collective.
template <class T>
[[nodiscard]] Computed<T> compute(const Execution& execution, const Data<T>& data, const ExactMatrix<T>& exact,
                                  const MethodChoice& method, const ComputationOptions& options);

/// An error and what it was measured on.
struct MeasuredError {
  ErrorEstimate estimate;
  std::string over;                         ///< rows, pairs
  std::optional<SymmetricError> symmetric;  ///< if values from i and from j differ
};

/// The error over whole rows if K comes by them, or `over_rows` says so with a fixed count; else on pairs.
/// @param by_vertex  if K comes by rows: the error of each own object, too
/// Collective.
template <class T>
[[nodiscard]] MeasuredError measure_error(const Execution& execution, const Approximation<T>& approximation,
                                          const ExactMatrix<T>& exact, const EstimateEffort& effort, bool over_rows,
                                          VertexErrors* by_vertex = nullptr);

/// Keeps the error in the description, and warns in the report of an approximation that is of no use: worse than a
/// constant, or than nothing. Local.
void take_error(const MeasuredError& error, ResultDescription& description, MethodReport& report);

}  // namespace cairn
