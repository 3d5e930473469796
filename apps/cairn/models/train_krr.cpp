// cairn train --task krr: a regression through the factors of stored results.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "cairn/approximation/factor_digest.hpp"
#include "cairn/base/error.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/task/regression/kernel_ridge.hpp"
#include "cairn/task/regression/targets.hpp"
#include "commands/column_option.hpp"
#include "keys/problem.hpp"
#include "models/model_commands.hpp"
#include "models/training_rows.hpp"
#include "pipeline/context.hpp"
#include "pipeline/pipeline.hpp"
#include "pipeline/stored.hpp"
#include "report/extension_error.hpp"
#include "report/job.hpp"
#include "report/model_report.hpp"
#include "report/report.hpp"
#include "report/version.hpp"

namespace cairn::app {

namespace {

// Rows of one purpose on this rank: what is true there, and what the models predict, added up.
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

std::vector<double> lambdas_of(const Settings& settings) {
  std::vector<double> lambdas;
  for (const std::string& text : comma_list(settings.required("lambda"))) {
    const auto value = parse_number(text);
    if (!value || !(*value > 0.0)) {
      throw Error(ErrorKind::usage, fmt::format("--lambda {}: each must be a number above 0", settings.text("lambda")));
    }
    lambdas.push_back(*value);
  }
  return lambdas;
}

void check_keys(const Settings& settings) {
  if (settings.given("targets-key") && !settings.given("targets")) {
    throw Error(ErrorKind::usage, "--targets-key has no effect without --targets");
  }
  check_row_keys(settings);
  if (settings.given("run.seed") && !settings.given("train-fraction")) {
    throw Error(ErrorKind::usage, "--run.seed has no effect without --train-fraction");
  }
  if (settings.given("leave-one-out") && !settings.flag("leave-one-out") && lambdas_of(settings).size() > 1) {
    throw Error(ErrorKind::usage,
                "--leave-one-out false is incompatible with several lambdas: it chooses between them");
  }
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

nlohmann::ordered_json candidate_json(const RidgeCandidate& candidate, const std::vector<std::string>& names) {
  return {{"lambda", candidate.lambda},
          {"condition", candidate.singular ? nlohmann::ordered_json() : nlohmann::ordered_json(candidate.condition)},
          {"singular", candidate.singular},
          {"definite", candidate.definite},
          {"degrees_of_freedom", candidate.degrees_of_freedom},
          {"scores", score_json(stored_scores(candidate.leave_one_out, names, "leave-one-out"))}};
}

std::string candidate_report(const RidgeModel& model) {
  if (model.candidates.size() < 2) return "";
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
  return table(rows) + "\n";
}

// Trains on one result after the other and keeps what they have in common.
class Training {
 public:
  explicit Training(Job& job) : job_(job), context_(job.communicator, job.settings) {
    file_.task = job.settings.text("task");
    options_ = {lambdas_of(job.settings), job.settings.flag("leave-one-out"), approximation_keys};
  }

  template <class T>
  void add(const std::string& path) {
    const Execution& execution = context_.execution();
    const StoredResult<T> result = [&] {
      Phases::Scope phase = context_.phases().enter("read");
      require_training_memory(job_.communicator, run_room(job_.settings), path);
      return read_result<T>(job_.communicator, path, max_tile_bytes(job_.communicator, job_.settings, path));
    }();
    const Approximation<T>& approximation = result.approximation;
    if (!trainer_) begin(path, approximation.left.partition(), result);
    RidgeModel model = train(path, approximation);
    StoredModel stored = describe(path, result.description, approximation.report, model);
    std::ranges::move(extension_warnings(result.description, path), std::back_inserter(stored.warnings));
    const std::vector<std::string> notices = std::exchange(notices_, {});  // of all models: with the first
    stored.warnings.insert(stored.warnings.begin(), notices.begin(), notices.end());
    stored.basis_digest = basis_digest(job_.communicator, approximation, result.description.similarity_parameters);
    stored.columns = approximation.left.columns();
    Phases::Scope phase = context_.phases().enter("predict");
    for (ScoredRows* part : {&split_.train, &split_.held_out}) {
      take(*part, predict(execution, approximation.left, model.coefficients, model.targets, part->rows), stored);
    }
    left_out_.complete = left_out_.complete && !model.candidates[model.chosen].leave_one_out.empty();
    if (left_out_.complete) take(left_out_, model.leave_one_out, stored);
    stored.coefficients = std::move(model.coefficients);
    nlohmann::ordered_json json = model_json(stored);
    json["rank"] = model.rank;
    json["negative_eigenvalues"] = model.negative_eigenvalues;
    json["definite"] = model.candidates[model.chosen].definite;
    json["degrees_of_freedom"] = model.candidates[model.chosen].degrees_of_freedom;
    json["shares_gram"] = model.shares_gram;
    json["candidates"] = nlohmann::ordered_json::array();
    for (const RidgeCandidate& c : model.candidates) json["candidates"].push_back(candidate_json(c, targets_.names));
    models_json_.push_back(std::move(json));
    print(job_.communicator, model_report(stored, file_.models.size()) + candidate_report(model));
    file_.models.push_back(std::move(stored));
  }

  // The mean of the models, the file, and what is said of it.
  void finish() {
    if (file_.models.size() > 1) score_mean();
    file_.provenance = {{"command_line", job_.command_line},
                        {"date", now_text()},
                        {"version", version()},
                        {"commit", commit()},
                        {"seed", std::to_string(context_.execution().seed)},
                        {"ranks", std::to_string(job_.communicator.size())}};
    const std::string& output = job_.settings.text("output.path");
    write_model(context_.execution(), {output, "output.path"}, file_);
    const auto phases = context_.phases().summarize(job_.communicator);
    const double total = context_.seconds();
    print(job_.communicator, fmt::format("model in {}\n\n", output) + phase_report(phases, total));
    nlohmann::ordered_json json = header_json(job_, context_.execution().threads);
    json.update({{"task", file_.task},
                 {"output", output},
                 {"n", rows_},
                 {"training_rows", file_.training_rows},
                 {"held_out_rows", held_out_rows_},
                 {"targets", file_.targets},
                 {"models", models_json_},
                 {"ensemble", score_json(file_.scores)}});
    json["peak_bytes"] = job_.communicator.maximum(peak_resident_bytes());
    json.update(phases_json(phases, total));
    write_json(job_, json);
  }

 private:
  template <class T>
  void begin(const std::string& path, const RowPartition& partition, const StoredResult<T>& result) {
    Phases::Scope phase = context_.phases().enter("targets");
    const Execution& execution = context_.execution();
    const Communicator& communicator = job_.communicator;
    if (job_.settings.given("targets")) {
      ColumnSource source = column_source(job_.settings.text("targets"));
      source.key = job_.settings.text("targets-key");
      targets_ = read_targets(communicator, source, partition, result.names());
    } else if (communicator.maximum(static_cast<Index>(result.labels.size())) > 0) {
      targets_ = targets_of_labels(communicator, path, partition, result.labels);
    } else {
      throw Error(ErrorKind::usage, fmt::format("{} has no labels to learn; give --targets FILE", path));
    }
    const auto uses = row_uses(communicator, job_.settings, partition, targets_.known, result.splits, execution.seed);
    split_ = split_rows(targets_, uses, partition.range(communicator.rank()).begin);
    left_out_ = {"leave-one-out", split_.train.rows, split_.train.targets,
                 std::vector<double>(split_.train.targets.size(), 0.0)};
    rows_ = partition.rows();
    held_out_rows_ = communicator.sum(static_cast<Index>(split_.held_out.rows.size()));
    file_.targets = targets_.names;
    file_.training_rows = communicator.sum(static_cast<Index>(split_.train.rows.size()));
    trainer_.emplace(execution, TrainingSet{split_.train.rows, split_.train.targets, targets_.count()}, options_);
    std::string text = fmt::format("  rows                        {}: {} trained on, {} held out\n", grouped(rows_),
                                   grouped(file_.training_rows), grouped(held_out_rows_));
    if (targets_.superfluous > 0) {
      text += fmt::format("  note: {} rows of {} have a key that no row has\n", grouped(targets_.superfluous),
                          job_.settings.text("targets"));
    }
    notices_ = split_notices(communicator, job_.settings, result.splits);
    print(communicator, text + "\n");
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
    stored.warnings = model.warnings;
    return stored;
  }

  // Scores what a model predicts at the rows, and adds it to the sums.
  void take(ScoredRows& part, const std::vector<double>& predicted, StoredModel& stored) {
    for (std::size_t i = 0; i < predicted.size(); ++i) part.sums[i] += predicted[i];
    add_scores(part, predicted, stored.scores);
  }

  void add_scores(const ScoredRows& part, const std::vector<double>& predicted, std::vector<StoredScore>& scores) {
    if (job_.communicator.sum(static_cast<Index>(part.rows.size())) == 0) return;
    const auto found = score(job_.communicator, predicted, part.targets, targets_.count());
    for (StoredScore& entry : stored_scores(found, targets_.names, part.on)) scores.push_back(std::move(entry));
  }

  void score_mean() {
    for (const ScoredRows* part : {&split_.train, &split_.held_out, &left_out_}) {
      if (!part->complete) continue;
      std::vector<double> mean = part->sums;
      for (double& value : mean) value /= static_cast<double>(file_.models.size());
      add_scores(*part, mean, file_.scores);
    }
    print(job_.communicator,
          fmt::format("mean of {} models\n", file_.models.size()) + score_report(file_.scores) + "\n");
  }

  Job& job_;
  Context context_;
  RidgeOptions options_;
  Targets targets_;
  Split split_;
  ScoredRows left_out_;
  std::optional<RidgeTrainer> trainer_;
  ModelFile file_;
  nlohmann::ordered_json models_json_ = nlohmann::ordered_json::array();
  std::vector<std::string> notices_;
  Index rows_ = 0, held_out_rows_ = 0;
};

// Before anything is read. @throws Error(resource) that names the file
void require_order(const ProcessGrid& grid, const std::string& path, const ResultShape& shape) {
  try {
    require_eigen_order(grid, shape.left_columns);
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{} has {} columns; {}", path, grouped(shape.left_columns), error.what()));
  }
}

}  // namespace

void check_ridge(const Settings& settings, const std::vector<std::string>& /*arguments*/) {
  check_keys(settings);
  static_cast<void>(lambdas_of(settings));
  settings.required("output.path");
}

void train_ridge(Job& job) {
  check_output(job, "output.path");
  check_output(job, "json");
  std::vector<ResultShape> shapes;
  const ProcessGrid grid(job.communicator);
  for (const std::string& path : job.arguments) {
    shapes.push_back(read_result_shape(job.communicator, path));
    require_order(grid, path, shapes.back());
    if (shapes.back().rows == shapes.front().rows) continue;
    throw Error(ErrorKind::input,
                fmt::format("{} has {} rows and {} has {}: models of an ensemble are of the same data",
                            job.arguments.front(), shapes.front().rows, path, shapes.back().rows));
  }
  print(job.communicator, header(job, static_cast<int>(job.settings.integer("run.threads"))));
  Training training(job);
  for (std::size_t f = 0; f < shapes.size(); ++f) {
    with_precision(shapes[f].precision, [&](auto number) { training.add<decltype(number)>(job.arguments[f]); });
  }
  training.finish();
}

}  // namespace cairn::app
