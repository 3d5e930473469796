#include "cairn/data/graph/osm_roads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/data/ask_owners.hpp"
#include "cairn/data/graph/graph_assembly.hpp"
#include "cairn/data/great_circle.hpp"
#include "cairn/data/osm/car_road.hpp"
#include "cairn/data/osm/osm_file.hpp"
#include "cairn/data/osm/osm_places.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

// Consecutive nodes [nodes.begin, nodes.end) of a way.
struct Stretch {
  Range nodes;
  CarRoad road;
};

// The ways of this rank for cars.
struct CarWays {
  std::vector<Index> ids;  // of their nodes, way after way
  std::vector<Stretch> ways;
};

CarWays read_car_ways(const OsmFile& file) {
  CarWays found;
  file.for_each_way([&](const OsmWay& way) {
    const auto road = car_road(way.tag);
    if (!road) return;
    const Index begin = std::ssize(found.ids);
    for (const Index id : way.nodes) {
      if (id < 0) {
        throw Error(ErrorKind::input, fmt::format("{}: node {} has a negative id, as before an upload; osmium renumber "
                                                  "gives nodes new ids",
                                                  file.path(), id));
      }
      if (std::ssize(found.ids) == begin || found.ids.back() != id) found.ids.push_back(id);
    }
    found.ways.push_back({{begin, std::ssize(found.ids)}, *road});
  });
  return found;
}

// One value per node of the ways, of its owner.
template <class T>
std::vector<T> in_order(const Answers<T>& answers, std::span<const Index> nodes, const RowPartition& partition) {
  std::vector<std::size_t> next(answers.size(), 0);
  std::vector<T> values;
  values.reserve(nodes.size());
  for (const Index node : nodes) {
    const auto owner = static_cast<std::size_t>(partition.owner(node));
    values.push_back(answers[owner][next[owner]++]);
  }
  return values;
}

// The parts of the ways whose nodes have places.
std::vector<Stretch> cut_at_unknown(const std::vector<Stretch>& ways, const std::vector<OsmPlace>& places) {
  std::vector<Stretch> parts;
  for (const Stretch& way : ways) {
    Index begin = way.nodes.begin;
    for (Index k = begin; k <= way.nodes.end; ++k) {
      if (k < way.nodes.end && places[k].known()) continue;
      if (k - begin > 1) parts.push_back({{begin, k}, way.road});
      begin = k + 1;
    }
  }
  return parts;
}

// Nodes of the ways by number, this rank's owned ones among them.
class Uses {
 public:
  Uses(const Communicator& communicator, const RowPartition& partition)
      : communicator_(communicator), partition_(partition) {}

  // True for each node of the stretches that is a vertex; nodes outside of them have any value. Collective.
  std::vector<char> vertices(std::span<const Index> nodes, const std::vector<Stretch>& stretches) {
    std::vector<std::vector<Index>> sent(communicator_.size());  // 2 node, + 1 at an end of a way
    for (const Stretch& stretch : stretches) {
      for (Index k = stretch.nodes.begin; k < stretch.nodes.end; ++k) {
        const bool is_end = k == stretch.nodes.begin || k + 1 == stretch.nodes.end;
        sent[partition_.owner(nodes[k])].push_back(2 * nodes[k] + Index{is_end});
      }
    }
    const auto answers = communicator_.exchange(answer(communicator_.exchange(sent)));
    std::vector<char> found(nodes.size(), 0);
    std::vector<std::size_t> next(answers.size(), 0);
    for (const Stretch& stretch : stretches) {
      for (Index k = stretch.nodes.begin; k < stretch.nodes.end; ++k) {
        const auto owner = static_cast<std::size_t>(partition_.owner(nodes[k]));
        found[k] = answers[owner][next[owner]++];
      }
    }
    return found;
  }

  // Nodes that are no vertices. Collective.
  [[nodiscard]] Index contracted() const {
    return communicator_.sum(static_cast<Index>(std::ranges::count(uses_, char{1})));
  }

 private:
  std::vector<std::vector<char>> answer(const std::vector<std::vector<Index>>& received) {
    const Range own = partition_.range(communicator_.rank());
    uses_.assign(own.size(), 0);  // 2: an end, or used more than once
    for (const auto& part : received) {
      for (const Index use : part) {
        char& uses = uses_[use / 2 - own.begin];
        uses = uses > 0 || use % 2 == 1 ? 2 : 1;
      }
    }
    std::vector<std::vector<char>> answers;
    for (const auto& part : received) {
      std::vector<char>& list = answers.emplace_back();
      list.reserve(part.size());
      for (const Index use : part) list.push_back(uses_[use / 2 - own.begin] == 2);
    }
    return answers;
  }

  const Communicator& communicator_;
  const RowPartition& partition_;
  std::vector<char> uses_;
};

double length_of(double meters, const CarRoad& road, RoadMeasure measure) {
  constexpr double each = 10.0, hour = 3600.0, kilometer = 1000.0;  // tenths
  const double exact = measure == RoadMeasure::distance ? meters : meters / (road.speed * kilometer / hour);
  return std::max(1.0, std::round(each * exact));
}

// Adds the arcs of a stretch. @param is_vertex  empty: all nodes are vertices
void add_arcs(const Stretch& stretch, std::span<const Index> ids, const std::vector<OsmPlace>& places,
              const std::vector<char>& is_vertex, RoadMeasure measure, OsmRoads& roads) {
  Index last = stretch.nodes.begin;  // the last vertex
  double meters = 0.0;
  for (Index k = last + 1; k < stretch.nodes.end; ++k) {
    const OsmPlace &a = places[k - 1], &b = places[k];
    const double piece = great_circle(a.longitude(), a.latitude(), b.longitude(), b.latitude());
    meters += piece;
    roads.meters += piece;
    if (stretch.road.speed_given) roads.meters_with_speed += piece;
    if (!is_vertex.empty() && is_vertex[k] == 0) continue;
    const CarRoad& road = stretch.road;
    RoadArc arc{ids[last], ids[k], length_of(meters, road, measure), road.forward && road.backward};
    if (!road.forward) std::swap(arc.from, arc.to);
    roads.arcs.push_back(arc);
    last = k;
    meters = 0.0;
  }
}

}  // namespace

OsmRoads read_osm_roads(const Communicator& communicator, const std::string& path, const RoadChoice& choice) {
  const OsmFile file(communicator, path);
  const CarWays ways = read_car_ways(file);
  OsmRoads roads;
  roads.ways = communicator.sum(std::ssize(ways.ways));
  if (roads.ways == 0) {
    throw Error(ErrorKind::input, path + ": has no roads for cars: no way has highway = motorway, ..., service");
  }
  EdgeList numbered;
  numbered.ends = collectively(communicator, [&] { return ways.ids; });
  const std::vector<Index> own_ids = compact_ends(communicator, numbered);
  const std::span<const Index> nodes = numbered.ends;
  const RowPartition partition(communicator.sum(std::ssize(own_ids)), communicator.size());
  const std::vector<OsmPlace> own_places = read_osm_places(communicator, file, own_ids, partition);
  roads.missing = communicator.sum(
      static_cast<Index>(std::ranges::count_if(own_places, [](const OsmPlace& place) { return !place.known(); })));
  const Index first = partition.range(communicator.rank()).begin;
  const auto answers = ask_owners<OsmPlace>(communicator, partition, nodes, [&](std::span<const Index> asked) {
    std::vector<OsmPlace> list;
    list.reserve(asked.size());
    for (const Index node : asked) list.push_back(own_places[node - first]);
    return list;
  });
  const std::vector<OsmPlace> places = collectively(communicator, [&] { return in_order(answers, nodes, partition); });
  const std::vector<Stretch> stretches = collectively(communicator, [&] { return cut_at_unknown(ways.ways, places); });
  std::vector<char> is_vertex;
  if (choice.contract) {
    Uses uses(communicator, partition);
    is_vertex = uses.vertices(nodes, stretches);
    roads.contracted = uses.contracted();
  }
  collectively(communicator, [&] {
    for (const Stretch& stretch : stretches) {
      add_arcs(stretch, ways.ids, places, is_vertex, choice.measure, roads);
    }
  });
  roads.meters = communicator.sum(roads.meters);
  roads.meters_with_speed = communicator.sum(roads.meters_with_speed);
  return roads;
}

std::vector<std::string> notes_of(const OsmRoads& roads, const RoadChoice& choice, bool weighted,
                                  const KeyNames& keys) {
  std::string lengths = "lengths are decimeters";
  if (choice.measure == RoadMeasure::time) {
    lengths = fmt::format(
        "lengths are tenths of a second; {:.3g} % of the road length has its own maxspeed, speeds of "
        "the rest are those of the kind of road",
        100.0 * roads.meters_with_speed / std::max(roads.meters, 1.0));
  }
  std::vector<std::string> notes{
      fmt::format("{} ways of {:.4g} km are roads for cars{}; turn restrictions and barriers "
                  "are ignored",
                  grouped(roads.ways), roads.meters / 1000.0, weighted ? ", " + lengths : std::string())};
  if (roads.contracted > 0) {
    notes.push_back(
        fmt::format("{} nodes that only give roads their shape are no vertices ({} = false makes them "
                    "vertices)",
                    grouped(roads.contracted), keys("contract")));
  }
  if (roads.missing > 0) {
    notes.push_back(
        fmt::format("{} nodes of roads are not in the file, as beyond the edge of an extract: roads are cut "
                    "there",
                    grouped(roads.missing)));
  }
  return notes;
}

}  // namespace cairn
