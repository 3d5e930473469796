// Evaluation of a transport plan: its costs, the errors of its marginals, and the destination of each point.
#pragma once

#include <vector>

#include "cairn/task/transport/coupling.hpp"
#include "cairn/task/transport/exact_sums.hpp"

namespace cairn {

/// A sum over sampled points with its standard error.
struct SampledViolation {
  double value = 0.0;
  double standard_error = 0.0;
  Index points = 0;
};

/// Metrics of a plan P between weights a and b, with distances D, under the kernel with which it was computed.
struct PlanValues {
  double mass = 0.0;          ///< sum of P
  double cost = 0.0;          ///< <P, D>
  double entropic = 0.0;      ///< <P, D> + epsilon KL(P | a bᵀ), with log K = -D / epsilon
  double dual = 0.0;          ///< <f, a> + <g, b> - epsilon (sum of P - 1)
  double rounded_cost = 0.0;  ///< of the plan rounded to the marginals (Altschuler, Weed and Rigollet 2017)
  double violation_source = 0.0, violation_target = 0.0;  ///< L1 distances of the marginals of P from a and b
};

/// Stored results of a plan, for this rank's points.
template <class T>
struct TransportPlan {
  PlanValues values;
  std::vector<double> potentials_source, potentials_target;  ///< f, g: P_ij = a_i b_j K_ij exp((f_i + g_j) / epsilon)
  std::vector<double> barycentres;  ///< barycenters of source points, row-major: sum_j P_ij y_j / sum_j P_ij
};

/// Evaluates a plan with known scalings. Collective.
template <class T>
[[nodiscard]] TransportPlan<T> describe_plan(const Execution& execution, const Coupling<T>& coupling, double epsilon);

/// sum_i |sum_j u_i K_ij v_j - a_i| under the kernel itself, from `points` points of a side, drawn independently of
/// their weights. @param coupling  of the scalings, with any kernel. Collective.
template <class T>
[[nodiscard]] SampledViolation sampled_violation(const Execution& execution, const Coupling<T>& coupling, Side side,
                                                 const TransportCost<T>& cost, double epsilon, Index points);

/// The barycenters of points that are not among the sources, under the kernel itself: sum_j k_j y_j / sum_j k_j,
/// k_j = exp(-D(x, y_j) / epsilon) v_j. @param points  of this rank, any number. Collective.
template <class T>
[[nodiscard]] std::vector<double> map_points(const Execution& execution, const Coupling<T>& coupling,
                                             const TransportCost<T>& cost, double epsilon, MatrixView<const T> points);

}  // namespace cairn
