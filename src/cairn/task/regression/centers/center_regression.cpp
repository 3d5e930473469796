#include "cairn/task/regression/centers/center_regression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/random.hpp"
#include "cairn/linalg/dense/dense_limits.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/task/regression/center_variances.hpp"
#include "cairn/task/regression/centers/center_solver.hpp"
#include "cairn/task/regression/ridge_ways.hpp"

namespace cairn {

namespace {

/// Share of the training rows that choose among several lambdas.
constexpr double share_that_chooses = 0.1;
constexpr double doubtful_condition = 1e10;

void check_problem(const EntryTraits& traits, bool by_columns, const CenterOptions& options) {
  for (const double lambda : options.lambdas) {
    if (lambda > 0.0 && std::isfinite(lambda)) continue;
    throw Error(ErrorKind::usage, fmt::format("lambda must be above 0, not {:g}", lambda));
  }
  if (options.lambdas.empty()) throw Error(ErrorKind::usage, "no lambda is given");
  if (by_columns || traits.one_sided) {
    throw Error(
        ErrorKind::usage,
        fmt::format("{} is evaluated from one object to all others, which tiles of a few rows cannot use; train "
                    "on the factors of a result",
                    traits.name));
  }
  if (options.variances && traits.meaning == Meaning::distance) {
    throw Error(ErrorKind::usage, fmt::format("{} needs a kernel: {} is a distance, no covariance",
                                              options.keys("variance"), traits.name));
  }
}

// Means of the targets over the rows of fold 0, or over all rows. Collective.
std::vector<double> means_of_rows(const Communicator& communicator, const CenterRows& rows, bool all_rows) {
  const auto targets = static_cast<std::size_t>(rows.targets);
  std::vector<double> sums(targets + 1, 0.0);
  for (std::size_t k = 0; k < rows.rows.size(); ++k) {
    if (!all_rows && rows.folds[k] != 0) continue;
    for (std::size_t t = 0; t <= targets; ++t) sums[t] += rows.sides[k * (targets + 1) + t];
  }
  communicator.sum(std::span(sums));
  const double count = sums.back();
  sums.pop_back();
  for (double& sum : sums) sum /= count;
  return sums;
}

// Draws by the seed, the same on any number of ranks. @throws Error(input) if one of the two folds is empty.
// Collective.
CenterRows rows_of_training(const Execution& execution, const TrainingSet& training, bool several) {
  const Communicator& communicator = execution.communicator;
  const auto targets = static_cast<std::size_t>(training.targets);
  CenterRows rows;
  rows.rows = training.rows;
  rows.targets = training.targets;
  rows.fold_count = several ? 2 : 1;
  const Random random(execution.seed, Stream::held_out_rows);
  constexpr std::uint64_t among_centers = 1;  // separates these draws from those of networks
  for (std::size_t k = 0; k < training.rows.size(); ++k) {
    const auto from = training.values.begin() + static_cast<std::ptrdiff_t>(k * targets);
    rows.sides.insert(rows.sides.end(), from, from + static_cast<std::ptrdiff_t>(targets));
    rows.sides.push_back(1.0);
    const auto row = static_cast<std::uint64_t>(training.rows[k]);
    rows.folds.push_back(several && random.uniform(row, among_centers) < share_that_chooses ? 1 : 0);
  }
  const auto choosing = communicator.sum(static_cast<Index>(std::ranges::count(rows.folds, char{1})));
  const auto all = communicator.sum(std::ssize(rows.rows));
  if (all == 0) throw Error(ErrorKind::input, "there is no row to train on");
  if (several && (choosing == 0 || choosing == all)) {
    throw Error(ErrorKind::input, fmt::format("{} training rows are too few to choose among several lambdas by a tenth "
                                              "of them; give one lambda",
                                              all));
  }
  return rows;
}

template <class T>
struct CenterPlan {
  CenterSolver solver = CenterSolver::direct;
  Index bytes = 0, together = 1;  // lambdas whose preconditioners are held

  CenterPlan(const Execution& execution, const CenterOptions& options, Index m, Index targets, int folds) {
    const Communicator& communicator = execution.communicator;
    const int ranks = communicator.size();
    const Index lambdas = std::ssize(options.lambdas), square = m * m / ranks * static_cast<Index>(sizeof(double));
    const Index budget = options.memory.budget_of_rank(communicator, 0.9);
    constexpr Index matrices = 10;  // K_mm, its eigenvectors and those of the sums, their products, workspaces
    const Index direct = CenterTiles<T>::gram_bytes(m, folds, ranks) + matrices * square +
                         CenterTiles<T>::product_bytes(m, targets * lambdas, execution.threads) +
                         (options.variances ? bytes_of_variances(m, execution.threads) : 0);
    const auto iterative = [&](Index held) {
      // Columns of the iteration are replicated.
      const Index columns = targets * held;
      return CenterTiles<T>::product_bytes(m, columns, execution.threads) +
             (held + 1) * m * BlockCyclicMatrix::block * static_cast<Index>(sizeof(double)) + held * square +
             CenterTiles<T>::among_bytes(m, ranks) + 8 * m * columns * static_cast<Index>(sizeof(double));
    };
    const bool fits = !options.memory.refuses(static_cast<double>(direct), budget);
    const bool choose_direct = m <= most_direct_centers && fits;
    solver = options.solver != CenterSolver::automatic ? options.solver
             : choose_direct                           ? CenterSolver::direct
                                                       : CenterSolver::iterative;
    if (options.variances && solver == CenterSolver::iterative) {
      throw Error(ErrorKind::usage,
                  fmt::format("{} needs the direct solver, and {} centers are solved for by the iterative one; give {} "
                              "direct, or fewer {}",
                              options.keys("variance"), grouped(m), options.keys("solver"), options.keys("centers")));
    }
    together = lambdas;
    while (together > 1 && options.memory.refuses(static_cast<double>(iterative(together)), budget)) --together;
    bytes = solver == CenterSolver::direct ? direct : iterative(together);
    if (!options.memory.refuses(static_cast<double>(bytes), budget)) {
      require_countable(square_of(m), ranks);
      return;
    }
    throw Error(ErrorKind::resource,
                fmt::format("{} centers take {} of each of {} ranks by the {} solver; a rank has {}. Use more ranks{}, "
                            "or fewer {}",
                            grouped(m), format_bytes(static_cast<double>(bytes)), ranks,
                            solver == CenterSolver::direct ? "direct" : "iterative", options.memory.budget_text(budget),
                            solver == CenterSolver::direct ? ", or " + options.keys("solver") + " iterative" : "",
                            options.keys("centers")));
  }

 private:
  // The root, twice while it is gathered.
  static Index bytes_of_variances(Index m, int threads) {
    return 2 * m * m * static_cast<Index>(sizeof(double)) + CenterTiles<T>::diagonal_bytes(m, m, threads);
  }

  [[nodiscard]] DenseSize square_of(Index m) const {
    return cairn::square(m, solver == CenterSolver::direct ? DenseUse::eigen : DenseUse::stored);
  }
};

// The rows of fold 1. Local.
TrainingSet rows_that_choose(const CenterRows& rows) {
  TrainingSet chosen{{}, {}, rows.targets};
  for (std::size_t k = 0; k < rows.rows.size(); ++k) {
    if (rows.folds[k] == 0) continue;
    chosen.rows.push_back(rows.rows[k]);
    const double* const own = rows.sides.data() + static_cast<Index>(k) * (rows.targets + 1);
    chosen.values.insert(chosen.values.end(), own, own + rows.targets);
  }
  return chosen;
}

// Scores the solutions on other rows. Collective.
template <class T>
void score_candidates(const Communicator& communicator, const CenterTiles<T>& tiles, const TrainingSet& others,
                      const std::vector<double>& means, std::vector<CenterSolution>& solutions, bool intercept) {
  const Index m = tiles.size(), targets = others.targets;
  std::vector<CenterSolution*> regular;
  for (CenterSolution& one : solutions) {
    if (!one.candidate.singular) regular.push_back(&one);
  }
  const Index columns = targets * std::ssize(regular);
  std::vector<double> all(static_cast<std::size_t>(m * columns));
  for (std::size_t k = 0; k < regular.size(); ++k) {
    for (Index i = 0; i < m; ++i) {
      std::copy_n(regular[k]->coefficients.data() + i * targets, targets,
                  all.data() + i * columns + static_cast<Index>(k) * targets);
    }
  }
  const std::vector<double> values = tiles.times(others.rows, {all.data(), m, columns});
  for (std::size_t k = 0; k < regular.size(); ++k) {
    std::vector<double> predicted;
    for (Index i = 0; i < std::ssize(others.rows); ++i) {
      for (Index t = 0; t < targets; ++t) {
        predicted.push_back(values[i * columns + static_cast<Index>(k) * targets + t] + (intercept ? means[t] : 0.0));
      }
    }
    regular[k]->candidate.held_out = score(communicator, predicted, others.values, targets);
  }
}

std::size_t best_of(const std::vector<CenterCandidate>& candidates) {
  std::vector<double> lambdas, shares;
  for (const CenterCandidate& candidate : candidates) {
    lambdas.push_back(candidate.lambda);
    shares.push_back(missed_share(candidate.held_out));
  }
  return best_lambda(lambdas, shares);
}

void require_one_regular(const std::vector<CenterSolution>& solutions) {
  if (std::ranges::any_of(solutions, [](const auto& one) { return !one.candidate.singular; })) return;
  const CenterCandidate& last = solutions.back().candidate;
  throw Error(ErrorKind::numeric, fmt::format("lambda I + K~ is singular to working precision for lambda = {:g} "
                                              "(condition {:.2g}); take a larger lambda",
                                              last.lambda, last.condition));
}

// @throws Error(numeric) if a scale is lost to rounding
CenterVariances variances_of(const CenterCandidate& chosen, std::vector<double> root, Index m) {
  if (std::ranges::any_of(chosen.scales, [](double scale) { return !(scale > 0.0); })) {
    throw Error(ErrorKind::numeric,
                fmt::format("for lambda = {:g} the model passes through the targets to rounding, and no variance is "
                            "left; take a larger lambda",
                            chosen.lambda));
  }
  return {std::ssize(root) / m, std::move(root), chosen.scales, chosen.log_likelihoods};
}

void warn(CenterModel& model, Meaning meaning) {
  const CenterCandidate& chosen = model.candidates[model.chosen];
  if (meaning == Meaning::distance) {
    model.warnings.emplace_back(
        "K holds distances, not similarities: no kernel of which a ridge regression is the best "
        "smooth function");
  }
  for (const CenterCandidate& candidate : model.candidates) {
    if (!candidate.singular || model.solver == CenterSolver::iterative) continue;
    model.warnings.push_back(
        fmt::format("lambda = {:g} is skipped: lambda I + K~ is singular to working precision", candidate.lambda));
  }
  if (chosen.left_out > 0) {
    model.warnings.push_back(fmt::format(
        "{} of {} directions of the centers are left out for lambda = {:g}, since rounding of the sums would exceed a "
        "tenth of it there; double precision or a larger lambda keeps more",
        chosen.left_out, grouped(std::ssize(model.centers)), chosen.lambda));
  }
  if (meaning == Meaning::similarity && !chosen.definite) {
    model.warnings.push_back(
        fmt::format("lambda I + K~ is indefinite: the least eigenvalue of K~ on the training rows "
                    "is {:.6g}, {} are negative",
                    model.smallest_eigenvalue, model.negative_eigenvalues));
  }
  if (chosen.condition > doubtful_condition) {
    model.warnings.push_back(
        fmt::format("lambda I + K~ has condition {:.2g}: few digits of the coefficients are right; "
                    "take a larger lambda",
                    chosen.condition));
  }
}

}  // namespace

template <class T>
CenterModel fit_centers(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                        const std::vector<Index>& centers, const TrainingSet& training, const CenterOptions& options) {
  check_problem(similarity.traits(), similarity.by_source() != nullptr, options);
  if (centers.empty()) throw Error(ErrorKind::input, "there are no centers");
  const Communicator& communicator = execution.communicator;
  const bool several = options.lambdas.size() > 1, draws = several && options.choosing == nullptr;
  const CenterRows rows = rows_of_training(execution, training, draws);
  const CenterPlan<T> plan(execution, options, std::ssize(centers), training.targets, rows.fold_count);
  if (options.begin_checkpoint) {
    if (plan.solver == CenterSolver::direct) {
      throw Error(ErrorKind::usage,
                  fmt::format("a checkpoint would keep nothing: {} centers are solved for by the direct solver, in one "
                              "pass; give {} iterative, or none",
                              grouped(std::ssize(centers)), options.keys("solver")));
    }
    options.begin_checkpoint();
  }
  const CenterTiles<T> tiles(execution, similarity, objects, centers);
  CenterModel model;
  model.solver = plan.solver;
  model.rank_bytes = plan.bytes;
  model.targets = training.targets;
  model.centers = centers;
  const auto means = [&](bool all_rows) {
    return options.intercept ? means_of_rows(communicator, rows, all_rows)
                             : std::vector<double>(static_cast<std::size_t>(training.targets), 0.0);
  };
  const auto system =
      plan.solver == CenterSolver::direct
          ? make_direct_system(execution, tiles, rows, *std::ranges::min_element(options.lambdas), options.variances)
          : make_iterative_system(execution, tiles, rows, options, plan.together);
  std::vector<double> own_means = means(!draws);
  std::vector<CenterSolution> solutions = system->solve(!draws, own_means, options.lambdas);
  require_one_regular(solutions);
  if (several) {
    const TrainingSet others = draws ? rows_that_choose(rows) : *options.choosing;
    score_candidates(communicator, tiles, others, own_means, solutions, options.intercept);
    model.chosen_rows = communicator.sum(std::ssize(others.rows));
  }
  for (CenterSolution& one : solutions) model.candidates.push_back(std::move(one.candidate));
  model.chosen = several ? best_of(model.candidates) : 0;
  CenterCandidate& chosen = model.candidates[model.chosen];
  model.lambda = chosen.lambda;
  CenterSolution solution = std::move(solutions[model.chosen]);
  if (draws || (several && options.variances)) {
    own_means = means(true);
    std::vector<CenterSolution> again = system->solve(true, own_means, {chosen.lambda});
    require_one_regular(again);
    again.front().candidate.held_out = std::move(chosen.held_out);
    chosen = again.front().candidate;
    solution = std::move(again.front());
  }
  model.coefficients = std::move(solution.coefficients);
  if (options.variances) model.variances = variances_of(chosen, std::move(solution.root), tiles.size());
  if (options.intercept) model.intercepts = std::move(own_means);
  system->describe(model);
  warn(model, similarity.traits().meaning);
  return model;
}

template <class T>
std::vector<double> predict_by_centers(const Execution& execution, const Similarity<T>& similarity,
                                       const ObjectSet& objects, std::unique_ptr<ObjectBlock> centers,
                                       const std::vector<double>& coefficients, const std::vector<double>& intercepts,
                                       Index targets, const std::vector<Index>& rows) {
  const Index m = centers->size();
  const CenterTiles<T> tiles(execution, similarity, objects, std::move(centers));
  std::vector<double> values = tiles.times(rows, {coefficients.data(), m, targets});
  add_intercepts(values, intercepts);
  return values;
}

template <class T>
std::vector<double> variances_by_centers(const Execution& execution, const Similarity<T>& similarity,
                                         const ObjectSet& objects, std::shared_ptr<const ObjectBlock> centers,
                                         const std::vector<double>& root, double lambda,
                                         const std::vector<Index>& rows) {
  const Index m = centers->size();
  const CenterTiles<T> tiles(execution, similarity, objects, std::move(centers));
  std::vector<double> values = tiles.diagonal_less(rows, {root.data(), m, std::ssize(root) / m});
  for (double& value : values) value = std::max(0.0, value) + lambda;
  return values;
}

#define CAIRN_INSTANTIATE(T)                                                                                        \
  template CenterModel fit_centers(const Execution&, const Similarity<T>&, const ObjectSet&,                        \
                                   const std::vector<Index>&, const TrainingSet&, const CenterOptions&);            \
  template std::vector<double> predict_by_centers(const Execution&, const Similarity<T>&, const ObjectSet&,         \
                                                  std::unique_ptr<ObjectBlock>, const std::vector<double>&,         \
                                                  const std::vector<double>&, Index, const std::vector<Index>&);    \
  template std::vector<double> variances_by_centers(const Execution&, const Similarity<T>&, const ObjectSet&,       \
                                                    std::shared_ptr<const ObjectBlock>, const std::vector<double>&, \
                                                    double, const std::vector<Index>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
