#include "cairn/run/transport/epsilon_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/task/transport/exact_sums.hpp"

namespace cairn {

namespace {

// The smallest and the largest coordinates of all points.
template <class T>
struct Box {
  std::vector<T> low, high;
};

template <class T>
Box<T> box_around(const Communicator& communicator, const Measure<T>& source, const Measure<T>& target) {
  const auto d = static_cast<std::size_t>(source.dimension);
  std::vector<double> low(d, std::numeric_limits<double>::infinity()), high(d, -low.front());
  for (const Measure<T>* side : {&source, &target}) {
    for (std::size_t i = 0; i < side->coordinates.size(); ++i) {
      const auto value = static_cast<double>(side->coordinates[i]);
      low[i % d] = std::min(low[i % d], value);
      high[i % d] = std::max(high[i % d], value);
    }
  }
  Box<T> box;
  for (std::size_t k = 0; k < d; ++k) {
    box.low.push_back(static_cast<T>(communicator.minimum(low[k])));
    box.high.push_back(static_cast<T>(communicator.maximum(high[k])));
  }
  return box;
}

// The largest cost between a point and `center`. Collective.
template <class T>
double farthest(const Communicator& communicator, const TransportCost<T>& cost, const Measure<T>& points,
                const std::vector<T>& center) {
  constexpr Index rows_at_once = 4096;
  const Index d = points.dimension, rows = static_cast<Index>(points.coordinates.size()) / d;
  const double own = collectively(communicator, [&] {
    std::vector<T> costs(std::min(rows, rows_at_once));
    T largest = 0;
    for (Index begin = 0; begin < rows; begin += rows_at_once) {
      const Index count = std::min(rows_at_once, rows - begin);
      cost.tile({points.coordinates.data() + begin * d, count, d}, {center.data(), 1, d}, {costs.data(), count, 1});
      largest = std::max(largest, *std::max_element(costs.begin(), costs.begin() + count));
    }
    return static_cast<double>(largest);
  });
  return communicator.maximum(own);
}

// An upper bound of the costs: the minimum of the cost between opposite corners of the box, and the costs that two
// points can have whose distances from its middle, or from the origin, are at most those of the farthest points. Sparse
// rows are far from the corners.
template <class T>
double largest_cost(const Communicator& communicator, const TransportCost<T>& cost, const Measure<T>& source,
                    const Measure<T>& target) {
  const Box<T> box = box_around(communicator, source, target);
  const Index d = source.dimension;
  double largest = collectively(communicator, [&] {
    T corners = 0;
    cost.tile({box.low.data(), 1, d}, {box.high.data(), 1, d}, MatrixView<T>(&corners, 1, 1));
    return static_cast<double>(corners);
  });
  std::vector<T> middle(box.low);
  for (std::size_t k = 0; k < middle.size(); ++k) middle[k] += (box.high[k] - box.low[k]) / 2;
  for (const std::vector<T>& center : {middle, std::vector<T>(middle.size(), T(0))}) {
    const double near = farthest(communicator, cost, source, center),
                 far = farthest(communicator, cost, target, center);
    const double roots = std::sqrt(near) + std::sqrt(far);  // the triangle inequality holds for distances
    largest = std::min(largest, cost.squared_euclidean() ? roots * roots : near + far);
  }
  return largest;
}

}  // namespace

template <class T>
double require_epsilon_in_reach(const Communicator& communicator, const Measure<T>& source, const Measure<T>& target,
                                const Values& values) {
  constexpr double unit = std::numeric_limits<T>::epsilon();
  constexpr double largest_ratio = 0.01 / unit, least_ratio = 100 * unit;
  const TransportCost<T> cost =
      collectively(communicator, [&] { return TransportCost<T>(values.text("cost"), source.dimension); });
  const double largest = largest_cost(communicator, cost, source, target), epsilon = values.number("epsilon");
  collectively(communicator, [&] {
    const int bits = 8 * static_cast<int>(sizeof(T));
    if (largest / epsilon > largest_ratio) {
      values.refuse("epsilon", fmt::format("is too small: costs are up to {:.3g}, and cost / epsilon has no digits "
                                           "behind the point in numbers of {} bits; take {:.2g} or more",
                                           largest, bits, largest / largest_ratio));
    }
    if (largest > 0 && largest / epsilon < least_ratio) {
      values.refuse("epsilon", fmt::format("is too large: costs are up to {:.3g}, and exp(-cost / epsilon) is 1 for "
                                           "all pairs in numbers of {} bits; take {:.2g} or less",
                                           largest, bits, largest / least_ratio));
    }
  });
  return largest;
}

template double require_epsilon_in_reach(const Communicator&, const Measure<float>&, const Measure<float>&,
                                         const Values&);
template double require_epsilon_in_reach(const Communicator&, const Measure<double>&, const Measure<double>&,
                                         const Values&);

}  // namespace cairn
