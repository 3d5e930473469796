#include "cairn/task/transport/coupling.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"

namespace cairn {

template <class T>
Coupling<T>::Coupling(const Execution& execution, const Measure<T>& source, const Measure<T>& target)
    : execution_(execution), source_(source), target_(target) {}

template <class T>
std::vector<double> Coupling<T>::centre() const {
  std::vector<double> mean(source_.dimension);
  for (const Measure<T>* side : {&source_, &target_}) {
    const MatrixView<const T> points = side->points();
    for (Index i = 0; i < points.rows; ++i) {
      const double weight = side->weights[i] / 2;
      for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += weight * static_cast<double>(points.row(i)[k]);
    }
  }
  execution_.communicator.sum(std::span(mean));
  return mean;
}

template <class T>
void Coupling<T>::moved(Side side, Index point, std::span<const double> centre, std::span<double> out) const {
  const T* from = measure(side).points().row(point);
  double squares = 0.0;
  for (std::size_t k = 0; k < centre.size(); ++k) {
    out[k] = static_cast<double>(from[k]) - centre[k];
    squares += out[k] * out[k];
  }
  out[centre.size()] = squares;
}

// sum_ij x_i P_ij y_j (|a_i|² + |b_j|² - 2 a_i·b_j), with a and b relative to the center.
template <class T>
double Coupling<T>::cost(std::span<const double> x, std::span<const double> y) const {
  const std::vector<double> middle = centre();
  const std::size_t d = middle.size(), columns = d + 2;  // coordinates, square, 1
  const std::vector<double> rows = collectively(execution_.communicator, [&] {
    std::vector<double> all(y.size() * columns);
    for (std::size_t j = 0; j < y.size(); ++j) {
      const std::span<double> row = std::span(all).subspan(j * columns, columns);
      moved(Side::target, static_cast<Index>(j), middle, row.first(d + 1));
      row[d + 1] = 1.0;
      for (double& value : row) value *= y[j];
    }
    return all;
  });
  const std::vector<double> sums_of = sums(Side::source, rows, static_cast<Index>(columns));
  double total = 0.0;
  std::vector<double> point(d + 1);
  for (std::size_t i = 0; i < x.size(); ++i) {
    moved(Side::source, static_cast<Index>(i), middle, point);
    const double* row = sums_of.data() + i * columns;
    const double products = std::inner_product(row, row + d, point.begin(), 0.0);
    total += x[i] * (point[d] * row[d + 1] + row[d] - 2 * products);
  }
  return execution_.communicator.sum(total);
}

template <class T>
double Coupling<T>::product_cost(std::span<const double> p, std::span<const double> q) const {
  const std::vector<double> middle = centre();
  const std::size_t d = middle.size(), columns = d + 2;
  std::vector<double> moments(2 * columns), point(d + 2);
  const auto add = [&](Side side, std::span<const double> weights, double* to) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      moved(side, static_cast<Index>(i), middle, std::span(point).first(d + 1));
      point[d + 1] = 1.0;
      for (std::size_t k = 0; k < columns; ++k) to[k] += weights[i] * point[k];
    }
  };
  add(Side::source, p, moments.data());
  add(Side::target, q, moments.data() + columns);
  execution_.communicator.sum(std::span(moments));
  const double* of_p = moments.data();
  const double* of_q = moments.data() + columns;
  return of_p[d] * of_q[d + 1] + of_p[d + 1] * of_q[d] - 2 * std::inner_product(of_p, of_p + d, of_q, 0.0);
}

template <class T>
void require_finite(const Measure<T>& measure, Side side, const std::vector<double>& logs, Index iteration) {
  for (std::size_t i = 0; i < logs.size(); ++i) {
    if (std::isfinite(logs[i])) continue;
    throw Error(ErrorKind::numeric,
                fmt::format("iteration {}: the logarithm of the scaling of {} point {} is {}", iteration, name_of(side),
                            measure.own.begin + static_cast<Index>(i), logs[i]));
  }
}

template void require_finite(const Measure<float>&, Side, const std::vector<double>&, Index);
template void require_finite(const Measure<double>&, Side, const std::vector<double>&, Index);
template class Coupling<float>;
template class Coupling<double>;

}  // namespace cairn
