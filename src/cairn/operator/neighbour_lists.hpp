// The nearest points found so far, for many points at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// A point and how far it is. Of two that are equally far the one with the lower number is nearer.
struct NearPoint {
  double squared_distance = 0.0;
  std::int32_t index = 0;
  friend bool operator<(const NearPoint& a, const NearPoint& b) {
    return a.squared_distance < b.squared_distance || (a.squared_distance == b.squared_distance && a.index < b.index);
  }
};

/// For each of `points` points the `each` nearest of those that were offered, in any order of offering.
class NeighbourLists {
 public:
  NeighbourLists(Index points, Index each)
      : each_(each), entries_(static_cast<std::size_t>(points * each)), counts_(static_cast<std::size_t>(points), 0) {}

  /// Farther points need not be offered: infinite until the list is full.
  [[nodiscard]] double worst(Index point) const {
    return counts_[static_cast<std::size_t>(point)] < each_ ? std::numeric_limits<double>::infinity()
                                                            : last(point).squared_distance;
  }
  [[nodiscard]] bool full(Index point) const { return counts_[static_cast<std::size_t>(point)] == each_; }

  /// Different points may be worked on by different threads.
  void offer(Index point, NearPoint candidate) {
    Index& count = counts_[static_cast<std::size_t>(point)];
    if (count == each_ && !(candidate < last(point))) return;
    NearPoint* first = entries_.data() + point * each_;
    NearPoint* end = first + (count == each_ ? count - 1 : count++);
    NearPoint* place = std::upper_bound(first, end, candidate);
    std::move_backward(place, end, end + 1);
    *place = candidate;
  }

  /// All entries, list by list, the nearest first. Every list must be full.
  [[nodiscard]] const std::vector<NearPoint>& entries() const { return entries_; }

 private:
  [[nodiscard]] const NearPoint& last(Index point) const {
    return entries_[static_cast<std::size_t>((point + 1) * each_ - 1)];
  }

  Index each_;
  std::vector<NearPoint> entries_;
  std::vector<Index> counts_;
};

/// |x - y|², summed in the order of the coordinates: the same bits wherever it is computed, and for y and x.
template <class T>
[[nodiscard]] double squared_distance(const T* x, const T* y, Index dimension) {
  double sum = 0.0;
  for (Index k = 0; k < dimension; ++k) {
    const double difference = static_cast<double>(x[k]) - static_cast<double>(y[k]);
    sum += difference * difference;
  }
  return sum;
}

}  // namespace cairn
