#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <optional>

#include "cairn/base/error.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/store/files/classifier_file.hpp"
#include "cairn/store/result/extension.hpp"
#include "cairn/store/result/precision.hpp"
#include "cairn/task/classification/classes.hpp"
#include "cairn/task/classification/classifier_report.hpp"
#include "cairn/task/classification/neighbor_votes.hpp"
#include "cairn/task/classification/svm_parameters.hpp"
#include "cairn/task/classification/svm_trainer.hpp"
#include "cairn/task/descriptors.hpp"
#include "cairn/task/task_parameters.hpp"
#include "cairn/task/training_rows.hpp"

namespace cairn {

namespace {

// Numbers of neighbors to choose from, ascending.
std::vector<Index> neighbor_counts(const Values& values) {
  std::vector<Index> counts;
  for (const std::string& text : comma_list(values.required("k"))) {
    const auto count = parse_integer(text);
    if (!count || *count < 1) {
      throw Error(ErrorKind::usage,
                  fmt::format("{} {}: each must be an integer of 1 or more", values.where("k"), values.text("k")));
    }
    counts.push_back(*count);
  }
  std::sort(counts.begin(), counts.end());
  if (std::adjacent_find(counts.begin(), counts.end()) != counts.end()) {
    throw Error(ErrorKind::usage, fmt::format("{} {}: a number is a duplicate", values.where("k"), values.text("k")));
  }
  return counts;
}

class NeighborTraining {
 public:
  explicit NeighborTraining(const TaskInput& input)
      : input_(input),
        communicator_(input.execution.communicator),
        counts_(neighbor_counts(input.values)),
        folds_(input.values.integer("folds")),
        validated_(wants_validation(input.values, counts_.size())) {
    voting_.by_distance = input.values.text("weights") == "distance";
  }

  template <class T>
  TaskReport run(const ResultDescription& description) {
    const auto matrix = matrix_of<T>(input_, 0, description);
    voting_.meaning = matrix->entries().traits().meaning;
    read_rows(matrix->objects());
    require_neighbors();
    if (validated_) choose(*matrix);
    voting_.k = validated_ ? counts_[best_candidate(model_.candidates)] : counts_.front();
    test(*matrix);
    evaluations_ = communicator_.sum(matrix->evaluations());
    warn(matrix->warnings());
    describe<T>(description);
    return finish();
  }

 private:
  void say(const ReportText& text) {
    said_.add(text);
    if (input_.tell) input_.tell(text);
  }
  void warn(const std::vector<std::string>& sentences) {
    model_.warnings.insert(model_.warnings.end(), sentences.begin(), sentences.end());
  }

  // Rows to train and to test on, and their classes.
  void read_rows(const ObjectSet& objects) {
    const auto phase = input_.execution.phases.enter("labels");
    const std::vector<std::string>&labels = objects.labels(), &splits = objects.splits();
    require_labels(communicator_, input_.results.front(), labels, objects.identifiers(), input_.keys.data("label"));
    const Classes all = classes_of(communicator_, labels);
    std::vector<char> known;
    for (const std::int32_t its : all.own) known.push_back(its == no_class ? 0 : 1);
    unlabelled_ = communicator_.sum(static_cast<Index>(std::count(known.begin(), known.end(), 0)));
    const auto uses = row_uses(communicator_, input_.values, objects.partition(), known, splits, input_.execution.seed);
    std::vector<Index> rows, groups, trained_places, tested_places;
    for (std::size_t i = 0; i < uses.size(); ++i) {
      const Index row = objects.range().begin + static_cast<Index>(i);
      if (uses[i] == RowUse::none) continue;
      (uses[i] == RowUse::train ? own_train_ : own_test_).push_back(row);
      (uses[i] == RowUse::train ? trained_places : tested_places).push_back(static_cast<Index>(i));
      if (uses[i] == RowUse::train && !objects.groups().empty()) {
        groups.push_back(static_cast<Index>(hash_text(objects.groups()[i], 0)));
      }
    }
    const std::vector<Index> trained = class_sizes(communicator_, all, trained_places);
    const std::vector<Index> tested = class_sizes(communicator_, all, tested_places);
    warn(notices_of(all));
    warn(split_notices(communicator_, input_.values, splits));
    if (validated_) warn(fold_notices(all.names, trained, folds_));
    warn(label_notices(all.names, trained, tested));
    // Classes that were trained come first.
    for (std::size_t c = 0; c < trained.size(); ++c) {
      if (trained[c] > 0) model_.classes.push_back(all.names[c]);
    }
    if (model_.classes.size() < 2) {
      throw Error(ErrorKind::input,
                  fmt::format("{}: the rows to train on have fewer than two different labels", input_.results.front()));
    }
    classes_ = classes_of(communicator_, labels, model_.classes);
    model_.labels = classes_.names;
    first_ = objects.range().begin;
    std::vector<std::int32_t> classes;
    for (const Index row : own_train_) classes.push_back(class_of(row));
    train_ = {communicator_.all_gather(own_train_), communicator_.all_gather(classes)};
    groups_ = communicator_.all_gather(groups);
    const std::string unlabelled = unlabelled_ > 0 ? fmt::format("; {} have no label", grouped(unlabelled_)) : "";
    tested_ = communicator_.sum(static_cast<Index>(own_test_.size()));
    say(ReportText()
            .metric("rows", fmt::format("{} to train on, {} to test on{}", grouped(trained_rows()), grouped(tested_),
                                        unlabelled))
            .metric("classes", grouped(classes_.count()))
            .gap());
  }
  [[nodiscard]] std::int32_t class_of(Index own_row) const { return classes_.own[own_row - first_]; }
  [[nodiscard]] Index trained_rows() const { return static_cast<Index>(train_.rows.size()); }

  // Each k must have so many rows to choose from. Of the default ones, those that have not are left out.
  void require_neighbors() {
    Index most = trained_rows();
    if (validated_) {
      fold_ = deal_folds(fold_order_of(input_.values), {train_.classes, train_.rows, groups_}, model_.classes, folds_,
                         input_.execution.seed, input_.values.keys());
      std::vector<Index> sizes(folds_, 0);
      for (const std::int32_t its : fold_) ++sizes[its];
      most -= *std::ranges::max_element(sizes);
    }
    if (counts_.back() <= most) return;
    if (input_.values.given("k")) {
      throw Error(ErrorKind::usage,
                  fmt::format("{} {}: {} neighbors are more than the {} rows among which they are looked for{}",
                              input_.values.where("k"), input_.values.text("k"), counts_.back(), grouped(most),
                              validated_ ? ", which one fold leaves" : ""));
    }
    std::erase_if(counts_, [&](Index count) { return count > most; });
    warn({fmt::format("there are {} rows among which neighbors are looked for: more of them are not tried",
                      grouped(most))});
    if (counts_.empty()) counts_.push_back(1);
  }

  // This rank's rows to train on, with one number for each.
  [[nodiscard]] SearchSide side(const ObjectSet& objects, const std::vector<Index>& own,
                                const std::vector<std::int32_t>& fold) const {
    SearchSide side{objects, own, {}};
    if (fold.empty()) return side;
    const auto begin = std::ranges::lower_bound(train_.rows, own.empty() ? 0 : own.front()) - train_.rows.begin();
    for (std::size_t i = 0; i < own.size(); ++i) side.groups.push_back(fold[static_cast<std::size_t>(begin) + i]);
    return side;
  }

  // Predictions of some rows from their neighbors. @param scores  null, or receives those of all classes
  [[nodiscard]] Confusion confusion(const FoundNeighbors& found, const std::vector<Index>& own,
                                    const NeighborVoting& voting) const {
    std::vector<double> scores(model_.classes.size());
    std::vector<std::int32_t> truth, predicted;
    for (std::size_t i = 0; i < own.size(); ++i) {
      truth.push_back(class_of(own[i]));
      predicted.push_back(vote(found.of(static_cast<Index>(i)), train_, voting, scores));
    }
    return confusion_of(communicator_, classes_.count(), truth, predicted);
  }

  // Cross-validation: one search, for the largest k, in which rows of the same fold are not compared.
  template <class T>
  void choose(MatrixOfResult<T>& matrix) {
    const SearchSide folded = side(matrix.compared(), own_train_, fold_);
    const FoundNeighbors found = find_neighbors(input_.execution, matrix.entries(), folded, folded, counts_.back());
    std::vector<Confusion> all;
    for (const Index count : counts_) {
      NeighborVoting voting = voting_;
      voting.k = count;
      all.push_back(confusion(found, own_train_, voting));
      model_.candidates.push_back(
          {input_.results.front(), static_cast<double>(count), all.back().accuracy(), all.back().macro_f1()});
    }
    model_.scores.push_back(stored_score("cross-validation", all[best_candidate(model_.candidates)]));
  }

  template <class T>
  void test(MatrixOfResult<T>& matrix) {
    if (tested_ == 0) return;
    const FoundNeighbors found =
        find_neighbors(input_.execution, matrix.entries(), side(matrix.compared(), own_test_, {}),
                       side(matrix.compared(), own_train_, {}), voting_.k);
    model_.scores.push_back(stored_score("test", confusion(found, own_test_, voting_)));
  }

  // What identifies the result, which is read for it.
  template <class T>
  void describe(const ResultDescription& description) {
    constexpr Index no_tiles = 0;
    const std::string& path = input_.results.front();
    const auto phase = input_.execution.phases.enter("read");
    const StoredResult<T> result = read_result<T>(communicator_, path, no_tiles);
    model_.columns = result.approximation.left.columns();
    model_.basis_digest = columns_digest(communicator_, result.approximation, result.description);
    model_.method = result.approximation.report.method;
    model_.similarity = description.similarity;
    model_.similarity_parameters = description.similarity_parameters;
    model_.result = std::filesystem::absolute(path).lexically_normal().string();
  }

  TaskReport finish() {
    model_.task = neighbor_task().name;
    model_.neighbors = {voting_.k, voting_.by_distance, train_.rows, train_.classes};
    model_.cost = static_cast<double>(voting_.k);
    model_.folds = validated_ ? folds_ : 0;
    model_.training_rows = trained_rows();
    model_.provenance = input_.provenance;
    model_.provenance["seed"] = std::to_string(input_.execution.seed);
    write_classifier(input_.execution, input_.output, model_);
    ReportText text = candidate_report(model_.candidates, "k");
    if (!model_.candidates.empty()) text.gap();
    text.heading("model in " + input_.output.file)
        .add(classifier_report(model_))
        .metric("evaluations", grouped(evaluations_))
        .gap();
    say(text);
    Metric::Record metrics = {{"output", input_.output.file}, {"unlabelled_rows", unlabelled_}};
    for (auto&& entry : classifier_metrics(model_)) metrics.push_back(entry);
    metrics.emplace_back("evaluations", evaluations_);
    return {said_, std::move(metrics)};
  }

  const TaskInput& input_;
  const Communicator& communicator_;
  std::vector<Index> counts_;
  Index folds_;
  bool validated_;
  NeighborVoting voting_;
  Classes classes_;
  Index first_ = 0;  // of this rank's objects
  std::vector<Index> own_train_, own_test_;
  LabelledNeighbors train_;
  std::vector<Index> groups_;       // of the rows to train on, if they have any
  std::vector<std::int32_t> fold_;  // of the rows to train on
  ClassifierFile model_;
  ReportText said_;
  Index unlabelled_ = 0, tested_ = 0, evaluations_ = 0;
};

std::vector<Parameter> parameters() {
  using namespace task_parameters;
  return with({{.name = "k",
                .value = "N[,N]",
                .fallback = "1,3,5,7,9,11,13,15,17,19",
                .help = "Neighbors that vote; or several numbers to choose from by cross-validation."},
               {.name = "weights",
                .value = "NAME",
                .type = ValueType::choice,
                .fallback = "equal",
                .help = "What a neighbor counts. equal: all alike; distance: 1 / its distance, or its similarity.",
                .choices = {"equal", "distance"}},
               folds(),
               fold_order_parameter()},
              rows());
}

void check(const Values& values, std::size_t /*results*/) {
  const std::vector<Index> counts = neighbor_counts(values);
  task_parameters::check_rows(values);
  if (values.given("fold-order") && !wants_validation(values, counts.size())) {
    throw Error(ErrorKind::usage, fmt::format("{} has no effect without cross-validation", values.where("fold-order")));
  }
}

std::string undrawn(const Values& values, std::size_t /*results*/) {
  const std::string rows = task_parameters::undrawn_rows(values);
  if (rows.empty()) return "";
  if (fold_order_of(values) == FoldOrder::file) {
    return rows + " and with folds in the order of the file: nothing is drawn";
  }
  if (wants_validation(values, neighbor_counts(values).size())) return "";
  return rows + " or cross-validation: nothing is drawn";
}

TaskReport run(const TaskInput& input) {
  const ResultDescription description = read_result_description(input.execution.communicator, input.results.front());
  if (input.tell) input.tell({});
  NeighborTraining training(input);
  std::optional<TaskReport> report;
  with_precision(description.precision, [&](auto number) { report = training.run<decltype(number)>(description); });
  return std::move(*report);
}

}  // namespace

const TaskDescriptor& neighbor_task() {
  static const TaskDescriptor task{
      .name = "knn",
      .summary = "The classes of the nearest objects by K itself: each object gets the class of most of its neighbors.",
      .details =
          "The number of neighbors is chosen in cross-validation. Distances of texts are searched by lower bounds, of "
          "other objects all entries of K between the rows are evaluated. The model keeps the labelled rows; predict "
          "reads the objects again.",
      .source = "Cover and Hart 1967; Kusner et al. 2015",
      .parameters = parameters(),
      .needs = {.model = ModelKind::classes, .matrix = true, .labels = true},
      .check = check,
      .undrawn = undrawn,
      .run = run};
  return task;
}

}  // namespace cairn
