// Kernel ridge regression on K itself.
#include "cairn/task/regression/full_ridge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/schedule/phases.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/store/files/model_file.hpp"
#include "cairn/store/result/extension.hpp"
#include "cairn/store/result/precision.hpp"
#include "cairn/store/result/tile_budget.hpp"
#include "cairn/task/descriptors.hpp"
#include "cairn/task/regression/chosen_rows.hpp"
#include "cairn/task/regression/conjugate_gradients.hpp"
#include "cairn/task/regression/factor_sizes.hpp"
#include "cairn/task/regression/kept_centers.hpp"
#include "cairn/task/regression/kept_solutions.hpp"
#include "cairn/task/regression/kernel_decomposition.hpp"
#include "cairn/task/regression/kernel_products.hpp"
#include "cairn/task/regression/kernel_ridge.hpp"
#include "cairn/task/regression/model_report.hpp"
#include "cairn/task/regression/ridge_ways.hpp"
#include "cairn/task/task_parameters.hpp"
#include "cairn/task/training_rows.hpp"

namespace cairn {

namespace {

constexpr Index lanczos_steps = 30;
/// Seconds between two lines on how far an iteration is.
constexpr double between_lines = 5.0;

// A lambda, and what came of it.
struct Candidate {
  double lambda = 0.0;
  Index iterations = 0;                   // the most of its targets
  double residual = 0.0;                  // the largest
  std::vector<RegressionScore> scores{};  // of rows that it was not trained on, one for each target
};

std::size_t best_of(const std::vector<Candidate>& candidates) {
  std::vector<double> lambdas, shares;
  for (const Candidate& candidate : candidates) {
    lambdas.push_back(candidate.lambda);
    shares.push_back(missed_share(candidate.scores));
  }
  return best_lambda(lambdas, shares);
}

ReportText candidate_report(const std::vector<Candidate>& candidates) {
  if (candidates.size() < 2) return {};
  std::vector<std::vector<std::string>> rows = {
      {"lambda", "iterations", "residual", "R^2 on rows that chose (mean over targets)"}};
  for (const Candidate& candidate : candidates) {
    double sum = 0.0;
    for (const RegressionScore& score : candidate.scores) sum += score.r_squared().value_or(0.0);
    rows.push_back({fmt::format("{:g}", candidate.lambda), std::to_string(candidate.iterations),
                    fmt::format("{:.1e}", candidate.residual),
                    fmt::format("{:.6f}", sum / static_cast<double>(candidate.scores.size()))});
  }
  return ReportText().table(std::move(rows)).gap();
}

// A solved regression on some rows for several lambdas: column l targets + t belongs to lambda l and target t.
struct Fit {
  std::vector<double> lambdas;
  Index targets = 0;
  std::vector<double> means{};  // of the targets; empty: no intercept
  GradientSolution solution{};
  Index rank = 0, negative = 0;  // of the preconditioner
  double least = 0.0;            // eigenvalue of K~

  [[nodiscard]] Index columns() const { return std::ssize(lambdas) * targets; }
  [[nodiscard]] Candidate candidate(std::size_t l) const {
    Candidate result{.lambda = lambdas[l]};
    for (Index t = 0; t < targets; ++t) {
      const auto c = l * static_cast<std::size_t>(targets) + static_cast<std::size_t>(t);
      result.iterations = std::max(result.iterations, solution.iterations[c]);
      result.residual = std::max(result.residual, solution.residuals[c]);
    }
    return result;
  }
  // The columns of lambda l of a row-major table.
  [[nodiscard]] std::vector<double> of_lambda(const std::vector<double>& table, std::size_t l) const {
    std::vector<double> part;
    const auto width = static_cast<std::size_t>(columns()), count = static_cast<std::size_t>(targets);
    for (std::size_t row = 0; row < table.size(); row += width) {
      const auto from = table.begin() + static_cast<std::ptrdiff_t>(row + l * count);
      part.insert(part.end(), from, from + targets);
    }
    return part;
  }
};

std::vector<double> means_of(const Communicator& communicator, const TargetRows& own, Index targets) {
  std::vector<double> sums(static_cast<std::size_t>(targets), 0.0);
  for (std::size_t at = 0; at < own.targets.size(); ++at) sums[at % sums.size()] += own.targets[at];
  communicator.sum(std::span(sums));
  const auto rows = static_cast<double>(communicator.sum(static_cast<Index>(own.rows.size())));
  for (double& sum : sums) sum /= rows;
  return sums;
}

template <class T>
class FullRidge {
 public:
  FullRidge(const TaskInput& input, const StoredResult<T>& result)
      : input_(input),
        communicator_(input.execution.communicator),
        result_(result),
        lambdas_(task_parameters::positive_numbers(input.values, "lambda")) {}

  TaskReport run() {
    require_factors();
    ChosenRows chosen = choose_rows(input_, result_);
    if (chosen.training_rows == 0) throw Error(ErrorKind::input, "there is no row to train on");
    names_ = chosen.targets.names;
    say(chosen.text.gap());
    model_.warnings = std::move(chosen.warnings);
    matrix_ = matrix_of<T>(input_, 0, result_.description);
    const TargetRows validation = lambdas_.size() > 1 ? validation_rows(chosen) : TargetRows{};
    require_memory(chosen.training_rows);
    if (input_.begin_checkpoint) {
      input_.begin_checkpoint(training_digest(communicator_,
                                              columns_digest(communicator_, result_.approximation, result_.description),
                                              result_.description.data_digest, chosen));
    }
    std::optional<KernelMatrix<T>> kernel;
    std::optional<Fit> fit;
    if (lambdas_.size() > 1) {
      const TargetRows rest = chosen.held_out_rows > 0 ? chosen.training : without(chosen.training, validation);
      kernel.emplace(input_.execution, matrix_->entries(), matrix_->compared(), rest.rows);
      fit = this->fit(*kernel, rest, lambdas_);
      choose(*kernel, *fit, validation);
      if (chosen.held_out_rows == 0) kernel.reset(), fit.reset();
    }
    if (!fit) {
      chosen_ = candidates_.size() > 1 ? chosen_ : 0;
      kernel.emplace(input_.execution, matrix_->entries(), matrix_->compared(), chosen.training.rows);
      fit = this->fit(*kernel, chosen.training, {lambdas_[chosen_]});
      if (candidates_.empty()) candidates_.push_back(fit->candidate(0));
    }
    describe(*kernel, *fit, chosen);
    return finish(chosen);
  }

 private:
  void say(const ReportText& text) {
    said_.add(text);
    if (input_.tell) input_.tell(text);
  }
  [[nodiscard]] Index targets() const { return std::ssize(names_); }

  void require_factors() const {
    try {
      require_kernel(result_.approximation, input_.keys.approximation);
    } catch (const Error& error) {
      throw Error(error.kind(), fmt::format("{}: {}", input_.results.front(), error.what()));
    }
  }

  // The rows that choose among lambdas: a tenth of the training rows if no others are held out.
  TargetRows validation_rows(const ChosenRows& chosen) {
    if (chosen.held_out_rows > 0) return chosen.held_out;
    TargetRows drawn;
    const auto width = static_cast<std::ptrdiff_t>(targets());
    for (std::size_t i = 0; i < chosen.training.rows.size(); ++i) {
      if (!is_held_out(input_.execution.seed, chosen.training.rows[i])) continue;
      drawn.rows.push_back(chosen.training.rows[i]);
      const auto from = chosen.training.targets.begin() + static_cast<std::ptrdiff_t>(i) * width;
      drawn.targets.insert(drawn.targets.end(), from, from + width);
    }
    const Index count = communicator_.sum(static_cast<Index>(drawn.rows.size()));
    if (count > 0 && count < chosen.training_rows) return drawn;
    throw Error(ErrorKind::input,
                fmt::format("of {} rows to train on none can be spared to choose among several values of {}; give one",
                            chosen.training_rows, input_.values.keys()("lambda")));
  }

  [[nodiscard]] TargetRows without(const TargetRows& all, const TargetRows& some) const {
    TargetRows rest;
    const auto width = static_cast<std::ptrdiff_t>(targets());
    for (std::size_t i = 0; i < all.rows.size(); ++i) {
      if (std::ranges::binary_search(some.rows, all.rows[i])) continue;
      rest.rows.push_back(all.rows[i]);
      const auto from = all.targets.begin() + static_cast<std::ptrdiff_t>(i) * width;
      rest.targets.insert(rest.targets.end(), from, from + width);
    }
    return rest;
  }

  void require_memory(Index rows) const {
    const Index columns = std::ssize(lambdas_) * targets();
    const Index features = result_.approximation.left.is_sparse() ? 0 : result_.approximation.left.columns();
    const FullRidgeBytes bytes = bytes_of_full_ridge<T>(input_.execution, matrix_->compared(), rows, columns, features);
    const Index budget = input_.memory.budget_of_rank(communicator_, 0.9);
    if (!input_.memory.refuses(static_cast<double>(bytes.sum()), budget)) return;
    throw Error(ErrorKind::resource,
                fmt::format("ridge regression on K itself of {} rows takes {} of each rank for all objects, {} for "
                            "{} right side{}, and {} for its part of the preconditioner; a rank has {}. Use fewer "
                            "ranks on a node, or fewer values of {}",
                            grouped(rows), format_bytes(static_cast<double>(bytes.objects)),
                            format_bytes(static_cast<double>(bytes.vectors)), columns, columns == 1 ? "" : "s",
                            format_bytes(static_cast<double>(bytes.preconditioner)), input_.memory.budget_text(budget),
                            input_.values.keys()("lambda")));
  }

  Fit fit(const KernelMatrix<T>& kernel, const TargetRows& rows, const std::vector<double>& lambdas) {
    Fit fit{.lambdas = lambdas, .targets = targets()};
    if (input_.values.flag("intercept")) fit.means = means_of(communicator_, rows, targets());
    std::optional<KernelInverse> inverse;
    if (input_.values.flag("precondition")) {
      const auto phase = input_.execution.phases.enter("preconditioner");
      inverse.emplace(input_.execution, result_.approximation, rows.rows);
      fit.rank = inverse->rank();
      fit.negative = inverse->negative();
      fit.least = inverse->smallest();
    }
    ShiftedSystems systems{.rows = std::ssize(rows.rows)};
    for (const double lambda : lambdas) systems.shifts.insert(systems.shifts.end(), names_.size(), lambda);
    for (std::size_t row = 0; row < rows.rows.size(); ++row) {
      for (std::size_t c = 0; c < systems.shifts.size(); ++c) {
        const std::size_t t = c % names_.size();
        systems.right_sides.push_back(rows.targets[row * names_.size() + t] - (fit.means.empty() ? 0.0 : fit.means[t]));
      }
    }
    systems.multiply = [&](MatrixView<const double> x, MatrixView<double> y) { kernel.multiply(x, y); };
    if (inverse) {
      systems.precondition = [&](MatrixView<const double> v, std::span<const double> shifts, MatrixView<double> z) {
        const auto phase = input_.execution.phases.enter("preconditioner");
        inverse->apply(v, shifts, z);
      };
    }
    double told = 0.0;
    GradientOptions options{.residual = input_.values.number("target-residual"),
                            .iterations = input_.values.integer("max-iterations"),
                            .tell = [&](const GradientProgress& now) {
                              if (now.seconds - told < between_lines) return;
                              told = now.seconds;
                              say(progress(now));
                            }};
    const std::size_t columns = systems.shifts.size();
    KeptSolutions kept(input_.execution, fmt::format("regression on K, {}", ++fits_),
                       result_.approximation.left.partition(), rows.rows, columns);
    options.start = kept.restore();
    if (options.start.iteration > 0) say(restored_text(options.start.iteration));
    options.keep = [&](Index iteration, const std::vector<double>& x, const std::vector<Index>& iterations) {
      if (!kept.due()) return;
      kept.keep(iteration, x, iterations);
      kept.settle();
    };
    GradientFailure failure;
    if (!solve_by_gradients(communicator_, systems, options, fit.solution, failure)) {
      fail(failure, systems, options);
    }
    kept.keep(std::ranges::max(fit.solution.iterations), fit.solution.x, fit.solution.iterations);
    kept.settle();
    rounds_ += fit.solution.rounds;
    return fit;
  }

  static ReportText progress(const GradientProgress& now) {
    const std::string left = now.columns == 0 ? "all have converged"
                             : std::isfinite(now.remaining)
                                 ? fmt::format("{} left, about {:.0f} s", now.columns, now.remaining)
                                 : fmt::format("{} left", now.columns);
    return ReportText().note(fmt::format("iteration {}, {:.0f} s: residual {:.1e}; of the systems {}", now.iteration,
                                         now.seconds, now.residual, left));
  }

  [[noreturn]] void fail(const GradientFailure& failure, const ShiftedSystems& systems,
                         const GradientOptions& options) const {
    const double lambda = systems.shifts[static_cast<std::size_t>(failure.column)];
    const KeyNames& keys = input_.values.keys();
    if (failure.kind == GradientFailure::Kind::slow) {
      throw Error(ErrorKind::numeric,
                  fmt::format("{} iterations reached a residual of {:.2g} for lambda = {:g}, not {:g}; raise {} or {}, "
                              "take a larger lambda, or give a result with more landmarks",
                              options.iterations, failure.residual, lambda, options.residual, keys("max-iterations"),
                              keys("target-residual")));
    }
    constexpr double reserve = 1.2;
    const double least =
        estimated_smallest_eigenvalue(communicator_, systems.multiply, failure.direction, lanczos_steps);
    throw Error(
        ErrorKind::numeric,
        fmt::format("K + lambda I is not positive definite for lambda = {:g}: K has a negative eigenvalue of "
                    "about {:.3g}; take lambda above about {:.2g}, or {} {}",
                    lambda, least, std::max(reserve * -least, lambda), keys("krr-method"), factor_ridge().name));
  }

  [[nodiscard]] std::vector<double> predicted(const KernelMatrix<T>& kernel, const Fit& fit,
                                              const std::vector<double>& coefficients, Index columns,
                                              const std::vector<Index>& rows) const {
    std::vector<double> values = multiply_by_centers<T>(input_.execution, matrix_->entries(), matrix_->compared(), rows,
                                                        kernel.blocks(), {coefficients.data(), kernel.size(), columns});
    add_intercepts(values, fit.means);
    return values;
  }

  void choose(const KernelMatrix<T>& kernel, const Fit& fit, const TargetRows& validation) {
    const std::vector<double> coefficients = communicator_.all_gather(fit.solution.x);
    const std::vector<double> values = predicted(kernel, fit, coefficients, fit.columns(), validation.rows);
    for (std::size_t l = 0; l < lambdas_.size(); ++l) {
      candidates_.push_back(fit.candidate(l));
      candidates_.back().scores = score(communicator_, fit.of_lambda(values, l), validation.targets, targets());
    }
    chosen_ = best_of(candidates_);
  }

  // The model, and its scores. The fit has all lambdas or only the chosen one.
  void describe(const KernelMatrix<T>& kernel, const Fit& fit, const ChosenRows& chosen) {
    const std::size_t l = fit.lambdas.size() > 1 ? chosen_ : 0;
    const std::string& path = input_.results.front();
    model_.lambda = fit.lambdas[l];
    model_.columns = kernel.size();
    model_.coefficients = communicator_.all_gather(fit.of_lambda(fit.solution.x, l));
    model_.intercepts = fit.means;
    model_.basis_digest = columns_digest(communicator_, result_.approximation, result_.description);
    model_.result = std::filesystem::absolute(path).lexically_normal().string();
    model_.method = result_.approximation.report.method;
    model_.similarity = result_.description.similarity;
    model_.similarity_parameters = result_.description.similarity_parameters;
    model_.lambdas = lambdas_;
    if (fit.negative > 0) {
      model_.warnings.push_back(fmt::format(
          "the preconditioner takes {} negative eigenvalues of K~ for 0, the least {:.6g}", fit.negative, fit.least));
    }
    const Candidate found = fit.candidate(l);
    centers_ = {.way = full_ridge().name,
                .rows = kernel.rows(),
                .precision = result_.description.precision,
                .residual = found.residual,
                .iterations = found.iterations,
                .preconditioner = fit.rank};
    std::vector<double> fitted = fit.of_lambda(fit.solution.products, l);
    add_intercepts(fitted, fit.means);
    add_scores("train", fitted, chosen.training);
    if (chosen.held_out_rows > 0) {
      add_scores("held-out", predicted(kernel, fit, model_.coefficients, targets(), chosen.held_out.rows),
                 chosen.held_out);
      if (lambdas_.size() > 1) {
        model_.warnings.emplace_back("the rows that are held out have chosen lambda: their score is a little too good");
      }
    }
    keep_points(communicator_, *matrix_, result_.description, path, centers_, model_.warnings);
  }

  void add_scores(const std::string& on, const std::vector<double>& values, const TargetRows& rows) {
    for (StoredScore& one : stored_scores(score(communicator_, values, rows.targets, targets()), names_, on)) {
      model_.scores.push_back(std::move(one));
    }
  }

  TaskReport finish(const ChosenRows& chosen) {
    const Index evaluations = communicator_.sum(matrix_->evaluations());
    for (const std::string& warning : matrix_->warnings()) model_.warnings.push_back(warning);
    say(model_report(model_, 0, &centers_)
            .add(candidate_report(candidates_))
            .metric("evaluations", grouped(evaluations))
            .gap());
    Metric::List candidates;
    for (const Candidate& one : candidates_) {
      candidates.emplace_back(
          Metric::Record{{"lambda", one.lambda},
                         {"iterations", one.iterations},
                         {"residual", one.residual},
                         {"scores", score_metrics(stored_scores(one.scores, names_, "validation"))}});
    }
    Metric::Record metrics = model_metrics(model_, &centers_);
    metrics.emplace_back("candidates", candidates);
    metrics.emplace_back("products", rounds_);
    metrics.emplace_back("evaluations", evaluations);
    return write_ridge_models(
        input_, {.targets = names_, .training_rows = chosen.training_rows, .models = {model_}, .centers = centers_},
        said_, chosen.rows, chosen.held_out_rows, {metrics});
  }

  const TaskInput& input_;
  const Communicator& communicator_;
  const StoredResult<T>& result_;
  std::vector<double> lambdas_;
  std::unique_ptr<MatrixOfResult<T>> matrix_;
  std::vector<std::string> names_;  // of the targets
  std::vector<Candidate> candidates_;
  std::size_t chosen_ = 0;
  StoredModel model_;
  StoredCenters centers_;
  ReportText said_;
  Index rounds_ = 0, fits_ = 0;
};

TaskReport run(const TaskInput& input) {
  const Communicator& communicator = input.execution.communicator;
  const std::string& path = input.results.front();
  const ResultShape shape = read_result_shape(communicator, path);
  if (input.values.flag("precondition")) {
    require_order(communicator.size(), path, shape);
    require_core_memory(input, path);
  }
  if (input.tell) input.tell({});
  std::optional<TaskReport> report;
  with_precision(shape.precision, [&](auto number) {
    using T = decltype(number);
    const StoredResult<T> result = [&] {
      const auto phase = input.execution.phases.enter("read");
      return read_result<T>(communicator, path, most_tile_bytes(communicator, input.memory, path));
    }();
    report = FullRidge<T>(input, result).run();
  });
  return std::move(*report);
}

void check(const Values& values) {
  if (!values.given("leave-one-out")) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} is not available with {} {}: it follows from factors alone; several values of {} are "
                          "chosen from by rows that are held out",
                          values.where("leave-one-out"), values.keys()("krr-method"), full_ridge().name,
                          values.keys()("lambda")));
}

// A tenth of the rows may be drawn to choose among lambdas.
std::string undrawn(const Values& values) {
  if (task_parameters::positive_numbers(values, "lambda").size() > 1) return "";
  return task_parameters::undrawn_rows(values);
}

std::vector<Parameter> parameters() {
  return task_parameters::with(ridge_iteration_parameters(),
                               {{.name = "precondition",
                                 .value = "BOOL",
                                 .type = ValueType::flag,
                                 .fallback = "true",
                                 .help = "Precondition regression on K itself by the factors. false: plain conjugate "
                                         "gradients, to compare with."}});
}

}  // namespace

template <class T>
FullRidgeBytes bytes_of_full_ridge(const Execution& execution, const ObjectSet& objects, Index rows, Index columns,
                                   Index features) {
  constexpr Index enough = 64;  // the first objects of a rank stand for all
  const Communicator& communicator = execution.communicator;
  const Range own{objects.range().begin, std::min(objects.range().begin + enough, objects.range().end)};
  const Index of_object = communicator.maximum(own.empty() ? 0 : std::ssize(objects.pack(own)) / own.size());
  constexpr Index number = sizeof(double);
  return {.objects = 2 * rows * of_object,
          .vectors = KernelMatrix<T>::bytes(rows, columns, execution.threads),
          .preconditioner = (rows / communicator.size() + 1) * number * (10 * columns + 2 * features)};
}

template FullRidgeBytes bytes_of_full_ridge<float>(const Execution&, const ObjectSet&, Index, Index, Index);
template FullRidgeBytes bytes_of_full_ridge<double>(const Execution&, const ObjectSet&, Index, Index, Index);

const RidgeWay& full_ridge() {
  static const RidgeWay way{
      .name = "full",
      .help =
          "On K itself, which is evaluated again for each iteration of conjugate gradients; the factors are the "
          "preconditioner.",
      .parameters = parameters(),
      .matrix = true,
      .check = check,
      .undrawn = undrawn,
      .unkept = [](const Values&) { return std::string(); },
      .run = run};
  return way;
}

}  // namespace cairn
