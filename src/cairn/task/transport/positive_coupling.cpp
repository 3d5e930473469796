#include "cairn/task/transport/positive_coupling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/random.hpp"
#include "cairn/similarity/vector_math.hpp"

namespace cairn {

namespace {

// Solution w of w exp(w) = x, x > 0, by Newton's iteration on w + log w = log x.
double lambert(double x) {
  double w = x < 1 ? x : 1 + std::log(x);
  for (int step = 0; step < 50; ++step) {
    const double next = w * (1 + std::log(x) - std::log(w)) / (1 + w);
    if (std::abs(next - w) <= 1e-14 * next) return next;
    w = next;
  }
  return w;
}

template <class T>
std::vector<T> as(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

}  // namespace

template <class T>
PointBall ball_around(const Communicator& communicator, const Measure<T>& source, const Measure<T>& target) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto d = static_cast<std::size_t>(source.dimension);
  std::vector<double> least(d, infinity), most(d, -infinity);
  const auto for_each = [&](auto&& use) {
    for (const Measure<T>* side : {&source, &target}) {
      const MatrixView<const T> points = side->points();
      for (Index i = 0; i < points.rows; ++i) use(points.row(i));
    }
  };
  for_each([&](const T* point) {
    for (std::size_t k = 0; k < d; ++k) {
      least[k] = std::min(least[k], static_cast<double>(point[k]));
      most[k] = std::max(most[k], static_cast<double>(point[k]));
    }
  });
  communicator.minimum(std::span(least));
  communicator.maximum(std::span(most));
  PointBall ball{std::vector<double>(d), 0.0};
  for (std::size_t k = 0; k < d; ++k) ball.centre[k] = (least[k] + most[k]) / 2;
  for_each([&](const T* point) {
    double squares = 0.0;
    for (std::size_t k = 0; k < d; ++k) squares += std::pow(static_cast<double>(point[k]) - ball.centre[k], 2);
    ball.radius = std::max(ball.radius, std::sqrt(squares));
  });
  ball.radius = communicator.maximum(ball.radius);
  return ball;
}

template PointBall ball_around(const Communicator&, const Measure<float>&, const Measure<float>&);
template PointBall ball_around(const Communicator&, const Measure<double>&, const Measure<double>&);

template <class T>
PositiveCoupling<T>::PositiveCoupling(const Execution& execution, const Measure<T>& source, const Measure<T>& target,
                                      double epsilon, Index features, const PointBall& ball)
    : Coupling<T>(execution, source, target), columns_(features) {
  const Communicator& communicator = execution.communicator;
  const auto d = static_cast<double>(source.dimension);
  const double ratio = std::max(ball.radius * ball.radius / epsilon, 1e-6) / d;
  const double q = ratio / (2 * lambert(ratio));  // of their lemma 1
  const Random random(execution.seed, Stream::transport_anchors);
  const double spread = std::sqrt(q * epsilon / 4);
  collectively(communicator, [&] {
    std::vector<double> anchors(features * source.dimension), starts;
    for (Index k = 0; k < features; ++k) {
      double squares = 0.0;
      for (Index c = 0; c < source.dimension; ++c) {
        const double value = spread * random.normal(static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(c));
        squares += value * value;
        anchors[k * source.dimension + c] = value + ball.centre[c];
      }
      starts.push_back(d / 4 * std::log(2 * q) + squares / (q * epsilon) - std::log(static_cast<double>(features)) / 2);
    }
    for (const Side side : {Side::source, Side::target}) {
      const Measure<T>& own = this->measure(side);
      const MatrixView<const T> points = own.points();
      const auto place = static_cast<std::size_t>(side);
      features_[place] = Buffer<T>(points.rows * features);
#pragma omp parallel for num_threads(execution.threads) schedule(static)
      for (Index i = 0; i < points.rows; ++i) {
        for (Index k = 0; k < features; ++k) {
          const double* anchor = anchors.data() + k * source.dimension;
          double squares = 0.0;
          for (Index c = 0; c < source.dimension; ++c) {
            const double difference = static_cast<double>(points(i, c)) - anchor[c];
            squares += difference * difference;
          }
          features_[place][i * features + k] = static_cast<T>(starts[k] - 2 * squares / epsilon);
        }
      }
      for (const double weight : own.weights) logs_[place].push_back(std::log(weight));
    }
  });
}

template <class T>
std::vector<double> PositiveCoupling<T>::largest_terms(Side side) const {
  std::vector<double> largest(columns_, -std::numeric_limits<double>::infinity());
  const MatrixView<const T> rows = features(side);
  const std::vector<double>& logs = logs_[index_of(side)];
  for (Index j = 0; j < rows.rows; ++j) {
    const T* row = rows.row(j);
    for (std::size_t k = 0; k < largest.size(); ++k) {
      largest[k] = std::max(largest[k], static_cast<double>(row[k]) + logs[j]);
    }
  }
  this->execution().communicator.maximum(std::span(largest));
  return largest;
}

// sum_j exp(log phi_k(j) + log of its scaling - largest_k) z_j over all ranks, for each k; empty z: 1.
template <class T>
std::vector<double> PositiveCoupling<T>::sums_of_terms(Side from, const std::vector<double>& largest,
                                                       std::span<const double> z, Index columns) const {
  const auto width = static_cast<std::size_t>(columns), order = largest.size();
  const int threads = this->execution().threads;
  const MatrixView<const T> others = features(from);
  const std::vector<double>& logs = logs_[index_of(from)];
  std::vector<T> shifts = as<T>(largest);
  for (T& shift : shifts) shift = -shift;
  std::vector<std::vector<double>> sums(threads, std::vector<double>(order * width));
  std::vector<std::vector<T>> values(sums.size(), std::vector<T>(order));
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int thread = 0; thread < threads; ++thread) {
    const auto place = static_cast<std::size_t>(thread);
    T* own = values[place].data();
    double* sum = sums[place].data();
    for (Index j = others.rows * thread / threads; j < others.rows * (thread + 1) / threads; ++j) {
      std::copy_n(others.row(j), columns_, own);
      vector_math::exponentials(static_cast<T>(logs[j]), shifts.data(), T(1), own, columns_);
      const double* row = z.empty() ? nullptr : z.data() + static_cast<std::size_t>(j) * width;
      for (std::size_t k = 0; k < order; ++k) {
        const double value = static_cast<double>(own[k]);
        for (std::size_t c = 0; c < width; ++c) sum[k * width + c] += row == nullptr ? value : value * row[c];
      }
      if (j % 1024 == 0) Watchdog::beat();
    }
  }
  for (std::size_t thread = 1; thread < sums.size(); ++thread) {
    for (std::size_t k = 0; k < sums.front().size(); ++k) sums.front()[k] += sums[thread][k];
  }
  this->execution().communicator.sum(std::span(sums.front()));
  return std::move(sums.front());
}

template <class T>
double PositiveCoupling<T>::scale(Side side, Index iteration) {
  const Communicator& communicator = this->execution().communicator;
  const Side from = other(side);
  std::vector<double> middle = largest_terms(from);
  const std::vector<double> sums = sums_of_terms(from, middle, {}, 1);
  for (std::size_t k = 0; k < sums.size(); ++k) middle[k] += std::log(sums[k]);
  const std::vector<T> shifts = as<T>(middle);

  const MatrixView<const T> rows = features(side);
  std::vector<double>& logs = logs_[index_of(side)];
  const std::vector<double>& weights = this->measure(side).weights;
  double violation = 0.0;
#pragma omp parallel for num_threads(this->execution().threads) schedule(static) reduction(+ : violation)
  for (Index i = 0; i < rows.rows; ++i) {
    const auto place = static_cast<std::size_t>(i);
    double largest = -std::numeric_limits<double>::infinity();
    for (Index k = 0; k < columns_; ++k) {
      largest = std::max(largest, static_cast<double>(rows(i, k)) + middle[k]);
    }
    const double sum =
        static_cast<double>(vector_math::sum_exp(static_cast<T>(-largest), shifts.data(), T(1), rows.row(i), columns_));
    const double log_sum = largest + std::log(sum);
    violation += std::abs(std::exp(std::min(logs[place] + log_sum, 700.0)) - weights[place]);
    logs[place] = std::log(weights[place]) - log_sum;
  }
  Watchdog::beat();
  collectively(communicator, [&] { require_finite(this->measure(side), side, logs, iteration); });
  return communicator.sum(violation);
}

template <class T>
std::vector<double> PositiveCoupling<T>::sums(Side side, std::span<const double> z, Index columns) const {
  const auto width = static_cast<std::size_t>(columns);
  const Side from = other(side);
  const std::vector<double> largest = largest_terms(from);
  const std::vector<double> middle = sums_of_terms(from, largest, z, columns);
  const std::vector<T> shifts = as<T>(largest);
  const MatrixView<const T> rows = features(side);
  std::vector<double> out = collectively(
      this->execution().communicator, [&] { return std::vector<double>(static_cast<std::size_t>(rows.rows) * width); });
#pragma omp parallel for num_threads(this->execution().threads) schedule(static)
  for (Index i = 0; i < rows.rows; ++i) {
    const double log = logs_[index_of(side)][i];
    double* sum = out.data() + static_cast<std::size_t>(i) * width;
    for (std::size_t k = 0; k < largest.size(); ++k) {
      const double value =
          std::exp(static_cast<double>(rows(i, static_cast<Index>(k))) + log + static_cast<double>(shifts[k]));
      for (std::size_t c = 0; c < width; ++c) sum[c] += value * middle[k * width + c];
    }
  }
  Watchdog::beat();
  return out;
}

template class PositiveCoupling<float>;
template class PositiveCoupling<double>;

}  // namespace cairn
