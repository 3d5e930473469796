#include "cairn/task/embedding/distance_stress.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "cairn/approximation/fetch_rows.hpp"
#include "cairn/approximation/near/near_values.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/random.hpp"

namespace cairn {

namespace {

constexpr Index most_pairs = 100'000;  // of a batch on a rank

struct Pairs {
  std::vector<Index> first, second;
};

Pairs draw(std::uint64_t seed, Index objects, Range numbers) {
  const Random random(seed, Stream::probe);
  Pairs pairs;
  for (Index p = numbers.begin; p < numbers.end; ++p) {
    const auto address = static_cast<std::uint64_t>(p);
    const Index i = random.below(objects, address, 0);
    const Index j = random.below(objects - 1, address, 1);
    pairs.first.push_back(i);
    pairs.second.push_back(j < i ? j : j + 1);
  }
  return pairs;
}

// d_ij². Collective.
template <class T>
std::vector<double> squared_distances(const Execution& execution, const Approximation<T>& approximation,
                                      const NearEntries<T>* near, ScaledValues values, const Pairs& pairs) {
  std::vector<double> squares = entries_with_near(execution, approximation, near, pairs.first, pairs.second);
  if (values == ScaledValues::similarities) {
    const std::vector<double> first = entries_with_near(execution, approximation, near, pairs.first, pairs.first);
    const std::vector<double> second = entries_with_near(execution, approximation, near, pairs.second, pairs.second);
    for (std::size_t p = 0; p < squares.size(); ++p) squares[p] = first[p] + second[p] - 2.0 * squares[p];
  }
  for (double& square : squares) square = std::max(0.0, square);
  return squares;
}

// ‖y_i - y_j‖. Collective.
std::vector<double> distances(const Communicator& communicator, const RowBlock<double>& coordinates,
                              const Pairs& pairs) {
  const Buffer<double> first = fetch_rows(communicator, coordinates, pairs.first);
  const Buffer<double> second = fetch_rows(communicator, coordinates, pairs.second);
  const Index dimension = coordinates.columns();
  std::vector<double> result(pairs.first.size());
  for (Index p = 0; p < static_cast<Index>(result.size()); ++p) {
    double square = 0.0;
    for (Index k = p * dimension; k < (p + 1) * dimension; ++k) {
      square += (first[k] - second[k]) * (first[k] - second[k]);
    }
    result[static_cast<std::size_t>(p)] = std::sqrt(square);
  }
  return result;
}

}  // namespace

template <class T>
double distance_stress(const Execution& execution, const Approximation<T>& approximation, const NearEntries<T>* near,
                       ScaledValues values, const RowBlock<double>& coordinates, Index pairs) {
  const Communicator& communicator = execution.communicator;
  const Index begin = pairs * communicator.rank() / communicator.size();
  const Index end = pairs * (communicator.rank() + 1) / communicator.size();
  const Index batches = communicator.maximum((end - begin + most_pairs - 1) / most_pairs);
  std::array<double, 2> sums = {};
  for (Index batch = 0; batch < batches; ++batch) {
    const Index from = std::min(begin + batch * most_pairs, end);
    const Pairs drawn = draw(execution.seed, coordinates.rows(), {from, std::min(from + most_pairs, end)});
    const std::vector<double> given = squared_distances(execution, approximation, near, values, drawn);
    const std::vector<double> found = distances(communicator, coordinates, drawn);
    for (std::size_t p = 0; p < given.size(); ++p) {
      const double difference = found[p] - std::sqrt(given[p]);
      sums[0] += difference * difference;
      sums[1] += given[p];
    }
    Watchdog::beat();
  }
  communicator.sum(std::span<double>(sums));
  return sums[1] > 0.0 ? std::sqrt(sums[0] / sums[1]) : 0.0;
}

template double distance_stress(const Execution&, const Approximation<float>&, const NearEntries<float>*, ScaledValues,
                                const RowBlock<double>&, Index);
template double distance_stress(const Execution&, const Approximation<double>&, const NearEntries<double>*,
                                ScaledValues, const RowBlock<double>&, Index);

}  // namespace cairn
