// Lengths on the sphere.
#pragma once

#include <cmath>
#include <numbers>

namespace cairn {

/// Mean radius of the Earth in meters (IUGG).
inline constexpr double earth_radius = 6371008.8;

/// Length of the great circle between two places in meters, by the haversine formula: also exact where places are near
/// each other. Coordinates in degrees. Local.
[[nodiscard]] inline double great_circle(double longitude, double latitude, double other_longitude,
                                         double other_latitude) {
  constexpr double radian = std::numbers::pi / 180.0;
  const auto squared_sine = [](double degrees) {
    const double sine = std::sin(degrees * radian / 2.0);
    return sine * sine;
  };
  const double h = squared_sine(other_latitude - latitude) + std::cos(latitude * radian) *
                                                                 std::cos(other_latitude * radian) *
                                                                 squared_sine(other_longitude - longitude);
  return 2.0 * earth_radius * std::asin(std::sqrt(std::fmin(1.0, h)));
}

}  // namespace cairn
