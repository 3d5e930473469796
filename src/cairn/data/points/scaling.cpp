// Fitting and applying a scaling of coordinates.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/reading_budget.hpp"
#include "cairn/data/points/point_reader.hpp"

namespace cairn {

namespace {

// Sums over all points of term(coordinate value, coordinate number), a value for each coordinate: taken unit by unit
// and added in global order, so that they are the same on any number of ranks.
template <class T, class Term>
std::vector<double> sum_by_units(const Communicator& communicator, const PointSet<T>& points, Term term) {
  const auto d = static_cast<std::size_t>(points.dimension());
  const Index unit = RowPartition::unit(points.size());
  const Range own = points.range();
  std::vector<double> partial;  // own units x d
  for (Index begin = own.begin; begin < own.end; begin += unit) {
    std::vector<double> sums(d, 0.0);
    for (Index i = begin; i < std::min(begin + unit, own.end); ++i) {
      const std::span<const T> point = points.coordinates().row(i);
      for (std::size_t j = 0; j < d; ++j) sums[j] += term(static_cast<double>(point[j]), j);
    }
    partial.insert(partial.end(), sums.begin(), sums.end());
  }
  constexpr std::size_t most = std::size_t{1} << 20;  // values that a rank gathers at once
  const std::size_t step = std::max<std::size_t>(1, most / static_cast<std::size_t>(points.size() / unit + 1));
  std::vector<double> total(d, 0.0);
  for (std::size_t first = 0; first < d; first += step) {
    const std::size_t width = std::min(step, d - first);
    std::vector<double> mine;
    for (std::size_t k = 0; k < partial.size(); k += d) {
      mine.insert(mine.end(), partial.data() + k + first, partial.data() + k + first + width);
    }
    const std::vector<double> all = communicator.all_gather(mine);
    for (std::size_t k = 0; k < all.size(); ++k) total[first + k % width] += all[k];
  }
  return total;
}

// Least and greatest value of each coordinate.
struct Extremes {
  std::vector<double> least, greatest;
};

// Extremes of sparse points; coordinates that are 0 in some point include 0.
template <class T>
void take_entries(const Communicator& communicator, const PointSet<T>& points, Extremes& found) {
  std::vector<Index> named(found.least.size(), 0);
  for (Index i = points.range().begin; i < points.range().end; ++i) {
    const SparseRow<T> point = points.entries().row(i);
    for (std::size_t e = 0; e < point.columns.size(); ++e) {
      const auto j = static_cast<std::size_t>(point.columns[e]);
      const auto value = static_cast<double>(point.values[e]);
      found.least[j] = std::min(found.least[j], value);
      found.greatest[j] = std::max(found.greatest[j], value);
      ++named[j];
    }
  }
  communicator.sum(std::span(named));
  for (std::size_t j = 0; j < named.size(); ++j) {
    if (named[j] == points.size()) continue;
    found.least[j] = std::min(found.least[j], 0.0);
    found.greatest[j] = std::max(found.greatest[j], 0.0);
  }
}

template <class T>
Extremes find_extremes(const Communicator& communicator, const PointSet<T>& points) {
  const auto d = static_cast<std::size_t>(points.dimension());
  if (points.is_sparse()) {
    constexpr Index arrays = 5;  // extremes, counts, factors; and messages
    collectively(communicator, [&] {
      ReadingBudget::require(arrays * 8 * points.dimension(),
                             fmt::format("the least and greatest values of {} coordinates take", points.dimension()));
    });
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Extremes found{std::vector<double>(d, infinity), std::vector<double>(d, -infinity)};
  if (points.is_sparse()) take_entries(communicator, points, found);
  for (Index i = points.range().begin; !points.is_sparse() && i < points.range().end; ++i) {
    const std::span<const T> point = points.coordinates().row(i);
    for (std::size_t j = 0; j < d; ++j) {
      found.least[j] = std::min(found.least[j], static_cast<double>(point[j]));
      found.greatest[j] = std::max(found.greatest[j], static_cast<double>(point[j]));
    }
  }
  communicator.minimum(std::span(found.least));
  communicator.maximum(std::span(found.greatest));
  return found;
}

template <class T>
std::vector<double> mean_of(const Communicator& communicator, const PointSet<T>& points) {
  std::vector<double> mean = sum_by_units(communicator, points, [](double x, std::size_t) { return x; });
  for (double& m : mean) m /= static_cast<double>(points.size());
  return mean;
}

template <class T>
Scaling fit_center(const Communicator& communicator, const PointSet<T>& points) {
  std::vector<double> mean = mean_of(communicator, points);
  std::vector<double> factor(mean.size(), 1.0);
  return {.kind = "center", .shift = std::move(mean), .factor = std::move(factor)};
}

// Two passes, mean first: the squares of values far from 0 would lose the variance.
template <class T>
Scaling fit_standard(const Communicator& communicator, const PointSet<T>& points) {
  const auto n = static_cast<double>(points.size());
  const Extremes extremes = find_extremes(communicator, points);
  std::vector<double> mean = mean_of(communicator, points);
  std::vector<double> factor =
      sum_by_units(communicator, points, [&](double x, std::size_t j) { return (x - mean[j]) * (x - mean[j]); });
  for (std::size_t j = 0; j < factor.size(); ++j) {
    factor[j] = extremes.least[j] < extremes.greatest[j] ? 1.0 / std::sqrt(factor[j] / n) : 0.0;
  }
  return {.kind = "standard", .shift = std::move(mean), .factor = std::move(factor)};
}

template <class T>
Scaling fit_min_max(const Communicator& communicator, const PointSet<T>& points) {
  Extremes extremes = find_extremes(communicator, points);
  std::vector<double> factor(extremes.least.size());
  for (std::size_t j = 0; j < factor.size(); ++j) {
    const double width = extremes.greatest[j] - extremes.least[j];
    factor[j] = width > 0.0 ? 1.0 / width : 0.0;
  }
  return {.kind = "min-max", .shift = std::move(extremes.least), .factor = std::move(factor)};
}

template <class T>
void normalize(std::span<T> point, Index row, const KeyNames& keys) {
  double largest = 0.0;  // squares of values divided by it stay in range
  for (const T x : point) largest = std::max(largest, std::abs(static_cast<double>(x)));
  if (largest == 0.0) {
    throw Error(ErrorKind::input, fmt::format("{} = unit-norm: point {} is the zero vector", keys("scaling"), row));
  }
  const int exponent = std::ilogb(largest);  // a power of 2 changes no digit
  double square = 0.0;
  for (const T x : point) {
    const double share = std::scalbn(static_cast<double>(x), -exponent);
    square += share * share;
  }
  const double factor = 1.0 / std::sqrt(square);
  for (T& x : point) x = static_cast<T>(std::scalbn(static_cast<double>(x), -exponent) * factor);
}

// apply_scaling() for sparse points.
template <class T>
void scale_entries(const Scaling& scaling, PointSet<T>& points, const KeyNames& keys) {
  if (!keeps_zeros(scaling)) throw Error(ErrorKind::internal, "a scaling that moves 0 is applied to sparse points");
  SparseRows<T>& entries = points.entries();
  for (Index i = points.range().begin; i < points.range().end; ++i) {
    const SparseRow<T> row = entries.row(i);
    const std::span<T> values =
        entries.writable_values().subspan(row.values.data() - entries.values().data(), row.values.size());
    if (scaling.kind == "unit-norm") {
      normalize(values, i, keys);
      continue;
    }
    for (std::size_t e = 0; e < values.size(); ++e) {
      const double factor = scaling.factor[row.columns[e]];
      values[e] = static_cast<T>(static_cast<double>(values[e]) * factor);
    }
  }
}

}  // namespace

bool keeps_zeros(const Scaling& scaling) {
  return std::ranges::all_of(scaling.shift, [](double shift) { return shift == 0; });
}

template <class T>
Scaling fit_scaling(const Communicator& communicator, const PointSet<T>& points, const std::string& kind,
                    const KeyNames& keys) {
  if (kind == "standard") return fit_standard(communicator, points);
  if (kind == "center") return fit_center(communicator, points);
  if (kind == "min-max") return fit_min_max(communicator, points);
  if (kind == "none" || kind == "unit-norm") return {.kind = kind, .shift = {}, .factor = {}};
  throw Error(ErrorKind::usage,
              fmt::format("{}: '{}' is not known; there are none, center, standard, min-max and unit-norm",
                          keys("scaling"), kind));
}

template <class T>
void apply_scaling(const Communicator& communicator, const Scaling& scaling, PointSet<T>& points,
                   const KeyNames& keys) {
  const auto d = static_cast<std::size_t>(points.dimension());
  collectively(communicator, [&] {
    if (scaling.kind == "none" && scaling.shift.empty()) return;
    const bool by_coordinate = scaling.kind != "unit-norm";
    if (by_coordinate && (scaling.shift.size() != d || scaling.factor.size() != d)) {
      throw Error(ErrorKind::input,
                  fmt::format("a scaling of {} coordinates does not fit points with {}", scaling.shift.size(), d));
    }
    if (points.is_sparse()) return scale_entries(scaling, points, keys);
    for (Index i = points.range().begin; i < points.range().end; ++i) {
      const std::span<T> point = points.coordinates().row(i);
      if (!by_coordinate) {
        normalize(point, i, keys);
        continue;
      }
      for (std::size_t j = 0; j < d; ++j) {
        point[j] = static_cast<T>((static_cast<double>(point[j]) - scaling.shift[j]) * scaling.factor[j]);
      }
    }
  });
}

template Scaling fit_scaling(const Communicator&, const PointSet<float>&, const std::string&, const KeyNames&);
template Scaling fit_scaling(const Communicator&, const PointSet<double>&, const std::string&, const KeyNames&);
template void apply_scaling(const Communicator&, const Scaling&, PointSet<float>&, const KeyNames&);
template void apply_scaling(const Communicator&, const Scaling&, PointSet<double>&, const KeyNames&);

}  // namespace cairn
