#include "cairn/data/graph/graph_generator.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/random.hpp"

namespace cairn {

namespace {

// An edge is addressed by its smaller vertex and its direction.
enum Direction : std::uint64_t { right = 0, down = 1 };

class Grid {
 public:
  Grid(Index side, double removed, std::uint64_t seed)
      : side_(side), removed_(removed), random_(seed, Stream::generator) {}

  // Neighbours ascend: above, left, right, below.
  void append_neighbours(Index v, std::vector<Index>& neighbours) const {
    const Index column = v % side_;
    if (v >= side_ && stays(v - side_, down)) neighbours.push_back(v - side_);
    if (column > 0 && stays(v - 1, right)) neighbours.push_back(v - 1);
    if (column + 1 < side_ && stays(v, right)) neighbours.push_back(v + 1);
    if (v + side_ < side_ * side_ && stays(v, down)) neighbours.push_back(v + side_);
  }

 private:
  [[nodiscard]] bool stays(Index v, Direction direction) const {
    return removed_ == 0.0 || random_.uniform(static_cast<std::uint64_t>(v), direction) >= removed_;
  }
  Index side_;
  double removed_;
  Random random_;
};

Index square_side(Index points) {
  auto side = static_cast<Index>(std::sqrt(static_cast<double>(points)));
  while (side * side > points) --side;
  while ((side + 1) * (side + 1) <= points) ++side;
  return side;
}

void check(const GraphSource& source) {
  if (source.generator != "grid") {
    throw Error(ErrorKind::usage, fmt::format("{}: '{}' is not known for a graph; there is grid",
                                              source.keys("generate"), source.generator));
  }
  constexpr Index most = Index{1} << 60;  // beyond all memory, and squares still fit
  if (source.points < 1 || source.points > most) {
    throw Error(ErrorKind::usage, fmt::format("{} must be 1 to 2^60, not {}", source.keys("points"), source.points));
  }
  if (!(source.removed >= 0.0 && source.removed < 1.0)) {
    throw Error(ErrorKind::usage, fmt::format("{} must be in [0, 1), not {}", source.keys("removed"), source.removed));
  }
}

}  // namespace

Graph generate_graph(const Communicator& communicator, const GraphSource& source) {
  return collectively(communicator, [&] {
    check(source);
    const Index side = square_side(source.points);
    const RowPartition partition(side * side, communicator.size());
    const Range own = partition.range(communicator.rank());
    const Grid grid(side, source.removed, source.seed);
    std::vector<Index> starts{0};
    std::vector<Index> neighbours;
    starts.reserve(static_cast<std::size_t>(own.size()) + 1);
    for (Index v = own.begin; v < own.end; ++v) {
      grid.append_neighbours(v, neighbours);
      starts.push_back(static_cast<Index>(neighbours.size()));
    }
    return Graph(partition, communicator.rank(), std::move(starts), std::move(neighbours), {});
  });
}

}  // namespace cairn
