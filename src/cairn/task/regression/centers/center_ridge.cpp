// Kernel ridge regression on centers, as a way of the task.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <queue>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"
#include "cairn/base/schedule/phases.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/store/files/model_file.hpp"
#include "cairn/store/result/extension.hpp"
#include "cairn/store/result/precision.hpp"
#include "cairn/store/result/tile_budget.hpp"
#include "cairn/task/descriptors.hpp"
#include "cairn/task/regression/center_variances.hpp"
#include "cairn/task/regression/centers/center_regression.hpp"
#include "cairn/task/regression/chosen_rows.hpp"
#include "cairn/task/regression/interval_score.hpp"
#include "cairn/task/regression/kept_centers.hpp"
#include "cairn/task/regression/kept_solutions.hpp"
#include "cairn/task/regression/model_report.hpp"
#include "cairn/task/regression/ridge_ways.hpp"
#include "cairn/task/task_parameters.hpp"

namespace cairn {

namespace {

constexpr const char* solver_names[] = {"auto", "direct", "iterative"};  // in the order of CenterSolver

CenterSolver solver_of(const Values& values) {
  const auto found = std::ranges::find(solver_names, values.text("solver"));
  return static_cast<CenterSolver>(found - std::begin(solver_names));
}

// `count` of the rows of all ranks, uniform without replacement: those with the least random numbers, so that they are
// the same on any number of ranks. Ascending. Collective.
std::vector<Index> drawn_rows(const Execution& execution, const std::vector<Index>& own, Index count) {
  const Random random(execution.seed, Stream::landmarks);
  constexpr std::uint64_t among_rows = 2;  // separates these draws from those of landmarks
  struct Draw {
    std::uint64_t key;
    Index row;
    bool operator<(const Draw& other) const { return key < other.key || (key == other.key && row < other.row); }
  };
  std::priority_queue<Draw> least;
  for (const Index row : own) {
    const Draw draw{random.bits(static_cast<std::uint64_t>(row), among_rows), row};
    if (std::ssize(least) == count && !(draw < least.top())) continue;
    least.push(draw);
    if (std::ssize(least) > count) least.pop();
  }
  std::vector<Draw> mine;
  for (; !least.empty(); least.pop()) mine.push_back(least.top());
  std::vector<Draw> all = execution.communicator.all_gather(mine);
  std::ranges::sort(all, std::less<>());
  all.resize(std::min(all.size(), static_cast<std::size_t>(count)));
  std::vector<Index> rows;
  for (const Draw& draw : all) rows.push_back(draw.row);
  std::ranges::sort(rows);
  return rows;
}

ReportText report_of(const std::vector<CenterCandidate>& candidates, CenterSolver solver) {
  if (candidates.size() < 2) return {};
  const bool direct = solver == CenterSolver::direct;
  std::vector<std::vector<std::string>> rows = {{"lambda", direct ? "condition" : "iterations",
                                                 direct ? "degrees of freedom" : "residual",
                                                 "R^2 on rows that chose (mean over targets)"}};
  const bool likely = !candidates.front().log_likelihoods.empty() || !candidates.back().log_likelihoods.empty();
  if (likely) rows.front().emplace_back("log marginal likelihood");
  for (const CenterCandidate& candidate : candidates) {
    double sum = 0.0;
    for (const RegressionScore& score : candidate.held_out) sum += score.r_squared().value_or(0.0);
    rows.push_back({fmt::format("{:g}", candidate.lambda),
                    direct ? fmt::format("{:.2g}", candidate.condition) : std::to_string(candidate.iterations),
                    !direct              ? fmt::format("{:.1e}", candidate.residual)
                    : candidate.singular ? ""
                                         : fmt::format("{:.1f}", candidate.degrees_of_freedom),
                    candidate.held_out.empty()
                        ? ""
                        : fmt::format("{:.6f}", sum / static_cast<double>(candidate.held_out.size()))});
    const std::vector<double>& found = candidate.log_likelihoods;
    if (likely) rows.back().push_back(fmt::format("{:.6g}", fmt::join(found, ", ")));
  }
  return ReportText().table(std::move(rows)).gap();
}

ReportText progress_text(const CenterProgress& now) {
  const std::string left =
      std::isfinite(now.remaining) ? fmt::format("; about {:.0f} s are left", now.remaining) : std::string();
  return ReportText().note(
      fmt::format("iteration {}, {:.0f} s: residual {:.1e}{}", now.iteration, now.seconds, now.residual, left));
}

Metric::Record metrics_of(const CenterCandidate& candidate, const std::vector<std::string>& names,
                          CenterSolver solver) {
  const auto scores = score_metrics(stored_scores(candidate.held_out, names, "validation"));
  if (solver == CenterSolver::iterative) {
    return {{"lambda", candidate.lambda},
            {"iterations", candidate.iterations},
            {"residual", candidate.residual},
            {"converged", !candidate.singular},
            {"scores", scores}};
  }
  return {{"lambda", candidate.lambda},
          {"singular", candidate.singular},
          {"condition", candidate.singular ? Metric() : Metric(candidate.condition)},
          {"degrees_of_freedom", candidate.degrees_of_freedom},
          {"definite", candidate.definite},
          {"left_out", candidate.left_out},
          {"log_marginal_likelihoods", candidate.log_likelihoods},
          {"scores", scores}};
}

template <class T>
class CenterRidge {
 public:
  /// @param result  without the rows of its left factor
  CenterRidge(const TaskInput& input, StoredResult<T> result)
      : input_(input),
        communicator_(input.execution.communicator),
        result_(std::move(result)),
        digest_(columns_digest(communicator_, result_.approximation, result_.description)) {
    result_.approximation.core_matrix = IdentityCore{result_.approximation.left.columns()};
  }

  TaskReport run() {
    ChosenRows chosen = choose_rows(input_, result_);
    if (chosen.training_rows == 0) throw Error(ErrorKind::input, "there is no row to train on");
    names_ = chosen.targets.names;
    say(chosen.text.gap());
    if (input_.values.flag("variance")) deviations_ = deviations_of(chosen.training);
    stored_.warnings = std::move(chosen.warnings);
    const std::vector<Index> centers = centers_of(chosen);
    matrix_ = matrix_of<T>(input_, 0, result_.description);
    fit(centers, chosen);
    {
      const auto phase = input_.execution.phases.enter("predict");
      add_scores("train", chosen.training);
      if (chosen.held_out_rows > 0) add_scores("held-out", chosen.held_out);
    }
    describe();
    if (model_.variances) describe_variances(chosen);
    return finish(chosen);
  }

 private:
  void say(const ReportText& text) {
    said_.add(text);
    if (input_.tell) input_.tell(text);
  }
  [[nodiscard]] Index targets() const { return std::ssize(names_); }
  [[nodiscard]] TrainingSet set_of(const TargetRows& rows) const { return {rows.rows, rows.targets, targets()}; }

  // Ascending.
  [[nodiscard]] std::vector<Index> centers_of(const ChosenRows& chosen) const {
    const Values& values = input_.values;
    const std::string& path = input_.results.front();
    if (values.given("centers")) {
      const Index count = values.integer("centers");
      if (count > chosen.training_rows) {
        throw Error(ErrorKind::usage, fmt::format("{} is {}, and there are {} training rows", values.where("centers"),
                                                  grouped(count), grouped(chosen.training_rows)));
      }
      return drawn_rows(input_.execution, chosen.training.rows, count);
    }
    std::vector<Index> centers = own_landmarks(result_);
    if (centers.empty()) {
      throw Error(ErrorKind::usage, fmt::format("{} has no landmarks among its own rows that could be centers; give {}",
                                                path, values.keys()("centers")));
    }
    return centers;
  }

  void fit(const std::vector<Index>& centers, const ChosenRows& chosen) {
    const Values& values = input_.values;
    const TrainingSet choosing = set_of(chosen.held_out);
    CenterOptions options{.lambdas = task_parameters::positive_numbers(values, "lambda"),
                          .choosing = chosen.held_out_rows > 0 ? &choosing : nullptr,
                          .variances = values.flag("variance"),
                          .intercept = values.flag("intercept"),
                          .solver = solver_of(values),
                          .target_residual = values.given("target-residual") ? values.number("target-residual") : 0.0,
                          .most_iterations = values.integer("max-iterations"),
                          .memory = input_.memory,
                          .keys = values.keys(),
                          .tell = [&](const CenterProgress& now) { say(progress_text(now)); },
                          .restored = [&](Index iteration) { say(restored_text(iteration)); }};
    if (input_.begin_checkpoint) {
      options.begin_checkpoint = [&] {
        input_.begin_checkpoint(training_digest(communicator_, digest_, result_.description.data_digest, chosen));
      };
    }
    model_ = fit_centers<T>(input_.execution, matrix_->entries(), matrix_->compared(), centers, set_of(chosen.training),
                            options);
    stored_.lambdas = std::move(options.lambdas);
    if (stored_.lambdas.size() > 1 && chosen.held_out_rows > 0) {
      stored_.warnings.emplace_back("the rows that are held out have chosen lambda: their score is a little too good");
    }
  }

  void add_scores(const std::string& on, const TargetRows& rows) {
    const ObjectSet& objects = matrix_->compared();
    const std::vector<double> values =
        predict_by_centers(input_.execution, matrix_->entries(), objects, objects.gather(communicator_, model_.centers),
                           model_.coefficients, model_.intercepts, targets(), rows.rows);
    for (StoredScore& one : stored_scores(score(communicator_, values, rows.targets, targets()), names_, on)) {
      stored_.scores.push_back(std::move(one));
    }
  }

  // Standard deviations of the targets. @throws Error(input) for a constant one. Collective.
  [[nodiscard]] std::vector<double> deviations_of(const TargetRows& rows) const {
    std::vector<double> deviations;
    for (Index t = 0; t < targets(); ++t) {
      const std::vector<double> own = rows.column(t, targets());
      double sums[] = {static_cast<double>(own.size()), std::accumulate(own.begin(), own.end(), 0.0)};
      communicator_.sum(std::span<double>(sums));
      const double mean = sums[1] / sums[0];
      double squares = 0.0;
      for (const double value : own) squares += std::pow(value - mean, 2);
      deviations.push_back(std::sqrt(communicator_.sum(squares) / sums[0]));
      if (deviations.back() > 0.0) continue;
      throw Error(ErrorKind::input,
                  fmt::format("the target {} has the same value at all {} training rows: {} has nothing to learn from",
                              names_[t], grouped(static_cast<Index>(sums[0])), input_.values.where("variance")));
    }
    return deviations;
  }

  // Scores those of rows that are held out. Collective.
  void describe_variances(const ChosenRows& chosen) {
    const CenterVariances& found = *model_.variances;
    StoredVariances stored{
        .rank = found.rank, .root = found.root, .scales = found.scales, .log_likelihoods = found.log_likelihoods};
    if (chosen.held_out_rows > 0) {
      const auto phase = input_.execution.phases.enter("predict");
      const TargetRows& rows = chosen.held_out;
      const ObjectSet& objects = matrix_->compared();
      const std::vector<double> means = predict_by_centers(
          input_.execution, matrix_->entries(), objects, objects.gather(communicator_, model_.centers),
          model_.coefficients, model_.intercepts, targets(), rows.rows);
      const std::vector<double> variances =
          variances_by_centers<T>(input_.execution, matrix_->entries(), objects,
                                  objects.gather(communicator_, model_.centers), found.root, model_.lambda, rows.rows);
      for (Index t = 0; t < targets(); ++t) {
        std::vector<Normal> predicted;
        for (std::size_t i = 0; i < variances.size(); ++i) {
          predicted.push_back(
              {means[i * names_.size() + static_cast<std::size_t>(t)], std::sqrt(found.scales[t] * variances[i])});
        }
        stored.scores.push_back(
            interval_score(communicator_, predicted, rows.column(t, targets()), deviations_[t], names_[t], "held-out"));
      }
    }
    centers_.variances = std::move(stored);
  }

  void describe() {
    const std::string& path = input_.results.front();
    const CenterCandidate& chosen = model_.candidates[model_.chosen];
    stored_.lambda = model_.lambda;
    stored_.columns = std::ssize(model_.centers);
    stored_.coefficients = model_.coefficients;
    stored_.intercepts = model_.intercepts;
    stored_.basis_digest = digest_;
    stored_.result = std::filesystem::absolute(path).lexically_normal().string();
    stored_.method = result_.approximation.report.method;
    stored_.similarity = result_.description.similarity;
    stored_.similarity_parameters = result_.description.similarity_parameters;
    stored_.smallest_eigenvalue = model_.smallest_eigenvalue;
    stored_.largest_eigenvalue = model_.largest_eigenvalue;
    stored_.condition = chosen.condition;
    for (const std::string& warning : model_.warnings) stored_.warnings.push_back(warning);
    for (const std::string& warning : matrix_->warnings()) stored_.warnings.push_back(warning);
    centers_ = {.way = center_ridge().name,
                .rows = model_.centers,
                .precision = result_.description.precision,
                .residual = chosen.residual,
                .iterations = chosen.iterations,
                .preconditioner = model_.solver == CenterSolver::iterative ? std::ssize(model_.centers) : 0};
    keep_points(communicator_, *matrix_, result_.description, path, centers_, stored_.warnings);
  }

  TaskReport finish(const ChosenRows& chosen) {
    const Index evaluations = communicator_.sum(matrix_->evaluations());
    const bool direct = model_.solver == CenterSolver::direct;
    ReportText text = model_report(stored_, 0, &centers_);
    text.add(report_of(model_.candidates, model_.solver))
        .metric("evaluations", grouped(evaluations))
        .metric("memory of a rank", "at most " + format_bytes(static_cast<double>(model_.rank_bytes)))
        .gap();
    say(text);
    Metric::List candidates;
    for (const CenterCandidate& one : model_.candidates) {
      candidates.emplace_back(metrics_of(one, names_, model_.solver));
    }
    Metric::Record metrics = model_metrics(stored_, &centers_);
    for (auto&& [name, metric] : Metric::Record{{"solver", solver_names[static_cast<int>(model_.solver)]},
                                                {"candidates", candidates},
                                                {"products", model_.iterations},
                                                {"rank", direct ? Metric(model_.rank) : Metric()},
                                                {"wide_products", model_.wide_products},
                                                {"rank_bytes", model_.rank_bytes},
                                                {"evaluations", evaluations}}) {
      metrics.emplace_back(name, metric);
    }
    return write_ridge_models(
        input_, {.targets = names_, .training_rows = chosen.training_rows, .models = {stored_}, .centers = centers_},
        said_, chosen.rows, chosen.held_out_rows, {metrics});
  }

  const TaskInput& input_;
  const Communicator& communicator_;
  StoredResult<T> result_;
  std::uint64_t digest_;
  std::unique_ptr<MatrixOfResult<T>> matrix_;
  std::vector<std::string> names_;  // of the targets
  std::vector<double> deviations_;  // of the targets, for variances
  CenterModel model_;
  StoredModel stored_;
  StoredCenters centers_;
  ReportText said_;
};

TaskReport run_on_centers(const TaskInput& input) {
  const Communicator& communicator = input.execution.communicator;
  const std::string& path = input.results.front();
  const ResultShape shape = read_result_shape(communicator, path);
  if (input.tell) input.tell({});
  std::optional<TaskReport> report;
  with_precision(shape.precision, [&](auto number) {
    using T = decltype(number);
    StoredResult<T> result = [&] {
      const auto phase = input.execution.phases.enter("read");
      return read_result_beside_rows<T>(communicator, path, most_tile_bytes(communicator, input.memory, path));
    }();
    report = CenterRidge<T>(input, std::move(result)).run();
  });
  return std::move(*report);
}

void check_centers(const Values& values) {
  if (values.flag("variance") && values.text("solver") == "iterative") {
    throw Error(ErrorKind::usage, fmt::format("{} true needs the direct solver: {} iterative has no matrices of the "
                                              "centers to take variances from",
                                              values.where("variance"), values.keys()("solver")));
  }
  if (values.text("solver") != "direct") return;
  for (const Parameter& parameter : ridge_iteration_parameters()) {
    if (!values.given(parameter.name)) continue;
    throw Error(ErrorKind::usage,
                fmt::format("{} has no effect with {} direct", values.where(parameter.name), values.keys()("solver")));
  }
}

// A tenth of the rows may be drawn to choose among lambdas, and centers.
std::string undrawn_centers(const Values& values) {
  if (task_parameters::positive_numbers(values, "lambda").size() > 1 || values.given("centers")) return "";
  return task_parameters::undrawn_rows(values);
}

std::string unkept_centers(const Values& values) {
  const KeyNames& keys = values.keys();
  if (values.flag("variance")) return fmt::format("with {} true", keys("variance"));
  return values.text("solver") == "direct" ? fmt::format("with {} direct", keys("solver")) : std::string();
}

std::vector<Parameter> center_parameters() {
  return task_parameters::with(
      ridge_iteration_parameters(),
      {{.name = "centers",
        .value = "N",
        .type = ValueType::integer,
        .help =
            "Regression on centers takes so many training rows, drawn by the seed, in place of the landmarks of the "
            "result.",
        .lowest = 1},
       {.name = "solver",
        .value = "NAME",
        .type = ValueType::choice,
        .fallback = "auto",
        .help = fmt::format(
            "The solver of regression on centers. direct: one pass over the rows, then dense matrices of the "
            "centers; iterative: conjugate gradients, a pass in each step; auto: direct up to {} "
            "centers, if memory suffices.",
            grouped(most_direct_centers)),
        .choices = {"auto", "direct", "iterative"}},
       {.name = "variance",
        .value = "BOOL",
        .type = ValueType::flag,
        .fallback = "false",
        .help = "Regression on centers gives variances of the predicted values, too, by the direct solver (the "
                "deterministic training conditional of a Gaussian process with the covariance s K, s with the largest "
                "marginal likelihood, and the noise s lambda)."}});
}

}  // namespace

const RidgeWay& center_ridge() {
  static const RidgeWay way{
      .name = "centers",
      .help =
          "On K between all rows and the landmarks of the result, or other rows (centers), which is evaluated tile "
          "by tile and never stored; the factors are not read.",
      .parameters = center_parameters(),
      .matrix = true,
      .check = check_centers,
      .undrawn = undrawn_centers,
      .unkept = unkept_centers,
      .run = run_on_centers};
  return way;
}

}  // namespace cairn
