// Transport with positive features.
#pragma once

#include <array>

#include "cairn/base/buffer.hpp"
#include "cairn/task/transport/coupling.hpp"

namespace cairn {

/// Center and radius of the ball in which anchors are drawn. The same for all kernels that are compared.
struct PointBall {
  std::vector<double> centre;
  double radius = 0.0;
};
/// The center of the box around the points of both sides, and the largest distance from it. Collective.
template <class T>
[[nodiscard]] PointBall ball_around(const Communicator& communicator, const Measure<T>& source,
                                    const Measure<T>& target);

/// K~_ij = 1/r sum_k phi_k(x_i) phi_k(y_j), phi_k(x) = (2q)^(d/4) exp(-2 |x - a_k|² / epsilon + |a_k|² / (q epsilon)),
/// the anchors a_k normal with variance q epsilon / 4 (Scetbon and Cuturi 2020). Its mean is exp(-|x - y|² / epsilon),
/// and all entries are positive. The logarithms of the features are stored, r numbers per point.
template <class T>
class PositiveCoupling final : public Coupling<T> {
 public:
  PositiveCoupling(const Execution& execution, const Measure<T>& source, const Measure<T>& target, double epsilon,
                   Index features, const PointBall& ball);

  [[nodiscard]] std::vector<double> logs(Side side) const override { return logs_[index_of(side)]; }
  void set_logs(Side side, std::vector<double> logs) override { logs_[index_of(side)] = std::move(logs); }
  double scale(Side side, Index iteration) override;
  [[nodiscard]] std::vector<double> sums(Side side, std::span<const double> z, Index columns) const override;

 private:
  [[nodiscard]] MatrixView<const T> features(Side side) const {
    return {features_[index_of(side)].data(), this->measure(side).own.size(), columns_};
  }
  // max_j (log phi_k(j) + log of its scaling) over all ranks, for each k.
  [[nodiscard]] std::vector<double> largest_terms(Side side) const;

  [[nodiscard]] std::vector<double> sums_of_terms(Side from, const std::vector<double>& largest,
                                                  std::span<const double> z, Index columns) const;

  Index columns_;
  std::array<Buffer<T>, 2> features_;
  std::array<std::vector<double>, 2> logs_;
};

}  // namespace cairn
