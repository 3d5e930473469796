#include "cairn/task/regression/kernel_ridge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "cairn/approximation/factor_digest.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/linalg/dense/dense_limits.hpp"
#include "cairn/task/regression/kernel_decomposition.hpp"
#include "cairn/task/regression/training_features.hpp"

namespace cairn {

namespace {

// Means of targets, and leave-one-out values of rows.

// Right sides: the targets, minus their means if there is an intercept. For leave-one-out with an intercept also a
// column of ones, whose fit gives the effect of a change of the mean.
struct RightSides {
  std::vector<double> values;  ///< rows x columns, row-major
  Index columns = 0;
  bool ones = false;
};

// A smaller 1 - h_i is rounding.
constexpr double least_leverage_gap = 1e-12;

// @param means  of the targets; empty: no intercept. Local.
RightSides right_sides(const TrainingSet& training, const std::vector<double>& means, bool leave_one_out) {
  const auto targets = static_cast<std::size_t>(training.targets);
  RightSides sides{{}, training.targets, !means.empty() && leave_one_out};
  if (sides.ones) ++sides.columns;
  for (std::size_t at = 0; at < training.values.size(); ++at) {
    sides.values.push_back(training.values[at] - (means.empty() ? 0.0 : means[at % targets]));
    if (sides.ones && at % targets + 1 == targets) sides.values.push_back(1.0);
  }
  return sides;
}

// Leave-one-out values of own training rows, as described at RidgeTrainer: y - (y - f) / (1 - h) without an intercept.
// Nothing if some 1 - h is at rounding level on any rank, or if there is no other row. Collective.
// @param fitted  rows x columns of the right sides @param leverages  h, one per row
std::optional<std::vector<double>> without_own_row(const Communicator& communicator, const TrainingSet& training,
                                                   const RightSides& sides, const std::vector<double>& fitted,
                                                   const std::vector<double>& leverages) {
  std::vector<double> predicted(training.values.size());
  const auto width = static_cast<std::size_t>(sides.columns), targets = static_cast<std::size_t>(training.targets);
  const auto others = static_cast<double>(communicator.sum(static_cast<Index>(leverages.size())) - 1);
  bool good = !sides.ones || others > 0;
  for (std::size_t i = 0; i < leverages.size(); ++i) {
    const double gap = 1.0 - leverages[i];
    good = good && std::abs(gap) > least_leverage_gap;
    for (std::size_t t = 0; t < targets; ++t) {
      const double value = sides.values[i * width + t];
      double residual = value - fitted[i * width + t];
      if (sides.ones) residual += value / others * (1.0 - fitted[i * width + targets]);  // from the mean of the others
      predicted[i * targets + t] = training.values[i * targets + t] - residual / gap;
    }
  }
  if (communicator.minimum(good ? Index{1} : Index{0}) == 0) return std::nullopt;
  return predicted;
}

// A row-major table without its last column. Local.
std::vector<double> without_last_column(const std::vector<double>& table, Index columns) {
  std::vector<double> kept;
  for (std::size_t at = 0; at < table.size(); ++at) {
    if (static_cast<Index>(at + 1) % columns != 0) kept.push_back(table[at]);
  }
  return kept;
}

// Means of the targets over the rows of all ranks. Collective.
std::vector<double> means_of(const Communicator& communicator, const TrainingSet& training) {
  const auto rows = static_cast<double>(communicator.sum(static_cast<Index>(training.rows.size())));
  std::vector<double> sums(training.targets, 0.0);
  for (std::size_t at = 0; at < training.values.size(); ++at) sums[at % sums.size()] += training.values[at];
  for (double& sum : sums) sum = communicator.sum(sum) / rows;
  return sums;
}

constexpr double epsilon = std::numeric_limits<double>::epsilon();
/// Condition of lambda I + K~: above the first bound a solution has few correct digits, above the second it has none.
constexpr double doubtful_condition = 1e10;
constexpr double largest_condition = 1e14;

BlockCyclicMatrix with_scaled_rows(const BlockCyclicMatrix& x, const std::vector<double>& scales) {
  BlockCyclicMatrix result = x.copy();
  scale_rows(result, scales);
  return result;
}

// theta / (lambda + theta) for each eigenvalue.
std::vector<double> shrinkage(const std::vector<double>& values, double lambda) {
  std::vector<double> weights;
  for (const double value : values) weights.push_back(value / (lambda + value));
  return weights;
}

// Properties of a lambda known before the solution. `full`: K~ has no eigenvalue 0 on the training rows.
RidgeCandidate examine(double lambda, const std::vector<double>& values, bool full) {
  RidgeCandidate candidate;
  candidate.lambda = lambda;
  double smallest = full ? INFINITY : lambda, largest = full ? 0.0 : lambda;
  for (const double value : values) {
    smallest = std::min(smallest, std::abs(lambda + value));
    largest = std::max(largest, std::abs(lambda + value));
    candidate.definite = candidate.definite && lambda + value > 0.0;
  }
  candidate.condition = smallest > 0.0 ? largest / smallest : INFINITY;
  candidate.singular = !(candidate.condition <= largest_condition);
  if (candidate.singular) return candidate;
  for (const double weight : shrinkage(values, lambda)) candidate.degrees_of_freedom += weight;
  return candidate;
}

// @throws Error(numeric) if the system is singular for every lambda
void require_regular(const RidgeModel& model) {
  const auto& all = model.candidates;
  if (!std::all_of(all.begin(), all.end(), [](const RidgeCandidate& c) { return c.singular; })) return;
  throw Error(
      ErrorKind::numeric,
      fmt::format("lambda I + K~ is singular to working precision (condition {:.2g} for lambda = {:g}; the "
                  "eigenvalues of K~ on the training rows go from {:.6g} to {:.6g}); take a larger lambda",
                  all.back().condition, all.back().lambda, model.smallest_eigenvalue, model.largest_eigenvalue));
}

void add_warnings(Meaning meaning, RidgeModel& model) {
  const RidgeCandidate& chosen = model.candidates[model.chosen];
  if (meaning == Meaning::distance) {
    model.warnings.emplace_back(
        "K~ holds distances, not similarities: no kernel of which a ridge regression is the best smooth function. "
        "cairn embed makes coordinates of squared distances, and rbf a kernel of these");
  }
  for (const RidgeCandidate& candidate : model.candidates) {
    if (!candidate.singular) continue;
    model.warnings.push_back(
        fmt::format("lambda = {:g} is skipped: lambda I + K~ is singular to working precision (condition {:.2g})",
                    candidate.lambda, candidate.condition));
  }
  if (meaning == Meaning::distance) {
    // No warning: distances are always indefinite, and a lambda that outweighs all negative eigenvalues of K~ would
    // leave nothing of K~.
  } else if (!chosen.definite) {
    model.warnings.push_back(
        fmt::format("lambda I + K~ is indefinite: the least eigenvalue of K~ on the training rows is {:.6g}, {} are "
                    "negative; with lambda above {:.6g} the solution is a minimum",
                    model.smallest_eigenvalue, model.negative_eigenvalues, -model.smallest_eigenvalue));
  } else if (model.negative_eigenvalues > 0) {
    model.warnings.push_back(
        fmt::format("K~ is indefinite on the training rows: {} negative eigenvalues, the least "
                    "{:.6g}; lambda outweighs them",
                    model.negative_eigenvalues, model.smallest_eigenvalue));
  }
  if (chosen.condition > doubtful_condition) {
    model.warnings.push_back(
        fmt::format("lambda I + K~ has condition {:.2g}: about {:.0f} digits of the coefficients are right; take a "
                    "larger lambda",
                    chosen.condition, std::max(0.0, -std::log10(epsilon * chosen.condition))));
  }
}

void take_spectrum(const std::vector<double>& values, bool full, RidgeModel& model) {
  double size = 0.0;
  for (const double value : values) size = std::max(size, std::abs(value));
  const double rounding = epsilon * static_cast<double>(values.size()) * size;
  model.smallest_eigenvalue = full ? INFINITY : 0.0;
  model.largest_eigenvalue = full ? -INFINITY : 0.0;
  for (const double value : values) {
    model.smallest_eigenvalue = std::min(model.smallest_eigenvalue, value);
    model.largest_eigenvalue = std::max(model.largest_eigenvalue, value);
    if (std::abs(value) > rounding) ++model.rank;
    if (value < -rounding) ++model.negative_eigenvalues;
  }
}

// beta for one lambda, replicated, row-major. Collective.
std::vector<double> solve(const TrainingFeatures& features, const KernelDecomposition& decomposition,
                          const BlockCyclicMatrix& rotated_targets, double lambda) {
  std::vector<double> inverses;
  for (const double value : decomposition.values) inverses.push_back(1.0 / (lambda + value));
  const BlockCyclicMatrix beta =
      features.to_left(multiply(decomposition.back, false, with_scaled_rows(rotated_targets, inverses), false));
  const Buffer<double> whole = replicate_columns(beta, {0, beta.columns()});
  return {whole.data(), whole.data() + whole.size()};
}

// Positions of the regular candidates, the largest lambda first.
std::vector<std::size_t> regular_candidates(const RidgeModel& model) {
  std::vector<std::size_t> order;
  for (std::size_t c = 0; c < model.candidates.size(); ++c) {
    if (!model.candidates[c].singular) order.push_back(c);
  }
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t c) { return model.candidates[c].lambda; });
  return order;
}

// Scores every lambda by leave-one-out and chooses the best, with its coefficients; among equal scores the largest
// lambda. Collective.
template <class T>
void choose_lambda(const Execution& execution, const TrainingSet& training, const RightSides& sides,
                   const Factor<T>& left, const TrainingFeatures& features, const KernelDecomposition& decomposition,
                   const BlockCyclicMatrix& rotated, RidgeModel& model) {
  const std::vector<std::size_t> order = regular_candidates(model);
  std::vector<std::vector<double>> weights;
  for (const std::size_t c : order) weights.push_back(shrinkage(decomposition.values, model.candidates[c].lambda));
  const std::vector<std::vector<double>> leverages = features.diagonals(decomposition.whitening, weights);
  double best = INFINITY;
  for (std::size_t k = 0; k < order.size(); ++k) {
    RidgeCandidate& candidate = model.candidates[order[k]];
    std::vector<double> beta = solve(features, decomposition, rotated, candidate.lambda);
    const std::vector<double> fitted = predict(execution, left, beta, sides.columns, training.rows);
    auto predicted = without_own_row(execution.communicator, training, sides, fitted, leverages[k]);
    if (predicted) {
      candidate.leave_one_out = score(execution.communicator, *predicted, training.values, training.targets);
    } else {
      model.warnings.push_back(fmt::format(
          "lambda = {:g} has no leave-one-out score: without some row the system is singular", candidate.lambda));
    }
    const double missed = missed_share(candidate.leave_one_out);
    if (!(missed < best * (1.0 - alike_scores)) && !model.coefficients.empty()) continue;
    best = missed;
    model.chosen = order[k];
    model.coefficients = sides.ones ? without_last_column(beta, sides.columns) : std::move(beta);
    model.leave_one_out = predicted ? std::move(*predicted) : std::vector<double>();
  }
}

}  // namespace

RidgeTrainer::RidgeTrainer(const Execution& execution, TrainingSet training, RidgeOptions options)
    : execution_(execution), training_(std::move(training)), options_(std::move(options)) {
  for (const double lambda : options_.lambdas) {
    if (lambda > 0.0 && std::isfinite(lambda)) continue;
    throw Error(ErrorKind::usage, fmt::format("lambda must be above 0, not {:g}", lambda));
  }
  if (options_.lambdas.empty()) throw Error(ErrorKind::usage, "no lambda is given");
  collectively(execution_.communicator, [&] {
    if (training_.targets < 1 ||
        training_.values.size() != training_.rows.size() * static_cast<std::size_t>(training_.targets)) {
      throw Error(ErrorKind::internal, "the number of values of a training set is not rows times targets");
    }
  });
  if (execution_.communicator.sum(static_cast<Index>(training_.rows.size())) == 0) {
    throw Error(ErrorKind::input, "there is no row to train on");
  }
  if (options_.intercept) means_ = means_of(execution_.communicator, training_);
  grid_ = std::make_shared<const ProcessGrid>(execution_.communicator);
}

RidgeTrainer::~RidgeTrainer() = default;

template <class T>
std::shared_ptr<const GramRoot> RidgeTrainer::gram_root(const Approximation<T>& approximation,
                                                        const TrainingFeatures& features) {
  // The features of a dense factor also depend on J: nothing can be shared.
  if (!approximation.left.is_sparse()) {
    shared_.reset();
    return std::make_shared<const GramRoot>(GramRoot::of(features.gram()));
  }
  const std::uint64_t digest = factor_digest(execution_.communicator, approximation.left);
  if (!shared_ || digest != shared_digest_) {
    shared_.reset();
    shared_ = std::make_shared<const GramRoot>(GramRoot::of_any_units(features.gram()));
    shared_digest_ = digest;
  }
  return shared_;
}

template <class T>
RidgeModel RidgeTrainer::train(const Approximation<T>& approximation) {
  require_kernel(approximation, options_.keys);
  const Communicator& communicator = execution_.communicator;
  require_countable(square(approximation.left.columns(), DenseUse::eigen), communicator.size());
  RidgeModel model;
  model.targets = training_.targets;
  model.intercepts = means_;
  std::unique_ptr<TrainingFeatures> features;
  std::shared_ptr<const GramRoot> root;
  {
    Phases::Scope phase = execution_.phases.enter("gram");
    features = make_training_features(execution_, grid_, approximation, training_.rows);
    const auto before = shared_;
    root = gram_root(approximation, *features);
    model.shares_gram = before && root == before;
  }
  Phases::Scope phase = execution_.phases.enter("solve");
  const auto own = static_cast<Index>(training_.rows.size());
  const KernelDecomposition decomposition = decompose(*features, *root);
  const bool scored = options_.lambdas.size() > 1 || options_.leave_one_out;
  const RightSides sides = right_sides(training_, means_, scored);
  const BlockCyclicMatrix rotated =
      multiply(decomposition.whitening, true, features->times({sides.values.data(), own, sides.columns}), false);
  const bool full = communicator.sum(own) <= static_cast<Index>(decomposition.values.size());
  take_spectrum(decomposition.values, full, model);
  const std::vector<double>& values = decomposition.values;
  for (const double lambda : options_.lambdas) model.candidates.push_back(examine(lambda, values, full));
  require_regular(model);
  if (scored) {
    choose_lambda(execution_, training_, sides, approximation.left, *features, decomposition, rotated, model);
  } else {
    model.coefficients = solve(*features, decomposition, rotated, options_.lambdas.front());
  }
  model.lambda = model.candidates[model.chosen].lambda;
  add_warnings(approximation.meaning, model);
  return model;
}

template RidgeModel RidgeTrainer::train(const Approximation<float>&);
template RidgeModel RidgeTrainer::train(const Approximation<double>&);

void add_intercepts(std::vector<double>& values, std::span<const double> intercepts) {
  if (intercepts.empty()) return;
  for (std::size_t at = 0; at < values.size(); ++at) values[at] += intercepts[at % intercepts.size()];
}

template <class T>
std::vector<double> predict(const Execution& execution, const Factor<T>& left, std::span<const double> coefficients,
                            Index targets, std::span<const Index> rows) {
  std::vector<double> predicted(rows.size() * static_cast<std::size_t>(targets), 0.0);
  const auto add = [&](double value, Index column, double* out) {
    for (Index t = 0; t < targets; ++t) out[t] += value * coefficients[column * targets + t];
  };
#pragma omp parallel for num_threads(execution.threads) schedule(static)
  for (std::size_t r = 0; r < rows.size(); ++r) {
    double* out = predicted.data() + r * static_cast<std::size_t>(targets);
    if (left.is_sparse()) {
      const SparseRow<T> row = left.sparse().row(rows[r]);
      for (std::size_t e = 0; e < row.columns.size(); ++e) {
        add(static_cast<double>(row.values[e]), row.columns[e], out);
      }
    } else {
      left.tall().visit([&](const auto& dense) {
        const auto row = dense.row(rows[r]);
        for (std::size_t k = 0; k < row.size(); ++k) add(static_cast<double>(row[k]), static_cast<Index>(k), out);
      });
    }
  }
  Watchdog::beat();
  return predicted;
}

template std::vector<double> predict(const Execution&, const Factor<float>&, std::span<const double>, Index,
                                     std::span<const Index>);
template std::vector<double> predict(const Execution&, const Factor<double>&, std::span<const double>, Index,
                                     std::span<const Index>);

}  // namespace cairn
