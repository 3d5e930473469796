#include "cairn/data/osm/osm_places.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/node_array.hpp"

namespace cairn {

std::vector<OsmPlace> read_osm_places(const Communicator& communicator, const OsmFile& file, std::span<const Index> ids,
                                      const RowPartition& partition) {
  struct Found {
    Index number;  // among the nodes that are wanted
    OsmPlace place;
  };
  const NodeArray<Index> wanted = replicate_on_nodes(communicator, ids);
  const std::span<const Index> all = wanted.values();
  std::vector<std::vector<Found>> to(communicator.size());
  auto next = all.begin();  // nodes ascend in most files
  file.for_each_node([&](const OsmNode& node) {
    if (next == all.end() || *next > node.id || (next != all.begin() && *(next - 1) >= node.id)) next = all.begin();
    next = std::lower_bound(next, all.end(), node.id);
    if (next == all.end() || *next != node.id) return;
    const Index number = next - all.begin();
    to[partition.owner(number)].push_back({number, {node.x, node.y}});
  });
  const auto received = communicator.exchange(to);
  return collectively(communicator, [&] {
    const Range own = partition.range(communicator.rank());
    std::vector<OsmPlace> places(own.size());
    for (const auto& part : received) {
      for (const Found& found : part) {
        OsmPlace& place = places[found.number - own.begin];
        if (place.known() && !(place == found.place)) {
          throw Error(ErrorKind::input, fmt::format("{}: node {} is there twice, at different places", file.path(),
                                                    ids[found.number - own.begin]));
        }
        place = found.place;
      }
    }
    return places;
  });
}

}  // namespace cairn
