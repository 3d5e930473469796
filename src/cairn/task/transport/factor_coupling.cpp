#include "cairn/task/transport/factor_coupling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "cairn/base/each_level.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"

namespace cairn {

namespace {

constexpr double nowhere = std::numeric_limits<double>::infinity();

// Result for a part of the points.
struct Part {
  double violation = 0.0;
  Index bad = -1;  // first point whose sum is not above 0, or whose scaling is not finite
  double bad_value = 0.0;
};

template <class T>
struct Rows {
  const T* factor;
  Index columns;
  const Index* rows;
};

// u_i = w_i / (L_i · s), and sums += u_i L_i.
template <class T>
[[gnu::always_inline]] inline Part scale_part(const Rows<T>& of, Range points, const double* s, const double* weights,
                                              double* scalings, double* sums) {
  Part part;
  // The new scaling of a point, or 0.
  const auto scaled = [&](Index i, double product) {
    const double scaling = weights[i] / product;
    if (!(product > 0.0 && scaling < nowhere)) {
      if (part.bad < 0) part = {part.violation, i, product};
      return 0.0;
    }
    part.violation += std::abs(scalings[i] * product - weights[i]);
    scalings[i] = scaling;
    return scaling;
  };
  const auto row_of = [&](Index i) { return of.factor + of.rows[i] * of.columns; };
  // Four rows at a time: s and the sums are read once for all four.
  Index i = points.begin;
  for (; i + 4 <= points.end; i += 4) {
    const T *a = row_of(i), *b = row_of(i + 1), *c = row_of(i + 2), *d = row_of(i + 3);
    double pa = 0.0, pb = 0.0, pc = 0.0, pd = 0.0;
#pragma omp simd reduction(+ : pa, pb, pc, pd)
    for (Index k = 0; k < of.columns; ++k) {
      pa += static_cast<double>(a[k]) * s[k];
      pb += static_cast<double>(b[k]) * s[k];
      pc += static_cast<double>(c[k]) * s[k];
      pd += static_cast<double>(d[k]) * s[k];
    }
    const double ua = scaled(i, pa), ub = scaled(i + 1, pb), uc = scaled(i + 2, pc), ud = scaled(i + 3, pd);
#pragma omp simd
    for (Index k = 0; k < of.columns; ++k) {
      sums[k] += ua * static_cast<double>(a[k]) + ub * static_cast<double>(b[k]) + uc * static_cast<double>(c[k]) +
                 ud * static_cast<double>(d[k]);
    }
  }
  for (; i < points.end; ++i) {
    const T* row = row_of(i);
    double product = 0.0;
#pragma omp simd reduction(+ : product)
    for (Index k = 0; k < of.columns; ++k) product += static_cast<double>(row[k]) * s[k];
    const double scaling = scaled(i, product);
#pragma omp simd
    for (Index k = 0; k < of.columns; ++k) sums[k] += scaling * static_cast<double>(row[k]);
  }
  return part;
}

CAIRN_EACH_LEVEL Part scale_rows(const Rows<double>& of, Range points, const double* s, const double* weights,
                                 double* scalings, double* sums) {
  return scale_part(of, points, s, weights, scalings, sums);
}
CAIRN_EACH_LEVEL Part scale_rows(const Rows<float>& of, Range points, const double* s, const double* weights,
                                 double* scalings, double* sums) {
  return scale_part(of, points, s, weights, scalings, sums);
}

std::vector<double> diagonal_of(const CoreMatrix& core_matrix) {
  if (const auto* diagonal = std::get_if<DiagonalCore>(&core_matrix)) return diagonal->values;
  if (std::holds_alternative<IdentityCore>(core_matrix)) return {};
  throw Error(ErrorKind::internal, "a transport is asked of factors that a full matrix joins");
}

}  // namespace

template <class T>
FactorCoupling<T>::FactorCoupling(const Execution& execution, const Measure<T>& source, const Measure<T>& target,
                                  const Approximation<T>& approximation, const InterleavedRows& rows, Side left,
                                  Side right)
    : Coupling<T>(execution, source, target),
      factor_(approximation.left.dense().local()),
      diagonal_(diagonal_of(approximation.core_matrix)) {
  if (approximation.right || approximation.transform != Transform::none) {
    throw Error(ErrorKind::internal, "a transport is asked of factors that are not symmetric");
  }
  const Index first = approximation.left.range().begin;
  const auto fill = [&](Half& half, const Measure<T>& measure, Side side) {
    for (Index number = measure.own.begin; number < measure.own.end; ++number) {
      half.rows.push_back(rows.row(side, number) - first);
    }
    half.scalings = measure.weights;
  };
  fill(half(Side::source), source, left);
  fill(half(Side::target), target, right);
}

template <class T>
std::vector<double> FactorCoupling<T>::logs(Side side) const {
  std::vector<double> all(half(side).scalings.size());
  std::ranges::transform(half(side).scalings, all.begin(), [](double u) { return std::log(u); });
  return all;
}

template <class T>
void FactorCoupling<T>::set_logs(Side side, std::vector<double> logs) {
  std::ranges::transform(logs, half(side).scalings.begin(), [](double u) { return std::exp(u); });
  half(side).sum.reset();
}

template <class T>
std::vector<double> FactorCoupling<T>::joined(std::vector<double> x, Index columns) const {
  for (std::size_t k = 0; k < diagonal_.size(); ++k) {
    for (Index c = 0; c < columns; ++c)
      x[k * static_cast<std::size_t>(columns) + static_cast<std::size_t>(c)] *= diagonal_[k];
  }
  return x;
}

template <class T>
std::vector<double> FactorCoupling<T>::sum_of(const Half& half) const {
  std::vector<double> sum(factor_.columns);
  for (std::size_t i = 0; i < half.rows.size(); ++i) {
    const T* row = factor_.row(half.rows[i]);
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += half.scalings[i] * static_cast<double>(row[k]);
  }
  this->execution().communicator.sum(std::span(sum));
  return sum;
}

template <class T>
double FactorCoupling<T>::scale(Side side, Index iteration) {
  const Communicator& communicator = this->execution().communicator;
  Half& from = half(other(side));
  if (!from.sum) from.sum = sum_of(from);
  const std::vector<double> s = joined(*from.sum, 1);
  Half& to = half(side);
  const std::vector<double>& weights = this->measure(side).weights;
  const auto count = static_cast<Index>(to.rows.size());
  const int threads = this->execution().threads;
  const auto width = static_cast<std::size_t>(factor_.columns) + 2;  // plus the violation, and the number of bad points
  auto sums = collectively(communicator, [&] {
    return std::vector<std::vector<double>>(static_cast<std::size_t>(threads), std::vector<double>(width));
  });
  std::vector<Part> parts(threads);
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int thread = 0; thread < threads; ++thread) {
    const auto place = static_cast<std::size_t>(thread);
    parts[place] = scale_rows(Rows<T>{factor_.data, factor_.columns, to.rows.data()},
                              {count * thread / threads, count * (thread + 1) / threads}, s.data(), weights.data(),
                              to.scalings.data(), sums[place].data());
  }
  std::vector<double>& all = sums.front();
  Part found;
  for (std::size_t thread = 0; thread < parts.size(); ++thread) {
    if (thread > 0) std::ranges::transform(all, sums[thread], all.begin(), std::plus<>());
    found.violation += parts[thread].violation;
    if (found.bad < 0) found = {found.violation, parts[thread].bad, parts[thread].bad_value};
  }
  all[width - 2] = found.violation;
  all[width - 1] = found.bad >= 0 ? 1.0 : 0.0;
  communicator.sum(std::span(all));
  if (all[width - 1] > 0.0) {
    collectively(communicator, [&] {
      if (found.bad < 0) return;
      throw Error(ErrorKind::numeric,
                  fmt::format("iteration {}: the approximated kernel times the scaling is {:.3g} for {} point {}, not "
                              "above 0: take more landmarks or features, or the exact kernel",
                              iteration, found.bad_value, name_of(side), this->measure(side).own.begin + found.bad));
    });
  }
  const double violation = all[width - 2];
  all.resize(width - 2);
  to.sum = std::move(all);
  return violation;
}

template <class T>
std::vector<double> FactorCoupling<T>::sums(Side side, std::span<const double> z, Index columns) const {
  const Half& from = half(other(side));
  const Half& to = half(side);
  const auto width = static_cast<std::size_t>(columns);
  const int threads = this->execution().threads;
  const auto count = static_cast<Index>(from.rows.size());
  auto parts = collectively(this->execution().communicator, [&] {
    return std::vector<std::vector<double>>(static_cast<std::size_t>(threads),
                                            std::vector<double>(static_cast<std::size_t>(factor_.columns) * width));
  });
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int thread = 0; thread < threads; ++thread) {
    double* all = parts[thread].data();
    for (Index j = count * thread / threads; j < count * (thread + 1) / threads; ++j) {
      const auto place = static_cast<std::size_t>(j);
      const T* row = factor_.row(from.rows[place]);
      for (Index k = 0; k < factor_.columns; ++k) {
        const double value = from.scalings[place] * static_cast<double>(row[k]);
        double* sum = all + static_cast<std::size_t>(k) * width;
        for (std::size_t c = 0; c < width; ++c) sum[c] += value * z[place * width + c];
      }
      if (j % 1024 == 0) Watchdog::beat();
    }
  }
  std::vector<double> middle = std::move(parts.front());
  for (std::size_t thread = 1; thread < parts.size(); ++thread) {
    std::ranges::transform(middle, parts[thread], middle.begin(), std::plus<>());
  }
  this->execution().communicator.sum(std::span(middle));
  middle = joined(std::move(middle), columns);
  std::vector<double> out =
      collectively(this->execution().communicator, [&] { return std::vector<double>(to.rows.size() * width); });
#pragma omp parallel for num_threads(this->execution().threads) schedule(static)
  for (std::size_t i = 0; i < to.rows.size(); ++i) {
    const T* row = factor_.row(to.rows[i]);
    double* sum = out.data() + i * width;
    for (Index k = 0; k < factor_.columns; ++k) {
      const double value = to.scalings[i] * static_cast<double>(row[k]);
      const double* from_row = middle.data() + static_cast<std::size_t>(k) * width;
      for (std::size_t c = 0; c < width; ++c) sum[c] += value * from_row[c];
    }
    if (i % 1024 == 0) Watchdog::beat();
  }
  return out;
}

template class FactorCoupling<float>;
template class FactorCoupling<double>;

}  // namespace cairn
