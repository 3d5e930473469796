// Multinomial logistic regression on features.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/linalg/dense/local_blas.hpp"
#include "cairn/linalg/lbfgs.hpp"
#include "cairn/linalg/library_limits.hpp"
#include "cairn/task/network/feature_moments.hpp"
#include "cairn/task/training_rows.hpp"

namespace cairn {

namespace {

constexpr Index rows_at_once = 1024;

int size_of(Index value) { return to_library_int(value, "features or outputs of a network"); }

// Loss and gradient for scaled features at W and c, stored one after another.
template <class T>
class LogisticLoss {
 public:
  // @param held_out  0: all rows, 1: without the held-out rows, 2: only the held-out rows
  LogisticLoss(const TuningInput<T>& input, const FeatureScale& scale, int held_out)
      : input_(input), scale_(scale), features_(input.left.columns()), outputs_(input.outputs) {
    for (std::size_t i = 0; i < input.rows.size(); ++i) {
      const bool held = is_held_out(input.execution.seed, input.rows[i]);
      if (held_out == 0 || held == (held_out == 2)) members_.push_back(i);
    }
    rows_ = input.execution.communicator.sum(static_cast<double>(members_.size()));
  }
  [[nodiscard]] double rows() const { return rows_; }
  [[nodiscard]] std::size_t outputs() const { return static_cast<std::size_t>(outputs_); }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>((features_ + 1) * outputs_); }

  // W and c for the unscaled features.
  [[nodiscard]] TunedCoefficients unscaled(std::span<const double> at) const {
    const auto d = static_cast<std::size_t>(features_), k = static_cast<std::size_t>(outputs_);
    TunedCoefficients tuned;
    tuned.coefficients.resize(d * k);
    tuned.intercepts.assign(at.begin() + static_cast<std::ptrdiff_t>(d * k), at.end());
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < k; ++j) {
        const double value = at[i * k + j] * scale_.inverse[i];
        tuned.coefficients[i * k + j] = value;
        tuned.intercepts[j] -= scale_.mean[i] * value;
      }
    }
    return tuned;
  }

  // The mean of -log p, and its gradient. Collective.
  double mean(std::span<const double> at, std::span<double> gradient) const {
    const auto d = static_cast<std::size_t>(features_), k = static_cast<std::size_t>(outputs_);
    const TunedCoefficients tuned = unscaled(at);
    std::vector<double> sums(d * k + k + 1, 0.0);  // sums of x pᵀ, of p, and of the loss
    collectively(input_.execution.communicator, [&] { add_rows(tuned, sums); });
    input_.execution.communicator.sum(std::span<double>(sums));
    input_.execution.communicator.broadcast(std::span<double>(sums), 0);
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < k; ++j) {
        gradient[i * k + j] = scale_.inverse[i] * (sums[i * k + j] - scale_.mean[i] * sums[d * k + j]) / rows_;
      }
    }
    for (std::size_t j = 0; j < k; ++j) gradient[d * k + j] = sums[d * k + j] / rows_;
    return sums.back() / rows_;
  }

 private:
  // Replaces scores by p - y; returns the loss.
  double residuals(std::size_t member, T* scores) const {
    const auto k = static_cast<std::size_t>(outputs_);
    const auto target = input_.targets.subspan(members_[member] * k, k);
    const double largest = static_cast<double>(*std::max_element(scores, scores + k));
    double sum = 0, loss = 0;
    for (std::size_t j = 0; j < k; ++j) sum += std::exp(static_cast<double>(scores[j]) - largest);
    for (std::size_t j = 0; j < k; ++j) {
      const double log_p = static_cast<double>(scores[j]) - largest - std::log(sum);
      loss -= target[j] * log_p;
      scores[j] = static_cast<T>(std::exp(log_p) - target[j]);
    }
    return loss;
  }

  void add_rows(const TunedCoefficients& tuned, std::vector<double>& sums) const {
    const auto d = static_cast<std::size_t>(features_), k = static_cast<std::size_t>(outputs_);
    const std::vector<T> weights(tuned.coefficients.begin(), tuned.coefficients.end());
    Buffer<T> x(rows_at_once * features_), scores(rows_at_once * outputs_), gradient(features_ * outputs_);
    const BlasThreads scope(input_.execution.threads);
    const int features = size_of(features_), outputs = size_of(outputs_);
    for (std::size_t begin = 0; begin < members_.size(); begin += rows_at_once) {
      const Index rows = std::min<Index>(rows_at_once, static_cast<Index>(members_.size() - begin));
      for (Index a = 0; a < rows; ++a) {
        const Index row = input_.rows[members_[begin + static_cast<std::size_t>(a)]];
        std::ranges::copy(input_.left.row(row), x.data() + a * features_);
        for (std::size_t j = 0; j < k; ++j) {
          scores[a * outputs_ + static_cast<Index>(j)] = static_cast<T>(tuned.intercepts[j]);
        }
      }
      blas::gemm('N', 'N', outputs, size_of(rows), features, T(1), weights.data(), outputs, x.data(), features, T(1),
                 scores.data(), outputs);
      for (Index a = 0; a < rows; ++a) {
        T* own = scores.data() + a * outputs_;
        sums.back() += residuals(begin + static_cast<std::size_t>(a), own);
        for (std::size_t j = 0; j < k; ++j) sums[d * k + j] += static_cast<double>(own[j]);
      }
      blas::gemm('N', 'T', outputs, features, size_of(rows), T(1), scores.data(), outputs, x.data(), features, T(0),
                 gradient.data(), outputs);
      for (std::size_t i = 0; i < d * k; ++i) sums[i] += static_cast<double>(gradient[static_cast<Index>(i)]);
      Watchdog::beat();
    }
  }

  const TuningInput<T>& input_;
  const FeatureScale& scale_;
  Index features_, outputs_;
  std::vector<std::size_t> members_;  // positions in input.rows
  double rows_ = 0;
};

template <class T>
Minimum minimum_of(const LogisticLoss<T>& loss, std::vector<double> start, double penalty, Index most_iterations) {
  const std::size_t weights = start.size(), penalized = weights - loss.outputs();  // intercepts are not penalized
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const Bounds bounds{std::vector<double>(weights, -infinite), std::vector<double>(weights, infinite)};
  return minimize(
      [&](std::span<const double> at, std::span<double> gradient) {
        double value = loss.mean(at, gradient);
        for (std::size_t i = 0; i < penalized; ++i) {
          value += penalty / 2 * at[i] * at[i];
          gradient[i] += penalty * at[i];
        }
        return value;
      },
      std::move(start), bounds, {.memory = 10, .most_iterations = most_iterations, .tolerance = 1e-5});
}

// Sums of squares of each feature over the rows. Collective.
template <class T>
std::vector<double> squares_of(const TuningInput<T>& input) {
  std::vector<double> squares(input.left.columns(), 0.0);
  for (const Index row : input.rows) {
    const auto from = input.left.row(row);
    for (std::size_t k = 0; k < squares.size(); ++k)
      squares[k] += static_cast<double>(from[k]) * static_cast<double>(from[k]);
  }
  input.execution.communicator.sum(std::span<double>(squares));
  return squares;
}

}  // namespace

template <class T>
TunedCoefficients tune_by_logistic(const TuningInput<T>& input, Index most_iterations) {
  const FeatureMoments sums = feature_moments(
      input, [](Index) { return true; }, false);
  if (sums.rows == 0) throw Error(ErrorKind::input, "there are no rows to learn from");
  FeatureScale scale = feature_scale(sums.x, squares_of(input), sums.rows);
  input.execution.communicator.broadcast(std::span<double>(scale.mean), 0);  // so that every rank takes the same steps
  input.execution.communicator.broadcast(std::span<double>(scale.inverse), 0);
  std::vector<TriedPenalty> tried;
  double best = input.penalties.front();
  std::vector<double> start(LogisticLoss<T>(input, scale, 0).size(), 0.0);
  if (input.penalties.size() > 1) {
    const LogisticLoss<T> rest(input, scale, 1), held(input, scale, 2);
    if (rest.rows() == 0 || held.rows() == 0) throw Error(ErrorKind::input, "there are too few rows to learn from");
    std::vector<double> penalties = input.penalties, unused(start.size()), at = start;
    std::ranges::sort(penalties, std::greater<>());
    double least = std::numeric_limits<double>::infinity();
    for (const double penalty : penalties) {
      at = minimum_of(rest, at, penalty, most_iterations).at;
      tried.push_back({penalty, held.mean(at, unused)});
      if (!(tried.back().loss < least)) continue;
      least = tried.back().loss, best = penalty, start = at;
    }
  }
  const LogisticLoss<T> loss(input, scale, 0);
  const Minimum found = minimum_of(loss, std::move(start), best, most_iterations);
  TunedCoefficients tuned = loss.unscaled(found.at);
  tuned.penalty = best;
  tuned.tried = std::move(tried);
  tuned.iterations = found.iterations;
  tuned.converged = found.converged;
  return tuned;
}

template TunedCoefficients tune_by_logistic(const TuningInput<float>&, Index);
template TunedCoefficients tune_by_logistic(const TuningInput<double>&, Index);

}  // namespace cairn
