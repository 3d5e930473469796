// The nearest of the observations that precede another one, exactly.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "cairn/base/mpi/node_array.hpp"
#include "cairn/base/schedule/execution.hpp"

namespace cairn {

/// Observations in one order for all ranks, held once per node: coordinates (n x columns, row-major) and their places
/// in a random order: one precedes another if its key is smaller.
struct OrderedPoints {
  NodeArray<double> coordinates;
  NodeArray<std::uint64_t> keys;
  Index columns = 0;

  [[nodiscard]] Index count() const { return keys.size(); }
};

/// A tree of boxes around points whose coordinates are divided by lengths. It is held once per node: nanoflann's trees,
/// which are as exact, are held by each rank, and cannot skip what does not precede a point.
///
/// Leaves hold `leaf` points each, the last one fewer; a node halves its leaves at the median of its widest column, and
/// knows its box and its smallest key. The tree is the same on every node and for any number of ranks. Points are found
/// by their places in the tree, in which near points are near each other.
///
/// Memory of a node: n (8 columns + 12) bytes, and a thirtieth of that for the boxes; half as much again while it is
/// built.
class NeighborTree {
 public:
  static constexpr Index leaf = 32;
  static constexpr std::uint64_t all = std::numeric_limits<std::uint64_t>::max();

  /// @throws Error(resource) if the memory of a node is too small. Collective.
  NeighborTree(const Execution& execution, const OrderedPoints& points, std::vector<double> lengths);

  [[nodiscard]] Index count() const { return order_.size(); }
  [[nodiscard]] Index columns() const { return columns_; }
  /// One for each column.
  [[nodiscard]] const std::vector<double>& lengths() const { return lengths_; }
  /// Number, among the points, of the one at a place.
  [[nodiscard]] Index number(Index place) const { return order_[place]; }
  [[nodiscard]] std::uint64_t key(Index place) const { return keys_[place]; }
  /// Coordinate in lengths of the point at a place.
  [[nodiscard]] double coordinate(Index place, Index column) const {
    return values_[(place / leaf * columns_ + column) * leaf + place % leaf];
  }
  /// The part that each column has in the squared distances between near points, by the sides of leaves.
  /// Local.
  [[nodiscard]] std::vector<double> shares() const;
  /// Parts of the places, at most `most_units`, which depend on the points alone: what is added up unit by unit, and
  /// then over units, is the same to the last bit on any number of ranks and threads.
  static constexpr Index most_units = 1024;
  [[nodiscard]] Index units() const { return std::min(leaves(), most_units); }
  [[nodiscard]] Range unit(Index number) const;
  /// The units that a rank works on, and their places.
  [[nodiscard]] Range units_of(int rank, int ranks) const;
  [[nodiscard]] Range range(int rank, int ranks) const;

  /// Workspace of a thread for searches.
  struct Search {
    struct Visit {
      Index node, begin, end;  // leaves
      double squared_distance;
    };
    std::vector<Visit> stack{};
    std::vector<double> squares{};  // of those found, the largest first: a heap
    std::vector<std::int32_t> found{};
  };

  /// The places of the `most` nearest points with keys below `limit`, in no order; fewer if there are fewer. Local.
  /// @param position  coordinates in lengths @param self  a place that is left out, or -1
  [[nodiscard]] std::span<const std::int32_t> nearest(Search& search, const double* position, Index most,
                                                      std::uint64_t limit, Index self = -1) const;

 private:
  [[nodiscard]] Index leaves() const { return (count() + leaf - 1) / leaf; }
  void sort(const Execution& execution, const OrderedPoints& points);
  void fill(const Execution& execution, const OrderedPoints& points);
  void bound();

  Index columns_ = 0;
  std::vector<double> lengths_;
  NodeArray<std::int32_t> order_;
  NodeArray<double> values_;  // leaf by leaf, column by column
  NodeArray<std::uint64_t> keys_;
  // Nodes in the order of a walk in which a parent comes before its children and the left ones before the right ones:
  // boxes, 2 columns numbers each (lower, upper), and smallest keys.
  NodeArray<double> boxes_;
  NodeArray<std::uint64_t> least_keys_;
};

}  // namespace cairn
