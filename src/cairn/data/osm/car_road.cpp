#include "cairn/data/osm/car_road.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string_view>

namespace cairn {

namespace {

struct RoadKind {
  std::string_view name;
  double speed;  // km/h, where the way has no maxspeed
};

constexpr std::array<RoadKind, 15> kinds{{{"motorway", 110},
                                          {"motorway_link", 60},
                                          {"trunk", 90},
                                          {"trunk_link", 50},
                                          {"primary", 70},
                                          {"primary_link", 45},
                                          {"secondary", 60},
                                          {"secondary_link", 40},
                                          {"tertiary", 50},
                                          {"tertiary_link", 35},
                                          {"unclassified", 40},
                                          {"road", 40},
                                          {"residential", 30},
                                          {"living_street", 10},
                                          {"service", 15}}};

// From the most specific to the most general: the first that a way has decides.
constexpr std::array<const char*, 4> access_keys{"motorcar", "motor_vehicle", "vehicle", "access"};
constexpr std::array<std::string_view, 8> closed{"no",        "private", "agricultural", "forestry",
                                                 "emergency", "psv",     "bus",          "military"};

std::string_view text(const char* value) { return value == nullptr ? std::string_view() : value; }

template <std::size_t count>
bool is_one_of(const std::array<std::string_view, count>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool may_enter(const TagLookup& tag) {
  for (const char* key : access_keys) {
    if (const char* value = tag(key)) return !is_one_of(closed, value);
  }
  return true;
}

// The speed in km/h; 0 if the text is none.
double speed_of(std::string_view limit) {
  constexpr double walk = 7.0, mile = 1.609344, lowest = 1.0, highest = 300.0;
  if (limit == "walk" || limit.ends_with(":walk")) return walk;
  double number = 0.0;
  const auto [end, code] = std::from_chars(limit.data(), limit.data() + limit.size(), number);
  if (code != std::errc{}) return 0.0;
  std::string_view unit(end, static_cast<std::size_t>(limit.data() + limit.size() - end));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  if (unit == "mph")
    number *= mile;
  else if (!unit.empty() && unit != "km/h" && unit != "kmh")
    return 0.0;
  return number >= lowest && number <= highest ? number : 0.0;
}

void set_directions(const TagLookup& tag, std::string_view kind, CarRoad& road) {
  constexpr std::array<std::string_view, 3> along{"yes", "true", "1"};
  constexpr std::array<std::string_view, 2> against{"-1", "reverse"};
  constexpr std::array<std::string_view, 2> circles{"roundabout", "circular"};
  const char* const oneway = tag("oneway");
  if (oneway == nullptr) {
    road.backward = kind != "motorway" && !is_one_of(circles, text(tag("junction")));
  } else if (is_one_of(along, oneway)) {
    road.backward = false;
  } else if (is_one_of(against, oneway)) {
    road.forward = false;
  }
}

}  // namespace

std::optional<CarRoad> car_road(const TagLookup& tag) {
  const std::string_view name = text(tag("highway"));
  const auto* const kind = std::ranges::find(kinds, name, &RoadKind::name);
  if (kind == kinds.end() || text(tag("area")) == "yes" || !may_enter(tag)) return std::nullopt;
  CarRoad road;
  set_directions(tag, name, road);
  road.speed = speed_of(text(tag("maxspeed")));
  road.speed_given = road.speed > 0.0;
  if (!road.speed_given) road.speed = kind->speed;
  return road;
}

}  // namespace cairn
