// Computes an approximation from data and K, and its error.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cairn/evaluation/exact_error.hpp"
#include "cairn/run/computation/core_storage.hpp"
#include "cairn/run/computation/error_goal.hpp"
#include "cairn/run/computation/exact_matrix.hpp"
#include "cairn/run/computation/kept_distances.hpp"
#include "cairn/run/computation/near_step.hpp"
#include "cairn/similarity/shortest_paths/stored_hierarchy.hpp"
#include "cairn/store/output_path.hpp"
#include "cairn/store/result/result_file.hpp"

namespace cairn {

/// Inputs of a computation besides data, K and method.
struct ComputationOptions {
  const Values* similarity = nullptr;         ///< values that K was made with; null: K is a function of a program
  DistanceUse distances{};                    ///< for entries that are functions of a distance
  std::optional<OutputPath> operator_path{};  ///< also write the operator of the data there, if the method takes one
  RunResources budget{};
  RunKeys keys{};
  bool keep_hierarchy = false;  ///< returns the hierarchy if it is used to search path lengths
  NearChoice near{};            ///< exact entries to keep beside the factors
};

/// Outcome of a computation.
template <class T>
struct Computed {
  Approximation<T> approximation;               ///< its report has the notes and warnings of all steps
  ResultDescription description;                ///< without what only the caller knows: config, versions, phases
  std::shared_ptr<DistanceTable<T>> distances;  ///< null unless they are kept
  Index restored_evaluations = 0;               ///< evaluations of earlier runs, included in the description
  std::optional<StoredHierarchy> hierarchy;     ///< this rank's part, if it is kept
  std::shared_ptr<const NearEntries<T>> near;   ///< S, or null
  std::optional<GoalOutcome> goal;              ///< if an error was asked for
};

/// Selects landmarks and approximates K by the method. Landmarks and P are taken from another result if the method's
/// values request it. @throws as the selection and approximate(). Collective.
template <class T>
[[nodiscard]] Computed<T> compute(const Execution& execution, const Data<T>& data, const ExactMatrix<T>& exact,
                                  const MethodChoice& method, const ComputationOptions& options);

/// An error and the entries on which it was measured.
struct MeasuredError {
  ErrorEstimate estimate;
  std::string over;                         ///< rows, pairs
  std::optional<SymmetricError> symmetric;  ///< if K(i, j) computed from i and from j differ
};

/// While it lives, rows of L that are not stored are evaluated from K: of its landmarks in the data, which are the same
/// objects as those of the rows. For an L that is stored it does nothing.
template <class T>
class EvaluatedRows {
 public:
  /// `approximation` and `exact` must outlive this. @throws Error(usage) if K is not the similarity that `description`
  /// names: the rows would be others. Collective.
  EvaluatedRows(const Communicator& communicator, Approximation<T>& approximation, const ExactMatrix<T>& exact,
                const ResultDescription& description);
  ~EvaluatedRows();
  EvaluatedRows(const EvaluatedRows&) = delete;
  EvaluatedRows& operator=(const EvaluatedRows&) = delete;

 private:
  Factor<T>& left_;
};

/// Measures the error over whole rows if K is evaluated by rows, or if `over_rows` is set with a fixed count; otherwise
/// on pairs.
/// @param by_vertex  if K is evaluated by rows: also the error of each own object
/// Collective.
template <class T>
[[nodiscard]] MeasuredError measure_error(const Execution& execution, const Approximation<T>& approximation,
                                          const ExactMatrix<T>& exact, const EstimateEffort& effort, bool over_rows,
                                          VertexErrors* by_vertex = nullptr);

/// Stores the error in the description, and warns in the report if the approximation is useless: worse than a constant,
/// or than K~ = 0. Local.
void take_error(const MeasuredError& error, ResultDescription& description, MethodReport& report);

}  // namespace cairn
