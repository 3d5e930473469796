// Sums of squares of entries of K: scaling to the range of numbers, and the error if all are 0.
#pragma once

#include "cairn/base/error.hpp"

namespace cairn {

/// K is 0 on all entries where an error was to be measured. This is no defect of the approximation.
class NoRelativeError : public Error {
 public:
  NoRelativeError()
      : Error(
            ErrorKind::numeric,
            "there is no relative error: all entries of K that it was to be measured on are 0, or their squares are") {}
};

/// The factor for entries whose squares are to be summed, so that the squares are in the range of numbers: the power of
/// 2 next to 1 / `largest`, their largest magnitude; 1 if that is 0 or not finite. A power of 2 changes no digit.
/// Local.
[[nodiscard]] double factor_for_squares(double largest);

}  // namespace cairn
