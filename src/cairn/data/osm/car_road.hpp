// What the tags of a way in OpenStreetMap say to a car. Private to graphs.
#pragma once

#include <functional>
#include <optional>

namespace cairn {

/// The value of a tag by its key; null if the way has no such tag.
using TagLookup = std::function<const char*(const char* key)>;

/// A way that cars may use.
struct CarRoad {
  bool forward = true, backward = true;  ///< directions in which it may be traveled; at least one
  double speed = 0.0;                    ///< km/h
  bool speed_given = false;              ///< by maxspeed; otherwise by the kind of road
};

/// The road that a way is for cars; nothing if it is none.
///
/// - `highway` is one of motorway, trunk, primary, secondary, tertiary (each also with _link), unclassified, road,
///   residential, living_street, service; the way is no area.
/// - The first that is there of motorcar, motor_vehicle, vehicle and access is none of no, private, agricultural,
///   forestry, emergency, psv, bus, military.
/// - `oneway` = yes, true, 1 or -1, reverse; without it a roundabout (junction = roundabout or circular) and a motorway
///   lead forward alone.
/// - `maxspeed` in km/h or mph, or walk (7 km/h).
/// Local.
[[nodiscard]] std::optional<CarRoad> car_road(const TagLookup& tag);

}  // namespace cairn
