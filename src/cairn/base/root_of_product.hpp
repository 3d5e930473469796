// The root of a product that may be beyond the numbers where its factors are not.
#pragma once

#include <cmath>

namespace cairn {

/// sqrt(a b) of numbers that are not negative, also where a b overflows or underflows: then sqrt(a) sqrt(b). Local.
[[nodiscard]] inline double root_of_product(double a, double b) {
  const double product = a * b;
  return std::isnormal(product) ? std::sqrt(product) : std::sqrt(a) * std::sqrt(b);
}

}  // namespace cairn
