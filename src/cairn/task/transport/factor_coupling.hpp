// Transport with a kernel in factored form.
#pragma once

#include <array>
#include <optional>

#include "cairn/approximation/approximation.hpp"
#include "cairn/task/transport/coupling.hpp"

namespace cairn {

/// K~ = L J Lᵀ between points that are rows of L, J diagonal. An iteration reads each row of L once per side: as soon
/// as a row's scaling is known, the row is added to the sums of the other side. Sums must be above 0.
template <class T>
class FactorCoupling final : public Coupling<T> {
 public:
  /// @param approximation  for both sides in the order of `rows` @param left, right  sides of `rows` that are the
  /// sources and the targets: the same one twice for a set of points and itself. All arguments must outlive the object.
  /// @throws Error(internal) for factors of another form
  FactorCoupling(const Execution& execution, const Measure<T>& source, const Measure<T>& target,
                 const Approximation<T>& approximation, const InterleavedRows& rows, Side left = Side::source,
                 Side right = Side::target);

  [[nodiscard]] std::vector<double> logs(Side side) const override;
  void set_logs(Side side, std::vector<double> logs) override;
  double scale(Side side, Index iteration) override;
  [[nodiscard]] std::vector<double> sums(Side side, std::span<const double> z, Index columns) const override;

 private:
  // Data of one side: rows of L, scalings, and sum_i u_i L_i over all ranks.
  struct Half {
    std::vector<Index> rows;
    std::vector<double> scalings;
    std::optional<std::vector<double>> sum;
  };
  [[nodiscard]] Half& half(Side side) { return halves_[index_of(side)]; }
  [[nodiscard]] const Half& half(Side side) const { return halves_[index_of(side)]; }
  [[nodiscard]] std::vector<double> sum_of(const Half& half) const;
  // J x.
  [[nodiscard]] std::vector<double> joined(std::vector<double> x, Index columns) const;

  MatrixView<const T> factor_;
  std::vector<double> diagonal_;
  std::array<Half, 2> halves_;
};

}  // namespace cairn
