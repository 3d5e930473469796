// Transport by a kernel in factors.
#pragma once

#include <array>
#include <optional>

#include "cairn/approximation/approximation.hpp"
#include "cairn/task/transport/coupling.hpp"

namespace cairn {

/// K~ = L J Lᵀ between points that are rows of L, J diagonal. An iteration reads each row of L once for each side: as
/// soon as its scaling is known the row goes into the sums of the other side. Nothing that is not above 0 is accepted.
template <class T>
class FactorCoupling final : public Coupling<T> {
 public:
  /// @param approximation  of both sides in the order of `rows` @param left, right  which side of `rows` the sources
  /// and the targets are: the same one twice for points and themselves. All outlive it.
  /// @throws Error(internal) for factors of another form
  FactorCoupling(const Execution& execution, const Measure<T>& source, const Measure<T>& target,
                 const Approximation<T>& approximation, const InterleavedRows& rows, Side left = Side::source,
                 Side right = Side::target);

  [[nodiscard]] std::vector<double> logs(Side side) const override;
  void set_logs(Side side, std::vector<double> logs) override;
  double scale(Side side, Index iteration) override;
  [[nodiscard]] std::vector<double> sums(Side side, std::span<const double> z, Index columns) const override;

 private:
  // What one side has: rows of L, scalings, and sum_i u_i L_i over all ranks.
  struct Half {
    std::vector<Index> rows;
    std::vector<double> scalings;
    std::optional<std::vector<double>> sum;
  };
  [[nodiscard]] Half& half(Side side) { return halves_[static_cast<std::size_t>(side)]; }
  [[nodiscard]] const Half& half(Side side) const { return halves_[static_cast<std::size_t>(side)]; }
  [[nodiscard]] std::vector<double> sum_of(const Half& half) const;
  // J x.
  [[nodiscard]] std::vector<double> joined(std::vector<double> x, Index columns) const;

  MatrixView<const T> factor_;
  std::vector<double> diagonal_;
  std::array<Half, 2> halves_;
};

}  // namespace cairn
