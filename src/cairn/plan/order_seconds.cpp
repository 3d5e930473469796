#include "cairn/plan/order_seconds.hpp"

#include <algorithm>
#include <cmath>

namespace cairn {

namespace {

// t = a s² + b s³ through both points, with a and b at least 0.
double above(const OrderSeconds& first, const OrderSeconds& last, double s) {
  const auto low = static_cast<double>(first.order), high = static_cast<double>(last.order);
  const double at_low = first.seconds / (low * low), at_high = last.seconds / (high * high);
  const double cubic = std::clamp((at_high - at_low) / (high - low), 0.0, at_high / high);
  return (at_high - cubic * high + cubic * s) * s * s;
}

}  // namespace

double seconds_at(std::span<const OrderSeconds> measured, Index order) {
  const auto s = static_cast<double>(order);
  const auto next = std::ranges::find_if(measured, [&](const OrderSeconds& one) { return one.order >= order; });
  if (next == measured.begin()) {
    const double ratio = s / static_cast<double>(next->order);
    return next->seconds * ratio * ratio;
  }
  const OrderSeconds& before = *(next - 1);
  if (next == measured.end()) {
    if (measured.size() > 1) return above(*(next - 2), before, s);
    return before.seconds * std::pow(s / static_cast<double>(before.order), 3);
  }
  const double power = std::log(next->seconds / before.seconds) /
                       std::log(static_cast<double>(next->order) / static_cast<double>(before.order));
  return before.seconds * std::pow(s / static_cast<double>(before.order), power);
}

}  // namespace cairn
