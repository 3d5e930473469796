// The road network for cars in an OpenStreetMap extract. Private to this folder.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// What the lengths of roads are: integers, since path lengths of integers are exact and take the fewest bits.
enum class RoadMeasure {
  distance,  ///< decimeters along great circles
  time       ///< tenths of a second, by maxspeed or the kind of road
};

/// Choices for the roads of an extract.
struct RoadChoice {
  RoadMeasure measure = RoadMeasure::distance;
  bool contract = true;  ///< nodes that only give ways their shape are no vertices
};

/// A piece of a way between two vertices, by the ids of their nodes. It leads from `from` to `to`; `both`: also back.
struct RoadArc {
  Index from = 0, to = 0;
  double length = 1.0;
  bool both = true;
};

/// The arcs of this rank's ways, and counts over all ranks.
struct OsmRoads {
  std::vector<RoadArc> arcs;
  Index ways = 0;        ///< for cars
  Index contracted = 0;  ///< nodes
  Index missing = 0;     ///< nodes that ways name and the file does not have: ways are cut there
  double meters = 0.0, meters_with_speed = 0.0;  ///< length of all ways, and of those with a maxspeed that was used
};

/// Reads ways, then the places of their nodes. A node is a vertex if it is an end of a way or occurs in ways more than
/// once, or always without `choice.contract`. An arc has the summed length of the pieces between its vertices, rounded,
/// and 1 at least. Turn restrictions and barriers are ignored.
/// @throws Error(input) as OsmFile; if there is no way for cars, or a node has a negative id. Collective. Memory: 24
/// bytes per node of this rank's ways, and 8 bytes per node of all ways once per node of the machine.
[[nodiscard]] OsmRoads read_osm_roads(const Communicator& communicator, const std::string& path,
                                      const RoadChoice& choice);

/// Sentences on what was made of the extract. @param weighted  lengths are used @param keys  names of measure and
/// contract. Local.
[[nodiscard]] std::vector<std::string> notes_of(const OsmRoads& roads, const RoadChoice& choice, bool weighted,
                                                const KeyNames& keys);

}  // namespace cairn
