#include "cairn/similarity/mirror_images.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cairn {

MirrorRule::MirrorRule(bool single, double largest, double roundings)
    : relative_(single ? 1e-5 : 1e-8),
      absolute_(roundings * largest *
                (single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon())) {}

bool MirrorRule::allows(double there, double back) const {
  return std::abs(there - back) <= relative_ * std::max(std::abs(there), std::abs(back)) + absolute_;
}

}  // namespace cairn
