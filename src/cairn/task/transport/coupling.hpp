// A plan of transport in the making: P_ij = u_i K_ij v_j for a kernel K between two sets of points.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "cairn/task/transport/measure.hpp"

namespace cairn {

/// The kernel and the scalings u, v, of which each rank has those of its points. Vectors of a side are of this rank's
/// points, matrices row-major. All functions but the accessors are collective.
template <class T>
class Coupling {
 public:
  virtual ~Coupling() = default;
  Coupling(const Coupling&) = delete;
  Coupling& operator=(const Coupling&) = delete;

  [[nodiscard]] const Measure<T>& measure(Side side) const { return side == Side::source ? source_ : target_; }

  /// log u or log v. At first u and v are the weights of the points.
  [[nodiscard]] virtual std::vector<double> logs(Side side) const = 0;
  virtual void set_logs(Side side, std::vector<double> logs) = 0;

  /// One half of an iteration of Sinkhorn's: makes the sums of P over the other side equal to the weights of this one.
  /// @return sum_i |those sums before - weights| @throws Error(numeric) that names iteration, point and value if K
  /// times a scaling is not above 0
  virtual double scale(Side side, Index iteration) = 0;

  /// out_i = sum_j P_ij z_j, j over the points of the other side. @param z  rows of `columns` numbers
  [[nodiscard]] virtual std::vector<double> sums(Side side, std::span<const double> z, Index columns) const = 0;

  /// sum_ij x_i P_ij y_j D_ij and sum_ij p_i q_j D_ij for the distances D. By default D is the squared Euclidean
  /// distance, whose sums are moments.
  [[nodiscard]] virtual double cost(std::span<const double> x, std::span<const double> y) const;
  [[nodiscard]] virtual double product_cost(std::span<const double> p, std::span<const double> q) const;

 protected:
  /// All of these outlive it.
  Coupling(const Execution& execution, const Measure<T>& source, const Measure<T>& target);
  [[nodiscard]] const Execution& execution() const { return execution_; }

 private:
  // The centre of all points, from which moments lose fewer digits.
  [[nodiscard]] std::vector<double> centre() const;
  // A point from there, and its squared length.
  void moved(Side side, Index point, std::span<const double> centre, std::span<double> out) const;

  const Execution& execution_;
  const Measure<T>& source_;
  const Measure<T>& target_;
};

/// @throws Error(numeric) that names the first own point of the side whose scaling has no finite logarithm. Local.
template <class T>
void require_finite(const Measure<T>& measure, Side side, const std::vector<double>& logs, Index iteration);

/// The iteration at larger epsilons first, each from the potentials of the one before (epsilon scaling, Schmitzer
/// 2019): at a small epsilon alone mass moves by about epsilon an iteration, and the way to it is long.
struct Annealing {
  static constexpr double violation = 0.01;  ///< of the marginals, at which the next epsilon is taken
  static constexpr double factor = 0.5;      ///< of one epsilon to the next
  std::vector<double> epsilons{};            ///< descending, all above that of the plan; empty: there are none
  /// Makes an epsilon that of the coupling, whose potentials stay. Local.
  std::function<void(double epsilon)> take{};
};

/// What the two scalings come to.
struct SinkhornOptions {
  Index iterations = 1000;  ///< at most, those at larger epsilons included
  double tolerance = 1e-6;  ///< it ends if the L1 distance of the marginals of P from the weights is at most this
  bool symmetric = false;   ///< both sides are the same points: u = v
  /// Which sides of `rows` the coupling is between: the same one twice for points and themselves.
  std::array<Side, 2> sides{Side::source, Side::target};
  std::string name;  ///< of its kernel: what its state is called in checkpoints
  /// Evaluations of this rank until now, if they are to be counted over runs that go on from each other.
  std::function<Index()> evaluations{};
  double epsilon = 0.0;  ///< of the plan, if there is an annealing
  Annealing annealing{};
};

struct SinkhornOutcome {
  Index iterations = 0;
  bool converged = false;
  double violation = 0.0;         ///< of the sums over targets, before the last iteration
  Index annealed = 0;             ///< of the iterations those at larger epsilons
  Index epsilons = 0;             ///< of these epsilons those that iterations were made at
  Index earlier = 0;              ///< of the iterations those that earlier runs made
  Index earlier_evaluations = 0;  ///< that these took, over all ranks
};

/// Sinkhorn's iteration: scales the sources, then the targets, again and again. What is symmetric takes the geometric
/// mean of both scalings, which converges in a few steps (Feydy et al. 2019). With an annealing up to half of the
/// iterations are made at its epsilons. Kept in execution.ledger if that is due, and taken up from there.
/// @throws as scale(). Collective.
template <class T>
[[nodiscard]] SinkhornOutcome sinkhorn(const Execution& execution, const InterleavedRows& rows, Coupling<T>& coupling,
                                       const SinkhornOptions& options);

}  // namespace cairn
