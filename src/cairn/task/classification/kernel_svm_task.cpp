#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "cairn/base/error.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/store/result/precision.hpp"
#include "cairn/task/classification/classes.hpp"
#include "cairn/task/classification/classifier_report.hpp"
#include "cairn/task/classification/kernel_svm.hpp"
#include "cairn/task/classification/ranking.hpp"
#include "cairn/task/classification/svm_parameters.hpp"
#include "cairn/task/classification/svm_trainer.hpp"
#include "cairn/task/descriptors.hpp"
#include "cairn/task/training_rows.hpp"

namespace cairn {

namespace {

class KernelTraining {
 public:
  explicit KernelTraining(const TaskInput& input)
      : input_(input),
        communicator_(input.execution.communicator),
        costs_(costs_of(input.values)),
        folds_(input.values.integer("folds")),
        validated_(wants_validation(input.values, costs_.size() * input.results.size())) {
    options_.tolerance = input.values.number("tolerance");
    options_.rest = input.values.text("multiclass") == "one-vs-rest";
    options_.balanced = input.values.text("class-weights") == "balanced";
  }

  // Tests a file immediately if it is the best so far, while its matrix is in memory.
  template <class T>
  void add(std::size_t file, MatrixOfResult<T>& matrix) {
    const std::string& path = input_.results[file];
    const Execution& execution = input_.execution;
    input_landmarks_.push_back(read_result_shape(communicator_, path).landmarks);
    begin(path, matrix.objects(), [&](Index bytes) { return matrix.bytes_beside(bytes); });
    const KernelSvm machine(execution, matrix.entries(), matrix.compared(), rows_, classes_.names, options_,
                            fmt::format("kernel-svm-{}", file), input_.values.keys());
    const std::size_t before = candidates_.size();
    std::vector<ValidatedKernelCost> validated;
    if (validated_) {
      validated = machine.cross_validate(fmt::format("kernel-validate-{}", file), costs_, folds_, execution.seed,
                                         fold_order_of(input_.values));
    }
    std::vector<std::optional<StoredRanking>> ranked;
    for (const ValidatedKernelCost& one : validated) {
      candidates_.push_back({path, one.cost, one.confusion.accuracy(), one.confusion.macro_f1()});
      ranked.push_back(rank("cross-validation", 1, one.held_out, matrix.objects().range()));
      if (ranked.back()) candidates_.back().average_precision = ranked.back()->by_score.average_precision;
    }
    const std::size_t best = validated_ ? best_candidate(candidates_) : 0;
    const auto rows = static_cast<Index>(rows_.rows.size());
    if (best >= before) {  // the best candidate is from this file
      chosen_ = file;
      cost_ = validated_ ? candidates_[best].cost : costs_.front();
      scores_.clear();
      rankings_.clear();
      if (validated_) {
        scores_.push_back(stored_score("cross-validation", validated[best - before].confusion));
        if (ranked[best - before]) rankings_.push_back(*ranked[best - before]);
      }
      test(machine.decide(fmt::format("kernel-train-{}", file), cost_), matrix.objects());
    } else {  // this file is not tested
      spared_ += rows * rows - trained_ * trained_;
    }
    evaluations_ += communicator_.sum(matrix.evaluations());
    warn(matrix.warnings());
  }

  TaskReport finish() {
    ReportText text;
    if (candidates_.size() > 1) {
      text.add(candidate_report(candidates_)).gap();
      text.metric("chosen by",
                  fmt::format("{} in {}-fold cross-validation", candidates_chosen_by(candidates_), folds_));
    }
    say(text.metric("result, C", fmt::format("{}, {:g}", input_.results[chosen_], cost_))
            .metric("support vectors", support_text())
            .metric("evaluations", evaluation_text())
            .warnings(warnings_)
            .add(class_score_report(scores_))
            .gap());
    if (!rankings_.empty()) say(ReportText().add(ranking_report(rankings_)).gap());
    say(ReportText().add(confusion_report(scores_.back(), classes_.names)).gap());
    return {said_,
            {{"task", kernel_svm_task().name},
             {"result", input_.results[chosen_]},
             {"cost", cost_},
             {"folds", validated_ ? folds_ : 0},
             {"labels", classes_.names},
             {"rows", rows_.rows.size()},
             {"unlabelled_rows", unlabelled_},
             {"multiclass", options_.rest ? "one-vs-rest" : "one-vs-one"},
             {"class_weights", options_.balanced ? "balanced" : "none"},
             {"positive", positive_},
             {"support_vectors", support_vectors_},
             {"landmarks", landmarks() > 0 ? Metric(landmarks()) : Metric()},
             {"share_saved", share_saved()},
             {"rankings", ranking_metrics(rankings_)},
             {"evaluations", evaluations_},
             {"evaluations_saved", spared_},
             {"node_bytes", KernelSvm::bytes_of(trained_)},
             {"scores", class_score_metrics(scores_)},
             {"warnings", warnings_},
             {"candidates", candidate_metrics(candidates_)},
             {"chosen_by", candidates_chosen_by(candidates_)}}};
  }

 private:
  void say(const ReportText& text) {
    said_.add(text);
    if (input_.tell) input_.tell(text);
  }

  // Reads rows and classes from the first file.
  void begin(const std::string& path, const ObjectSet& objects, const std::function<Index(Index)>& bytes_beside) {
    const RowPartition& partition = objects.partition();
    const std::vector<std::string>&labels = objects.labels(), &splits = objects.splits();
    if (!rows_.rows.empty()) {
      if (communicator_.minimum(static_cast<Index>(labels == labels_ ? 1 : 0)) == 1) return;
      throw Error(ErrorKind::input, fmt::format("{} and {} have different labels: candidates are of the same data",
                                                input_.results.front(), path));
    }
    labels_ = labels;
    require_labels(communicator_, path, labels, objects.identifiers(), input_.keys.data("label"));
    groups_ = objects.groups();
    classes_ = classes_of(communicator_, labels);
    positive_ = options_.positive = positive_label(input_.values, classes_.names);
    std::vector<char> known, train;
    for (const std::int32_t its : classes_.own) known.push_back(its == no_class ? 0 : 1);
    unlabelled_ = communicator_.sum(static_cast<Index>(std::count(known.begin(), known.end(), 0)));
    const auto uses = row_uses(communicator_, input_.values, partition, known, splits, input_.execution.seed);
    std::vector<Index> rows, groups;
    std::vector<std::int32_t> classes;
    for (std::size_t i = 0; i < uses.size(); ++i) {
      if (uses[i] == RowUse::none) continue;
      if (!groups_.empty()) groups.push_back(static_cast<Index>(hash_text(groups_[i], 0)));
      rows.push_back(partition.range(communicator_.rank()).begin + static_cast<Index>(i));
      classes.push_back(classes_.own[i]);
      train.push_back(uses[i] == RowUse::train ? 1 : 0);
    }
    trained_ = communicator_.sum(static_cast<Index>(std::count(train.begin(), train.end(), 1)));
    require_memory(communicator_.sum(static_cast<Index>(rows.size())) - trained_, bytes_beside);
    rows_ = {communicator_.all_gather(rows), communicator_.all_gather(classes), communicator_.all_gather(train),
             communicator_.all_gather(groups)};
    std::vector<Index> trained(classes_.names.size(), 0), tested(classes_.names.size(), 0);
    for (std::size_t i = 0; i < rows_.rows.size(); ++i) {
      ++(rows_.train[i] != 0 ? trained : tested)[rows_.classes[i]];
    }
    warn(notices_of(classes_));
    warn(split_notices(communicator_, input_.values, splits));
    if (validated_) warn(fold_notices(classes_.names, trained, folds_));
    warn(label_notices(classes_.names, trained, tested));
    const std::string unlabelled = unlabelled_ > 0 ? fmt::format("; {} have no label", grouped(unlabelled_)) : "";
    say(ReportText()
            .metric("rows", fmt::format("{} to train on, {} to test on{}", grouped(trained_),
                                        grouped(static_cast<Index>(rows_.rows.size()) - trained_), unlabelled))
            .metric("classes", grouped(classes_.count()))
            .gap());
  }

  void warn(const std::vector<std::string>& sentences) {
    warnings_.insert(warnings_.end(), sentences.begin(), sentences.end());
  }

  void require_memory(Index tested, const std::function<Index(Index)>& bytes_beside) const {
    // K in LIBSVM's format twice while it is copied, plus the evaluated matrix; LIBSVM's cache has 100 MB. Testing
    // takes as many rows at a time as are trained on, when K is stored only once.
    constexpr Index cache = Index{100} << 20;
    const Index rows = trained_, at_once = std::min(tested, rows);
    const Index matrix = rows * rows * static_cast<Index>(sizeof(double));
    const Index found = (rows + at_once) * (rows + at_once) * static_cast<Index>(sizeof(double));
    const Index machines = options_.rest ? std::max<Index>(1, classes_.count()) : 1;
    const Index validations = validated_ ? static_cast<Index>(costs_.size()) : 0;
    const auto bytes_of = [&](Index of, Index count) {
      return KernelSvm::result_bytes(of, classes_.count(), count * machines, options_.rest);
    };
    // Results of the jobs for the training rows, plus the scores of all rows for each cost and of the final machine.
    const Index said =
        2 * bytes_of(rows, std::max<Index>(1, validations * folds_)) + bytes_of(rows + tested, validations + 2);
    const Index needed = 2 * KernelSvm::bytes_of(rows) + matrix + cache * input_.execution.threads +
                         said * communicator_.node().size() + bytes_beside(found);
    const Index budget = input_.memory.budget_of_node(communicator_);
    if (!input_.memory.refuses(static_cast<double>(needed), budget)) return;
    const KeyNames& keys = input_.values.keys();
    throw Error(
        ErrorKind::resource,
        fmt::format("K of {} rows takes {} on each node, as LIBSVM reads it and while it is copied; a node has {}. "
                    "Choose fewer rows ({} with - for those that are ignored), or {} {}",
                    grouped(rows), format_bytes(static_cast<double>(needed)), input_.memory.budget_text(budget),
                    keys("split"), keys("task", "the task"), svm_task().name));
  }

  void test(const KernelDecisions& found, const ObjectSet& objects) {
    const std::vector<std::int32_t>& predicted = found.predicted;
    support_vectors_ = found.support_vectors;
    spared_ += found.spared;
    for (const auto& [on, train] : {std::pair("train", 1), std::pair("test", 0)}) {
      Confusion confusion(classes_.count());
      for (std::size_t i = 0; i < predicted.size(); ++i) {
        if (rows_.train[i] == train) ++confusion.at(rows_.classes[i], predicted[i]);
      }
      if (confusion.rows() == 0) continue;
      scores_.push_back(stored_score(on, confusion));
      if (const auto ranking = rank(on, train, found, objects.range())) rankings_.push_back(*ranking);
    }
  }

  // Each rank provides the rows that it owns.
  [[nodiscard]] std::optional<StoredRanking> rank(const std::string& on, int train, const KernelDecisions& found,
                                                  Range own) const {
    std::vector<std::string> names;
    for (const std::int32_t its : found.classes) names.push_back(classes_.names[its]);
    std::vector<Index> rows;
    std::vector<double> scores;
    std::vector<std::int32_t> predicted;
    for (std::size_t i = 0; i < found.predicted.size(); ++i) {
      if (rows_.train[i] != train || !own.contains(rows_.rows[i])) continue;
      rows.push_back(rows_.rows[i]);
      const auto its = found.scores.begin() + static_cast<std::ptrdiff_t>(i * names.size());
      scores.insert(scores.end(), its, its + static_cast<std::ptrdiff_t>(names.size()));
      predicted.push_back(
          static_cast<std::int32_t>(std::ranges::find(found.classes, found.predicted[i]) - found.classes.begin()));
    }
    return rank_classes(communicator_, on, {rows, scores, predicted, names}, positive_, own.begin, labels_, groups_);
  }

  // Landmarks of the chosen result; 0: it has none.
  [[nodiscard]] Index landmarks() const { return input_landmarks_[chosen_]; }

  // For each object, a result evaluates the columns of its landmarks, the machine those of its support vectors.
  [[nodiscard]] Metric share_saved() const {
    if (landmarks() == 0 || support_vectors_ == 0) return {};
    return 1.0 - static_cast<double>(landmarks()) / static_cast<double>(support_vectors_);
  }

  [[nodiscard]] std::string support_text() const {
    std::string text = grouped(support_vectors_);
    if (landmarks() == 0 || support_vectors_ == 0) return text;
    return text + fmt::format("; {} landmarks save {:.1f} % of the evaluations for a new object", grouped(landmarks()),
                              100.0 - 100.0 * static_cast<double>(landmarks()) / static_cast<double>(support_vectors_));
  }

  // The share refers to all entries between the rows, in all files.
  [[nodiscard]] std::string evaluation_text() const {
    const auto rows = static_cast<Index>(rows_.rows.size());
    std::string text = grouped(evaluations_);
    if (spared_ == 0) return text;
    const double all =
        static_cast<double>(rows) * static_cast<double>(rows) * static_cast<double>(input_.results.size());
    return text + fmt::format("; {} of tested rows with others than support vectors ({:.1f} % of all) are not needed",
                              grouped(spared_), 100.0 * static_cast<double>(spared_) / all);
  }

  const TaskInput& input_;
  const Communicator& communicator_;
  std::vector<double> costs_;
  Index folds_;
  bool validated_;
  KernelSvmOptions options_;
  std::vector<Index> input_landmarks_;
  std::vector<std::string> labels_, groups_;
  std::string positive_;
  Classes classes_;
  KernelRows rows_;
  std::vector<StoredCandidate> candidates_;
  std::vector<StoredClassScore> scores_;
  std::vector<std::string> warnings_;
  ReportText said_;
  std::size_t chosen_ = 0;
  double cost_ = 0.0;
  Index evaluations_ = 0, spared_ = 0, trained_ = 0, unlabelled_ = 0, support_vectors_ = 0;
  std::vector<StoredRanking> rankings_;
};

TaskReport run(const TaskInput& input) {
  std::vector<ResultDescription> descriptions;
  for (const std::string& path : input.results) {
    descriptions.push_back(read_result_description(input.execution.communicator, path));
  }
  if (input.tell) input.tell({});
  KernelTraining training(input);
  for (std::size_t f = 0; f < descriptions.size(); ++f) {
    with_precision(descriptions[f].precision,
                   [&](auto number) { training.add(f, *matrix_of<decltype(number)>(input, f, descriptions[f])); });
  }
  return training.finish();
}

}  // namespace

const TaskDescriptor& kernel_svm_task() {
  static const TaskDescriptor task{
      .name = "kernel-svm",
      .summary = "Support vector machines on the matrix itself by LIBSVM, which are scored and not kept.",
      .details =
          "For small sets, and to compare with: all entries between the rows to train on are evaluated, and "
          "those of tested rows with support vectors.",
      .source = "Chang and Lin 2011, LIBSVM",
      .parameters = kernel_svm_task_parameters(),
      .needs = {.matrix = true, .labels = true, .several = "are chosen from by cross-validation"},
      .check =
          [](const Values& values, std::size_t results) {
            check_svm(values, results);
            check_class_weights(values);
          },
      .undrawn = undrawn_svm,
      .run = run};
  return task;
}

}  // namespace cairn
