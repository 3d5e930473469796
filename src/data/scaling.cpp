// Fitting and applying a scaling of coordinates.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/collective_guard.hpp"
#include "data/point_reader.hpp"

namespace cairn {

namespace {

// Sums over all points of term(coordinate value, coordinate number), a value for each coordinate: taken unit by unit
// and added in global order, so that they are the same on any number of ranks.
template <class T, class Term>
std::vector<double> sum_by_units(const Communicator& communicator, const PointSet<T>& points, Term term) {
  const auto d = static_cast<std::size_t>(points.dimension());
  const Index unit = RowPartition::unit(points.size());
  const Range own = points.range();
  std::vector<double> partial;
  for (Index begin = own.begin; begin < own.end; begin += unit) {
    std::vector<double> sums(d, 0.0);
    for (Index i = begin; i < std::min(begin + unit, own.end); ++i) {
      const std::span<const T> point = points.coordinates().row(i);
      for (std::size_t j = 0; j < d; ++j) sums[j] += term(static_cast<double>(point[j]), j);
    }
    partial.insert(partial.end(), sums.begin(), sums.end());
  }
  std::vector<double> total(d, 0.0);
  const std::vector<double> all = communicator.all_gather(partial);
  for (std::size_t k = 0; k < all.size(); ++k) total[k % d] += all[k];
  return total;
}

template <class T>
Scaling fit_standard(const Communicator& communicator, const PointSet<T>& points) {
  const auto n = static_cast<double>(points.size());
  Scaling scaling{.kind = "standard",
                  .shift = sum_by_units(communicator, points, [](double x, std::size_t) { return x; }),
                  .factor = {}};
  for (double& mean : scaling.shift) mean /= n;
  const auto& mean = scaling.shift;
  scaling.factor =
      sum_by_units(communicator, points, [&](double x, std::size_t j) { return (x - mean[j]) * (x - mean[j]); });
  for (std::size_t j = 0; j < scaling.factor.size(); ++j) {
    const double deviation = std::sqrt(scaling.factor[j] / n);
    const bool constant = deviation <= 16.0 * std::numeric_limits<T>::epsilon() * std::abs(mean[j]);
    scaling.factor[j] = constant ? 0.0 : 1.0 / deviation;
  }
  return scaling;
}

template <class T>
Scaling fit_min_max(const Communicator& communicator, const PointSet<T>& points) {
  const auto d = static_cast<std::size_t>(points.dimension());
  std::vector<double> least(d, std::numeric_limits<double>::infinity());
  std::vector<double> greatest(d, -std::numeric_limits<double>::infinity());
  for (Index i = points.range().begin; i < points.range().end; ++i) {
    const std::span<const T> point = points.coordinates().row(i);
    for (std::size_t j = 0; j < d; ++j) {
      least[j] = std::min(least[j], static_cast<double>(point[j]));
      greatest[j] = std::max(greatest[j], static_cast<double>(point[j]));
    }
  }
  communicator.minimum(std::span(least));
  communicator.maximum(std::span(greatest));
  Scaling scaling{.kind = "min-max", .shift = least, .factor = greatest};
  for (std::size_t j = 0; j < d; ++j) scaling.factor[j] = greatest[j] > least[j] ? 1.0 / (greatest[j] - least[j]) : 0.0;
  return scaling;
}

template <class T>
void normalize(std::span<T> point, Index row) {
  double square = 0.0;
  for (const T x : point) square += static_cast<double>(x) * static_cast<double>(x);
  if (square == 0.0) {
    throw Error(ErrorKind::numeric, fmt::format("data.scaling = unit-norm: point {} is the zero vector", row));
  }
  const double factor = 1.0 / std::sqrt(square);
  for (T& x : point) x = static_cast<T>(static_cast<double>(x) * factor);
}

}  // namespace

template <class T>
Scaling fit_scaling(const Communicator& communicator, const PointSet<T>& points, const std::string& kind) {
  if (kind == "standard") return fit_standard(communicator, points);
  if (kind == "min-max") return fit_min_max(communicator, points);
  if (kind == "none" || kind == "unit-norm") return {.kind = kind, .shift = {}, .factor = {}};
  throw Error(ErrorKind::usage,
              fmt::format("data.scaling: '{}' is not known; there are none, standard, min-max and unit-norm", kind));
}

template <class T>
void apply_scaling(const Communicator& communicator, const Scaling& scaling, PointSet<T>& points) {
  const auto d = static_cast<std::size_t>(points.dimension());
  collectively(communicator, [&] {
    if (scaling.kind == "none") return;
    const bool by_coordinate = scaling.kind != "unit-norm";
    if (by_coordinate && (scaling.shift.size() != d || scaling.factor.size() != d)) {
      throw Error(ErrorKind::input,
                  fmt::format("a scaling of {} coordinates does not fit points with {}", scaling.shift.size(), d));
    }
    for (Index i = points.range().begin; i < points.range().end; ++i) {
      const std::span<T> point = points.coordinates().row(i);
      if (!by_coordinate) {
        normalize(point, i);
        continue;
      }
      for (std::size_t j = 0; j < d; ++j) {
        point[j] = static_cast<T>((static_cast<double>(point[j]) - scaling.shift[j]) * scaling.factor[j]);
      }
    }
  });
}

template Scaling fit_scaling(const Communicator&, const PointSet<float>&, const std::string&);
template Scaling fit_scaling(const Communicator&, const PointSet<double>&, const std::string&);
template void apply_scaling(const Communicator&, const Scaling&, PointSet<float>&);
template void apply_scaling(const Communicator&, const Scaling&, PointSet<double>&);

}  // namespace cairn
