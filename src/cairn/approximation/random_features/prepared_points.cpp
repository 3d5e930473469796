#include "cairn/approximation/random_features/prepared_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cairn/approximation/fetch_rows.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/random.hpp"
#include "cairn/linalg/dense/local_eigen.hpp"

namespace cairn {

namespace {

constexpr Index most_projected = 4096;  // coordinates of which principal components are computed

std::vector<double> mean_of(const Communicator& communicator, const RowBlock<double>& points) {
  std::vector<double> sums(static_cast<std::size_t>(points.columns()), 0.0);
  for (Index i = points.range().begin; i < points.range().end; ++i) {
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += points.row(i)[k];
  }
  communicator.sum(std::span<double>(sums));
  for (double& sum : sums) sum /= static_cast<double>(points.rows());
  return sums;
}

// f on [-a, a], where the products are.
void require_finite(const ProductFunction& function, double largest) {
  constexpr int places = 200;
  for (int k = -places; k <= places; ++k) {
    const double product = largest * k / places;
    if (std::isfinite(function.value(product))) continue;
    throw Error(
        ErrorKind::numeric,
        fmt::format("the function is not finite at {:g}, and inner products may be between {:g} and {:g}: take a "
                    "smaller gamma or scale of the similarity (of a transport a larger epsilon), or another "
                    "method",
                    product, -largest, largest));
  }
}

}  // namespace

template <class T>
PreparedPoints prepare_points(const Execution& execution, const PointSet<T>& points, ProductFunction function,
                              const Values& values) {
  const Communicator& communicator = execution.communicator;
  PreparedPoints prepared;
  prepared.function = std::move(function);
  RowBlock<double>& rows = prepared.weighted.points;
  rows = collectively(communicator, [&] {
    RowBlock<double> copy(points.partition(), communicator.rank(), points.dimension());
    std::copy_n(points.coordinates().local().data, copy.range().size() * copy.columns(), copy.local().data);
    return copy;
  });
  const double gamma = prepared.function.gamma;
  prepared.change.unit_length = prepared.function.unit_length;
  if (gamma > 0 && values.flag("center")) prepared.change.center = mean_of(communicator, rows);
  double largest = 0;
  Index zero = std::numeric_limits<Index>::max();
  collectively(communicator, [&] {
    for (Index i = rows.range().begin; i < rows.range().end; ++i) {
      const double squares = change_point(prepared.change, rows.row(i));
      largest = std::max(largest, squares);
      if (squares == 0) zero = std::min(zero, i);
      prepared.weighted.weights.push_back(gamma > 0 && values.flag("weigh") ? std::exp(-gamma * squares) : 1.0);
    }
  });
  largest = communicator.maximum(largest);
  zero = communicator.minimum(zero);
  if (prepared.change.unit_length) {
    if (zero < rows.rows()) throw Error(ErrorKind::numeric, fmt::format("row {} is 0: it has no direction", zero));
    largest = 1;
  }
  if (largest == 0) {
    throw Error(ErrorKind::numeric, prepared.change.center.empty() ? "all points are 0" : "all points are the same");
  }
  require_finite(prepared.function, largest);
  prepared.change.scale = 1 / std::sqrt(largest);
  for (double& value : std::span(rows.local().data, static_cast<std::size_t>(rows.range().size() * rows.columns()))) {
    value *= prepared.change.scale;
  }
  prepared.weighted.value = [f = prepared.function.value, largest](double product) { return f(largest * product); };
  return prepared;
}

StandingRows standing_rows(const Execution& execution, const RowBlock<double>& points, const Values& values) {
  const std::string& by = values.text("coefficients");
  if (by == "all") return all_rows(points.rows());
  const Index count = values.integer("sample-rows");
  if (by != "coreset") return uniform_rows(points.rows(), count, execution.seed);
  StandingRows centers = center_rows(execution, points, count, execution.seed);
  if (std::ssize(centers.rows) < std::min(count, points.rows())) {
    values.refuse("sample-rows", fmt::format("is more than the {} different rows", centers.rows.size()));
  }
  return centers;
}

WeightedPoints sample_of(const Execution& execution, WeightedPoints weighted, const Values& values) {
  const RowBlock<double>& all = weighted.points;
  const std::string& by = values.text("coefficients");
  if (by == "coreset" || by == "all" || all.rows() <= most_sampled) return weighted;
  const Communicator& communicator = execution.communicator;
  std::vector<Index> chosen =
      sample_without_replacement(all.rows(), most_sampled, Random(execution.seed, Stream::second_sample));
  std::ranges::sort(chosen);
  const RowPartition partition(most_sampled, communicator.size());
  const Range own = partition.range(communicator.rank());
  const std::span<const Index> wanted(chosen.data() + own.begin, static_cast<std::size_t>(own.size()));
  RowBlock<double> weights = collectively(communicator, [&] {
    RowBlock<double> column(all.partition(), communicator.rank(), 1);
    std::ranges::copy(weighted.weights, column.local().data);
    return column;
  });
  const Buffer<double> rows = fetch_rows(communicator, all, wanted), found = fetch_rows(communicator, weights, wanted);
  return collectively(communicator, [&] {
    WeightedPoints sample{RowBlock<double>(partition, communicator.rank(), all.columns()),
                          {found.data(), found.data() + found.size()},
                          weighted.value};
    std::copy_n(rows.data(), rows.size(), sample.points.local().data);
    return sample;
  });
}

PrincipalComponents components_of(const Execution& execution, const WeightedPoints& weighted) {
  const Index d = weighted.points.columns();
  if (d > most_projected) return {};
  PrincipalComponents components;
  components.vectors = second_moments(execution, weighted);
  const Communicator& communicator = execution.communicator;
  collectively(communicator, [&] {  // on rank 0: LAPACK need not give the same bits on another processor
    if (communicator.is_root()) components.values = eigen_in_place(d, components.vectors.data());
  });
  communicator.broadcast(components.values, 0);
  communicator.broadcast(std::span<double>(components.vectors), 0);
  std::ranges::reverse(components.values);
  const auto size = static_cast<std::size_t>(d);
  for (std::size_t low = 0, high = size - 1; low < high; ++low, --high) {
    std::swap_ranges(components.vectors.begin() + static_cast<std::ptrdiff_t>(low * size),
                     components.vectors.begin() + static_cast<std::ptrdiff_t>((low + 1) * size),
                     components.vectors.begin() + static_cast<std::ptrdiff_t>(high * size));
  }
  for (std::size_t k = 0; k < size; ++k) {
    const auto row = std::span(components.vectors).subspan(k * size, size);
    const auto largest = std::ranges::max_element(row, {}, [](double value) { return std::abs(value); });
    if (*largest < 0) {
      for (double& value : row) value = -value;
    }
  }
  return components;
}

template PreparedPoints prepare_points(const Execution&, const PointSet<float>&, ProductFunction, const Values&);
template PreparedPoints prepare_points(const Execution&, const PointSet<double>&, ProductFunction, const Values&);

}  // namespace cairn
