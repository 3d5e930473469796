// Square root of a product that may overflow or underflow although its factors do not.
#pragma once

#include <cmath>

namespace cairn {

/// sqrt(a b) of nonnegative numbers; computed as sqrt(a) sqrt(b) if a b overflows or underflows. Local.
[[nodiscard]] inline double root_of_product(double a, double b) {
  const double product = a * b;
  return std::isnormal(product) ? std::sqrt(product) : std::sqrt(a) * std::sqrt(b);
}

}  // namespace cairn
