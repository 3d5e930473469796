#include "cairn/approximation/error/entry_squares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cairn {

double factor_for_squares(double largest) {
  if (!(largest > 0) || !std::isfinite(largest)) return 1.0;
  return std::ldexp(1.0, std::min(-std::ilogb(largest), std::numeric_limits<double>::max_exponent - 1));
}

}  // namespace cairn
