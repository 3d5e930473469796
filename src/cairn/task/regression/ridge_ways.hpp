// The ways to compute kernel ridge regression. The task derives everything about them from this table.
#pragma once

#include <string>
#include <vector>

#include "cairn/parameters/values.hpp"
#include "cairn/task/task.hpp"

namespace cairn {

/// A way to compute kernel ridge regression: its name, its own parameters and their rules, and what it runs.
struct RidgeWay {
  std::string name;
  std::string help;                     ///< a sentence
  std::vector<Parameter> parameters{};  ///< that not all ways have; they have no effect with those that do not
  bool matrix = false;                  ///< evaluates K itself
  bool several = false;                 ///< takes several results
  /// Checks rules beyond those of `parameters`. @throws Error(usage) that names the parameter. Local.
  void (*check)(const Values& values) = nullptr;
  /// Reason why nothing is drawn at random, as TaskDescriptor::undrawn. Local.
  std::string (*undrawn)(const Values& values) = nullptr;
  /// Reason why a checkpoint would keep nothing, as TaskDescriptor::unkept; null: it has no iteration. Local.
  std::string (*unkept)(const Values& values) = nullptr;
  /// Collective.
  TaskReport (*run)(const TaskInput& input) = nullptr;
};

/// factors: through the factors of results. docs/task-krr.md
[[nodiscard]] const RidgeWay& factor_ridge();
/// full: on K itself, by preconditioned conjugate gradients. docs/task-krr.md
[[nodiscard]] const RidgeWay& full_ridge();
/// centers: on K between rows and centers, without stored features. docs/task-krr.md
[[nodiscard]] const RidgeWay& center_ridge();
/// auto: one of these, by what each would take. docs/task-krr.md
[[nodiscard]] const RidgeWay& chosen_ridge();

/// Regression on centers is direct for up to so many, if their matrices fit, unless its solver is given: m² operations
/// a row for any number of lambdas, where the iterative solver takes some hundred m for each, and more where lambda is
/// small.
inline constexpr Index most_direct_centers = 3000;

/// All ways, the default first. Local.
[[nodiscard]] const std::vector<const RidgeWay*>& ridge_ways();
/// The way that the parameter krr-method names. Local.
[[nodiscard]] const RidgeWay& ridge_way(const Values& values);

/// The parameter krr-method, and those of all ways, each once. Local.
[[nodiscard]] std::vector<Parameter> ridge_way_parameters();
/// @throws Error(usage) for a parameter of other ways, several results, or as the way's own check. Local.
void check_ridge_way(const Values& values, std::size_t results);

/// Parameters of ways that iterate: target-residual, max-iterations. Local.
[[nodiscard]] std::vector<Parameter> ridge_iteration_parameters();

}  // namespace cairn
