// Places of nodes in an OpenStreetMap extract. Private to graphs.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/data/osm/osm_file.hpp"

namespace cairn {

/// Longitude and latitude of a node in units of 1e-7 degrees.
struct OsmPlace {
  static constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();
  static constexpr double unit = 1e-7;
  std::int32_t x = none, y = none;

  [[nodiscard]] bool known() const { return x != none; }
  [[nodiscard]] double longitude() const { return x * unit; }
  [[nodiscard]] double latitude() const { return y * unit; }
  friend bool operator==(const OsmPlace&, const OsmPlace&) = default;
};

/// The places of nodes; those that the file does not have are not known().
/// @param ids  of the nodes that this rank owns in `partition`, ascending over all ranks
/// @throws Error(input) as OsmFile, and for a node that is there twice at different places. Collective. Memory: 8 bytes
/// per node of all ranks once per node of the machine, and 24 bytes per node of this rank.
[[nodiscard]] std::vector<OsmPlace> read_osm_places(const Communicator& communicator, const OsmFile& file,
                                                    std::span<const Index> ids, const RowPartition& partition);

}  // namespace cairn
