// Normal distributions of observations given a few others, and their derivatives. Several at once, one per lane of the
// vector unit. Everything is local to one thread.
#pragma once

#include <span>
#include <vector>

#include "cairn/base/buffer.hpp"

namespace cairn {

/// Matern functions by their smoothness (Rasmussen and Williams 2006, equations 4.16 to 4.19), of r, a distance in
/// lengths: exp(-r); (1 + t) exp(-t), t = √3 r; (1 + t + t² / 3) exp(-t), t = √5 r; and their limit exp(-r² / 2).
enum class Smoothness { one_half, three_halves, five_halves, infinite };

/// What a covariance of two observations x, y depends on:
///
///   sigma² m(r) + noise² if they are the same,      r² = Σ_c (x_c - y_c)² / length_c²
struct ColumnCovariance {
  Smoothness smoothness = Smoothness::five_halves;
  double sigma = 1.0, noise = 0.1;
  std::vector<double> lengths{};  ///< one per column, or one for all of them

  [[nodiscard]] double length(Index column) const { return lengths[lengths.size() == 1 ? 0 : column]; }
};

/// Sizes of a batch.
struct ConditionalShape {
  Index neighbors = 0;      ///< observations that each one is conditioned on, at most
  Index columns = 0;        ///< coordinates
  bool one_length = false;  ///< for all columns
  bool linear = false;      ///< the mean has a coefficient for each column, besides a constant

  [[nodiscard]] Index lengths() const { return one_length ? 1 : columns; }
  /// Logarithms of the lengths, of sigma and of the noise.
  [[nodiscard]] Index parameters() const { return lengths() + 2; }
  /// Coefficients of the mean.
  [[nodiscard]] Index means() const { return linear ? columns + 1 : 1; }
};

/// Distributions of `lanes` observations at a time, each given at most `neighbors` others. All arrays have `lanes`
/// numbers for each of their entries; the point that is predicted is the last of the neighbors + 1 points.
///
/// With K the covariance of the neighbors, k theirs with the point, K = C Cᵀ, w = K⁻¹ k, and residuals z:
///
///   error = z - wᵀ z_N,      variance = sigma² + noise² - kᵀ w
///
/// With a = (-w; 1) and Σ the covariance of all neighbors + 1 points, v = (∂Σ a)_N, f = C⁻¹ z_N, the derivatives are
///
///   ∂variance = aᵀ ∂Σ a,      ∂error = -(C⁻¹ v)ᵀ f
///
/// which need one product and one triangular solve for each parameter.
class Conditional {
 public:
  static constexpr Index lanes = 8;

  /// Memory: about 16 (neighbors² + neighbors x columns) x lanes bytes.
  explicit Conditional(const ConditionalShape& shape);

  [[nodiscard]] const ConditionalShape& shape() const { return shape_; }

  /// Input, to be filled for each batch: coordinates in lengths (of point j and column c), residuals of the targets (of
  /// point j), and 1 for neighbors that are there, else 0 (their coordinates must be finite, their residuals 0).
  [[nodiscard]] double* coordinate(Index j, Index c) { return coordinates_.data() + (c * points_ + j) * lanes; }
  [[nodiscard]] double* residual(Index j) { return residuals_.data() + j * lanes; }
  [[nodiscard]] double* present(Index j) { return present_.data() + j * lanes; }

  /// Computes errors and variances. False if a matrix K is not positive definite to rounding.
  [[nodiscard]] bool condition(const ColumnCovariance& covariance);
  [[nodiscard]] const double* error() const { return error_.data(); }
  [[nodiscard]] const double* variance() const { return variance_.data(); }

  /// After condition(): what is left of a mean of 1, and of the columns in lengths, after the neighbors:
  /// means() x lanes.
  void regress();
  [[nodiscard]] const double* mean_error(Index p) const { return mean_errors_.data() + p * lanes; }

  /// After condition(): derivatives by the logarithms of the lengths, sigma and the noise.
  void differentiate(const ColumnCovariance& covariance);
  [[nodiscard]] const double* variance_slope(Index k) const { return variance_slopes_.data() + k * lanes; }
  [[nodiscard]] const double* error_slope(Index k) const { return error_slopes_.data() + k * lanes; }
  /// (C⁻¹ v_k)ᵀ (C⁻¹ v_l), l <= k: the expected product of the slopes of the error.
  [[nodiscard]] const double* slope_product(Index k, Index l) const {
    return products_.data() + (k * (k + 1) / 2 + l) * lanes;
  }

 private:
  ConditionalShape shape_;
  Index points_;  // neighbors + 1
  Buffer<double> coordinates_, residuals_, present_;
  Buffer<double> covariances_, slopes_;  // below the diagonal: K, then C; and -σ² m'(r) / r, times r² with one length
  Buffer<double> squares_;               // r², with one length
  Buffer<double> inverse_, zeros_;       // 1 / C_jj
  Buffer<double> weights_, solved_;      // w, then a; f
  Buffer<double> products_of_slopes_, pivots_;
  Buffer<double> error_, variance_, mean_errors_, variance_slopes_, error_slopes_, products_;
};

}  // namespace cairn
