#include <fmt/format.h>

#include <cmath>
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
#include "cairn/task/regression/model_report.hpp"
#include "cairn/task/regression/targets.hpp"
#include "cairn/task/sign_notes.hpp"
#include "cairn/task/task_parameters.hpp"
#include "cairn/task/training_rows.hpp"

namespace cairn {

namespace {

// Rows of this rank with the same use: their numbers, and their targets, rows x targets.
struct OwnRows {
  std::vector<Index> rows;
  std::vector<double> targets;
};

void check(const Values& values, std::size_t /*results*/) {
  task_parameters::check_targets(values);
  task_parameters::check_rows(values);
}

std::string undrawn(const Values& values, std::size_t /*results*/) { return task_parameters::undrawn_rows(values); }

OwnRows rows_for(RowUse use, const Targets& targets, const std::vector<RowUse>& uses, Index first) {
  OwnRows own;
  const auto width = static_cast<std::ptrdiff_t>(targets.count());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (uses[i] != use) continue;
    own.rows.push_back(first + static_cast<Index>(i));
    const auto values = targets.values.begin() + static_cast<std::ptrdiff_t>(i) * width;
    own.targets.insert(own.targets.end(), values, values + width);
  }
  return own;
}

// Scores the predicted distributions of target `target` against its values at these rows of all ranks.
StoredIntervalScore score_of(const Communicator& communicator, const std::vector<Normal>& predicted,
                             const OwnRows& rows, Index target, const std::string& name, const std::string& on) {
  std::vector<double> means, truth;
  double sums[] = {0.0, 0.0};  // number of targets inside their intervals, sum of interval widths
  const std::size_t width = rows.rows.empty() ? 1 : rows.targets.size() / rows.rows.size();
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    means.push_back(predicted[i].mean);
    truth.push_back(rows.targets[i * width + static_cast<std::size_t>(target)]);
    const double half = half_interval * predicted[i].standard_deviation;
    if (std::abs(truth.back() - means.back()) <= half) sums[0] += 1.0;
    sums[1] += 2.0 * half;
  }
  communicator.sum(std::span<double>(sums));
  const auto scores = stored_scores(score(communicator, means, truth, 1), {name}, on);
  const auto count = static_cast<double>(scores.front().rows);
  return {scores.front(), sums[0] / count, sums[1] / count};
}

class ProcessTraining {
 public:
  explicit ProcessTraining(const TaskInput& input)
      : input_(input), communicator_(input.execution.communicator), path_(input.results.front()) {}

  template <class T>
  TaskReport run() {
    const StoredResult<T> result = [&] {
      const auto phase = input_.execution.phases.enter("read");
      constexpr Index no_tiles = 0;  // features are rows of the left factor alone
      return read_result<T>(communicator_, path_, no_tiles);
    }();
    const Factor<T>& left = result.approximation.left;
    choose_rows(result);
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

  template <class T>
  void choose_rows(const StoredResult<T>& result) {
    const Values& values = input_.values;
    const auto phase = input_.execution.phases.enter("targets");
    const RowPartition& partition = result.approximation.left.partition();
    targets_ = targets_of(communicator_, values, input_.keys.data, path_, result);
    const auto uses = row_uses(communicator_, values, partition, targets_.known, result.splits, input_.execution.seed);
    const Index first = partition.range(communicator_.rank()).begin;
    training_ = rows_for(RowUse::train, targets_, uses, first);
    held_out_ = rows_for(RowUse::test, targets_, uses, first);
    rows_ = partition.rows();
    training_rows_ = communicator_.sum(static_cast<Index>(training_.rows.size()));
    held_out_rows_ = communicator_.sum(static_cast<Index>(held_out_.rows.size()));
    file_.warnings = split_notices(communicator_, values, result.splits);
    if (held_out_rows_ == 0) {
      const KeyNames& keys = values.keys();
      file_.warnings.push_back(
          fmt::format("no row is held out, so there are no scores on unseen rows (set {}, {} or {} to hold rows out)",
                      keys("train-fraction"), keys("train-rows"), keys("split")));
    }
    ReportText text;
    text.metric("rows", fmt::format("{}: {} trained on, {} held out", grouped(rows_), grouped(training_rows_),
                                    grouped(held_out_rows_)));
    for (const std::string& note : targets_.notes(values.text("targets"))) text.note(note);
    text.notes(sign_notes(result.approximation.core_matrix, path_));
    say(text.gap());
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
    const auto add = [&](std::vector<Normal> predicted, const OwnRows& own, const std::string& on) {
      for (Normal& one : predicted) one.mean += fit.mean;
      file_.scores.push_back(score_of(communicator_, predicted, own, t, name, on));
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
  OwnRows training_, held_out_;
  std::vector<ProcessFit> fits_;
  ProcessFile file_;
  ReportText said_;
  Index rows_ = 0, training_rows_ = 0, held_out_rows_ = 0;
};

TaskReport run(const TaskInput& input) {
  const ResultShape shape = read_result_shape(input.execution.communicator, input.results.front());
  if (input.tell) input.tell({});
  TaskReport report;
  with_precision(shape.precision, [&](auto number) { report = ProcessTraining(input).run<decltype(number)>(); });
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
          "four starts. For some thousand training rows at most: a dense matrix of them is factored.",
      .source = "Rasmussen and Williams 2006, Gaussian Processes for Machine Learning, algorithm 2.1",
      .parameters = task_parameters::with(task_parameters::targets(), task_parameters::rows()),
      .needs = {.model = ModelKind::distributions, .square = false},
      .check = check,
      .undrawn = undrawn,
      .run = run};
  return task;
}

}  // namespace cairn
