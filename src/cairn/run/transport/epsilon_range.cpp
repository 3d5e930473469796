#include "cairn/run/transport/epsilon_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/task/transport/exact_sums.hpp"

namespace cairn {

namespace {

// The least and the largest coordinates of all points.
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

}  // namespace

template <class T>
void require_epsilon_in_reach(const Communicator& communicator, const Measure<T>& source, const Measure<T>& target,
                              const Values& values) {
  constexpr double unit = std::numeric_limits<T>::epsilon();
  constexpr double largest_ratio = 0.01 / unit, least_ratio = 100 * unit;
  const Box<T> box = box_around(communicator, source, target);
  const double epsilon = values.number("epsilon");
  collectively(communicator, [&] {
    T cost = 0;
    TransportCost<T>(values.text("cost"), source.dimension)
        .tile({box.low.data(), 1, source.dimension}, {box.high.data(), 1, source.dimension},
              MatrixView<T>(&cost, 1, 1));
    const auto largest = static_cast<double>(cost);
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
}

template void require_epsilon_in_reach(const Communicator&, const Measure<float>&, const Measure<float>&,
                                       const Values&);
template void require_epsilon_in_reach(const Communicator&, const Measure<double>&, const Measure<double>&,
                                       const Values&);

}  // namespace cairn
