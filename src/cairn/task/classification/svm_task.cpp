#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/schedule/phases.hpp"
#include "cairn/data/row_list.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/store/files/classifier_file.hpp"
#include "cairn/store/result/extension.hpp"
#include "cairn/store/result/precision.hpp"
#include "cairn/task/classification/classes.hpp"
#include "cairn/task/classification/classification_score.hpp"
#include "cairn/task/classification/classifier_report.hpp"
#include "cairn/task/classification/dual_descent.hpp"
#include "cairn/task/classification/linear_svm.hpp"
#include "cairn/task/classification/ranking.hpp"
#include "cairn/task/classification/svm_parameters.hpp"
#include "cairn/task/classification/svm_trainer.hpp"
#include "cairn/task/descriptors.hpp"
#include "cairn/task/sign_notes.hpp"
#include "cairn/task/task_report.hpp"
#include "cairn/task/training_rows.hpp"

namespace cairn {

namespace {

// The splits on which machines are trained, and their joint report.

// One split of the rows, the candidate that cross-validation chose for it, and the scores of that candidate.
struct SvmRepeat {
  std::uint64_t seed = 0;
  std::vector<RowUse> uses;
  std::vector<StoredCandidate> candidates;
  std::vector<Confusion> validated;                  ///< one per candidate
  std::vector<std::optional<StoredRanking>> ranked;  ///< one per candidate
  std::size_t chosen = 0;                            ///< index of a candidate
  std::size_t file = 0;
  double cost = 0.0;
  ClassifierFile model;
};

// Metrics of each split and their means. Adds a table of means to `text` if there are several splits. @param results
// paths indexed by the `file` of a split. Local.
Metric::Record repeat_metrics(const std::vector<SvmRepeat>& repeats, const std::vector<std::string>& results,
                              ReportText& text) {
  Metric::List runs, means;
  std::vector<std::vector<std::string>> rows = {{"on", "repeats", "accuracy", "+-", "macro F1", "+-"}};
  for (const SvmRepeat& repeat : repeats) {
    runs.emplace_back(Metric::Record{{"seed", repeat.seed},
                                     {"file", results[repeat.file]},
                                     {"cost", repeat.cost},
                                     {"scores", class_score_metrics(repeat.model.scores)}});
  }
  for (const char* on : {"cross-validation", "train", "test"}) {
    std::vector<double> accuracy, macro_f1;
    for (const SvmRepeat& repeat : repeats) {
      for (const StoredClassScore& score : repeat.model.scores) {
        if (score.on == on) accuracy.push_back(score.accuracy), macro_f1.push_back(score.macro_f1);
      }
    }
    if (accuracy.empty()) continue;
    const auto a = mean_and_deviation(accuracy), f = mean_and_deviation(macro_f1);
    means.emplace_back(Metric::Record{{"on", on},
                                      {"repeats", accuracy.size()},
                                      {"accuracy_mean", a.mean},
                                      {"accuracy_deviation", a.deviation},
                                      {"macro_f1_mean", f.mean},
                                      {"macro_f1_deviation", f.deviation}});
    rows.push_back({on, std::to_string(accuracy.size()), fmt::format("{:.4f}", a.mean),
                    fmt::format("{:.4f}", a.deviation), fmt::format("{:.4f}", f.mean),
                    fmt::format("{:.4f}", f.deviation)});
  }
  if (repeats.size() > 1) text.heading("mean and standard deviation over repeats").table(rows).gap();
  return {{"runs", runs}, {"means", means}};
}

// True if rows of L are similarities to landmarks, with a core matrix that is not included in them.
template <class T>
bool holds_similarities(const Approximation<T>& approximation) {
  const auto& origin = approximation.left_origin;
  return std::holds_alternative<DenseCore>(approximation.core_matrix) && origin && origin->features == nullptr &&
         origin->map == nullptr;
}

class SvmTraining {
 public:
  explicit SvmTraining(const TaskInput& input)
      : input_(input),
        communicator_(input.execution.communicator),
        options_(svm_options(input.values)),
        costs_(costs_of(input.values)),
        folds_(input.values.integer("folds")),
        validated_(wants_validation(input.values, costs_.size() * input.results.size())) {}

  // Cross-validates every file on each split. With several files, a chosen file is then read again for training.
  TaskReport run(const std::vector<ResultShape>& shapes) {
    for (std::size_t f = 0; f < shapes.size(); ++f) visit(f, shapes[f], validated_, shapes.size() == 1);
    for (SvmRepeat& repeat : repeats_) choose(repeat);
    for (std::size_t f = 0; f < shapes.size() && shapes.size() > 1; ++f) {
      if (std::any_of(repeats_.begin(), repeats_.end(), [&](const SvmRepeat& r) { return r.file == f; })) {
        visit(f, shapes[f], false, true);
      }
    }
    return finish();
  }

 private:
  void visit(std::size_t file, const ResultShape& shape, bool validate, bool train) {
    with_precision(shape.precision, [&](auto number) { take<decltype(number)>(file, validate, train); });
  }

  template <class T>
  void take(std::size_t file, bool validate, bool train) {
    const std::string& path = input_.results[file];
    const StoredResult<T> result = [&] {
      const auto phase = input_.execution.phases.enter("read");
      constexpr Index no_tiles = 0;  // features are rows of the left factor alone
      return read_result<T>(communicator_, path, no_tiles);
    }();
    const Factor<T>& left = result.approximation.left;
    begin(path, left.partition(), result);
    warn(extension_warnings(result.description, path));
    if (noted_.insert(path).second) {
      const std::vector<std::string> notes = sign_notes(result.approximation.core_matrix, path);
      if (!notes.empty()) say(ReportText().notes(notes).gap());
    }
    if (options_.passes > 0 && holds_similarities(result.approximation)) {
      warn(
          {fmt::format("{} {}: the rows of L in {} are similarities with landmarks, C = K S, and no features Z with "
                       "K~ = Z Zᵀ: few passes may end far from the optimum for C Cᵀ; approximate with {} true",
                       input_.values.keys()("passes"), options_.passes, path, input_.keys.approximation("embedding"))});
    }
    for (std::size_t r = 0; r < repeats_.size(); ++r) {
      SvmRepeat& repeat = repeats_[r];
      if (!validate && (!train || (costs_.size() * input_.results.size() > 1 && repeat.file != file))) continue;
      require_memory<T>(path, left, repeat);
      const SvmTrainer<T> trainer = make_trainer(left, repeat);
      node_bytes_ = std::max(node_bytes_, trainer.node_bytes());
      if (validate) add_candidates(trainer, file, r);
      if (!train) continue;
      choose(repeat);
      finish_model(result, trainer, r);
    }
  }

  template <class T>
  SvmTrainer<T> make_trainer(const Factor<T>& left, const SvmRepeat& repeat) {
    const auto phase = input_.execution.phases.enter("gather features");
    LabelledRows rows;
    const Index first = left.range().begin;
    for (std::size_t i = 0; i < repeat.uses.size(); ++i) {
      if (repeat.uses[i] != RowUse::train) continue;
      rows.rows.push_back(first + static_cast<Index>(i));
      rows.classes.push_back(classes_.own[i]);
      if (!groups_.empty()) rows.groups.push_back(groups_[i]);
    }
    SvmOptions options = options_;
    options.seed = repeat.seed;
    return SvmTrainer<T>(input_.execution, left, std::move(rows), classes_.names, options, positive_);
  }

  // Memory of the features of the training rows on each node, and of a rank's features while they are copied.
  template <class T>
  void require_memory(const std::string& path, const Factor<T>& left, const SvmRepeat& repeat) const {
    const auto own = static_cast<Index>(std::count(repeat.uses.begin(), repeat.uses.end(), RowUse::train));
    const Index width =
        left.is_sparse() ? left.sparse().own_entries() / std::max<Index>(1, left.range().size()) + 1 : left.columns();
    const bool descent = options_.passes > 0;
    const Index mine = descent ? DescentRows::bytes_of(own, width, left.is_sparse()) : SvmRows::bytes_of(own, width);
    const Index node = communicator_.sum(mine);
    const Index copies = communicator_.maximum(mine) * communicator_.node().size();
    const Index budget = input_.memory.budget_of_node(communicator_);
    if (!input_.memory.refuses(static_cast<double>(communicator_.maximum(node + copies)), budget)) return;
    throw Error(
        ErrorKind::resource,
        fmt::format("{} takes the features of all rows to train on: {} on each node for {}, beside the "
                    "factor, and up to as much again while they are copied; a node has {}. Train on fewer rows, "
                    "or on a result with fewer landmarks",
                    descent ? "dual coordinate descent" : "LIBLINEAR", format_bytes(static_cast<double>(node)), path,
                    input_.memory.budget_text(budget)));
  }

  // Classes and splits, from the first file; others must have the same labels.
  void begin(const std::string& path, const RowPartition& partition, const ObjectTexts& texts) {
    const std::vector<std::string>&labels = texts.labels, &splits = texts.splits;
    if (!repeats_.empty()) {
      const bool same = labels == labels_;
      if (communicator_.minimum(static_cast<Index>(same ? 1 : 0)) == 1) return;
      throw Error(ErrorKind::input, fmt::format("{} and {} have different labels: candidates are of the same data",
                                                input_.results.front(), path));
    }
    const auto phase = input_.execution.phases.enter("labels");
    require_labels(communicator_, path, labels, texts.identifiers, input_.keys.data("label"));
    labels_ = labels;
    groups_ = texts.groups;
    classes_ = classes_of(communicator_, labels);
    positive_ = positive_label(input_.values, classes_.names);
    rows_ = partition.rows();
    std::vector<char> known;
    for (const std::int32_t its : classes_.own) known.push_back(its == no_class ? 0 : 1);
    unlabelled_ = communicator_.sum(static_cast<Index>(std::count(known.begin(), known.end(), 0)));
    for (Index r = 0; r < input_.values.integer("repeats"); ++r) {
      SvmRepeat repeat;
      repeat.seed = input_.execution.seed + static_cast<std::uint64_t>(r);
      repeat.uses = row_uses(communicator_, input_.values, partition, known, splits, repeat.seed);
      repeat.cost = costs_.front();
      repeats_.push_back(std::move(repeat));
    }
    warn(notices_of(classes_));
    warn(split_notices(communicator_, input_.values, splits));
    const SvmRepeat& one = repeats_.front();
    const std::string unlabelled = unlabelled_ > 0 ? fmt::format("; {} have no label", grouped(unlabelled_)) : "";
    say(ReportText()
            .metric("rows",
                    fmt::format("{}: {} to train on, {} to test on{}", grouped(rows_),
                                grouped(count(one, RowUse::train)), grouped(count(one, RowUse::test)), unlabelled))
            .metric("classes", grouped(classes_.count()))
            .gap());
  }

  void say(const ReportText& text) {
    said_.add(text);
    if (input_.tell) input_.tell(text);
  }

  [[nodiscard]] Index count(const SvmRepeat& repeat, RowUse use) const {
    return communicator_.sum(static_cast<Index>(std::count(repeat.uses.begin(), repeat.uses.end(), use)));
  }

  template <class T>
  void add_candidates(const SvmTrainer<T>& trainer, std::size_t file, std::size_t r) {
    SvmRepeat& repeat = repeats_[r];
    if (file == 0 && r == 0) warn(fold_notices(classes_.names, trainer.sizes(), folds_));
    const std::string name = fmt::format("svm-validate-{}-{}", file, r);
    for (const ValidatedCost& one :
         trainer.cross_validate(name, costs_, folds_, repeat.seed, fold_order_of(input_.values))) {
      repeat.candidates.push_back({input_.results[file], one.cost, one.confusion.accuracy(), one.confusion.macro_f1()});
      if (one.ranking) repeat.candidates.back().average_precision = one.ranking->by_score.average_precision;
      repeat.validated.push_back(one.confusion);
      repeat.ranked.push_back(one.ranking);
      stopped_[{file, one.cost}] += one.stopped;
    }
  }

  void choose(SvmRepeat& repeat) const {
    if (repeat.candidates.empty()) return;
    repeat.chosen = best_candidate(repeat.candidates);  // of equal ones the first file and the smallest C
    repeat.cost = repeat.candidates[repeat.chosen].cost;
    repeat.file = repeat.chosen / costs_.size();
  }

  void warn(const std::vector<std::string>& sentences) {
    for (const std::string& sentence : sentences) {
      if (std::find(warnings_.begin(), warnings_.end(), sentence) == warnings_.end()) warnings_.push_back(sentence);
    }
  }

  // The chosen model on all rows to train on, and its scores.
  template <class T>
  void finish_model(const StoredResult<T>& result, const SvmTrainer<T>& trainer, std::size_t r) {
    SvmRepeat& repeat = repeats_[r];
    const Factor<T>& left = result.approximation.left;
    const LinearClassifier classifier = trainer.train(fmt::format("svm-train-{}", r), repeat.cost);
    if (classifier.stopped > 0) warn({stopped_text(classifier, repeat.cost, options_.passes, input_.values.keys())});
    ClassifierFile& model = repeat.model;
    // Names of the classes that were trained come first.
    std::vector<std::string> trained;
    for (const std::int32_t c : classifier.classes) trained.push_back(classes_.names[c]);
    const Classes named = classes_of(communicator_, labels_, trained);
    model.classes = trained;
    model.labels = named.names;
    if (!positive_.empty() && std::ranges::find(trained, positive_) == trained.end()) {
      warn({fmt::format("no row to train on has the positive label '{}': nothing is ranked", positive_)});
    }
    if (!repeat.candidates.empty()) {
      model.scores.push_back(stored_score("cross-validation", renamed(repeat.validated[repeat.chosen], named)));
      if (const auto& ranking = repeat.ranked[repeat.chosen]) model.rankings.push_back(*ranking);
    }
    const auto phase = input_.execution.phases.enter("predict");
    for (const auto& [on, use] : {std::pair("train", RowUse::train), std::pair("test", RowUse::test)}) {
      if (count(repeat, use) == 0) continue;
      score(left, classifier, named, repeat, use, on);
    }
    if (r == 0) warn(label_notices(classes_.names, trainer.sizes(), sizes_of(repeat, RowUse::test)));
    model.columns = classifier.columns;
    model.coefficients = classifier.coefficients;
    model.intercepts = classifier.intercepts;
    model.pairs = classifier.pairs;
    model.training_rows = count(repeat, RowUse::train);
    if (r > 0) return;
    model.basis_digest = columns_digest(communicator_, result.approximation, result.description);
    model.method = result.approximation.report.method;
    model.similarity = result.description.similarity;
    model.similarity_parameters = result.description.similarity_parameters;
  }

  [[nodiscard]] std::vector<Index> sizes_of(const SvmRepeat& repeat, RowUse use) const {
    std::vector<Index> rows;
    for (std::size_t i = 0; i < repeat.uses.size(); ++i) {
      if (repeat.uses[i] == use) rows.push_back(static_cast<Index>(i));
    }
    return class_sizes(communicator_, classes_, rows);
  }

  // Numbers of classes_ become those of `named`.
  [[nodiscard]] Confusion renamed(const Confusion& confusion, const Classes& named) const {
    Confusion result(named.count());
    std::vector<Index> place;
    for (const std::string& name : classes_.names) {
      place.push_back(std::find(named.names.begin(), named.names.end(), name) - named.names.begin());
    }
    for (std::size_t a = 0; a < place.size(); ++a) {
      for (std::size_t b = 0; b < place.size(); ++b) {
        result.at(place[a], place[b]) = confusion.at(static_cast<Index>(a), static_cast<Index>(b));
      }
    }
    return result;
  }

  // Adds the scores of the rows that are used so.
  template <class T>
  void score(const Factor<T>& left, const LinearClassifier& classifier, const Classes& named, SvmRepeat& repeat,
             RowUse use, const std::string& on) const {
    std::vector<Index> rows;
    std::vector<std::int32_t> truth;
    for (std::size_t i = 0; i < repeat.uses.size(); ++i) {
      if (repeat.uses[i] != use) continue;
      rows.push_back(left.range().begin + static_cast<Index>(i));
      truth.push_back(named.own[i]);
    }
    LinearClassifier renumbered = classifier;  // its classes are the first of `named`
    for (std::size_t c = 0; c < renumbered.classes.size(); ++c) renumbered.classes[c] = static_cast<std::int32_t>(c);
    const std::vector<double> scores = class_scores(input_.execution, left, renumbered, rows);
    const std::vector<std::int32_t> predicted = largest_classes(renumbered, scores);
    ClassifierFile& model = repeat.model;
    model.scores.push_back(stored_score(on, confusion_of(communicator_, named.count(), truth, predicted)));
    auto ranking = rank_classes(communicator_, on, {rows, scores, predicted, model.classes}, positive_,
                                left.range().begin, labels_, groups_);
    if (ranking) model.rankings.push_back(std::move(*ranking));
  }

  TaskReport finish() {
    for (const auto& [candidate, count] : stopped_) {
      if (count == 0) continue;
      warn({fmt::format(
          "training {} in {} trainings of cross-validation with C = {:g} on {}",
          options_.passes > 0 ? "ended far from the optimum" : "stopped after its largest number of iterations", count,
          candidate.second, input_.results[candidate.first])});
    }
    ClassifierFile& model = repeats_.front().model;
    model.task = svm_task().name;
    model.result = std::filesystem::absolute(input_.results[repeats_.front().file]).lexically_normal().string();
    model.loss = input_.values.text("loss");
    model.bias = options_.bias;
    model.positive = positive_;
    model.passes = options_.passes;
    model.balanced = options_.balanced;
    if (options_.pairs) model.loss = "hinge";
    model.cost = repeats_.front().cost;
    model.folds = validated_ ? folds_ : 0;
    model.candidates = repeats_.front().candidates;
    model.warnings = warnings_;
    model.provenance = input_.provenance;
    model.provenance["seed"] = std::to_string(input_.execution.seed);
    write_classifier(input_.execution, input_.output, model);
    ReportText text = candidate_report(model.candidates);
    if (!model.candidates.empty()) text.gap();
    text.heading("model in " + input_.output.file).add(classifier_report(model));
    Metric::Record metrics = {
        {"output", input_.output.file}, {"n", rows_}, {"unlabelled_rows", unlabelled_}, {"node_bytes", node_bytes_}};
    for (auto&& entry : classifier_metrics(model)) metrics.push_back(entry);
    metrics.emplace_back("repeats", repeat_metrics(repeats_, input_.results, text));
    text.metric("features", fmt::format("{} columns, {} on each node", grouped(model.columns),
                                        format_bytes(static_cast<double>(node_bytes_))))
        .gap();
    say(text);
    return {said_, std::move(metrics)};
  }

  const TaskInput& input_;
  const Communicator& communicator_;
  SvmOptions options_;
  std::vector<double> costs_;
  Index folds_;
  bool validated_;
  std::vector<std::string> labels_, groups_;
  std::string positive_;
  Classes classes_;
  std::vector<SvmRepeat> repeats_;
  std::vector<std::string> warnings_;
  std::set<std::string> noted_;  // files
  ReportText said_;
  std::map<std::pair<std::size_t, double>, Index> stopped_;  // trainings that stopped early, by file and C
  Index rows_ = 0, unlabelled_ = 0, node_bytes_ = 0;
};

void check(const Values& values, std::size_t results) {
  check_svm(values, results);
  check_multiclass(values);
  const std::string why = undrawn_svm(values, results);
  if (why.empty() || !values.given("repeats")) return;
  throw Error(ErrorKind::usage, fmt::format("{} has no effect {}", values.where("repeats"), why));
}

TaskReport run(const TaskInput& input) {
  std::vector<ResultShape> shapes;
  for (const std::string& path : input.results) {
    shapes.push_back(read_result_shape(input.execution.communicator, path));
    if (shapes.back().rows == shapes.front().rows) continue;
    throw Error(ErrorKind::input, fmt::format("{} has {} rows and {} has {}: candidates are of the same data",
                                              input.results.front(), shapes.front().rows, path, shapes.back().rows));
  }
  if (input.tell) input.tell({});
  return SvmTraining(input).run(shapes);
}

}  // namespace

const TaskDescriptor& svm_task() {
  static const TaskDescriptor task{
      .name = "svm",
      .summary =
          "A linear support vector machine on the factors of results, by LIBLINEAR or in a given number of passes: "
          "learns the labels of the data.",
      .details =
          "Linear support vector machines on the rows of the left factor, one class against the rest or against each "
          "other, for the labels of the data. Of several Cs and several results (a gamma each) that with the best "
          "accuracy in cross-validation is taken; where rows have groups, that with the best MAP, in folds of whole "
          "groups.",
      .source = "Fan et al. 2008, LIBLINEAR; Hsieh et al. 2008, dual coordinate descent; Chang and Lin 2011, LIBSVM",
      .parameters = svm_task_parameters(),
      .needs = {.model = ModelKind::classes,
                .square = false,
                .labels = true,
                .several = "are chosen from by cross-validation"},
      .check = check,
      .undrawn = undrawn_svm,
      .run = run};
  return task;
}

}  // namespace cairn
