// Functional form of a similarity of points, for methods that work on the points themselves.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "cairn/base/random.hpp"

namespace cairn {

/// k(x, y) = w(x) w(y) f(x'·y').
struct ProductFunction {
  std::function<double(double)> value;  ///< f
  /// w(x) = exp(-gamma |x|²), x' = x; then k does not change if all points are shifted. 0: w = 1.
  double gamma = 0.0;
  bool unit_length = false;  ///< x' = x / |x|; else x' = x
  bool zero_stays = false;   ///< for unit length: x' = 0 for x = 0; else x = 0 is an error
  /// Coefficients of t^0 .. t^degree of f's Taylor series about 0; empty: f has none there. Null: unknown.
  std::function<std::vector<double>(Index degree)> taylor{};
};

/// k(x, y) = E cos(v·(x - y)) over random frequencies v.
struct Spectrum {
  bool isotropic = false;  ///< k is a function of |x - y|
  /// Frequency `number`, addressed by it in `random`. Local.
  std::function<void(const Random& random, Index number, std::span<double> frequency)> draw;
};

/// A similarity of points that has such a form also derives from this.
class PointFunction {
 public:
  virtual ~PointFunction() = default;

  /// Nothing if it is not a function of inner products.
  [[nodiscard]] virtual std::optional<ProductFunction> of_products() const { return std::nullopt; }
  /// Nothing if it is not a positive definite function of differences.
  [[nodiscard]] virtual std::optional<Spectrum> spectrum() const { return std::nullopt; }
};

}  // namespace cairn
