// OpenStreetMap extracts in PBF, read by libosmium. Private to graphs.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/osm/car_road.hpp"

namespace cairn {

/// True if the name of a file ends as that of an extract in PBF does: .osm.pbf, .pbf. Local.
[[nodiscard]] inline bool is_osm_name(std::string_view path) { return path.ends_with(".pbf"); }

struct OsmNode {
  Index id = 0;
  std::int32_t x = 0, y = 0;  ///< longitude and latitude in units of 1e-7 degrees
};

struct OsmWay {
  std::span<const Index> nodes;  ///< ids, in order; valid during the call
  const TagLookup& tag;
};

/// An extract. It consists of blocks, which are compressed one by one; each rank reads some of them.
class OsmFile {
 public:
  /// Finds the blocks. @throws Error(input) if the file is missing, no extract in PBF, or cut short, and if this
  /// program was built without libosmium. Collective; `communicator` must outlive the object.
  OsmFile(const Communicator& communicator, std::string path);

  /// Calls way(way) for the ways of this rank's blocks, in order.
  /// @throws Error(input) with the place for a damaged block, on every rank; what `way` throws. Collective; `way` must
  /// not communicate. Memory: the blocks of a group (8 MiB), unpacked.
  void for_each_way(const std::function<void(const OsmWay&)>& way) const;
  /// Likewise for nodes; those without a place are skipped.
  void for_each_node(const std::function<void(const OsmNode&)>& node) const;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  template <class Take>
  void for_each(bool ways, Take take) const;

  const Communicator& communicator_;
  std::string path_;
  std::vector<Index> starts_;  // offsets of all blocks in the file; at last its size
};

}  // namespace cairn
