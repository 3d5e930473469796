#include "cairn/task/transport/exact_coupling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"

namespace cairn {

template <class T>
ExactCoupling<T>::ExactCoupling(const Execution& execution, const Measure<T>& source, const Measure<T>& target,
                                const TransportCost<T>& cost, double epsilon)
    : Coupling<T>(execution, source, target), cost_(cost), epsilon_(epsilon), exact_(execution, cost, epsilon) {
  for (const Side side : {Side::source, Side::target}) {
    std::vector<double>& logs = logs_[index_of(side)];
    for (const double weight : this->measure(side).weights) logs.push_back(std::log(weight));
  }
}

template <class T>
void ExactCoupling<T>::set_epsilon(double epsilon) {
  if (epsilon == epsilon_) return;
  for (const Side side : {Side::source, Side::target}) {
    const std::vector<double>& weights = this->measure(side).weights;
    std::vector<double>& logs = logs_[index_of(side)];
    for (std::size_t i = 0; i < logs.size(); ++i) {
      const double weight = std::log(weights[i]);
      logs[i] = weight + (logs[i] - weight) * (epsilon_ / epsilon);
    }
  }
  epsilon_ = epsilon;
  exact_.set_epsilon(epsilon);
}

template <class T>
double ExactCoupling<T>::scale(Side side, Index iteration) {
  const Measure<T>& own = this->measure(side);
  std::vector<double>& logs = logs_[index_of(side)];
  std::vector<double> before;
  const std::vector<double> sums =
      exact_.log_sums(own.points(), logs, this->measure(other(side)), logs_[index_of(other(side))], &before);
  const Communicator& communicator = this->execution().communicator;
  double violation = 0.0;
  collectively(communicator, [&] {
    for (std::size_t i = 0; i < logs.size(); ++i) {
      violation += std::abs(before[i] - own.weights[i]);
      logs[i] = std::log(own.weights[i]) - sums[i];
    }
    require_finite(own, side, logs, iteration);
  });
  return communicator.sum(violation);
}

template <class T>
std::vector<double> ExactCoupling<T>::sums(Side side, std::span<const double> z, Index columns) const {
  return exact_.products(this->measure(side).points(), logs_[index_of(side)], this->measure(other(side)),
                         logs_[index_of(other(side))], z, columns);
}

template <class T>
double ExactCoupling<T>::cost(std::span<const double> x, std::span<const double> y) const {
  if (cost_.squared_euclidean()) return Coupling<T>::cost(x, y);
  return exact_.cost(this->measure(Side::source).points(), x, logs_[0], this->measure(Side::target), y, logs_[1]);
}

template <class T>
double ExactCoupling<T>::product_cost(std::span<const double> p, std::span<const double> q) const {
  if (cost_.squared_euclidean()) return Coupling<T>::product_cost(p, q);
  return exact_.cost(this->measure(Side::source).points(), p, {}, this->measure(Side::target), q, {});
}

template class ExactCoupling<float>;
template class ExactCoupling<double>;

}  // namespace cairn
