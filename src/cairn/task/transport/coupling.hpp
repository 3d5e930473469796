// A transport plan during its computation: P_ij = u_i K_ij v_j for a kernel K between two sets of points.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "cairn/task/transport/measure.hpp"

namespace cairn {

/// The kernel and the scalings u, v; each rank has the scalings of its points. Vectors of a side hold values of this
/// rank's points, matrices are row-major. All functions except the accessors are collective.
template <class T>
class Coupling {
 public:
  virtual ~Coupling() = default;
  Coupling(const Coupling&) = delete;
  Coupling& operator=(const Coupling&) = delete;

  [[nodiscard]] const Measure<T>& measure(Side side) const { return side == Side::source ? source_ : target_; }

  /// log u or log v. Initially u and v are the weights of the points.
  [[nodiscard]] virtual std::vector<double> logs(Side side) const = 0;
  virtual void set_logs(Side side, std::vector<double> logs) = 0;

  /// Half an iteration of Sinkhorn's method: makes the sums of P over the other side equal to the weights of this side.
  /// @return sum_i |previous sums - weights| @throws Error(numeric) that names iteration, point and value if K times a
  /// scaling is not above 0
  virtual double scale(Side side, Index iteration) = 0;

  /// out_i = sum_j P_ij z_j, with j over the points of the other side. @param z  rows of `columns` numbers
  [[nodiscard]] virtual std::vector<double> sums(Side side, std::span<const double> z, Index columns) const = 0;

  /// sum_ij x_i P_ij y_j D_ij and sum_ij p_i q_j D_ij for the distances D. By default D is the squared Euclidean
  /// distance, for which the sums are moments.
  [[nodiscard]] virtual double cost(std::span<const double> x, std::span<const double> y) const;
  [[nodiscard]] virtual double product_cost(std::span<const double> p, std::span<const double> q) const;

 protected:
  /// All arguments must outlive the object.
  Coupling(const Execution& execution, const Measure<T>& source, const Measure<T>& target);
  [[nodiscard]] const Execution& execution() const { return execution_; }

 private:
  // The center of all points; moments relative to it lose fewer digits.
  [[nodiscard]] std::vector<double> centre() const;
  // A point relative to the center, and its squared length.
  void moved(Side side, Index point, std::span<const double> centre, std::span<double> out) const;

  const Execution& execution_;
  const Measure<T>& source_;
  const Measure<T>& target_;
};

/// @throws Error(numeric) that names the first own point of the side whose scaling has no finite logarithm. Local.
template <class T>
void require_finite(const Measure<T>& measure, Side side, const std::vector<double>& logs, Index iteration);

/// Iterates at larger epsilons first, each starting from the potentials of the one before (epsilon scaling, Schmitzer
/// 2019). At a small epsilon alone mass moves by only about epsilon per iteration.
struct Annealing {
  static constexpr double violation = 0.01;  ///< of the marginals, below which the next epsilon is used
  static constexpr double factor = 0.5;      ///< ratio of successive epsilons
  std::vector<double> epsilons{};            ///< descending, all above that of the plan; empty: no annealing
  /// Sets the epsilon of the coupling and keeps its potentials. Local.
  std::function<void(double epsilon)> take{};
};

/// Options of the iteration.
struct SinkhornOptions {
  Index iterations = 1000;  ///< at most, including those at larger epsilons
  double tolerance = 1e-6;  ///< stops if the L1 distance of the marginals of P from the weights is at most this
  bool symmetric = false;   ///< both sides are the same points: u = v
  /// Sides of `rows` between which the coupling is: the same one twice for a set of points and itself.
  std::array<Side, 2> sides{Side::source, Side::target};
  std::string name;  ///< of the kernel; part of the name of the state in checkpoints
  /// Evaluations of this rank so far, if they are to be counted over resumed runs.
  std::function<Index()> evaluations{};
  double epsilon = 0.0;  ///< of the plan, with an annealing
  Annealing annealing{};
};

struct SinkhornOutcome {
  Index iterations = 0;
  bool converged = false;
  double violation = 0.0;         ///< of the sums over targets, before the last iteration
  Index annealed = 0;             ///< number of iterations at larger epsilons
  Index epsilons = 0;             ///< number of larger epsilons used
  Index earlier = 0;              ///< number of iterations made by earlier runs
  Index earlier_evaluations = 0;  ///< evaluations of these iterations, over all ranks
};

/// Sinkhorn's iteration: alternately scales the sources and the targets. In the symmetric case it uses the geometric
/// mean of both scalings, which converges in a few steps (Feydy et al. 2019). With an annealing up to half of the
/// iterations are made at its epsilons. The state is saved in execution.ledger when due, and resumed from there.
/// @throws as scale(). Collective.
template <class T>
[[nodiscard]] SinkhornOutcome sinkhorn(const Execution& execution, const InterleavedRows& rows, Coupling<T>& coupling,
                                       const SinkhornOptions& options);

}  // namespace cairn
