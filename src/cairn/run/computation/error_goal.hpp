// Number of landmarks from a stated relative error.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cairn/run/computation/core_storage.hpp"
#include "cairn/run/computation/exact_matrix.hpp"
#include "cairn/store/result/result_file.hpp"

namespace cairn {

/// The relative error that a run is asked for.
struct ErrorGoal {
  double error = 0.0;
  double confidence = 0.0;  ///< probability with which it holds
};

/// The goal of the choice, or nothing. Local.
[[nodiscard]] std::optional<ErrorGoal> error_goal(const MethodChoice& choice);

/// The choice with the selection of landmarks that needs fewest, if none is given: rpcholesky, which bounds the error,
/// where K is semidefinite by construction or of negative type; farthest for distances that come by whole rows. Local.
[[nodiscard]] MethodChoice for_error_goal(MethodChoice choice, const SimilarityTraits& traits);

/// @throws Error(usage) if the choice has a goal that its method, its selection or its tolerance cannot reach, or that
/// numbers of this precision cannot. Local.
void check_error_goal(const MethodChoice& choice, bool single_precision);

/// The first number of landmarks, and the next after so many with this error. Local.
inline constexpr Index first_grown_landmarks = 32;
[[nodiscard]] Index next_landmarks(Index landmarks, double error, double goal);
/// The values of the method for so many landmarks: where K is indefinite and n is at least 640, the core matrix is
/// determined from 4 rows a landmark, `most_rows` at most. Local.
[[nodiscard]] Values values_for_goal(const MethodChoice& method, const SimilarityTraits& traits, Index objects,
                                     Index landmarks, Index most_rows);
/// The selection's growth in this precision. Collective.
template <class T>
[[nodiscard]] std::unique_ptr<LandmarkGrowth<T>> growth_of(const LandmarkSelection& selection,
                                                           const SelectionInput<T>& input) {
  if constexpr (std::is_same_v<T, float>) {
    return selection.grow_single(input);
  } else {
    return selection.grow_double(input);
  }
}

/// What came of a goal.
struct GoalOutcome {
  bool reached = false;
  bool certified = false;  ///< by certify(); otherwise the limit is the estimate and four standard errors
  double limit = 0.0;      ///< of the relative error
  std::vector<std::pair<Index, double>> looks{};  ///< number of landmarks and error of each
  std::string stopped{};                          ///< why there are no more landmarks, if it is not reached
  Index evaluations = 0;                          ///< for errors, of this rank
  Index restored = 0;                             ///< and of an earlier run
};

/// Adds the outcome to the description (metrics error_goal, error_limit, error_confidence; provenance error_promise:
/// certified, estimated or not reached; growth) and to the report. Local.
void describe_goal(const ErrorGoal& goal, const GoalOutcome& outcome, const MethodChoice& method,
                   ResultDescription& description, MethodReport& report);

/// @param file  that has the result; empty: none @throws Error(unmet) if the choice requires its error, and the
/// described result does not have it. Local.
void require_reached(const MethodChoice& method, const ResultDescription& description, const std::string& file);

template <class T>
using MakeApproximation = std::function<Approximation<T>(Landmarks<T>, const Values&)>;

/// What a growth needs memory for.
struct GrowthStep {
  Index landmarks = 0;
  const Values& values;  ///< of the method
  Index held_bytes = 0;  ///< on this rank: columns of K and of a factor that are there already
};

template <class T>
struct GrownApproximation {
  Approximation<T> approximation;
  GoalOutcome outcome;
};

/// Adds landmarks until the error is reached: 32, then 5 to 30 percent more at a time, aimed by the error so far. No
/// column of K is evaluated twice. The error is certified if K is semidefinite by construction or of negative type and
/// the approximation projects; the probability that is left is divided over the looks. Elsewhere the estimate and four
/// standard errors must be below it, and where K is indefinite, n is at least 640 and there is no table of distances,
/// the core matrix is determined from 4 s rows (block_core).
///
/// Ends with the best so far at the largest number of landmarks, and also if more would not fit into memory, or if K is
/// known, or if the next step is expected to end after `time`.
/// @param require_memory  throws Error(resource) if a step needs too much @param time  of rank 0; null: no limit
/// @throws as the selection and the method. Collective.
template <class T>
[[nodiscard]] GrownApproximation<T> approximate_within(const Execution& execution, const Data<T>& data,
                                                       const ExactMatrix<T>& exact, const MethodChoice& method,
                                                       const ErrorGoal& goal, const MakeApproximation<T>& make,
                                                       const std::function<void(const GrowthStep&)>& require_memory,
                                                       const TimeLimit* time = nullptr);

}  // namespace cairn
