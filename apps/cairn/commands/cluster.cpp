// cairn cluster: groups of objects by average linkage, and how like given groups they are.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "cairn/base/error.hpp"
#include "cairn/base/phases.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/data/row_list.hpp"
#include "cairn/evaluation/cluster_score.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/store/hdf5/table_file.hpp"
#include "cairn/task/clusters/average_linkage.hpp"
#include "commands/commands.hpp"
#include "commands/csv_file.hpp"
#include "commands/row_names.hpp"
#include "keys/idle_keys.hpp"
#include "keys/problem.hpp"
#include "pipeline/context.hpp"
#include "pipeline/pipeline.hpp"
#include "pipeline/stored.hpp"
#include "report/report.hpp"

namespace cairn::app {

namespace {

bool wants_hdf5(const std::string& path) {
  if (path.ends_with(".h5") || path.ends_with(".hdf5")) return true;
  if (path.ends_with(".csv")) return false;
  throw Error(ErrorKind::usage, fmt::format("--out {}: the name must end in .h5, .hdf5 or .csv", path));
}

std::vector<double> thresholds_of(const Settings& settings) {
  std::vector<double> thresholds;
  if (!settings.given("threshold")) return thresholds;
  for (const std::string& part : comma_list(settings.text("threshold"))) {
    const auto value = parse_number(part);
    if (!value) {
      throw Error(ErrorKind::usage,
                  fmt::format("--threshold {}: each must be a finite number", settings.text("threshold")));
    }
    thresholds.push_back(*value);
  }
  return thresholds;
}

void check_keys(const Settings& settings) {
  if (settings.given("threshold") == settings.given("clusters")) {
    throw Error(ErrorKind::usage, "give one of --threshold and --clusters");
  }
  const bool gold = settings.given("gold") || settings.flag("gold-labels");
  if (settings.given("gold") && settings.flag("gold-labels")) {
    throw Error(ErrorKind::usage, "--gold and --gold-labels exclude each other");
  }
  if (thresholds_of(settings).size() > 1 && !gold) {
    throw Error(ErrorKind::usage, "--threshold takes several numbers only with --gold or --gold-labels, which choose");
  }
  if (settings.flag("exact")) return;
  for (const std::string& name : settings.known_names()) {
    if (!settings.given(name) || !(name.starts_with("data.") || name.starts_with("similarity."))) continue;
    throw Error(ErrorKind::usage, fmt::format("--{} has no effect without --exact true", name));
  }
}

// A number for each name, negative where it is empty: 63 bits of a hash, which do not meet by chance.
std::vector<Index> cluster_numbers(const std::vector<std::string>& names) {
  std::vector<Index> numbers;
  for (const std::string& name : names) {
    numbers.push_back(name.empty() ? -1 : static_cast<Index>(hash_bytes(std::as_bytes(std::span(name)), 1) >> 1U));
  }
  return numbers;
}

// One way to cut the dendrogram.
struct Cut {
  std::optional<double> threshold;
  std::size_t merges = 0;
  std::vector<Index> cluster;  // of each row
  std::optional<ClusterScores> scores;

  [[nodiscard]] Index clusters() const { return static_cast<Index>(cluster.size() - merges); }
};

class Clustering {
 public:
  explicit Clustering(Job& job) : job_(job), context_(job.communicator, job.settings) {}

  template <class T>
  void run(const ResultShape& shape) {
    const Communicator& communicator = job_.communicator;
    const std::string& path = job_.arguments.front();
    const Settings& own = job_.settings;
    if (own.given("clusters") && own.integer("clusters") > shape.rows) {
      throw Error(ErrorKind::usage,
                  fmt::format("--clusters {} is more than there are rows, {}", own.integer("clusters"), shape.rows));
    }
    require_memory(shape);
    StoredResult<T> result = [&] {
      Phases::Scope phase = context_.phases().enter("read");
      return read_result<T>(communicator, path, most_tile_bytes(communicator, memory_of(own), path));
    }();
    partition_ = result.approximation.left.partition();
    names_.emplace(communicator, partition_, std::move(result.labels), std::move(result.numbers));
    meaning_ = result.approximation.meaning;
    read_gold();
    if (own.flag("exact")) {
      merge_exact(result);
    } else {
      const auto clusters = averages_of_factors(context_.execution(), result.approximation);
      merge(*clusters);
    }
    cut_all();
    finish();
  }

 private:
  // Of sums of factors, or of K.
  void require_memory(const ResultShape& shape) const {
    const bool exact = job_.settings.flag("exact");
    const Index width = exact ? shape.rows : shape.left_columns + (shape.has_right ? shape.right_columns : 0);
    const double bytes = static_cast<double>(shape.rows) * static_cast<double>(width) * sizeof(double);
    const double needed = bytes / job_.communicator.size();
    const Index room = memory_of(job_.settings).room_of_rank(job_.communicator, 0.9);
    if (needed <= static_cast<double>(room)) return;
    throw Error(
        ErrorKind::resource,
        fmt::format("clustering {} by {} takes {} of each of {} ranks for {} numbers a row, and a rank has {}; use "
                    "more ranks{}",
                    job_.arguments.front(), exact ? "the matrix itself" : "its factors", format_bytes(needed),
                    job_.communicator.size(), grouped(width), memory_of(job_.settings).room_text(room),
                    exact ? ", or the approximation" : ""));
  }

  void read_gold() {
    const Settings& settings = job_.settings;
    std::vector<std::string> names;
    if (settings.given("gold")) {
      names = read_row_texts(job_.communicator, settings.text("gold"), partition_);
    } else if (settings.flag("gold-labels")) {
      names = names_->labels();
      if (job_.communicator.maximum(static_cast<Index>(names.size())) == 0) {
        throw Error(ErrorKind::usage, fmt::format("{} has no labels; give --gold FILE", job_.arguments.front()));
      }
    } else {
      return;
    }
    gold_ = job_.communicator.all_gather(cluster_numbers(names));
    if (std::all_of(gold_.begin(), gold_.end(), [](Index c) { return c < 0; })) {
      throw Error(
          ErrorKind::input,
          fmt::format("{} names no cluster", settings.given("gold") ? settings.text("gold") : job_.arguments.front()));
    }
  }

  template <class T>
  void merge_exact(const StoredResult<T>& result) {
    const Execution& execution = context_.execution();
    const std::string& path = job_.arguments.front();
    const Settings settings = stored_settings(result.description, path, job_.settings);
    refuse_idle_keys(settings);
    const Data<T> data = load_stored_data<T>(execution, settings, result.description, path, partition_.rows());
    const ExactMatrix<T> exact = stored_exact_matrix(execution, settings, result.description, data);
    meaning_ = exact.entries->meaning();
    const auto clusters = averages_of_matrix(execution, *exact.entries, *exact.objects);
    evaluations_ = job_.communicator.sum(exact.evaluations());
    merge(*clusters);
  }

  void merge(ClusterAverages& clusters) {
    Phases::Scope phase = context_.phases().enter("merge");
    merges_ = average_linkage(context_.execution(), clusters);
  }

  void cut_all() {
    const Index n = partition_.rows();
    const auto add = [&](std::optional<double> threshold, std::size_t merges) {
      Watchdog::beat();
      Cut one{threshold, merges, cut(merges_, merges, n), std::nullopt};
      if (!gold_.empty()) one.scores = score_clusters(gold_, one.cluster);
      cuts_.push_back(std::move(one));
    };
    for (const double threshold : thresholds_of(job_.settings)) {
      add(threshold, merges_within(merges_, threshold, meaning_));
    }
    if (job_.settings.given("clusters"))
      add(std::nullopt, static_cast<std::size_t>(n - job_.settings.integer("clusters")));
    for (std::size_t c = 1; c < cuts_.size(); ++c) {
      if (cuts_[c].scores->conll_f1() > cuts_[chosen_].scores->conll_f1()) chosen_ = c;
    }
  }

  void write_csv(const std::string& path, const Cut& chosen) const {
    const Range own = partition_.range(job_.communicator.rank());
    const std::string heading =
        std::string("row") + (names_->any() ? ",label" : "") + ",cluster" + (names_->both() ? ",number" : "");
    write_csv_lines(job_.communicator, path, heading, partition_.rows(), [&](Range window) {
      std::string text;
      for (Index i = std::max(window.begin, own.begin); i < std::min(window.end, own.end); ++i) {
        const RowName name = names_->own(i);
        text += std::to_string(i);
        if (names_->any()) text += "," + csv_field(name.label);
        text += fmt::format(",{}", chosen.cluster[static_cast<std::size_t>(i)]);
        text += names_->both() ? "," + name.number + "\n" : "\n";
      }
      return text;
    });
  }

  void write(const std::string& path) const {
    const Communicator& communicator = job_.communicator;
    const Cut& chosen = cuts_[chosen_];
    const Range own = partition_.range(communicator.rank());
    if (!wants_hdf5(path)) {
      write_csv(path, chosen);
      return;
    }
    const std::span<const Index> clusters(chosen.cluster);
    std::vector<Index> pairs;
    std::vector<double> averages;
    if (communicator.is_root()) {
      for (const Merge& merge : merges_) {
        pairs.push_back(merge.into);
        pairs.push_back(merge.from);
        averages.push_back(merge.average);
      }
    }
    std::vector<SharedTable> tables;
    tables.push_back(
        consecutive_rows(communicator, "cluster", -1,
                         clusters.subspan(static_cast<std::size_t>(own.begin), static_cast<std::size_t>(own.size()))));
    tables.push_back(consecutive_rows(communicator, "merges", 2, std::span<const Index>(pairs)));
    tables.push_back(consecutive_rows(communicator, "averages", -1, std::span<const double>(averages)));
    if (auto names = label_table(communicator, "labels", partition_, names_->labels()))
      tables.push_back(std::move(*names));
    if (communicator.maximum(static_cast<Index>(names_->numbers().size())) > 0) {
      tables.push_back(consecutive_rows(communicator, "numbers", -1, std::span<const Index>(names_->numbers())));
    }
    static_cast<void>(write_table_file(communicator, path, tables));
  }

  [[nodiscard]] std::string report() const {
    const std::string heading = cuts_.front().threshold ? "threshold" : "cut";
    std::vector<std::vector<std::string>> rows = {{heading, "clusters"}};
    if (!gold_.empty()) rows.front().insert(rows.front().end(), {"MUC F1", "B3 F1", "CEAF-e F1", "CoNLL F1"});
    for (const Cut& one : cuts_) {
      rows.push_back({one.threshold ? fmt::format("{:g}", *one.threshold) : "by number", grouped(one.clusters())});
      if (!one.scores) continue;
      const ClusterScores& s = *one.scores;
      for (const double f1 : {s.muc.f1(), s.b_cubed.f1(), s.ceaf_e.f1(), s.conll_f1()}) {
        rows.back().push_back(fmt::format("{:.4f}", f1));
      }
    }
    std::string text = table(rows) + "\n";
    if (cuts_.size() > 1)
      text += fmt::format("  taken                       threshold {:g}\n", *cuts_[chosen_].threshold);
    if (const auto& scores = cuts_[chosen_].scores) {
      std::vector<std::vector<std::string>> parts = {{"", "recall", "precision", "F1"}};
      for (const auto& [name, part] :
           {std::pair("MUC", scores->muc), std::pair("B3", scores->b_cubed), std::pair("CEAF-e", scores->ceaf_e)}) {
        parts.push_back({name, fmt::format("{:.4f}", part.recall), fmt::format("{:.4f}", part.precision),
                         fmt::format("{:.4f}", part.f1())});
      }
      text += table(parts) + "\n";
    }
    return text;
  }

  [[nodiscard]] static nlohmann::ordered_json scores_json(const ClusterScores& scores) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (const auto& [name, part] :
         {std::pair("muc", scores.muc), std::pair("b_cubed", scores.b_cubed), std::pair("ceaf_e", scores.ceaf_e)}) {
      json[name] = {{"recall", part.recall}, {"precision", part.precision}, {"f1", part.f1()}};
    }
    json["conll_f1"] = scores.conll_f1();
    return json;
  }

  void finish() {
    const std::string& out = job_.settings.text("out");
    {
      Phases::Scope phase = context_.phases().enter("write");
      write(out);
    }
    const auto phases = context_.phases().summarize(job_.communicator);
    const double total = context_.seconds();
    const Cut& chosen = cuts_[chosen_];
    print(job_.communicator, fmt::format("  {} rows in {} clusters, in {}\n\n", grouped(partition_.rows()),
                                         grouped(chosen.clusters()), out) +
                                 report() + names_->note() + phase_report(phases, total));
    nlohmann::ordered_json json = header_json(job_, context_.execution().threads);
    json.update({{"file", job_.arguments.front()},
                 {"out", out},
                 {"n", partition_.rows()},
                 {"exact", job_.settings.flag("exact")},
                 {"evaluations", evaluations_},
                 {"clusters", chosen.clusters()}});
    if (chosen.threshold) json["threshold"] = *chosen.threshold;
    json["cuts"] = nlohmann::ordered_json::array();
    for (const Cut& one : cuts_) {
      nlohmann::ordered_json entry = {{"clusters", one.clusters()}};
      if (one.threshold) entry["threshold"] = *one.threshold;
      if (one.scores) entry["scores"] = scores_json(*one.scores);
      json["cuts"].push_back(std::move(entry));
    }
    if (chosen.scores) json["scores"] = scores_json(*chosen.scores);
    json["peak_bytes"] = job_.communicator.maximum(peak_resident_bytes());
    json.update(phases_json(phases, total));
    write_json(job_, json);
  }

  Job& job_;
  Context context_;
  RowPartition partition_;
  std::optional<RowNames> names_;
  Meaning meaning_ = Meaning::similarity;
  std::vector<Index> gold_;  // of all rows; empty: none are given
  std::vector<Merge> merges_;
  std::vector<Cut> cuts_;
  std::size_t chosen_ = 0;
  Index evaluations_ = 0;
};

}  // namespace

void check_cluster(const Settings& settings, const std::vector<std::string>& /*arguments*/) {
  check_keys(settings);
  static_cast<void>(wants_hdf5(settings.required("out")));
}

void run_cluster(Job& job) {
  check_output(job, "out");
  check_output(job, "json");
  const ResultShape shape = read_result_shape(job.communicator, job.arguments.front());
  print(job.communicator, header(job, static_cast<int>(job.settings.integer("run.threads"))));
  Clustering clustering(job);
  with_precision(shape.precision, [&](auto number) { clustering.run<decltype(number)>(shape); });
}

}  // namespace cairn::app
