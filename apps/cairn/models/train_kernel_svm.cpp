// cairn train --task kernel-svm: support vector machines on the matrix itself, for small sets.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "cairn/base/error.hpp"
#include "cairn/base/phases.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/task/classification/classes.hpp"
#include "cairn/task/classification/kernel_svm.hpp"
#include "cairn/task/classification/svm_trainer.hpp"
#include "keys/idle_keys.hpp"
#include "keys/key_names.hpp"
#include "models/model_commands.hpp"
#include "models/svm_options.hpp"
#include "models/training_rows.hpp"
#include "pipeline/context.hpp"
#include "pipeline/pipeline.hpp"
#include "pipeline/stored.hpp"
#include "report/classifier_report.hpp"
#include "report/job.hpp"
#include "report/report.hpp"

namespace cairn::app {

namespace {

constexpr double default_tolerance = 1e-3;

class KernelTraining {
 public:
  explicit KernelTraining(Job& job)
      : job_(job),
        context_(job.communicator, job.settings),
        costs_(costs_of(job.settings)),
        tolerance_(job.settings.number_or("tolerance", default_tolerance)),
        folds_(job.settings.integer("folds")),
        validated_(wants_validation(job.settings, costs_.size() * job.arguments.size())) {}

  // The best of the files so far is tested at once: its matrix is there.
  template <class T>
  void add(std::size_t file, const ResultDescription& description) {
    const std::string& path = job_.arguments[file];
    const Execution& execution = context_.execution();
    const Settings settings = stored_settings(description, path, job_.settings);
    refuse_idle_keys(settings);
    const Data<T> data =
        load_stored_data<T>(execution, settings, description, path, read_result_shape(job_.communicator, path).rows);
    begin(path, data.objects->partition(), data.objects->labels(), data.objects->splits());
    const ExactMatrix<T> exact = stored_exact_matrix(execution, settings, description, data);
    const auto distances =
        reuses() ? use_distances(execution, data, exact, {settings.text("similarity.reuse"), false}, named_keys())
                 : nullptr;
    const KernelSvm machine(execution, *exact.entries, *exact.objects, rows_, classes_.names, tolerance_,
                            fmt::format("kernel-svm-{}", file));
    evaluations_ += job_.communicator.sum(exact.evaluations());
    if (distances != nullptr && distances->use().other_block > 0) {
      warnings_.push_back(fmt::format("{}: all distances were evaluated, since not all of them are in {}", path,
                                      settings.text("similarity.reuse")));
    }
    double cost = costs_.front(), accuracy = 0.0;
    std::optional<Confusion> confusion;
    if (validated_) {
      for (const auto& one :
           machine.cross_validate(fmt::format("kernel-validate-{}", file), costs_, folds_, execution.seed)) {
        candidates_.push_back({path, one.cost, one.confusion.accuracy(), one.confusion.macro_f1()});
        if (confusion && one.confusion.accuracy() <= accuracy) continue;
        cost = one.cost, accuracy = one.confusion.accuracy(), confusion = one.confusion;
      }
    }
    if (file > 0 && accuracy <= accuracy_) return;
    chosen_ = file, cost_ = cost, accuracy_ = accuracy;
    scores_.clear();
    if (confusion) scores_.push_back(stored_score("cross-validation", *confusion));
    test(machine.predict(fmt::format("kernel-train-{}", file), cost));
  }

  void finish() {
    const auto phases = context_.phases().summarize(job_.communicator);
    const double total = context_.seconds();
    std::string text = candidates_.size() > 1 ? candidate_report(candidates_) + "\n" : "";
    text += fmt::format("  result, C                   {}, {:g}\n", job_.arguments[chosen_], cost_);
    text += warning_lines(warnings_);
    text += class_score_report(scores_) + "\n" + confusion_report(scores_.back(), classes_.names) + "\n";
    print(job_.communicator, text + phase_report(phases, total));
    nlohmann::ordered_json json = header_json(job_, context_.execution().threads);
    json.update({{"task", "kernel-svm"},
                 {"result", job_.arguments[chosen_]},
                 {"cost", cost_},
                 {"folds", validated_ ? folds_ : 0},
                 {"labels", classes_.names},
                 {"rows", rows_.rows.size()},
                 {"unlabelled_rows", unlabelled_},
                 {"evaluations", evaluations_},
                 {"node_bytes", KernelSvm::bytes_of(static_cast<Index>(rows_.rows.size()))},
                 {"scores", class_score_json(scores_)},
                 {"warnings", warnings_}});
    json["candidates"] = candidate_json(candidates_);
    json["peak_bytes"] = job_.communicator.maximum(peak_resident_bytes());
    json.update(phases_json(phases, total));
    write_json(job_, json);
  }

 private:
  // What the results themselves were made of may be gone.
  [[nodiscard]] bool reuses() const { return job_.settings.given("similarity.reuse"); }

  // Rows and classes, from the first file.
  void begin(const std::string& path, const RowPartition& partition, const std::vector<std::string>& labels,
             const std::vector<std::string>& splits) {
    const Communicator& communicator = job_.communicator;
    if (!rows_.rows.empty()) {
      if (communicator.minimum(static_cast<Index>(labels == labels_ ? 1 : 0)) == 1) return;
      throw Error(ErrorKind::input, fmt::format("{} and {} have different labels: candidates are of the same data",
                                                job_.arguments.front(), path));
    }
    labels_ = labels;
    if (communicator.maximum(static_cast<Index>(labels.size())) == 0) {
      throw Error(ErrorKind::input, fmt::format("{} has no labels to learn; approximate with data.label", path));
    }
    classes_ = classes_of(communicator, labels);
    std::vector<char> known, train;
    for (const std::int32_t its : classes_.own) known.push_back(its == no_class ? 0 : 1);
    unlabelled_ = communicator.sum(static_cast<Index>(std::count(known.begin(), known.end(), 0)));
    const auto uses = row_uses(communicator, job_.settings, partition, known, splits, context_.execution().seed);
    std::vector<Index> rows;
    std::vector<std::int32_t> classes;
    for (std::size_t i = 0; i < uses.size(); ++i) {
      if (uses[i] == RowUse::none) continue;
      rows.push_back(partition.range(communicator.rank()).begin + static_cast<Index>(i));
      classes.push_back(classes_.own[i]);
      train.push_back(uses[i] == RowUse::train ? 1 : 0);
    }
    require_memory(communicator.sum(static_cast<Index>(rows.size())));
    rows_ = {communicator.all_gather(rows), communicator.all_gather(classes), communicator.all_gather(train)};
    std::vector<Index> trained(classes_.names.size(), 0), tested(classes_.names.size(), 0);
    for (std::size_t i = 0; i < rows_.rows.size(); ++i) {
      ++(rows_.train[i] != 0 ? trained : tested)[static_cast<std::size_t>(rows_.classes[i])];
    }
    warn(split_notices(communicator, job_.settings, splits));
    if (validated_) warn(fold_notices(classes_.names, trained, folds_));
    warn(label_notices(classes_.names, trained, tested));
    const auto count = static_cast<Index>(std::count(rows_.train.begin(), rows_.train.end(), 1));
    print(communicator, fmt::format("  rows                        {} to train on, {} to test on{}\n"
                                    "  classes                     {}\n\n",
                                    grouped(count), grouped(static_cast<Index>(rows_.rows.size()) - count),
                                    unlabelled_ > 0 ? fmt::format("; {} have no label", grouped(unlabelled_)) : "",
                                    grouped(classes_.count())));
  }

  void warn(const std::vector<std::string>& sentences) {
    warnings_.insert(warnings_.end(), sentences.begin(), sentences.end());
  }

  void require_memory(Index rows) const {
    // As LIBSVM reads it twice while it is copied, and what was evaluated; its cache is of 100 MB.
    constexpr Index cache = Index{100} << 20;
    const Index matrix = rows * rows * static_cast<Index>(sizeof(double));
    const Index needed =
        2 * KernelSvm::bytes_of(rows) + matrix + cache * context_.execution().threads + read_bytes(matrix);
    const Index room = room_of_node(job_.communicator, job_.settings);
    if (needed <= room) return;
    throw Error(
        ErrorKind::resource,
        fmt::format("K of {} rows takes {} on each node, as LIBSVM reads it and while it is copied; a node has {}. "
                    "Choose fewer rows (--split with - for those that are left out), or --task svm",
                    grouped(rows), format_bytes(static_cast<double>(needed)),
                    room_text(run_room(job_.settings), room)));
  }

  // Of distances: those of this node's ranks, and what each of them puts together.
  [[nodiscard]] Index read_bytes(Index matrix) const {
    if (!reuses()) return 0;
    const std::string& path = job_.settings.text("similarity.reuse");
    const Index columns = read_distances_shape(job_.communicator, path, output_keys).columns;
    const Index all = read_result_shape(job_.communicator, path).rows * columns * static_cast<Index>(sizeof(double));
    const Index here = job_.communicator.node().size();
    return all / job_.communicator.size() * here + matrix * here;
  }

  void test(const std::vector<std::int32_t>& predicted) {
    for (const auto& [on, train] : {std::pair("train", 1), std::pair("test", 0)}) {
      Confusion confusion(classes_.count());
      for (std::size_t i = 0; i < predicted.size(); ++i) {
        if (rows_.train[i] == train) ++confusion.at(rows_.classes[i], predicted[i]);
      }
      if (confusion.rows() > 0) scores_.push_back(stored_score(on, confusion));
    }
  }

  Job& job_;
  Context context_;
  std::vector<double> costs_;
  double tolerance_;
  Index folds_;
  bool validated_;
  std::vector<std::string> labels_;
  Classes classes_;
  KernelRows rows_;
  std::vector<StoredCandidate> candidates_;
  std::vector<StoredClassScore> scores_;
  std::vector<std::string> warnings_;
  std::size_t chosen_ = 0;
  double cost_ = 0.0, accuracy_ = 0.0;
  Index evaluations_ = 0, unlabelled_ = 0;
};

}  // namespace

void train_kernel_svm(Job& job) {
  check_output(job, "json");
  std::vector<ResultDescription> descriptions;
  for (const std::string& path : job.arguments) {
    descriptions.push_back(read_result_description(job.communicator, path));
  }
  print(job.communicator, header(job, static_cast<int>(job.settings.integer("run.threads"))));
  KernelTraining training(job);
  for (std::size_t f = 0; f < descriptions.size(); ++f) {
    with_precision(descriptions[f].precision, [&](auto number) { training.add<decltype(number)>(f, descriptions[f]); });
  }
  training.finish();
}

}  // namespace cairn::app
