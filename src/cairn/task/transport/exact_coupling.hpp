// Transport with the kernel itself.
#pragma once

#include <array>

#include "cairn/task/transport/coupling.hpp"
#include "cairn/task/transport/exact_sums.hpp"

namespace cairn {

/// K = exp(-D / epsilon) for any distance D and any epsilon: scalings are stored as logarithms, sums are relative to
/// their largest terms. Each iteration evaluates every entry twice and stores none.
template <class T>
class ExactCoupling final : public Coupling<T> {
 public:
  ExactCoupling(const Execution& execution, const Measure<T>& source, const Measure<T>& target,
                const TransportCost<T>& cost, double epsilon);

  [[nodiscard]] std::vector<double> logs(Side side) const override { return logs_[index_of(side)]; }
  void set_logs(Side side, std::vector<double> logs) override { logs_[index_of(side)] = std::move(logs); }
  /// Changes epsilon but keeps the potentials f = epsilon log(u / weight) of both sides. Local.
  void set_epsilon(double epsilon);
  double scale(Side side, Index iteration) override;
  [[nodiscard]] std::vector<double> sums(Side side, std::span<const double> z, Index columns) const override;
  [[nodiscard]] double cost(std::span<const double> x, std::span<const double> y) const override;
  [[nodiscard]] double product_cost(std::span<const double> p, std::span<const double> q) const override;

 private:
  const TransportCost<T>& cost_;
  double epsilon_;
  ExactSums<T> exact_;
  std::array<std::vector<double>, 2> logs_;
};

}  // namespace cairn
