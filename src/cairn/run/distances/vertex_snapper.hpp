// The vertex that is nearest to a point.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/linalg/tall/row_block.hpp"

namespace cairn {

/// Nearest vertices of points.
struct Snaps {
  std::vector<Index> vertices;
  std::vector<double> distances;  ///< meters along great circles if coordinates are degrees, else in their units
};

/// Finds nearest vertices; each rank searches its own in a k-d tree. Degrees are taken as places on the unit sphere in
/// three dimensions, where poles and the date line are as all other places.
class VertexSnapper {
 public:
  /// @param positions  of the vertices, as read_positions() returns them; a third coordinate is ignored
  /// @param degrees  the first two are longitude and latitude
  /// @throws Error(input) for a latitude outside of -90 to 90 or a longitude outside of -180 to 180. Collective;
  /// `communicator` must outlive the object. Memory: 48 bytes per vertex of this rank.
  VertexSnapper(const Communicator& communicator, RowBlock<double> positions, bool degrees);
  ~VertexSnapper();
  VertexSnapper(const VertexSnapper&) = delete;
  VertexSnapper& operator=(const VertexSnapper&) = delete;

  /// The vertex nearest to each point; of several that are equally near the one with the smallest number. The result is
  /// the same on every rank, and on any number of ranks. @param points  the same on every rank @param threads  of this
  /// rank. Collective.
  [[nodiscard]] Snaps snap(std::span<const std::array<double, 2>> points, int threads) const;

 private:
  struct Tree;
  const Communicator& communicator_;
  RowBlock<double> positions_;
  bool degrees_;
  std::unique_ptr<Tree> tree_;
};

}  // namespace cairn
