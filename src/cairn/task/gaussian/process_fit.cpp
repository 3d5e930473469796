#include "cairn/task/gaussian/process_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/lbfgs.hpp"
#include "cairn/linalg/library_limits.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

/// Starting points of the searches: the length in median distances; sigma and noise for standardized targets.
constexpr CovarianceParameters starts[] = {
    {.sigma = 1.0, .length = 0.3, .noise = 0.1},
    {.sigma = 1.0, .length = 1.0, .noise = 0.3},
    {.sigma = 1.0, .length = 3.0, .noise = 0.3},
    {.sigma = 1.0, .length = 10.0, .noise = 0.7},
};
/// Bounds of the searches, in the same units. The least noise keeps the matrix definite if rows are equal.
constexpr CovarianceParameters least{.sigma = 1e-3, .length = 1e-3, .noise = 1e-4};
constexpr CovarianceParameters largest{.sigma = 1e2, .length = 1e3, .noise = 1e1};
/// Relative difference of log p below which end points count as equal. The effect of the number of threads is far
/// smaller.
constexpr double alike = 1e-6;
/// Relative difference, with respect to the largest target, below which targets differ only by rounding.
constexpr double rounding = 1e-13;

std::vector<double> logarithms(const CovarianceParameters& p, double distance) {
  return {std::log(p.sigma), std::log(p.length * distance), std::log(p.noise)};
}

CovarianceParameters exponentials(std::span<const double> logs) {
  return {.sigma = std::exp(logs[0]), .length = std::exp(logs[1]), .noise = std::exp(logs[2])};
}

// The standardized values of one target.
std::vector<double> standardized(const ProcessFit& fit, const ProcessRows& rows, Index target) {
  std::vector<double> values = centered(rows.targets, rows.target_count, target, fit.mean);
  for (double& value : values) value /= fit.scale;
  return values;
}

// @throws Error(input) if the target is the same everywhere
ProcessFit scale_of(const ProcessRows& rows, Index target, const std::string& name) {
  const std::vector<double> values = centered(rows.targets, rows.target_count, target, 0.0);
  const auto [lowest, highest] = std::ranges::minmax(values);
  if (highest - lowest <= rounding * std::max(std::abs(lowest), std::abs(highest))) {
    throw constant_target(name, lowest, rows.count());
  }
  const auto n = static_cast<double>(rows.count());
  ProcessFit fit;
  fit.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0.0;
  for (const double value : values) squares += (value - fit.mean) * (value - fit.mean);
  fit.scale = std::sqrt(squares / n);
  return fit;
}

ProcessStart search(MarginalLikelihood& likelihood, const CovarianceParameters& begin, double distance,
                    std::span<const double> targets) {
  const Objective objective = [&](std::span<const double> at, std::span<double> gradient) {
    const auto found = likelihood.at(exponentials(at), targets);
    Watchdog::beat();
    if (!found) return static_cast<double>(INFINITY);
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] = -found->gradient[i];
    return -found->value;
  };
  const Minimum found =
      minimize(objective, logarithms(begin, distance), {logarithms(least, distance), logarithms(largest, distance)});
  return {.begin = exponentials(logarithms(begin, distance)),
          .end = exponentials(found.at),
          .log_likelihood = -found.value,
          .iterations = found.iterations,
          .evaluations = found.evaluations,
          .converged = found.converged};
}

// A finished search, as a rank sends it to the others. Jobs are numbered target by target and, within a target, start
// by start.
struct Ended {
  std::size_t job;
  double median_distance;
  ProcessStart start;
};

// Runs the searches of this rank. Collective.
std::vector<Ended> search_all(const Execution& execution, const ProcessRows& rows,
                              const std::vector<ProcessFit>& fits) {
  const Communicator& communicator = execution.communicator;
  const std::size_t jobs = fits.size() * std::size(starts);
  const auto ranks = static_cast<std::size_t>(communicator.size());
  // Ranks with no search, or with shorter searches, wait for the others.
  const auto n = static_cast<double>(rows.count()),
             turns = std::ceil(static_cast<double>(jobs) / static_cast<double>(ranks));
  const auto evaluations = 2.0 * static_cast<double>(LbfgsOptions().most_iterations);
  const Watchdog::Patience patience(silent_seconds(turns * evaluations * n * n * n, 1));
  return collectively(communicator, [&] {
    std::vector<Ended> ended;
    const auto first = static_cast<std::size_t>(communicator.rank());
    if (first >= jobs) return ended;
    const PairDistances distances(rows.view(), execution.threads);
    MarginalLikelihood likelihood(distances, execution.threads);
    const double median = distances.median(), unit = median > 0.0 ? median : 1.0;
    for (std::size_t job = first; job < jobs; job += ranks) {
      const std::size_t t = job / std::size(starts);
      const auto targets = standardized(fits[t], rows, static_cast<Index>(t));
      ended.push_back({job, median, search(likelihood, starts[job % std::size(starts)], unit, targets)});
    }
    return ended;
  });
}

std::size_t best_of(const std::vector<ProcessStart>& all) {
  double best = -INFINITY;
  for (const ProcessStart& start : all) best = std::max(best, start.log_likelihood);
  const auto found = std::ranges::find_if(all, [&](const ProcessStart& start) {
    return start.log_likelihood >= best - alike * std::max(1.0, std::abs(best));
  });
  return static_cast<std::size_t>(found - all.begin());
}

}  // namespace

std::vector<double> centered(std::span<const double> targets, Index count, Index target, double mean) {
  std::vector<double> values;
  for (auto at = static_cast<std::size_t>(target); at < targets.size(); at += static_cast<std::size_t>(count)) {
    values.push_back(targets[at] - mean);
  }
  return values;
}

Error constant_target(const std::string& name, double value, Index rows) {
  return {ErrorKind::input, fmt::format("the target {} is {:g} in all {} training rows: there is nothing to learn",
                                        name, value, grouped(rows))};
}

void require_process_rows(Index rows) {
  if (rows <= most_process_rows) return;
  throw Error(
      ErrorKind::resource,
      fmt::format("a Gaussian process factors a dense matrix of its training rows some hundred times, and takes "
                  "at most {} of them, not {}: train on fewer, or by the likelihood vecchia",
                  grouped(most_process_rows), grouped(rows)));
}

Index process_bytes(Index rows, Index columns) {
  constexpr Index matrices = 2;  // distances and the covariance, or its factor and an inverse
  constexpr Index copies = 2;    // of features: the rank's own, and those of all ranks
  return static_cast<Index>(sizeof(double)) * rows * (matrices * rows + copies * columns);
}

std::vector<ProcessFit> fit_processes(const Execution& execution, const ProcessRows& rows,
                                      const std::vector<std::string>& names) {
  const Index n = rows.count();
  if (n < 2) {
    throw Error(ErrorKind::input, n == 0 ? "there is no row to train on"
                                         : fmt::format("there is one row to train on, row {}: the parameters of a "
                                                       "Gaussian process follow from two rows or more",
                                                       rows.rows.front()));
  }
  require_process_rows(n);
  std::vector<ProcessFit> fits;
  for (std::size_t t = 0; t < names.size(); ++t) fits.push_back(scale_of(rows, static_cast<Index>(t), names[t]));
  for (const Ended& ended : execution.communicator.all_gather(search_all(execution, rows, fits))) {
    ProcessFit& fit = fits[ended.job / std::size(starts)];
    fit.median_distance = ended.median_distance;
    fit.starts.resize(std::size(starts));
    fit.starts[ended.job % std::size(starts)] = ended.start;
  }
  for (ProcessFit& fit : fits) {
    fit.chosen = best_of(fit.starts);
    const ProcessStart& best = fit.starts[fit.chosen];
    fit.log_likelihood = best.log_likelihood;
    fit.parameters = {best.end.sigma * fit.scale, best.end.length, best.end.noise * fit.scale};
  }
  return fits;
}

std::vector<std::string> fit_warnings(const ProcessFit& fit, const std::string& name) {
  constexpr double nearly = 1e-6;
  const auto is = [&](double value, double bound) { return std::abs(value - bound) <= nearly * bound; };
  const ProcessStart& best = fit.starts[fit.chosen];
  std::vector<std::string> warnings;
  const auto warn = [&](const std::string& what) { warnings.push_back(fmt::format("target {}: {}", name, what)); };
  if (!best.converged) {
    warn(fmt::format("the search for the largest likelihood stopped after {} iterations before it converged",
                     best.iterations));
  }
  if (!(fit.median_distance > 0.0)) {
    warn("all training rows are equal: the prediction is the same everywhere");
    return warnings;
  }
  if (is(best.end.length, least.length * fit.median_distance)) {
    warn("the length is at its lower bound: the training rows are nearly uncorrelated");
  }
  if (is(best.end.length, largest.length * fit.median_distance)) {
    warn("the length is the largest that is tried: the target is nearly a polynomial of the features, or constant");
  }
  if (is(best.end.sigma, least.sigma)) warn("sigma is the least that is tried: the features explain nothing");
  if (is(best.end.sigma, largest.sigma)) warn("sigma is the largest that is tried");
  if (is(best.end.noise, least.noise)) {
    warn(
        fmt::format("the noise is the least that is tried, {:g} of the target's standard deviation: predictions pass "
                    "through the training values",
                    least.noise));
  }
  return warnings;
}

}  // namespace cairn
