#include "cairn/task/gaussian/vecchia/vecchia_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/progress.hpp"

namespace cairn {

namespace {

using Vector = std::vector<double>;

constexpr Index first_rows = 1000, growth = 4;
/// Expected gains in log p below which the scoring stops, on the first rows, on some, and on all: by a gain of g the
/// parameters are √(2 g) standard errors off.
constexpr double first_gain = 0.1, coarse_gain = 0.5, fine_gain = 0.005;
/// Relative difference of log p below which the ends of searches count as equal.
constexpr double alike = 1e-6;
/// Largest change of a logarithm in a step.
constexpr double longest_step = 1.5;
constexpr Index most_steps = 60, most_searches = 6;
/// Change of the logarithms of the lengths, against each other, after which neighbors are found anew: at the end and at
/// once.
constexpr double changed = 0.1, much_changed = 0.5;
/// Parts of the expected gain below which a step is damped, and above which less.
constexpr double poor = 0.25, good = 0.75;
/// Pivots of an information matrix below this part of its diagonal: the column is a sum of others.
constexpr double singular = 1e-10;

// Solves A x = b for a positive semidefinite A in place; unknowns that others determine are 0.
Vector solve_semidefinite(Vector matrix, Vector right) {
  const auto n = static_cast<Index>(right.size());
  std::vector<char> out(right.size(), 0);
  Vector diagonal(right.size());
  for (Index j = 0; j < n; ++j) diagonal[j] = matrix[j * n + j];
  for (Index j = 0; j < n; ++j) {
    double& pivot = matrix[j * n + j];
    for (Index k = 0; k < j; ++k) pivot -= matrix[j * n + k] * matrix[j * n + k];
    if (!(pivot > singular * diagonal[j])) {
      out[j] = 1;
      for (Index i = j; i < n; ++i) matrix[i * n + j] = 0.0;
      continue;
    }
    pivot = std::sqrt(pivot);
    for (Index i = j + 1; i < n; ++i) {
      double& entry = matrix[i * n + j];
      for (Index k = 0; k < j; ++k) entry -= matrix[i * n + k] * matrix[j * n + k];
      entry /= pivot;
    }
  }
  for (Index j = 0; j < n; ++j) {
    if (out[j] != 0) {
      right[j] = 0.0;
      continue;
    }
    for (Index k = 0; k < j; ++k) right[j] -= matrix[j * n + k] * right[k];
    right[j] /= matrix[j * n + j];
  }
  for (Index j = n; j-- > 0;) {
    if (out[j] != 0) continue;
    for (Index i = j + 1; i < n; ++i) right[j] -= matrix[i * n + j] * right[i];
    right[j] /= matrix[j * n + j];
  }
  return right;
}

double dot_of(const Vector& a, const Vector& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Parameters of a search: logarithms of the lengths, sigma and the noise, and the mean.
struct VecchiaState {
  Vector logs, mean;
};

ColumnCovariance covariance_of(const Vector& logs, Smoothness smoothness) {
  ColumnCovariance covariance{.smoothness = smoothness};
  for (std::size_t k = 0; k + 2 < logs.size(); ++k) covariance.lengths.push_back(std::exp(logs[k]));
  covariance.sigma = std::exp(logs[logs.size() - 2]);
  covariance.noise = std::exp(logs[logs.size() - 1]);
  return covariance;
}

// Fisher scoring on some of the rows.
class Scoring {
 public:
  Scoring(VecchiaLikelihood& likelihood, Smoothness smoothness, double unit)
      : likelihood_(likelihood), smoothness_(smoothness) {
    for (Index k = 0; k < likelihood.shape().lengths(); ++k) {
      lower_.push_back(std::log(least_length * unit));
      upper_.push_back(std::log(largest_length * unit));
    }
    lower_.insert(lower_.end(), {std::log(least_sigma), std::log(least_noise)});
    upper_.insert(upper_.end(), {std::log(largest_sigma), std::log(largest_noise)});
  }

  // @param tolerance  of the expected gain
  void run(VecchiaState begin, double tolerance) {
    at_.state = std::move(begin);
    steps_ = searches_ = 0;
    converged_ = false;
    search();
    double ridge = 0.0;
    while (steps_ < most_steps) {
      const Vector step = step_of(ridge);
      const double drift = drift_of(at_.state.logs);
      if (!(0.5 * dot_of(step, at_.sums.gradient) + at_.mean_gain > tolerance)) {
        converged_ = true;
        if (drift <= changed || searches_ >= most_searches) return;
        search();
        converged_ = false;
        continue;
      }
      if (drift > much_changed && searches_ < most_searches) {
        search();
        continue;
      }
      VecchiaState next{at_.state.logs, at_.state.mean};
      Vector moved(step.size());
      for (std::size_t k = 0; k < step.size(); ++k) {
        next.logs[k] += std::clamp(step[k], -longest_step, longest_step);
        next.logs[k] = std::clamp(next.logs[k], lower_[k], upper_[k]);
        moved[k] = next.logs[k] - at_.state.logs[k];
      }
      for (std::size_t p = 0; p < next.mean.size(); ++p) next.mean[p] += at_.mean_step[p];
      const double expected = gain_of(moved);
      const Point before = at_;
      at_.state = std::move(next);
      evaluate();
      ++steps_;
      const double gain = at_.profile - before.profile;
      if (!at_.sums.defined || !(gain > -tolerance * 1e-3)) {
        at_ = before;
        converged_ = ridge > 1e6;  // rounding hides any gain
        if (converged_) return;
        ridge = std::max(4.0 * ridge, poor);
      } else if (gain < poor * expected) {
        ridge = std::max(2.0 * ridge, poor);
      } else if (gain > good * expected) {
        ridge = ridge > 0.05 ? ridge / 4.0 : 0.0;
      }
    }
  }

  // With the mean of largest likelihood.
  [[nodiscard]] VecchiaState best() const {
    VecchiaState best = at_.state;
    for (std::size_t p = 0; p < best.mean.size(); ++p) best.mean[p] += at_.mean_step[p];
    return best;
  }
  [[nodiscard]] double value() const { return at_.profile; }
  [[nodiscard]] Index steps() const { return steps_; }
  [[nodiscard]] Index searches() const { return searches_; }
  [[nodiscard]] bool converged() const { return converged_; }

 private:
  // Parameters and what the likelihood is there.
  struct Point {
    VecchiaState state{};
    VecchiaSums sums{};
    Vector mean_step{};                     // to the mean of largest likelihood
    double mean_gain = 0.0, profile = 0.0;  // log p with it, and what it gains
  };

  void search() {
    const ColumnCovariance covariance = covariance_of(at_.state.logs, smoothness_);
    likelihood_.find_neighbors(search_lengths(covariance, likelihood_.shape().lengths()));
    searched_ = at_.state.logs;
    shares_ = likelihood_.shares();
    ++searches_;
    // The mean first: its step is exact, and the gradient is then that of the profile.
    at_.sums = likelihood_.at(covariance, at_.state.mean, false);
    if (at_.sums.defined) {
      const Vector step = solve_semidefinite(at_.sums.mean_information, at_.sums.mean_gradient);
      for (std::size_t p = 0; p < step.size(); ++p) at_.state.mean[p] += step[p];
    }
    evaluate();
  }

  void evaluate() {
    at_.sums = likelihood_.at(covariance_of(at_.state.logs, smoothness_), at_.state.mean, true);
    at_.profile = -std::numeric_limits<double>::infinity();
    at_.mean_step.assign(at_.state.mean.size(), 0.0);
    at_.mean_gain = 0.0;
    if (!at_.sums.defined) return;
    at_.mean_step = solve_semidefinite(at_.sums.mean_information, at_.sums.mean_gradient);
    at_.mean_gain = 0.5 * dot_of(at_.mean_step, at_.sums.mean_gradient);
    at_.profile = at_.sums.value + at_.mean_gain;
  }

  // Gain of a step of the parameters alone, by the gradient and the information.
  [[nodiscard]] double gain_of(const Vector& step) const {
    const auto q = static_cast<Index>(step.size());
    double gain = dot_of(step, at_.sums.gradient);
    for (Index k = 0; k < q; ++k) {
      for (Index j = 0; j < q; ++j) gain -= 0.5 * step[k] * at_.sums.information[k * q + j] * step[j];
    }
    return gain;
  }

  // (I + ridge diag I)⁻¹ gradient of the parameters that are not held by a bound.
  [[nodiscard]] Vector step_of(double ridge) const {
    const auto q = static_cast<Index>(at_.state.logs.size());
    Vector matrix = at_.sums.information, right = at_.sums.gradient;
    if (right.empty()) return Vector(at_.state.logs.size(), 0.0);
    for (Index k = 0; k < q; ++k) {
      const bool held =
          (at_.state.logs[k] <= lower_[k] && right[k] < 0.0) || (at_.state.logs[k] >= upper_[k] && right[k] > 0.0);
      if (held) {
        for (Index j = 0; j < q; ++j) matrix[k * q + j] = matrix[j * q + k] = 0.0;
        right[k] = 0.0;
      }
      matrix[k * q + k] = matrix[k * q + k] * (1.0 + ridge) + (held ? 1.0 : 1e-6);
    }
    return solve_semidefinite(std::move(matrix), std::move(right));
  }

  // Mean change of the lengths against each other, by their shares of distances: by one factor for all of them, the
  // neighbors stay.
  [[nodiscard]] double drift_of(const Vector& logs) const {
    if (likelihood_.shape().one_length) return 0.0;
    double mean = 0.0, drift = 0.0;
    for (std::size_t k = 0; k < shares_.size(); ++k) mean += shares_[k] * (logs[k] - searched_[k]);
    for (std::size_t k = 0; k < shares_.size(); ++k) drift += shares_[k] * std::abs(logs[k] - searched_[k] - mean);
    return drift;
  }

  VecchiaLikelihood& likelihood_;
  Smoothness smoothness_;
  Vector lower_, upper_, searched_, shares_;
  Point at_;
  Index steps_ = 0, searches_ = 0;
  bool converged_ = false;
};

// The rows that come first in the random order: about `count` of them.
struct FirstRows {
  OrderedPoints points;
  NodeArray<double> targets;
};

FirstRows first_rows_of(const Execution& execution, const VecchiaRows& rows, const VecchiaTarget& target, Index count) {
  const double part = static_cast<double>(count) / static_cast<double>(rows.count());
  const auto limit = static_cast<std::uint64_t>(part * 0x1p63);  // keys have 63 bits
  const auto keys = rows.points.keys.values();
  const Index chosen = std::ranges::count_if(keys, [&](std::uint64_t key) { return key < limit; });
  const Index columns = rows.points.columns;
  FirstRows first;
  first.points.columns = columns;
  first.points.coordinates = NodeArray<double>(execution.communicator, chosen * columns);
  first.points.keys = NodeArray<std::uint64_t>(execution.communicator, chosen);
  first.targets = NodeArray<double>(execution.communicator, chosen);
  if (first.targets.node().is_root()) {
    Index at = 0;
    for (Index i = 0; i < rows.count(); ++i) {
      if (keys[i] >= limit) continue;
      std::copy_n(rows.points.coordinates.values().data() + i * columns, columns,
                  first.points.coordinates.writable().data() + at * columns);
      first.points.keys.writable()[at] = keys[i];
      first.targets.writable()[at] = target.values[i];
      ++at;
    }
  }
  first.points.coordinates.publish();
  first.points.keys.publish();
  first.targets.publish();
  return first;
}

}  // namespace

std::vector<double> search_lengths(const ColumnCovariance& covariance, Index columns) {
  constexpr double steps = 1024.0;  // of a factor of 2
  std::vector<double> rounded;
  for (Index c = 0; c < columns; ++c) {
    rounded.push_back(std::exp2(std::round(std::log2(covariance.length(c)) * steps) / steps));
  }
  return rounded;
}

VecchiaFit fit_vecchia(const Execution& execution, const VecchiaRows& rows, const VecchiaTarget& target,
                       const VecchiaOptions& options) {
  const Index n = rows.count(), columns = rows.points.columns;
  const ConditionalShape shape{.neighbors = std::min(options.neighbors, n - 1),
                               .columns = columns,
                               .one_length = rows.one_length,
                               .linear = options.linear};
  const double unit = std::sqrt(2.0 * static_cast<double>(columns));
  VecchiaState state;
  const auto begin_on = [&](VecchiaLikelihood& likelihood) {
    constexpr std::pair<double, double> starts[] = {{1.0, 0.3}, {0.3, 0.1}, {3.0, 0.5}};  // length, noise
    double best = -std::numeric_limits<double>::infinity();
    for (const auto& [length, noise] : starts) {
      VecchiaState start{Vector(static_cast<std::size_t>(shape.lengths()), std::log(length * unit)),
                         Vector(static_cast<std::size_t>(shape.means()), 0.0)};
      start.logs.insert(start.logs.end(), {0.0, std::log(noise)});
      Scoring scoring(likelihood, options.smoothness, unit);
      scoring.run(std::move(start), first_gain);
      if (!state.logs.empty() && !(scoring.value() > best + alike * std::abs(best))) continue;
      best = scoring.value();
      state = scoring.best();
    }
  };
  for (Index count = first_rows; 3 * count < n; count *= growth) {
    const FirstRows first = first_rows_of(execution, rows, target, count);
    VecchiaLikelihood likelihood(execution, first.points, first.targets, shape);
    if (state.logs.empty()) {
      begin_on(likelihood);
      continue;
    }
    Scoring scoring(likelihood, options.smoothness, unit);
    scoring.run(state, coarse_gain);
    state = scoring.best();
  }
  VecchiaLikelihood likelihood(execution, rows.points, target.values, shape);
  if (state.logs.empty()) begin_on(likelihood);
  Scoring scoring(likelihood, options.smoothness, unit);
  scoring.run(state, fine_gain);
  state = scoring.best();
  return {.covariance = covariance_of(state.logs, options.smoothness),
          .coefficients = state.mean,
          .log_likelihood = scoring.value(),
          .steps = scoring.steps(),
          .searches = scoring.searches(),
          .converged = scoring.converged()};
}

}  // namespace cairn
