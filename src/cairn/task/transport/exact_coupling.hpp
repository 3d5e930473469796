// Transport by the kernel itself.
#pragma once

#include <array>

#include "cairn/task/transport/coupling.hpp"
#include "cairn/task/transport/exact_sums.hpp"

namespace cairn {

/// K = exp(-D / epsilon) for any distance D and any epsilon: scalings are kept as logarithms, sums are relative to
/// their largest terms. Two evaluations of every entry an iteration, none of which is kept.
template <class T>
class ExactCoupling final : public Coupling<T> {
 public:
  ExactCoupling(const Execution& execution, const Measure<T>& source, const Measure<T>& target,
                const TransportCost<T>& cost, double epsilon);

  [[nodiscard]] std::vector<double> logs(Side side) const override { return logs_[static_cast<std::size_t>(side)]; }
  void set_logs(Side side, std::vector<double> logs) override {
    logs_[static_cast<std::size_t>(side)] = std::move(logs);
  }
  /// Another epsilon, under which the potentials f = epsilon log(u / weight) of both sides stay as they are. Local.
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
