// Features of points that are first shifted, projected and extended by a constant coordinate.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cairn/approximation/feature_map.hpp"

namespace cairn {

/// x becomes ((x - center) B, constant): the last coordinate of every point is the same.
class AffineChange {
 public:
  /// @param center  one number per coordinate of x @param basis  B, coordinates x components, row-major; empty: the
  /// identity
  AffineChange(std::vector<double> center, std::vector<double> basis, double constant);
  [[nodiscard]] static AffineChange read(const ArrayReader& arrays);
  void write(ArrayWriter& arrays) const;

  [[nodiscard]] Index dimension() const { return static_cast<Index>(center_.size()); }
  [[nodiscard]] Index columns() const { return static_cast<Index>(shift_.size()) + 1; }
  /// Applies it to every row, points.rows x columns(). Local.
  void apply(MatrixView<const float> points, MatrixView<float> out) const;
  void apply(MatrixView<const double> points, MatrixView<double> out) const;
  /// Computes v with change(x)·v = x·w + bias for all x. @param w  one number per coordinate, in the span of B. Local.
  void opposite(std::span<const double> w, double bias, std::span<double> v) const;

 private:
  template <class T>
  void apply_as(MatrixView<const T> points, MatrixView<T> out) const;
  template <class T>
  [[nodiscard]] const T* basis() const;

  std::vector<double> center_, basis_;
  std::vector<float> single_;  // basis_ in single precision
  std::vector<double> shift_;  // center B: subtracted from a projected point
  double constant_;
};

/// phi(x) = inner(change(x)).
class AffineFeatures final : public FeatureMap {
 public:
  static constexpr const char* name = "affine";

  /// @param inner  for points with change.columns() coordinates
  AffineFeatures(AffineChange change, std::shared_ptr<const FeatureMap> inner)
      : change_(std::move(change)), inner_(std::move(inner)) {}
  [[nodiscard]] static std::shared_ptr<const FeatureMap> read(const ArrayReader& arrays);

  [[nodiscard]] std::string kind() const override { return name; }
  [[nodiscard]] Index dimension() const override { return change_.dimension(); }
  [[nodiscard]] Index columns() const override { return inner_->columns(); }
  void apply(MatrixView<const float> points, MatrixView<float> out) const override { apply_as(points, out); }
  void apply(MatrixView<const double> points, MatrixView<double> out) const override { apply_as(points, out); }
  void write(ArrayWriter& arrays) const override;

 private:
  template <class T>
  void apply_as(MatrixView<const T> points, MatrixView<T> out) const;

  AffineChange change_;
  std::shared_ptr<const FeatureMap> inner_;
};

}  // namespace cairn
