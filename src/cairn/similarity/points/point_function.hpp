// What a similarity of points is a function of, for methods that work on the points themselves.
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
  /// w(x) = exp(-gamma |x|²), x' = x; then k does not change if all points are moved. 0: w = 1.
  double gamma = 0.0;
  bool unit_length = false;  ///< x' = x / |x|; else x' = x
  bool zero_stays = false;   ///< of unit length: x' = 0 for x = 0; else that is an error
  /// Coefficients of t^0 .. t^degree of f's Taylor series about 0; empty: f has none there. Null: not known.
  std::function<std::vector<double>(Index degree)> taylor{};
};

/// k(x, y) = E cos(v·(x - y)) over random frequencies v.
struct Spectrum {
  bool isotropic = false;  ///< k is a function of |x - y|
  /// Frequency `number`, addressed in `random` by it. Local.
  std::function<void(const Random& random, Index number, std::span<double> frequency)> draw;
};

/// A similarity of points that is such a function derives from this as well.
class PointFunction {
 public:
  virtual ~PointFunction() = default;

  /// Nothing: it is no function of inner products.
  [[nodiscard]] virtual std::optional<ProductFunction> of_products() const { return std::nullopt; }
  /// Nothing: it is no positive definite function of differences.
  [[nodiscard]] virtual std::optional<Spectrum> spectrum() const { return std::nullopt; }
};

}  // namespace cairn
