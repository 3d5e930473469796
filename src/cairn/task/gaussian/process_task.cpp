#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/schedule/phases.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/store/files/process_file.hpp"
#include "cairn/store/result/extension.hpp"
#include "cairn/store/result/precision.hpp"
#include "cairn/task/descriptors.hpp"
#include "cairn/task/gaussian/process_features.hpp"
#include "cairn/task/gaussian/process_fit.hpp"
#include "cairn/task/gaussian/process_report.hpp"
#include "cairn/task/gaussian/process_training.hpp"
#include "cairn/task/regression/model_report.hpp"
#include "cairn/task/regression/targets.hpp"
#include "cairn/task/task_parameters.hpp"

namespace cairn {

namespace {

std::vector<Parameter> own_parameters() {
  std::vector<Parameter> own = {
      {.name = "likelihood",
       .value = "NAME",
       .type = ValueType::choice,
       .fallback = "auto",
       .help = fmt::format("exact: factors a dense matrix of at most {} training rows; their features are rows of L, "
                           "with one length. vecchia: each row is conditioned on a few near ones, for millions of "
                           "rows; the features are coordinates of points, with a length for each column. auto: exact "
                           "while it can.",
                           grouped(most_process_rows)),
       .choices = {"auto", "exact", "vecchia"}}};
  return task_parameters::with(std::move(own), vecchia_parameters());
}

void check(const Values& values, std::size_t /*results*/) {
  task_parameters::check_targets(values);
  task_parameters::check_rows(values);
  if (values.text("likelihood") == "vecchia") return;
  for (const Parameter& parameter : vecchia_parameters()) {
    if (!values.given(parameter.name)) continue;
    throw Error(ErrorKind::usage, fmt::format("{} has no effect without {} vecchia", values.where(parameter.name),
                                              values.keys()("likelihood")));
  }
}

std::string undrawn(const Values& values, std::size_t /*results*/) {
  return values.text("likelihood") == "exact" ? task_parameters::undrawn_rows(values) : "";
}

std::string without_points(const Values& values) {
  if (values.text("likelihood") == "exact") return fmt::format("with {} exact", values.keys()("likelihood"));
  const std::string& features = values.text("features");
  return features == "factors" ? fmt::format("with {} {}", values.keys()("features"), features) : "";
}

class ProcessTraining {
 public:
  explicit ProcessTraining(const TaskInput& input)
      : input_(input), communicator_(input.execution.communicator), path_(input.results.front()) {}

  template <class T>
  TaskReport run(const StoredResult<T>& result, ChosenRows chosen) {
    targets_ = std::move(chosen.targets);
    training_ = std::move(chosen.training);
    held_out_ = std::move(chosen.held_out);
    rows_ = chosen.rows, training_rows_ = chosen.training_rows, held_out_rows_ = chosen.held_out_rows;
    file_.warnings = std::move(chosen.warnings);
    said_ = chosen.text;
    const Factor<T>& left = result.approximation.left;
    ProcessRows rows = gather(left);
    {
      const auto phase = input_.execution.phases.enter("fit");
      fits_ = fit_processes(input_.execution, rows, targets_.names);
    }
    describe();
    {
      const auto phase = input_.execution.phases.enter("predict");
      for (Index t = 0; t < targets_.count(); ++t) score_target(rows, left, t);
    }
    file_.basis_digest = columns_digest(communicator_, result.approximation, result.description);
    file_.method = result.approximation.report.method;
    file_.similarity = result.description.similarity;
    file_.similarity_parameters = result.description.similarity_parameters;
    for (std::string& warning : extension_warnings(result.description, path_)) {
      file_.warnings.push_back(std::move(warning));
    }
    return finish(std::move(rows));
  }

 private:
  void say(const ReportText& text) {
    said_.add(text);
    if (input_.tell) input_.tell(text);
  }

  // Gathers the training rows of all ranks on every rank.
  template <class T>
  ProcessRows gather(const Factor<T>& left) const {
    const auto phase = input_.execution.phases.enter("gather features");
    require_process_rows(training_rows_);
    require_memory(left.columns());
    const std::vector<double> own = collectively(communicator_, [&] { return dense_rows(left, training_.rows); });
    return {.rows = communicator_.all_gather(training_.rows),
            .features = communicator_.all_gather(own),
            .columns = left.columns(),
            .targets = communicator_.all_gather(training_.targets),
            .target_count = targets_.count()};
  }

  void require_memory(Index columns) const {
    const Index needed = process_bytes(training_rows_, columns),
                budget = input_.memory.budget_of_rank(communicator_, 0.9);
    if (!input_.memory.refuses(static_cast<double>(needed), budget)) return;
    throw Error(ErrorKind::resource,
                fmt::format("a Gaussian process of {} training rows takes {} of each of {} ranks, for dense matrices "
                            "of them and their {} features; a rank has {}. Use fewer ranks on a node, or train on "
                            "fewer rows",
                            grouped(training_rows_), format_bytes(static_cast<double>(needed)), communicator_.size(),
                            columns, input_.memory.budget_text(budget)));
  }

  void describe() {
    file_.task = process_task().name;
    file_.result = std::filesystem::absolute(path_).lexically_normal().string();
    for (std::size_t t = 0; t < fits_.size(); ++t) {
      const ProcessFit& fit = fits_[t];
      const auto& [sigma, length, noise] = fit.parameters;
      file_.processes.push_back({.target = targets_.names[t],
                                 .mean = fit.mean,
                                 .scale = fit.scale,
                                 .sigma = sigma,
                                 .noise = noise,
                                 .length = length,
                                 .log_likelihood = fit.log_likelihood});
      for (std::string& warning : fit_warnings(fit, targets_.names[t])) file_.warnings.push_back(std::move(warning));
    }
  }

  template <class T>
  void score_target(const ProcessRows& rows, const Factor<T>& left, Index t) {
    const Execution& execution = input_.execution;
    const ProcessFit& fit = fits_[t];
    const std::string& name = targets_.names[t];
    std::vector<Normal> left_out;
    const GaussianProcess process = collectively(communicator_, [&] {
      GaussianProcess made(rows.view(), centered(rows.targets, rows.target_count, t, fit.mean), fit.parameters,
                           execution.threads);
      left_out = made.leave_one_out();
      return made;
    });
    // Selects this rank's rows among all training rows.
    Index before = 0;
    const std::vector<Index> counts = communicator_.all_gather_one(static_cast<Index>(training_.rows.size()));
    for (int rank = 0; rank < communicator_.rank(); ++rank) before += counts[rank];
    left_out.erase(left_out.begin(), left_out.begin() + before);
    left_out.resize(training_.rows.size());
    const auto add = [&](std::vector<Normal> predicted, const TargetRows& own, const std::string& on) {
      for (Normal& one : predicted) one.mean += fit.mean;
      file_.scores.push_back(
          interval_score(communicator_, predicted, own.column(t, targets_.count()), fit.scale, name, on));
    };
    add(predict(execution, process, left, training_.rows), training_, "train");
    if (held_out_rows_ > 0) add(predict(execution, process, left, held_out_.rows), held_out_, "held-out");
    add(std::move(left_out), training_, "leave-one-out");
  }

  TaskReport finish(ProcessRows rows) {
    const Index bytes = process_bytes(rows.count(), rows.columns);
    file_.rows = std::move(rows.rows);
    file_.columns = rows.columns;
    file_.features = std::move(rows.features);
    file_.values = std::move(rows.targets);
    file_.provenance = input_.provenance;
    file_.provenance["seed"] = std::to_string(input_.execution.seed);
    write_process(input_.execution, input_.output, file_);
    Metric::List fits;
    for (std::size_t t = 0; t < fits_.size(); ++t) fits.emplace_back(fit_metrics(fits_[t], targets_.names[t]));
    Metric::Record metrics = {
        {"output", input_.output.file}, {"n", rows_}, {"held_out_rows", held_out_rows_}, {"rank_bytes", bytes}};
    for (auto&& entry : process_metrics(file_)) metrics.push_back(entry);
    metrics.emplace_back("fits", fits);
    say(process_report(file_, fits_).heading("model in " + input_.output.file).gap());
    return {said_, std::move(metrics)};
  }

  const TaskInput& input_;
  const Communicator& communicator_;
  const std::string& path_;
  Targets targets_;
  TargetRows training_, held_out_;
  std::vector<ProcessFit> fits_;
  ProcessFile file_;
  ReportText said_;
  Index rows_ = 0, training_rows_ = 0, held_out_rows_ = 0;
};

template <class T>
TaskReport train(const TaskInput& input) {
  const Communicator& communicator = input.execution.communicator;
  const StoredResult<T> result = [&] {
    const auto phase = input.execution.phases.enter("read");
    constexpr Index no_tiles = 0;  // features are rows of the left factor alone, or coordinates
    return read_result<T>(communicator, input.results.front(), no_tiles);
  }();
  ChosenRows chosen = choose_rows(input, result);
  chosen.text.gap();
  if (input.tell) input.tell(chosen.text);
  const std::string& likelihood = input.values.text("likelihood");
  const bool vecchia = likelihood == "vecchia" || (likelihood == "auto" && chosen.training_rows > most_process_rows);
  if (vecchia) return train_vecchia(input, result, std::move(chosen));
  return ProcessTraining(input).run(result, std::move(chosen));
}

TaskReport run(const TaskInput& input) {
  const ResultShape shape = read_result_shape(input.execution.communicator, input.results.front());
  if (input.tell) input.tell({});
  TaskReport report;
  with_precision(shape.precision, [&](auto number) { report = train<decltype(number)>(input); });
  return report;
}

}  // namespace

const TaskDescriptor& process_task() {
  static const TaskDescriptor task{
      .name = "gp",
      .summary =
          "Gaussian process regression on the factor rows of a result: learns values of the objects, and how "
          "far to trust what it predicts.",
      .details =
          "The covariance of two objects is sigma^2 times the Matern function of smoothness 5/2 of the distance "
          "of their rows of the left factor over a length l, plus noise. Targets are standardized on the "
          "training rows; sigma, l and the noise are those with the largest marginal likelihood, by L-BFGS from "
          "four starts. That factors a dense matrix of the training rows. Above some thousand of them Vecchia's "
          "likelihood takes its place: log p is the sum of those of each row given its nearest predecessors in a "
          "random order. It has a length for each coordinate of points, and a linear mean, by Fisher scoring.",
      .source =
          "Rasmussen and Williams 2006, Gaussian Processes for Machine Learning, algorithm 2.1; Vecchia 1988; "
          "Katzfuss, Guinness and Lawrence 2022; Guinness 2021",
      .parameters = task_parameters::with(task_parameters::with(task_parameters::targets(), task_parameters::rows()),
                                          own_parameters()),
      .needs = {.model = ModelKind::distributions, .points = true, .square = false},
      .check = check,
      .undrawn = undrawn,
      .without_matrix = without_points,
      .run = run};
  return task;
}

}  // namespace cairn
