#include "cairn/linalg/lbfgs.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>

namespace cairn {

namespace {

using Vector = std::vector<double>;
using Mask = std::vector<char>;

/// Wolfe conditions: share of the decrease predicted by the slope, and share of the slope that remains.
constexpr double sufficient_decrease = 1e-4, sufficient_curvature = 0.9;
constexpr int most_steps = 40;
/// A pair of differences with a smaller cosine carries no information on the curvature.
constexpr double least_cosine = 1e-10;
/// Relative to f: a smaller decrease predicted by the slope is hidden by rounding.
constexpr double hidden_decrease = 1e-9;
constexpr double rounding = 1e-12;

struct Point {
  Vector at, gradient;
  double value = INFINITY;
};

struct Pair {
  Vector step, change;  // change of the point, of the gradient
};

double dot(const Vector& a, const Vector& b, const Mask& free) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (free[i] != 0) sum += a[i] * b[i];
  }
  return sum;
}

class Search {
 public:
  Search(const Objective& objective, const Bounds& bounds, const LbfgsOptions& options)
      : objective_(objective), bounds_(bounds), options_(options) {}

  Minimum from(Vector start) {
    for (std::size_t i = 0; i < start.size(); ++i) start[i] = std::clamp(start[i], bounds_.lower[i], bounds_.upper[i]);
    point_ = evaluate(std::move(start));
    if (std::isfinite(point_.value)) descend();
    return {.at = point_.at,
            .gradient = point_.gradient,
            .value = point_.value,
            .iterations = iterations_,
            .evaluations = evaluations_,
            .converged = converged_};
  }

 private:
  void descend() {
    for (; iterations_ < options_.most_iterations; ++iterations_) {
      free_ = free_numbers();
      const double scale = std::max(1.0, std::abs(point_.value));
      converged_ = largest_free_gradient() <= options_.tolerance * scale;
      if (converged_) return;
      Vector direction = quasi_newton_direction();
      std::optional<Point> next = step_along(direction);
      if (!next && !pairs_.empty()) {
        pairs_.clear();
        free_ = free_numbers();
        direction = steepest_direction();
        next = step_along(direction);
      }
      if (!next) {
        converged_ = -dot(direction, point_.gradient, free_) <= hidden_decrease * scale;
        return;
      }
      const double decrease = point_.value - next->value;
      const bool cut = at_bounds(next->at) > at_bounds(point_.at);  // a step cut short by a bound predicts nothing
      remember(*next);
      point_ = std::move(*next);
      converged_ = !cut && decrease <= options_.decrease * scale;
      if (converged_) {
        ++iterations_;
        return;
      }
    }
  }

  Point evaluate(Vector at) {
    Point point{std::move(at), {}, INFINITY};
    point.gradient.assign(point.at.size(), 0.0);
    point.value = objective_(point.at, point.gradient);
    ++evaluations_;
    return point;
  }

  [[nodiscard]] bool leaves(std::size_t i, double direction) const {
    return (point_.at[i] <= bounds_.lower[i] && direction < 0.0) ||
           (point_.at[i] >= bounds_.upper[i] && direction > 0.0);
  }

  [[nodiscard]] Index at_bounds(const Vector& at) const {
    Index count = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (at[i] <= bounds_.lower[i] || at[i] >= bounds_.upper[i]) ++count;
    }
    return count;
  }

  // 1 for each number that may follow the negative gradient.
  [[nodiscard]] Mask free_numbers() const {
    Mask free(point_.at.size(), 1);
    for (std::size_t i = 0; i < free.size(); ++i) free[i] = leaves(i, -point_.gradient[i]) ? 0 : 1;
    return free;
  }

  [[nodiscard]] double largest_free_gradient() const {
    double largest = 0.0;
    for (std::size_t i = 0; i < free_.size(); ++i) {
      if (free_[i] != 0) largest = std::max(largest, std::abs(point_.gradient[i]));
    }
    return largest;
  }

  [[nodiscard]] Vector steepest_direction() const {
    Vector direction(point_.at.size(), 0.0);
    for (std::size_t i = 0; i < direction.size(); ++i) {
      if (free_[i] != 0) direction[i] = -point_.gradient[i];
    }
    return direction;
  }

  // -H g on the free numbers. Numbers at a bound that it would cross become fixed; without any left, the steepest
  // descent.
  Vector quasi_newton_direction() {
    for (bool again = !pairs_.empty(); again;) {
      Vector direction = two_loops();
      again = false;
      for (std::size_t i = 0; i < direction.size(); ++i) {
        if (free_[i] == 0 || !leaves(i, direction[i])) continue;
        free_[i] = 0;
        again = true;
      }
      if (!again && dot(direction, point_.gradient, free_) < 0.0) return direction;
    }
    free_ = free_numbers();
    return steepest_direction();
  }

  [[nodiscard]] Vector two_loops() const {
    Vector direction = steepest_direction();
    Vector shares(pairs_.size(), 0.0), curvatures(pairs_.size(), 0.0);
    double scale = 0.0;
    for (std::size_t k = pairs_.size(); k-- > 0;) {
      const auto& [step, change] = pairs_[k];
      const double curvature = dot(step, change, free_), squares = dot(change, change, free_);
      if (!(curvature > least_cosine * std::sqrt(dot(step, step, free_) * squares))) continue;
      curvatures[k] = curvature;
      if (scale == 0.0) scale = curvature / squares;
      shares[k] = dot(step, direction, free_) / curvature;
      add(-shares[k], change, direction);
    }
    if (scale == 0.0) return direction;
    for (double& value : direction) value *= scale;
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      if (curvatures[k] == 0.0) continue;
      add(shares[k] - dot(pairs_[k].change, direction, free_) / curvatures[k], pairs_[k].step, direction);
    }
    return direction;
  }

  void add(double weight, const Vector& from, Vector& to) const {
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (free_[i] != 0) to[i] += weight * from[i];
    }
  }

  // The longest step that stays within the bounds.
  [[nodiscard]] double longest_step(const Vector& direction) const {
    double longest = INFINITY;
    for (std::size_t i = 0; i < direction.size(); ++i) {
      if (free_[i] == 0 || direction[i] == 0.0) continue;
      const double bound = direction[i] > 0.0 ? bounds_.upper[i] : bounds_.lower[i];
      longest = std::min(longest, (bound - point_.at[i]) / direction[i]);
    }
    return longest;
  }

  // Numbers that rounding leaves short of a bound are set to it.
  [[nodiscard]] Vector moved(const Vector& direction, double step) const {
    Vector at = point_.at;
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (free_[i] == 0) continue;
      const double lower = bounds_.lower[i], upper = bounds_.upper[i], short_of = rounding * (upper - lower);
      at[i] += step * direction[i];
      if (at[i] < lower + short_of) at[i] = lower;
      if (at[i] > upper - short_of) at[i] = upper;
    }
    return at;
  }

  // A point along the direction that satisfies both Wolfe conditions, or, at a bound or after many trials, the first
  // only; nothing if no step decreases f.
  std::optional<Point> step_along(const Vector& direction) {
    const double slope = dot(direction, point_.gradient, free_), longest = longest_step(direction);
    if (!(slope < 0.0) || !(longest > 0.0)) return std::nullopt;
    double low = 0.0, high = INFINITY, step = 1.0;
    if (pairs_.empty()) step = std::min(1.0, 1.0 / std::sqrt(dot(direction, direction, free_)));
    step = std::min(step, longest);
    std::optional<Point> best;
    for (int trial = 0; trial < most_steps; ++trial) {
      Point next = evaluate(moved(direction, step));
      if (!std::isfinite(next.value) || !(next.value <= point_.value + sufficient_decrease * step * slope)) {
        high = step;
      } else if (dot(direction, next.gradient, free_) >= sufficient_curvature * slope || step >= longest) {
        return next;
      } else {
        low = step;
        best = std::move(next);
      }
      step = std::isfinite(high) ? 0.5 * (low + high) : std::min(2.0 * low, longest);
    }
    return best;
  }

  void remember(const Point& next) {
    Pair pair{next.at, next.gradient};
    for (std::size_t i = 0; i < next.at.size(); ++i) {
      pair.step[i] -= point_.at[i];
      pair.change[i] -= point_.gradient[i];
    }
    pairs_.push_back(std::move(pair));
    if (pairs_.size() > options_.memory) pairs_.pop_front();
  }

  const Objective& objective_;
  const Bounds& bounds_;
  const LbfgsOptions& options_;
  Point point_;
  Mask free_;
  std::deque<Pair> pairs_;
  Index iterations_ = 0, evaluations_ = 0;
  bool converged_ = false;
};

}  // namespace

Minimum minimize(const Objective& objective, std::vector<double> start, const Bounds& bounds,
                 const LbfgsOptions& options) {
  return Search(objective, bounds, options).from(std::move(start));
}

}  // namespace cairn
