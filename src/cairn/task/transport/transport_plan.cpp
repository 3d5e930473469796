#include "cairn/task/transport/transport_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/random.hpp"

namespace cairn {

namespace {

// f = epsilon (log u - log a)
std::vector<double> potentials_of(const std::vector<double>& logs, const std::vector<double>& weights, double epsilon) {
  std::vector<double> potentials(logs.size());
  for (std::size_t i = 0; i < logs.size(); ++i) potentials[i] = epsilon * (logs[i] - std::log(weights[i]));
  return potentials;
}

double dot(const std::vector<double>& x, const std::vector<double>& y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

double distance(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += std::abs(x[i] - y[i]);
  return sum;
}

// Factors that reduce the rows of P, then its columns, to at most the weights, and the mass that is then missing.
struct Rounding {
  std::vector<double> x, y, missing_source, missing_target;
};

template <class T>
Rounding round_plan(const Communicator& communicator, const Coupling<T>& coupling,
                    const std::vector<double>& row_sums) {
  const std::vector<double>& a = coupling.measure(Side::source).weights;
  const std::vector<double>& b = coupling.measure(Side::target).weights;
  Rounding rounding;
  collectively(communicator, [&] {
    for (std::size_t i = 0; i < a.size(); ++i) rounding.x.push_back(std::min(1.0, a[i] / row_sums[i]));
  });
  const std::vector<double> columns = coupling.sums(Side::target, rounding.x, 1);
  collectively(communicator, [&] {
    for (std::size_t j = 0; j < b.size(); ++j) {
      rounding.y.push_back(std::min(1.0, b[j] / columns[j]));
      rounding.missing_target.push_back(std::max(0.0, b[j] - rounding.y[j] * columns[j]));
    }
  });
  const std::vector<double> rows = coupling.sums(Side::source, rounding.y, 1);
  collectively(communicator, [&] {
    for (std::size_t i = 0; i < a.size(); ++i) {
      rounding.missing_source.push_back(std::max(0.0, a[i] - rounding.x[i] * rows[i]));
    }
  });
  return rounding;
}

// <F, D> of the rounded plan diag(x) P diag(y) + p qᵀ / sum of p.
template <class T>
double rounded_cost(const Communicator& communicator, const Coupling<T>& coupling,
                    const std::vector<double>& row_sums) {
  const Rounding rounding = round_plan(communicator, coupling, row_sums);
  const double kept = coupling.cost(rounding.x, rounding.y);
  const double missing =
      communicator.sum(std::accumulate(rounding.missing_source.begin(), rounding.missing_source.end(), 0.0));
  const double added = coupling.product_cost(rounding.missing_source, rounding.missing_target);
  return missing > 0.0 ? kept + added / missing : kept;
}

// A row for each own point: its coordinates from column `first` on, and 1 in column `one`.
template <class T>
std::vector<double> rows_with_one(const Measure<T>& points, std::size_t first, std::size_t one) {
  const auto d = static_cast<std::size_t>(points.dimension);
  std::vector<double> rows(points.weights.size() * (d + 1));
  for (std::size_t j = 0; j < points.weights.size(); ++j) {
    const auto row = rows.begin() + static_cast<std::ptrdiff_t>(j * (d + 1));
    std::copy_n(points.coordinates.begin() + static_cast<std::ptrdiff_t>(j * d), d,
                row + static_cast<std::ptrdiff_t>(first));
    row[static_cast<std::ptrdiff_t>(one)] = 1.0;
  }
  return rows;
}

// The sums of P over targets are in the first of `columns` columns.
template <class T>
void require_positive(const Measure<T>& source, const std::vector<double>& sums, std::size_t columns) {
  for (std::size_t i = 0; i < source.weights.size(); ++i) {
    if (sums[i * columns] > 0.0) continue;
    throw Error(
        ErrorKind::numeric,
        fmt::format("the plan of the approximated kernel sums to {:.3g} over source point {}, not to more than 0: "
                    "take more landmarks or features, or the exact kernel",
                    sums[i * columns], source.own.begin + static_cast<Index>(i)));
  }
}

}  // namespace

template <class T>
TransportPlan<T> describe_plan(const Execution& execution, const Coupling<T>& coupling, double epsilon) {
  const auto phase = execution.phases.enter("plan of transport");
  const Communicator& communicator = execution.communicator;
  const Measure<T>& source = coupling.measure(Side::source);
  const Measure<T>& target = coupling.measure(Side::target);
  const auto d = static_cast<std::size_t>(target.dimension);
  TransportPlan<T> plan;
  const std::vector<double> rows = collectively(communicator, [&] {
    plan.potentials_source = potentials_of(coupling.logs(Side::source), source.weights, epsilon);
    plan.potentials_target = potentials_of(coupling.logs(Side::target), target.weights, epsilon);
    return rows_with_one(target, 1, 0);
  });
  const std::vector<double> sums = coupling.sums(Side::source, rows, static_cast<Index>(d + 1));
  std::vector<double> row_sums, ones_source, ones_target;
  collectively(communicator, [&] {
    require_positive(source, sums, d + 1);
    for (std::size_t i = 0; i < source.weights.size(); ++i) {
      row_sums.push_back(sums[i * (d + 1)]);
      for (std::size_t k = 0; k < d; ++k) plan.barycentres.push_back(sums[i * (d + 1) + 1 + k] / row_sums[i]);
    }
    ones_source.assign(source.weights.size(), 1.0);
    ones_target.assign(target.weights.size(), 1.0);
  });
  const std::vector<double> column_sums = coupling.sums(Side::target, ones_source, 1);

  std::vector<double> own = {std::accumulate(row_sums.begin(), row_sums.end(), 0.0),
                             dot(row_sums, plan.potentials_source) + dot(column_sums, plan.potentials_target),
                             dot(source.weights, plan.potentials_source) + dot(target.weights, plan.potentials_target),
                             distance(row_sums, source.weights), distance(column_sums, target.weights)};
  communicator.sum(std::span(own));
  PlanValues& values = plan.values;
  values.mass = own[0];
  values.cost = coupling.cost(ones_source, ones_target);
  values.entropic = own[1] - epsilon * (own[0] - 1);
  values.dual = own[2] - epsilon * (own[0] - 1);
  values.violation_source = own[3];
  values.violation_target = own[4];
  values.rounded_cost = rounded_cost(communicator, coupling, row_sums);
  return plan;
}

template <class T>
SampledViolation sampled_violation(const Execution& execution, const Coupling<T>& coupling, Side side,
                                   const TransportCost<T>& cost, double epsilon, Index points) {
  const auto phase = execution.phases.enter("violation under K");
  const Communicator& communicator = execution.communicator;
  const Measure<T>& own = coupling.measure(side);
  const Index count = std::min(points, own.size);
  std::vector<T> rows;
  std::vector<double> guess, weights;
  const std::vector<double> others = collectively(communicator, [&] {
    const std::vector<double> logs = coupling.logs(side);
    for (const Index number : sample_without_replacement(
             own.size, count, Random(execution.seed + static_cast<std::uint64_t>(side), Stream::transport_rows))) {
      if (!own.own.contains(number)) continue;
      const Index place = number - own.own.begin;
      rows.insert(rows.end(), own.points().row(place), own.points().row(place) + own.dimension);
      guess.push_back(logs[place]);
      weights.push_back(own.weights[place]);
    }
    return coupling.logs(other(side));
  });
  const ExactSums<T> exact(execution, cost, epsilon);
  const std::vector<double> sums = exact.log_sums({rows.data(), static_cast<Index>(guess.size()), own.dimension}, guess,
                                                  coupling.measure(other(side)), others);
  std::vector<double> moments(2);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const double term = std::abs(std::exp(std::min(guess[i] + sums[i], 700.0)) - weights[i]);
    moments[0] += term;
    moments[1] += term * term;
  }
  communicator.sum(std::span(moments));
  const auto n = static_cast<double>(count), all = static_cast<double>(own.size);
  const double mean = moments[0] / n;
  const double variance = count > 1 ? std::max(0.0, moments[1] / n - mean * mean) * n / (n - 1) : 0.0;
  return {all * mean, all * std::sqrt(variance / n * (1 - n / all)), count};
}

template <class T>
std::vector<double> map_points(const Execution& execution, const Coupling<T>& coupling, const TransportCost<T>& cost,
                               double epsilon, MatrixView<const T> points) {
  const auto phase = execution.phases.enter("new points");
  const Measure<T>& target = coupling.measure(Side::target);
  const auto d = static_cast<std::size_t>(target.dimension);
  std::vector<double> logs, rows, none;
  collectively(execution.communicator, [&] {
    logs = coupling.logs(Side::target);
    rows = rows_with_one(target, 0, d);
    none.resize(points.rows);
  });
  const ExactSums<T> exact(execution, cost, epsilon);
  std::vector<double> shifts = exact.log_sums(points, none, target, logs);
  for (double& shift : shifts) shift = -shift;  // makes the sums 1
  const std::vector<double> sums = exact.products(points, shifts, target, logs, rows, static_cast<Index>(d + 1));
  return collectively(execution.communicator, [&] {
    std::vector<double> mapped;
    for (std::size_t i = 0; i < shifts.size(); ++i) {
      for (std::size_t k = 0; k < d; ++k) mapped.push_back(sums[i * (d + 1) + k] / sums[i * (d + 1) + d]);
    }
    return mapped;
  });
}

#define CAIRN_INSTANTIATE(T)                                                                                       \
  template TransportPlan<T> describe_plan(const Execution&, const Coupling<T>&, double);                           \
  template SampledViolation sampled_violation(const Execution&, const Coupling<T>&, Side, const TransportCost<T>&, \
                                              double, Index);                                                      \
  template std::vector<double> map_points(const Execution&, const Coupling<T>&, const TransportCost<T>&, double,   \
                                          MatrixView<const T>);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
