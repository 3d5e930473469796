// Minima of smooth functions of a few numbers within bounds.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// f(at); writes its gradient, as long as `at`. A value that is not finite means that f is undefined there: the step
/// was too long. The gradient is then not read.
using Objective = std::function<double(std::span<const double> at, std::span<double> gradient)>;

/// Bounds of each number; lower < upper.
struct Bounds {
  std::vector<double> lower, upper;
};

struct LbfgsOptions {
  std::size_t memory = 10;  ///< pairs of differences that are kept
  Index most_iterations = 100;
  double tolerance = 1e-6;  ///< bound on the largest entry of the projected gradient, relative to max(1, |f|)
  double decrease = 1e-12;  ///< the search also ends if f decreases by less in one iteration, likewise
};

/// Result of a search.
struct Minimum {
  std::vector<double> at, gradient;
  double value = std::numeric_limits<double>::infinity();  ///< infinite if f is not defined at the start
  Index iterations = 0, evaluations = 0;
  bool converged = false;  ///< by the tolerance, or since rounding hides any further decrease
};

/// L-BFGS: the two-loop recursion (Nocedal and Wright 2006, algorithm 7.4) on the free numbers, those not stopped by a
/// bound (Bertsekas 1982); steps with the weak Wolfe conditions by bisection (Lewis and Overton 2013, algorithm 2.6),
/// which treats values that are not finite as steps that are too long. Deterministic. Local.
///
/// PETSc's TAO (BLMVM) is not used: its line search fails at a value that is not finite, which a covariance matrix that
/// is singular to rounding gives; its options can be changed from outside (PETSC_OPTIONS); and this folder would need
/// PETSc for three numbers.
/// @param start  moved into the bounds first
[[nodiscard]] Minimum minimize(const Objective& objective, std::vector<double> start, const Bounds& bounds,
                               const LbfgsOptions& options = {});

}  // namespace cairn
