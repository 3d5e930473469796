// Seconds of operations that scale with the square and cube of an order, between and beyond measured orders.
#pragma once

#include <span>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// Measured seconds for matrices of one order.
struct OrderSeconds {
  Index order = 1;
  double seconds = 0;
  friend bool operator==(const OrderSeconds&, const OrderSeconds&) = default;
};

/// Seconds for matrices of `order`: between two measured orders by the power of s through both; above all of them by t
/// = a s² + b s³ through the last two, a and b at least 0, or t = b s³ through the only one; below all by t = a s².
/// @param measured  at least one, by rising order, seconds above 0. Local.
[[nodiscard]] double seconds_at(std::span<const OrderSeconds> measured, Index order);

}  // namespace cairn
