// cairn train --task svm: linear support vector machines on the factors of stored results.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "cairn/approximation/factor_digest.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/phases.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/task/classification/classes.hpp"
#include "cairn/task/classification/svm_trainer.hpp"
#include "models/model_commands.hpp"
#include "models/svm_options.hpp"
#include "models/training_rows.hpp"
#include "pipeline/context.hpp"
#include "pipeline/pipeline.hpp"
#include "pipeline/stored.hpp"
#include "report/classifier_report.hpp"
#include "report/extension_error.hpp"
#include "report/job.hpp"
#include "report/report.hpp"

namespace cairn::app {

namespace {

// One split of the rows, the candidate that cross-validation chose on it, and how well that does.
struct Repeat {
  std::uint64_t seed = 0;
  std::vector<RowUse> uses;
  std::vector<StoredCandidate> candidates;
  std::vector<Confusion> validated;  // one a candidate
  std::size_t chosen = 0;            // candidate
  std::size_t file = 0;
  double cost = 0.0;
  ClassifierFile model;
};

// The best accuracy; of equal ones the first file and the smallest C.
std::size_t best_of(const std::vector<StoredCandidate>& candidates) {
  const auto worse = [](const StoredCandidate& a, const StoredCandidate& b) { return a.accuracy < b.accuracy; };
  return static_cast<std::size_t>(std::max_element(candidates.begin(), candidates.end(), worse) - candidates.begin());
}

class SvmTraining {
 public:
  explicit SvmTraining(Job& job)
      : job_(job),
        context_(job.communicator, job.settings),
        options_(svm_options(job.settings)),
        costs_(costs_of(job.settings)),
        folds_(job.settings.integer("folds")),
        validated_(wants_validation(job.settings, costs_.size() * job.arguments.size())) {}

  // Every file: cross-validation on each repeat. The last one of several is then read again where it is chosen.
  void run(const std::vector<ResultShape>& shapes) {
    for (std::size_t f = 0; f < shapes.size(); ++f) visit(f, shapes[f], validated_, shapes.size() == 1);
    for (Repeat& repeat : repeats_) choose(repeat);
    for (std::size_t f = 0; f < shapes.size() && shapes.size() > 1; ++f) {
      if (std::any_of(repeats_.begin(), repeats_.end(), [&](const Repeat& r) { return r.file == f; })) {
        visit(f, shapes[f], false, true);
      }
    }
    finish();
  }

 private:
  void visit(std::size_t file, const ResultShape& shape, bool validate, bool train) {
    with_precision(shape.precision, [&](auto number) { take<decltype(number)>(file, validate, train); });
  }

  template <class T>
  void take(std::size_t file, bool validate, bool train) {
    const std::string& path = job_.arguments[file];
    const StoredResult<T> result = [&] {
      Phases::Scope phase = context_.phases().enter("read");
      constexpr Index no_tiles = 0;  // features are rows of the left factor alone
      return read_result<T>(job_.communicator, path, no_tiles);
    }();
    const Factor<T>& left = result.approximation.left;
    begin(path, left.partition(), result.labels, result.splits);
    warn(extension_warnings(result.description, path));
    for (std::size_t r = 0; r < repeats_.size(); ++r) {
      Repeat& repeat = repeats_[r];
      if (!validate && (!train || (costs_.size() * job_.arguments.size() > 1 && repeat.file != file))) continue;
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
  SvmTrainer<T> make_trainer(const Factor<T>& left, const Repeat& repeat) {
    Phases::Scope phase = context_.phases().enter("gather features");
    LabelledRows rows;
    const Index first = left.range().begin;
    for (std::size_t i = 0; i < repeat.uses.size(); ++i) {
      if (repeat.uses[i] != RowUse::train) continue;
      rows.rows.push_back(first + static_cast<Index>(i));
      rows.classes.push_back(classes_.own[i]);
    }
    return SvmTrainer<T>(context_.execution(), left, std::move(rows), classes_.names, options_);
  }

  // The features of the rows to train on, on each node, and those of a rank while they are copied.
  template <class T>
  void require_memory(const std::string& path, const Factor<T>& left, const Repeat& repeat) const {
    const Communicator& communicator = job_.communicator;
    const auto own = static_cast<Index>(std::count(repeat.uses.begin(), repeat.uses.end(), RowUse::train));
    const Index width =
        left.is_sparse() ? left.sparse().own_entries() / std::max<Index>(1, left.range().size()) + 1 : left.columns();
    const Index mine = SvmRows::bytes_of(own, width), node = communicator.sum(mine);
    const Index copies = communicator.maximum(mine) * communicator.node().size();
    const Index room = room_of_node(communicator, job_.settings);
    if (communicator.maximum(node + copies) <= room) return;
    throw Error(
        ErrorKind::resource,
        fmt::format("LIBLINEAR takes the features of all rows to train on: {} on each node for {}, beside the "
                    "factor, and up to as much again while they are copied; a node has {}. Train on fewer rows, "
                    "or on a result with fewer landmarks",
                    format_bytes(static_cast<double>(node)), path, room_text(run_room(job_.settings), room)));
  }

  // Classes and splits, from the first file; others must have the same labels.
  void begin(const std::string& path, const RowPartition& partition, const std::vector<std::string>& labels,
             const std::vector<std::string>& splits) {
    const Communicator& communicator = job_.communicator;
    if (!repeats_.empty()) {
      const bool same = labels == labels_;
      if (communicator.minimum(static_cast<Index>(same ? 1 : 0)) == 1) return;
      throw Error(ErrorKind::input, fmt::format("{} and {} have different labels: candidates are of the same data",
                                                job_.arguments.front(), path));
    }
    Phases::Scope phase = context_.phases().enter("labels");
    if (communicator.maximum(static_cast<Index>(labels.size())) == 0) {
      throw Error(ErrorKind::input, fmt::format("{} has no labels to learn; approximate with data.label", path));
    }
    labels_ = labels;
    classes_ = classes_of(communicator, labels);
    rows_ = partition.rows();
    std::vector<char> known;
    for (const std::int32_t its : classes_.own) known.push_back(its == no_class ? 0 : 1);
    unlabelled_ = communicator.sum(static_cast<Index>(std::count(known.begin(), known.end(), 0)));
    for (Index r = 0; r < job_.settings.integer("repeats"); ++r) {
      Repeat repeat;
      repeat.seed = context_.execution().seed + static_cast<std::uint64_t>(r);
      repeat.uses = row_uses(communicator, job_.settings, partition, known, splits, repeat.seed);
      repeat.cost = costs_.front();
      repeats_.push_back(std::move(repeat));
    }
    warn(split_notices(communicator, job_.settings, splits));
    const Repeat& one = repeats_.front();
    print(communicator,
          fmt::format("  rows                        {}: {} to train on, {} to test on{}\n"
                      "  classes                     {}\n\n",
                      grouped(rows_), grouped(count(one, RowUse::train)), grouped(count(one, RowUse::test)),
                      unlabelled_ > 0 ? fmt::format("; {} have no label", grouped(unlabelled_)) : "",
                      grouped(classes_.count())));
  }

  [[nodiscard]] Index count(const Repeat& repeat, RowUse use) const {
    return job_.communicator.sum(static_cast<Index>(std::count(repeat.uses.begin(), repeat.uses.end(), use)));
  }

  template <class T>
  void add_candidates(const SvmTrainer<T>& trainer, std::size_t file, std::size_t r) {
    Repeat& repeat = repeats_[r];
    if (file == 0 && r == 0) warn(fold_notices(classes_.names, trainer.sizes(), folds_));
    const std::string name = fmt::format("svm-validate-{}-{}", file, r);
    for (const ValidatedCost& one : trainer.cross_validate(name, costs_, folds_, repeat.seed)) {
      repeat.candidates.push_back({job_.arguments[file], one.cost, one.confusion.accuracy(), one.confusion.macro_f1()});
      repeat.validated.push_back(one.confusion);
      stopped_[{file, one.cost}] += one.stopped;
    }
  }

  void choose(Repeat& repeat) const {
    if (repeat.candidates.empty()) return;
    repeat.chosen = best_of(repeat.candidates);
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
    Repeat& repeat = repeats_[r];
    const Factor<T>& left = result.approximation.left;
    const LinearClassifier classifier = trainer.train(fmt::format("svm-train-{}", r), repeat.cost);
    if (classifier.stopped > 0) {
      warn(
          {fmt::format("LIBLINEAR stopped after its largest number of iterations for {} of {} classes with C = {:g}: "
                       "larger --tolerance, smaller C or scaled features help",
                       classifier.stopped, classifier.classes.size(), repeat.cost)});
    }
    ClassifierFile& model = repeat.model;
    // Names of the classes that were trained come first.
    std::vector<std::string> trained;
    for (const std::int32_t c : classifier.classes) trained.push_back(classes_.names[static_cast<std::size_t>(c)]);
    const Classes named = classes_of(job_.communicator, labels_, trained);
    model.classes = trained;
    model.labels = named.names;
    if (!repeat.candidates.empty()) {
      model.scores.push_back(stored_score("cross-validation", renamed(repeat.validated[repeat.chosen], named)));
    }
    Phases::Scope phase = context_.phases().enter("predict");
    for (const auto& [on, use] : {std::pair("train", RowUse::train), std::pair("test", RowUse::test)}) {
      if (count(repeat, use) == 0) continue;
      model.scores.push_back(stored_score(on, score(left, classifier, named, repeat, use)));
    }
    if (r == 0) warn(label_notices(classes_.names, trainer.sizes(), sizes_of(repeat, RowUse::test)));
    model.columns = classifier.columns;
    model.coefficients = classifier.coefficients;
    model.intercepts = classifier.intercepts;
    model.training_rows = count(repeat, RowUse::train);
    if (r > 0) return;
    model.basis_digest =
        basis_digest(job_.communicator, result.approximation, result.description.similarity_parameters);
    model.method = result.approximation.report.method;
    model.similarity = result.description.similarity;
    model.similarity_parameters = result.description.similarity_parameters;
  }

  [[nodiscard]] std::vector<Index> sizes_of(const Repeat& repeat, RowUse use) const {
    std::vector<Index> rows;
    for (std::size_t i = 0; i < repeat.uses.size(); ++i) {
      if (repeat.uses[i] == use) rows.push_back(static_cast<Index>(i));
    }
    return class_sizes(job_.communicator, classes_, rows);
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

  template <class T>
  Confusion score(const Factor<T>& left, const LinearClassifier& classifier, const Classes& named, const Repeat& repeat,
                  RowUse use) const {
    std::vector<Index> rows;
    std::vector<std::int32_t> truth;
    for (std::size_t i = 0; i < repeat.uses.size(); ++i) {
      if (repeat.uses[i] != use) continue;
      rows.push_back(left.range().begin + static_cast<Index>(i));
      truth.push_back(named.own[i]);
    }
    LinearClassifier renumbered = classifier;  // its classes are the first of `named`
    for (std::size_t c = 0; c < renumbered.classes.size(); ++c) renumbered.classes[c] = static_cast<std::int32_t>(c);
    const auto predicted = largest_classes(renumbered, class_scores(context_.execution(), left, renumbered, rows));
    return confusion_of(job_.communicator, named.count(), truth, predicted);
  }

  void finish() {
    for (const auto& [candidate, count] : stopped_) {
      if (count == 0) continue;
      warn({fmt::format(
          "LIBLINEAR stopped after its largest number of iterations in {} trainings of cross-validation with "
          "C = {:g} on {}",
          count, candidate.second, job_.arguments[candidate.first])});
    }
    ClassifierFile& model = repeats_.front().model;
    model.task = "svm";
    model.result = std::filesystem::absolute(job_.arguments[repeats_.front().file]).lexically_normal().string();
    model.loss = job_.settings.text("loss");
    model.bias = options_.bias;
    model.cost = repeats_.front().cost;
    model.folds = validated_ ? folds_ : 0;
    model.candidates = repeats_.front().candidates;
    model.warnings = warnings_;
    model.provenance = run_provenance(job_, context_.execution().threads);
    model.provenance["seed"] = std::to_string(context_.execution().seed);
    const std::string& output = job_.settings.text("output.path");
    write_classifier(context_.execution(), {output, "output.path"}, model);
    const auto phases = context_.phases().summarize(job_.communicator);
    const double total = context_.seconds();
    std::string text = model.candidates.empty() ? "" : candidate_report(model.candidates) + "\n";
    text += fmt::format("model in {}\n{}", output, classifier_report(model));
    nlohmann::ordered_json json = header_json(job_, context_.execution().threads);
    json.update({{"output", output}, {"n", rows_}, {"unlabelled_rows", unlabelled_}, {"node_bytes", node_bytes_}});
    json.update(classifier_json(model));
    json["repeats"] = repeats_json(text);
    text += fmt::format("  features                    {} columns, {} on each node\n\n", grouped(model.columns),
                        format_bytes(static_cast<double>(node_bytes_)));
    print(job_.communicator, text + phase_report(phases, total));
    json["peak_bytes"] = job_.communicator.maximum(peak_resident_bytes());
    json.update(phases_json(phases, total));
    write_json(job_, json);
  }

  // Adds a table of means to `text` where there are several.
  nlohmann::ordered_json repeats_json(std::string& text) const {
    nlohmann::ordered_json runs = nlohmann::ordered_json::array();
    std::vector<std::vector<std::string>> rows = {{"on", "repeats", "accuracy", "+-", "macro F1", "+-"}};
    nlohmann::ordered_json means = nlohmann::ordered_json::array();
    for (const Repeat& repeat : repeats_) {
      runs.push_back({{"seed", repeat.seed},
                      {"file", job_.arguments[repeat.file]},
                      {"cost", repeat.cost},
                      {"scores", class_score_json(repeat.model.scores)}});
    }
    for (const char* on : {"cross-validation", "train", "test"}) {
      std::vector<double> accuracy, macro_f1;
      for (const Repeat& repeat : repeats_) {
        for (const StoredClassScore& score : repeat.model.scores) {
          if (score.on == on) accuracy.push_back(score.accuracy), macro_f1.push_back(score.macro_f1);
        }
      }
      if (accuracy.empty()) continue;
      const auto a = mean_and_deviation(accuracy), f = mean_and_deviation(macro_f1);
      means.push_back({{"on", on},
                       {"repeats", accuracy.size()},
                       {"accuracy_mean", a.mean},
                       {"accuracy_deviation", a.deviation},
                       {"macro_f1_mean", f.mean},
                       {"macro_f1_deviation", f.deviation}});
      rows.push_back({on, std::to_string(accuracy.size()), fmt::format("{:.4f}", a.mean),
                      fmt::format("{:.4f}", a.deviation), fmt::format("{:.4f}", f.mean),
                      fmt::format("{:.4f}", f.deviation)});
    }
    if (repeats_.size() > 1) text += "mean and standard deviation over repeats\n" + table(rows) + "\n";
    return {{"runs", runs}, {"means", means}};
  }

  Job& job_;
  Context context_;
  SvmOptions options_;
  std::vector<double> costs_;
  Index folds_;
  bool validated_;
  std::vector<std::string> labels_;
  Classes classes_;
  std::vector<Repeat> repeats_;
  std::vector<std::string> warnings_;
  std::map<std::pair<std::size_t, double>, Index> stopped_;  // trainings that stopped early, by file and C
  Index rows_ = 0, unlabelled_ = 0, node_bytes_ = 0;
};

}  // namespace

void train_svm(Job& job) {
  check_output(job, "output.path");
  check_output(job, "json");
  std::vector<ResultShape> shapes;
  for (const std::string& path : job.arguments) {
    shapes.push_back(read_result_shape(job.communicator, path));
    if (shapes.back().rows == shapes.front().rows) continue;
    throw Error(ErrorKind::input, fmt::format("{} has {} rows and {} has {}: candidates are of the same data",
                                              job.arguments.front(), shapes.front().rows, path, shapes.back().rows));
  }
  print(job.communicator, header(job, static_cast<int>(job.settings.integer("run.threads"))));
  SvmTraining(job).run(shapes);
}

}  // namespace cairn::app
