#include "cairn/operator/nearest_neighbors.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nanoflann.hpp>
#include <optional>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/index.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/node_array.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/progress.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/linalg/dense/local_blas.hpp"
#include "cairn/linalg/library_limits.hpp"

namespace cairn {

namespace {

// The nearest points found so far, for many points at once.

// A point and its squared distance. Of two equally distant points, the one with the lower number counts as nearer.
struct NearPoint {
  double squared_distance = 0.0;
  std::int32_t index = 0;
  friend bool operator<(const NearPoint& a, const NearPoint& b) {
    return a.squared_distance < b.squared_distance || (a.squared_distance == b.squared_distance && a.index < b.index);
  }
};

// For each of `points` points, the `each` nearest of the candidates offered, whatever their order.
class NeighborLists {
 public:
  NeighborLists(Index points, Index each)
      : each_(each), entries_(static_cast<std::size_t>(points * each)), counts_(static_cast<std::size_t>(points), 0) {}

  /// Largest distance worth offering: infinite until the list is full.
  [[nodiscard]] double worst(Index point) const {
    return counts_[point] < each_ ? std::numeric_limits<double>::infinity() : last(point).squared_distance;
  }
  [[nodiscard]] bool full(Index point) const { return counts_[point] == each_; }

  /// Different threads may work on different points.
  void offer(Index point, NearPoint candidate) {
    Index& count = counts_[point];
    if (count == each_ && !(candidate < last(point))) return;
    NearPoint* first = entries_.data() + point * each_;
    NearPoint* end = first + (count == each_ ? count - 1 : count++);
    NearPoint* place = std::upper_bound(first, end, candidate);
    std::move_backward(place, end, end + 1);
    *place = candidate;
  }

  /// All entries, list by list, nearest first. Every list must be full.
  [[nodiscard]] const std::vector<NearPoint>& entries() const { return entries_; }

 private:
  [[nodiscard]] const NearPoint& last(Index point) const { return entries_[(point + 1) * each_ - 1]; }

  Index each_;
  std::vector<NearPoint> entries_;
  std::vector<Index> counts_;
};

// |x - y|², summed in the order of the coordinates: the same bits wherever it is computed, also with x and y swapped.
template <class T>
[[nodiscard]] double squared_distance(const T* x, const T* y, Index dimension) {
  double sum = 0.0;
  for (Index k = 0; k < dimension; ++k) {
    const double difference = static_cast<double>(x[k]) - static_cast<double>(y[k]);
    sum += difference * difference;
  }
  return sum;
}

// --- k-d tree

// All points in the form that nanoflann needs. Its coordinates are doubles: distances are squared_distance()'s.
template <class T>
struct TreePoints {
  const T* coordinates;
  Index points, dimension;

  [[nodiscard]] std::size_t kdtree_get_point_count() const { return static_cast<std::size_t>(points); }
  [[nodiscard]] double kdtree_get_pt(std::size_t point, std::size_t k) const {
    return static_cast<double>(coordinates[static_cast<Index>(point) * dimension + static_cast<Index>(k)]);
  }
  template <class Box>
  bool kdtree_get_bbox(Box& /*box*/) const {
    return false;
  }
};

// Results of a tree search for one point.
class TreeFindings {
 public:
  TreeFindings(NeighborLists& lists, Index own, std::int32_t self) : lists_(lists), own_(own), self_(self) {}

  // The tree skips points that are not below this bound. It slightly exceeds the worst distance, so that equally
  // distant points are offered, as well as those that rounding in the tree's own bounds puts beyond.
  [[nodiscard]] double worstDist() const {
    constexpr double slack = 1e-12;
    const double worst = lists_.worst(own_);
    return worst + slack * worst + std::numeric_limits<double>::min();
  }
  [[nodiscard]] bool full() const { return lists_.full(own_); }
  bool addPoint(double squared, std::uint32_t point) {
    const auto index = static_cast<std::int32_t>(point);
    if (index != self_) lists_.offer(own_, {squared, index});
    return true;
  }

 private:
  NeighborLists& lists_;
  Index own_;
  std::int32_t self_;
};

template <class T>
void search_tree(const Execution& execution, const RowBlock<T>& points, NeighborLists& lists) {
  const Communicator& communicator = execution.communicator;
  const Index dimension = points.columns();
  const Range own = points.range();
  const MatrixView<const T> mine = points.local();
  const NodeArray<T> all =
      replicate_on_nodes(communicator, std::span<const T>(mine.data, static_cast<std::size_t>(own.size() * dimension)));
  collectively(communicator, [&] {
    const TreePoints<T> source{all.values().data(), points.rows(), dimension};
    using Metric = nanoflann::L2_Simple_Adaptor<double, TreePoints<T>, double, std::uint32_t>;
    using Tree = nanoflann::KDTreeSingleIndexAdaptor<Metric, TreePoints<T>, -1, std::uint32_t>;
    const Tree tree(static_cast<typename Tree::Dimension>(dimension), source);
    Progress progress("nearest neighbors", own.size(), communicator.is_root(), "points/s a rank");
    constexpr Index batch = 16384;
    for (Index first = own.begin; first < own.end; first += batch) {
      const Index end = std::min(first + batch, own.end);
#pragma omp parallel for num_threads(execution.threads) schedule(dynamic, 64)
      for (Index point = first; point < end; ++point) {
        std::vector<double> position(dimension);
        std::copy_n(mine.row(point - own.begin), dimension, position.begin());
        TreeFindings findings(lists, point - own.begin, static_cast<std::int32_t>(point));
        tree.findNeighbors(findings, position.data(), nanoflann::SearchParams());
      }
      progress.advance(end - first);
      Watchdog::beat();
    }
  });
}

// --- matrix products

// Rows of points in double precision with their squared norms.
struct NormedRows {
  std::vector<double> coordinates, norms;

  template <class T>
  void take(const T* values, Index rows, Index dimension) {
    coordinates.assign(values, values + rows * dimension);
    norms.resize(rows);
    for (Index i = 0; i < rows; ++i) {
      double sum = 0.0;
      for (Index k = 0; k < dimension; ++k) {
        const auto value = static_cast<double>(values[i * dimension + k]);
        sum += value * value;
      }
      norms[i] = sum;
    }
  }
};

// Workspace of a thread.
struct TileScratch {
  NormedRows rows;
  std::vector<double> products;
};

constexpr Index own_tile = 256;     // rows of a product
constexpr Index other_tile = 1024;  // columns of it, and points that are broadcast at once

// |x|² + |y|² - 2 x.y has an error of at most (4 d + 8) u (|x|² + |y|²), u the unit roundoff, and so has the sum of
// squares that it is compared with: possible nearest points are measured again, by squared_distance.
double rounding(Index dimension) {
  return static_cast<double>(4 * dimension + 16) * std::numeric_limits<double>::epsilon();
}

// Compares own points of `range` (local numbers) with `count` others, which start at number `first_other`.
template <class T>
void compare_tile(const MatrixView<const T>& mine, Index first_own, Range range, const T* others,
                  const NormedRows& normed, Index first_other, TileScratch& scratch, NeighborLists& lists) {
  const Index dimension = mine.columns;
  const auto count = static_cast<Index>(normed.norms.size());
  auto& [rows, products] = scratch;
  rows.take(mine.row(range.begin), range.size(), dimension);
  products.resize(range.size() * count);
  const auto d = static_cast<int>(dimension);  // compare_all has checked that it fits; rows and columns are a tile's
  blas::gemm('T', 'N', static_cast<int>(count), static_cast<int>(range.size()), d, -2.0, normed.coordinates.data(), d,
             rows.coordinates.data(), d, 0.0, products.data(), static_cast<int>(count));
  const double share = 1.0 - rounding(dimension);
  for (Index i = range.begin; i < range.end; ++i) {
    const double* row = products.data() + (i - range.begin) * count;
    const double norm = rows.norms[i - range.begin] * share;
    double worst = lists.worst(i);
    for (Index b = 0; b < count; ++b) {
      // False for a NaN, which is therefore measured and so detected.
      if (norm + normed.norms[b] * share + row[b] > worst) continue;
      if (first_other + b == first_own + i) continue;
      const double squared = squared_distance(mine.row(i), others + b * dimension, dimension);
      lists.offer(i, {squared, static_cast<std::int32_t>(first_other + b)});
      worst = lists.worst(i);
    }
  }
}

template <class T>
void compare_all(const Execution& execution, const RowBlock<T>& points, NeighborLists& lists) {
  const Communicator& communicator = execution.communicator;
  const Index dimension = points.columns();
  const Range own = points.range();
  static_cast<void>(to_library_int(dimension, "coordinates of a point"));
  const MatrixView<const T> mine = points.local();
  const Index tiles = (own.size() + own_tile - 1) / own_tile;
  const BlasThreads single(1);
  Progress progress("nearest neighbors", points.rows(), communicator.is_root(), "points/s a rank");
  std::vector<T> others;
  NormedRows normed;
  std::vector<TileScratch> scratch(execution.threads);
  for (int owner = 0; owner < communicator.size(); ++owner) {
    const Range theirs = points.partition().range(owner);
    for (Index first = theirs.begin; first < theirs.end; first += other_tile) {
      const Index count = std::min(other_tile, theirs.end - first);
      others.resize(count * dimension);
      if (owner == communicator.rank()) std::copy_n(mine.row(first - own.begin), count * dimension, others.begin());
      communicator.broadcast(std::span(others), owner);
      normed.take(others.data(), count, dimension);
#pragma omp parallel for num_threads(execution.threads) schedule(dynamic, 1)
      for (Index tile = 0; tile < tiles; ++tile) {
        const Range range{tile * own_tile, std::min((tile + 1) * own_tile, own.size())};
        compare_tile<T>(mine, own.begin, range, others.data(), normed, first, scratch[omp_get_thread_num()], lists);
      }
      progress.advance(count);
      Watchdog::beat();
    }
  }
}

}  // namespace

NeighborSearchBytes neighbor_search_bytes(Index points, Index own, Index dimension, Index each, Index value_bytes,
                                          int threads) {
  constexpr Index neighbor_bytes = 16, tree_bytes = 20;
  const Index lists = own * each * neighbor_bytes;
  if (dimension <= tree_dimension) return {lists + tree_bytes * points, points * dimension * value_bytes};
  const Index of_thread = own_tile * (dimension + other_tile) * static_cast<Index>(sizeof(double));
  return {lists + std::min(other_tile, points) * dimension * (value_bytes + static_cast<Index>(sizeof(double))) +
              threads * of_thread,
          0};
}

namespace {

// Detects points that differ although their squared distances are 0 in double precision. Collective.
template <class T>
void require_squares_in_range(const Communicator& communicator, const RowBlock<T>& points, const NeighborKeys& keys) {
  constexpr double least = 1e-280;  // its rounding errors are still normal numbers
  double spread = 0.0;
  std::vector<double> first(points.columns());
  if (points.range().contains(0)) std::ranges::copy(points.row(0), first.begin());
  communicator.broadcast(std::span(first), points.partition().owner(0));
  for (Index i = points.range().begin; i < points.range().end; ++i) {
    const std::span<const T> point = points.row(i);
    for (std::size_t k = 0; k < point.size(); ++k) {
      spread = std::max(spread, std::abs(static_cast<double>(point[k]) - first[k]));
    }
  }
  spread = communicator.maximum(spread);
  if (spread == 0.0 || spread * spread > least) return;
  throw Error(
      ErrorKind::numeric,
      fmt::format("the points differ by at most {:.1e}, so that their squared distances underflow; scale the data ({})",
                  spread, keys.data("scaling")));
}

// A list that is not full, or a distance that is not finite, can only come from overflow.
NearestNeighbors finished(const NeighborLists& lists, Range own, Index each, const NeighborKeys& keys) {
  NearestNeighbors result;
  result.each = each;
  result.indices.reserve(lists.entries().size());
  result.squared_distances.reserve(lists.entries().size());
  for (Index i = 0; i < own.size(); ++i) {
    if (!lists.full(i) || !std::isfinite(lists.worst(i))) {
      throw Error(ErrorKind::numeric,
                  fmt::format("the squared distances of point {} to its nearest neighbors are beyond the range of "
                              "numbers; scale the data ({})",
                              own.begin + i, keys.data("scaling")));
    }
  }
  for (const NearPoint& neighbor : lists.entries()) {
    result.indices.push_back(neighbor.index);
    result.squared_distances.push_back(neighbor.squared_distance);
  }
  return result;
}

}  // namespace

template <class T>
NearestNeighbors nearest_neighbors(const Execution& execution, const PointSet<T>& points, Index each,
                                   NeighborSearch search, const NeighborKeys& keys) {
  if (points.size() == 1) throw Error(ErrorKind::usage, "a single point has no neighbors to make an operator from");
  if (each < 1 || each >= points.size()) {
    throw Error(ErrorKind::usage,
                fmt::format("{} neighbors are asked for ({}), but each of the "
                            "{} points has {} others; give a number from 1 to {}",
                            each, keys.own("neighbours"), points.size(), points.size() - 1, points.size() - 1));
  }
  if (points.size() > std::numeric_limits<std::int32_t>::max()) {
    throw Error(ErrorKind::resource,
                fmt::format("{} points are more than an operator has room for, 2^31 - 1", points.size()));
  }
  std::optional<RowBlock<T>> all;
  if (points.is_sparse()) {
    all = points.all_coordinates(execution.communicator);
    note_all_coordinates(execution.communicator, points, "nearest neighbors");
  }
  const RowBlock<T>& coordinates = all ? *all : points.coordinates();
  require_squares_in_range(execution.communicator, coordinates, keys);
  NeighborLists lists =
      collectively(execution.communicator, [&] { return NeighborLists(points.range().size(), each); });
  const bool few_dimensions = points.dimension() <= tree_dimension;
  if (search == NeighborSearch::tree || (search == NeighborSearch::automatic && few_dimensions)) {
    search_tree(execution, coordinates, lists);
  } else {
    compare_all(execution, coordinates, lists);
  }
  return collectively(execution.communicator, [&] { return finished(lists, points.range(), each, keys); });
}

template NearestNeighbors nearest_neighbors(const Execution&, const PointSet<float>&, Index, NeighborSearch,
                                            const NeighborKeys&);
template NearestNeighbors nearest_neighbors(const Execution&, const PointSet<double>&, Index, NeighborSearch,
                                            const NeighborKeys&);

}  // namespace cairn
