// Features of points for a polynomial of their inner products.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cairn/approximation/feature_map.hpp"
#include "cairn/approximation/random_features/degrees/degree_features.hpp"

namespace cairn {

/// Transformation of a point before its features are computed: x' = scale (x - center) B, or scale x B / |x|.
struct PointChange {
  std::vector<double> center{};  ///< empty: the origin
  double scale = 1.0;
  bool unit_length = false;
  bool zero_stays = false;      ///< with unit length: x' = 0 for x = 0; else x' is NaN
  std::vector<double> basis{};  ///< B, d x columns, row-major; empty: the identity
};

/// phi(x) = w(x) (√|c_0|, √|c_1| phi_1(x'), ..., √|c_r| phi_r(x')) with features of degrees 1 to r and the coefficients
/// c of a polynomial: with their signs on the diagonal of J, phi(x) J phi(y)ᵀ ~ w(x) w(y) sum_j c_j (x'·y')^j. If none
/// is below 0 the features are those of a linear machine.
class SketchFeatures final : public FeatureMap {
 public:
  static constexpr const char* name = "sketches";

  /// @param gamma  w(x) = exp(-gamma |x - center|²) @param parts  degrees ascending, of the same dimension; any but 0
  /// @param coefficients  from c_0 on, at least to the largest degree
  SketchFeatures(Index dimension, PointChange change, double gamma,
                 std::vector<std::shared_ptr<const DegreeFeatures>> parts, std::vector<double> coefficients);
  [[nodiscard]] static std::shared_ptr<const FeatureMap> read(const ArrayReader& arrays);

  [[nodiscard]] std::string kind() const override { return name; }
  [[nodiscard]] Index dimension() const override { return dimension_; }
  [[nodiscard]] Index columns() const override { return columns_; }
  /// Number of coordinates from which features are computed.
  [[nodiscard]] Index kept() const {
    return change_.basis.empty() ? dimension_ : static_cast<Index>(change_.basis.size()) / dimension_;
  }
  void apply(MatrixView<const float> points, MatrixView<float> out) const override;
  void apply(MatrixView<const double> points, MatrixView<double> out) const override;
  [[nodiscard]] bool is_beyond(std::span<const double> point) const override;
  void write(ArrayWriter& arrays) const override;

  /// The diagonal of J: the signs of c_0, and of c_j for each column of degree j; empty if none is below 0.
  [[nodiscard]] std::vector<double> signs() const;

 private:
  // A value for each column from that of its degree.
  template <class Value>
  [[nodiscard]] std::vector<double> by_column(Value value) const;
  // Features of all degrees except 0.
  template <class T>
  void apply_parts(MatrixView<const T> points, MatrixView<T> out) const;
  // Writes x (or x / |x|, shifted by center) to `out`, and returns |x - center|^2.
  template <class T>
  double change(const T* point, T* out) const;
  template <class T>
  [[nodiscard]] const T* basis() const;
  template <class T>
  void apply_as(MatrixView<const T> points, MatrixView<T> out) const;

  Index dimension_, columns_;
  PointChange change_;
  std::vector<float> single_basis_;  // change_.basis in single precision
  double gamma_;
  std::vector<std::shared_ptr<const DegreeFeatures>> parts_;
  std::vector<double> coefficients_;
};

/// Applies the change, except for B, to the point; returns |x - center|². Local.
double change_point(const PointChange& change, std::span<double> point);

}  // namespace cairn
