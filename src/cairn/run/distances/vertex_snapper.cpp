#include "cairn/run/distances/vertex_snapper.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nanoflann.hpp>
#include <numbers>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/great_circle.hpp"

namespace cairn {

namespace {

using Place = std::array<double, 3>;

Place on_sphere(double longitude, double latitude) {
  constexpr double radian = std::numbers::pi / 180.0;
  const double across = std::cos(latitude * radian);
  return {across * std::cos(longitude * radian), across * std::sin(longitude * radian), std::sin(latitude * radian)};
}

Place place_of(double x, double y, bool degrees) { return degrees ? on_sphere(x, y) : Place{x, y, 0.0}; }

// In the form that nanoflann needs.
struct Places {
  std::vector<Place> all;

  [[nodiscard]] std::size_t kdtree_get_point_count() const { return all.size(); }
  [[nodiscard]] double kdtree_get_pt(std::size_t place, std::size_t axis) const { return all[place][axis]; }
  template <class Box>
  bool kdtree_get_bbox(Box& /*box*/) const {
    return false;
  }
};

// The nearest place so far; of several the first.
class Nearest {
 public:
  // Slightly beyond the least distance, so that equally distant places are offered.
  [[nodiscard]] double worstDist() const {
    constexpr double slack = 1e-12;
    return squared_ + slack * squared_ + std::numeric_limits<double>::min();
  }
  [[nodiscard]] bool full() const { return true; }
  bool addPoint(double squared, std::uint32_t place) {
    if (squared < squared_ || (squared == squared_ && place < place_)) {
      squared_ = squared;
      place_ = place;
    }
    return true;
  }
  [[nodiscard]] double squared() const { return squared_; }
  [[nodiscard]] Index place() const { return place_; }

 private:
  double squared_ = std::numeric_limits<double>::max();
  std::uint32_t place_ = std::numeric_limits<std::uint32_t>::max();
};

}  // namespace

struct VertexSnapper::Tree {
  using Metric = nanoflann::L2_Simple_Adaptor<double, Places, double, std::uint32_t>;
  using Index3 = nanoflann::KDTreeSingleIndexAdaptor<Metric, Places, 3, std::uint32_t>;

  explicit Tree(Places own) : places(std::move(own)), tree(3, places) {}

  Places places;
  Index3 tree;
};

VertexSnapper::VertexSnapper(const Communicator& communicator, RowBlock<double> positions, bool degrees)
    : communicator_(communicator), positions_(std::move(positions)), degrees_(degrees) {
  constexpr double most_longitude = 180.0, most_latitude = 90.0;
  collectively(communicator, [&] {
    Places own;
    for (Index v = positions_.range().begin; v < positions_.range().end; ++v) {
      const auto row = positions_.row(v);
      if (degrees && (std::abs(row[0]) > most_longitude || std::abs(row[1]) > most_latitude)) {
        throw Error(ErrorKind::input,
                    fmt::format("a vertex is at longitude {} and latitude {}: these are no degrees", row[0], row[1]));
      }
      own.all.push_back(place_of(row[0], row[1], degrees));
    }
    tree_ = std::make_unique<Tree>(std::move(own));
  });
}

VertexSnapper::~VertexSnapper() = default;

Snaps VertexSnapper::snap(std::span<const std::array<double, 2>> points, int threads) const {
  constexpr Index nobody = std::numeric_limits<Index>::max();
  const auto count = std::ssize(points);
  Snaps snaps;
  std::vector<double> squared, own_squared;
  collectively(communicator_, [&] {
    snaps.vertices.assign(points.size(), nobody);
    own_squared.assign(points.size(), std::numeric_limits<double>::max());
    if (tree_->places.all.empty()) return;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 256)
    for (Index k = 0; k < count; ++k) {
      const Place place = place_of(points[k][0], points[k][1], degrees_);
      Nearest nearest;
      tree_->tree.findNeighbors(nearest, place.data(), nanoflann::SearchParams());
      own_squared[k] = nearest.squared();
      snaps.vertices[k] = positions_.range().begin + nearest.place();
    }
  });
  squared = own_squared;
  communicator_.minimum(std::span(squared));
  for (Index k = 0; k < count; ++k) {
    if (own_squared[k] > squared[k]) snaps.vertices[k] = nobody;
  }
  communicator_.minimum(std::span(snaps.vertices));
  snaps.distances.assign(points.size(), 0.0);
  for (Index k = 0; k < count; ++k) {
    if (!positions_.range().contains(snaps.vertices[k])) continue;
    const auto row = positions_.row(snaps.vertices[k]);
    snaps.distances[k] = degrees_ ? great_circle(points[k][0], points[k][1], row[0], row[1])
                                  : std::hypot(points[k][0] - row[0], points[k][1] - row[1]);
  }
  communicator_.sum(std::span(snaps.distances));
  return snaps;
}

}  // namespace cairn
