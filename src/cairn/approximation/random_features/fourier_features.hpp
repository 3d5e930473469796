// Random Fourier features of points.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cairn/approximation/feature_map.hpp"
#include "cairn/base/buffer.hpp"

namespace cairn {

/// phi(x) = (cos(v_1·x), ..., cos(v_m·x), sin(v_1·x), ..., sin(v_m·x)) / sqrt(m), or, with phases b,
/// sqrt(2 / m) (cos(v_1·x + b_1), ..., cos(v_m·x + b_m)).                                  [Rahimi and Recht 2008]
class FourierFeatures final : public FeatureMap {
 public:
  static constexpr const char* name = "fourier";

  /// @param frequencies  m x dimension, row-major @param phases  one per frequency, or none
  FourierFeatures(Index dimension, Buffer<double> frequencies, std::vector<double> phases);
  [[nodiscard]] static std::shared_ptr<const FeatureMap> read(const ArrayReader& arrays);

  [[nodiscard]] std::string kind() const override { return name; }
  [[nodiscard]] Index dimension() const override { return dimension_; }
  [[nodiscard]] Index columns() const override { return phases_.empty() ? 2 * count_ : count_; }
  void apply(MatrixView<const float> points, MatrixView<float> out) const override;
  void apply(MatrixView<const double> points, MatrixView<double> out) const override;
  void write(ArrayWriter& arrays) const override;

 private:
  template <class T>
  void apply_as(MatrixView<const T> points, const T* frequencies, MatrixView<T> out) const;

  Index dimension_, count_;
  Buffer<double> frequencies_;
  Buffer<float> single_;  // the same in single precision
  std::vector<double> phases_;
};

}  // namespace cairn
