#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/schedule/phases.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/store/result/extension.hpp"
#include "cairn/store/result/precision.hpp"
#include "cairn/store/result/tile_budget.hpp"
#include "cairn/task/descriptors.hpp"
#include "cairn/task/regression/factor_sizes.hpp"
#include "cairn/task/regression/kernel_ridge.hpp"
#include "cairn/task/regression/model_report.hpp"
#include "cairn/task/regression/ridge_ways.hpp"
#include "cairn/task/regression/targets.hpp"
#include "cairn/task/task_parameters.hpp"
#include "cairn/task/training_rows.hpp"

namespace cairn {

namespace {

// Rows of this rank with the same use: their true values, and the sums of the models' predictions.
struct ScoredRows {
  std::string on;
  std::vector<Index> rows = {};
  std::vector<double> targets = {};
  std::vector<double> sums = {};
  bool complete = true;  // every model has predicted them
};

struct Split {
  ScoredRows train{.on = "train"}, held_out{.on = "held-out"};
};

std::vector<double> lambdas_of(const Values& values) { return task_parameters::positive_numbers(values, "lambda"); }

void check(const Values& values, std::size_t results) {
  task_parameters::check_targets(values);
  task_parameters::check_rows(values);
  const std::vector<double> lambdas = lambdas_of(values);
  check_ridge_way(values, results);
  if (values.given("leave-one-out") && !values.flag("leave-one-out") && lambdas.size() > 1) {
    throw Error(ErrorKind::usage, fmt::format("{} false is incompatible with several lambdas: it chooses between them",
                                              values.where("leave-one-out")));
  }
}

std::string undrawn(const Values& values, std::size_t /*results*/) { return ridge_way(values).undrawn(values); }

std::string unkept(const Values& values) {
  const RidgeWay& way = ridge_way(values);
  return way.unkept != nullptr ? way.unkept(values) : fmt::format("with {} {}", values.keys()("krr-method"), way.name);
}

std::string without_matrix(const Values& values) {
  const RidgeWay& way = ridge_way(values);
  return way.matrix ? "" : fmt::format("with {} {}", values.keys()("krr-method"), way.name);
}

Split split_rows(const Targets& targets, const std::vector<RowUse>& uses, Index first) {
  Split split;
  const auto width = static_cast<std::ptrdiff_t>(targets.count());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (uses[i] == RowUse::none) continue;
    ScoredRows& part = uses[i] == RowUse::train ? split.train : split.held_out;
    part.rows.push_back(first + static_cast<Index>(i));
    const auto values = targets.values.begin() + static_cast<std::ptrdiff_t>(i) * width;
    part.targets.insert(part.targets.end(), values, values + width);
  }
  for (ScoredRows* part : {&split.train, &split.held_out}) part->sums.assign(part->targets.size(), 0.0);
  return split;
}

Metric::Record candidate_metrics(const RidgeCandidate& candidate, const std::vector<std::string>& names) {
  return {{"lambda", candidate.lambda},
          {"condition", candidate.singular ? Metric() : Metric(candidate.condition)},
          {"singular", candidate.singular},
          {"definite", candidate.definite},
          {"degrees_of_freedom", candidate.degrees_of_freedom},
          {"scores", score_metrics(stored_scores(candidate.leave_one_out, names, "leave-one-out"))}};
}

ReportText candidate_report(const RidgeModel& model) {
  if (model.candidates.size() < 2) return {};
  std::vector<std::vector<std::string>> rows = {
      {"lambda", "condition", "degrees of freedom", "leave-one-out R^2 (mean over targets)"}};
  for (const RidgeCandidate& candidate : model.candidates) {
    double sum = 0.0;
    for (const RegressionScore& score : candidate.leave_one_out) sum += score.r_squared().value_or(0.0);
    rows.push_back({fmt::format("{:g}", candidate.lambda), fmt::format("{:.2g}", candidate.condition),
                    candidate.singular ? "" : fmt::format("{:.1f}", candidate.degrees_of_freedom),
                    candidate.leave_one_out.empty()
                        ? ""
                        : fmt::format("{:.6f}", sum / static_cast<double>(candidate.leave_one_out.size()))});
  }
  return ReportText().table(std::move(rows)).gap();
}

// Trains on one result after the other and collects what the models share.
class Training {
 public:
  explicit Training(const TaskInput& input)
      : input_(input),
        communicator_(input.execution.communicator),
        options_{lambdas_of(input.values), input.values.flag("leave-one-out"), input.values.flag("intercept"),
                 input.keys.approximation} {}

  template <class T>
  void add(const std::string& path) {
    const StoredResult<T> result = [&] {
      const auto phase = input_.execution.phases.enter("read");
      require_core_memory(input_, path);
      return read_result<T>(communicator_, path, most_tile_bytes(communicator_, input_.memory, path));
    }();
    const Approximation<T>& approximation = result.approximation;
    if (!trainer_) begin(path, approximation.left.partition(), result);
    RidgeModel model = train(path, approximation);
    StoredModel stored = describe(path, result.description, approximation.report, model);
    std::ranges::move(extension_warnings(result.description, path), std::back_inserter(stored.warnings));
    const std::vector<std::string> notices = std::exchange(notices_, {});  // for all models: printed with the first
    stored.warnings.insert(stored.warnings.begin(), notices.begin(), notices.end());
    stored.basis_digest = columns_digest(communicator_, approximation, result.description);
    stored.columns = approximation.left.columns();
    const auto phase = input_.execution.phases.enter("predict");
    for (ScoredRows* part : {&split_.train, &split_.held_out}) {
      auto values = predict(input_.execution, approximation.left, model.coefficients, model.targets, part->rows);
      add_intercepts(values, model.intercepts);
      take(*part, values, stored);
    }
    left_out_.complete = left_out_.complete && !model.candidates[model.chosen].leave_one_out.empty();
    if (left_out_.complete) take(left_out_, model.leave_one_out, stored);
    stored.coefficients = std::move(model.coefficients);
    Metric::Record metrics = model_metrics(stored, nullptr);
    Metric::List candidates;
    for (const RidgeCandidate& c : model.candidates) candidates.emplace_back(candidate_metrics(c, targets_.names));
    for (auto&& [name, metric] :
         Metric::Record{{"rank", model.rank},
                        {"negative_eigenvalues", model.negative_eigenvalues},
                        {"definite", model.candidates[model.chosen].definite},
                        {"degrees_of_freedom", model.candidates[model.chosen].degrees_of_freedom},
                        {"shares_gram", model.shares_gram},
                        {"candidates", candidates}}) {
      metrics.emplace_back(name, metric);
    }
    models_.emplace_back(std::move(metrics));
    say(model_report(stored, file_.models.size(), nullptr).add(candidate_report(model)));
    file_.models.push_back(std::move(stored));
  }

  // Scores the mean of the models, writes the file and completes the report.
  TaskReport finish() {
    if (file_.models.size() > 1) score_mean();
    return write_ridge_models(input_, std::move(file_), said_, rows_, held_out_rows_, models_);
  }

 private:
  void say(const ReportText& text) {
    said_.add(text);
    if (input_.tell) input_.tell(text);
  }

  template <class T>
  void begin(const std::string& path, const RowPartition& partition, const StoredResult<T>& result) {
    const Execution& execution = input_.execution;
    const Values& values = input_.values;
    const auto phase = execution.phases.enter("targets");
    targets_ = targets_of(communicator_, values, input_.keys.data, path, result);
    const auto uses = row_uses(communicator_, values, partition, targets_.known, result.splits, execution.seed);
    split_ = split_rows(targets_, uses, partition.range(communicator_.rank()).begin);
    left_out_ = {"leave-one-out", split_.train.rows, split_.train.targets,
                 std::vector<double>(split_.train.targets.size(), 0.0)};
    rows_ = partition.rows();
    held_out_rows_ = communicator_.sum(static_cast<Index>(split_.held_out.rows.size()));
    file_.targets = targets_.names;
    file_.training_rows = communicator_.sum(static_cast<Index>(split_.train.rows.size()));
    trainer_.emplace(execution, TrainingSet{split_.train.rows, split_.train.targets, targets_.count()}, options_);
    ReportText text;
    text.metric("rows", fmt::format("{}: {} trained on, {} held out", grouped(rows_), grouped(file_.training_rows),
                                    grouped(held_out_rows_)));
    for (const std::string& note : targets_.notes(values.text("targets"))) text.note(note);
    notices_ = split_notices(communicator_, values, result.splits);
    say(text.gap());
  }

  template <class T>
  RidgeModel train(const std::string& path, const Approximation<T>& approximation) {
    try {
      return trainer_->train(approximation);
    } catch (const Error& error) {
      throw Error(error.kind(), fmt::format("{}: {}", path, error.what()));
    }
  }

  StoredModel describe(const std::string& path, const ResultDescription& description, const MethodReport& report,
                       const RidgeModel& model) const {
    StoredModel stored;
    stored.lambda = model.lambda;
    stored.result = std::filesystem::absolute(path).lexically_normal().string();
    stored.method = report.method;
    stored.similarity = description.similarity;
    stored.similarity_parameters = description.similarity_parameters;
    stored.smallest_eigenvalue = model.smallest_eigenvalue;
    stored.largest_eigenvalue = model.largest_eigenvalue;
    stored.condition = model.candidates[model.chosen].condition;
    stored.lambdas = options_.lambdas;
    stored.intercepts = model.intercepts;
    stored.warnings = model.warnings;
    return stored;
  }

  // Scores a model's predictions for the rows, and adds them to the sums.
  void take(ScoredRows& part, const std::vector<double>& predicted, StoredModel& stored) {
    for (std::size_t i = 0; i < predicted.size(); ++i) part.sums[i] += predicted[i];
    add_scores(part, predicted, stored.scores);
  }

  void add_scores(const ScoredRows& part, const std::vector<double>& predicted, std::vector<StoredScore>& scores) {
    if (communicator_.sum(static_cast<Index>(part.rows.size())) == 0) return;
    const auto found = score(communicator_, predicted, part.targets, targets_.count());
    for (StoredScore& entry : stored_scores(found, targets_.names, part.on)) scores.push_back(std::move(entry));
  }

  void score_mean() {
    for (const ScoredRows* part : {&split_.train, &split_.held_out, &left_out_}) {
      if (!part->complete) continue;
      std::vector<double> mean = part->sums;
      for (double& value : mean) value /= static_cast<double>(file_.models.size());
      add_scores(*part, mean, file_.scores);
    }
    say(ReportText()
            .heading(fmt::format("mean of {} models", file_.models.size()))
            .add(score_report(file_.scores))
            .gap());
  }

  const TaskInput& input_;
  const Communicator& communicator_;
  RidgeOptions options_;
  Targets targets_;
  Split split_;
  ScoredRows left_out_;
  std::optional<RidgeTrainer> trainer_;
  ModelFile file_;
  Metric::List models_;
  ReportText said_;
  std::vector<std::string> notices_;
  Index rows_ = 0, held_out_rows_ = 0;
};

TaskReport run_on_factors(const TaskInput& input) {
  const Communicator& communicator = input.execution.communicator;
  std::vector<ResultShape> shapes;
  const ProcessGrid grid(communicator);
  for (const std::string& path : input.results) {
    shapes.push_back(read_result_shape(communicator, path));
    require_order(communicator.size(), path, shapes.back());
    if (shapes.back().rows == shapes.front().rows) continue;
    throw Error(ErrorKind::input,
                fmt::format("{} has {} rows and {} has {}: models of an ensemble are of the same data",
                            input.results.front(), shapes.front().rows, path, shapes.back().rows));
  }
  if (input.tell) input.tell({});
  Training training(input);
  for (std::size_t f = 0; f < shapes.size(); ++f) {
    with_precision(shapes[f].precision, [&](auto number) { training.add<decltype(number)>(input.results[f]); });
  }
  return training.finish();
}

TaskReport run(const TaskInput& input) { return ridge_way(input.values).run(input); }

}  // namespace

const RidgeWay& factor_ridge() {
  static const RidgeWay way{
      .name = "factors",
      .help = "Through the factors of results alone.",
      .parameters = {{.name = "leave-one-out",
                      .value = "BOOL",
                      .type = ValueType::flag,
                      .fallback = "false",
                      .help = "Score a single lambda by leave-one-out, too; several always are."}},
      .several = true,
      .undrawn = task_parameters::undrawn_rows,
      .run = run_on_factors};
  return way;
}

const TaskDescriptor& ridge_task() {
  static const TaskDescriptor task{
      .name = "krr",
      .summary = "Kernel ridge regression on the factors of results, or on K itself: learns values of the objects.",
      .details =
          "Coefficients are (lambda I + K~)^-1 times the targets less their means, through the factors only. Of "
          "several lambdas the "
          "one "
          "with the best exact leave-one-out score is taken. Several results give an ensemble, whose mean is "
          "predicted; those with the same sparse factor (P of one result) share its Gram matrix if they follow "
          "one another.",
      .source = "Turek and Huth 2022; on K itself Díaz, Epperly, Frangella, Tropp and Webber 2023",
      .parameters = task_parameters::with(
          task_parameters::targets(),
          task_parameters::with({{.name = "lambda",
                                  .value = "NUMBER[,NUMBER]",
                                  .fallback = "0.001,0.01,0.1,1,10,100",
                                  .help = "The ridge, above 0, in units of the similarity; or several to choose from."},
                                 {.name = "intercept",
                                  .value = "BOOL",
                                  .type = ValueType::flag,
                                  .fallback = "true",
                                  .help = "Subtract the mean of each target over the training rows before training; "
                                          "predictions add it. Leave-one-out takes the mean of the other rows."}},
                                task_parameters::with(ridge_way_parameters(), task_parameters::rows()))),
      .needs = {.model = ModelKind::values, .matrix = true, .several = "give an ensemble"},
      .check = check,
      .undrawn = undrawn,
      .unkept = unkept,
      .without_matrix = without_matrix,
      .run = run};
  return task;
}

}  // namespace cairn
