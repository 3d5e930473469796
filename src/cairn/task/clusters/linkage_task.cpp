#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cairn/base/error.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/schedule/phases.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/data/missing_value.hpp"
#include "cairn/data/row_list.hpp"
#include "cairn/evaluation/cluster_score.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/store/files/csv_file.hpp"
#include "cairn/store/files/row_names.hpp"
#include "cairn/store/hdf5/table_file.hpp"
#include "cairn/store/result/precision.hpp"
#include "cairn/store/result/tile_budget.hpp"
#include "cairn/task/clusters/average_linkage.hpp"
#include "cairn/task/descriptors.hpp"
#include "cairn/task/predicted_rows.hpp"

namespace cairn {

namespace {

std::vector<double> thresholds_of(const Values& values) {
  std::vector<double> thresholds;
  if (!values.given("threshold")) return thresholds;
  for (const std::string& part : comma_list(values.text("threshold"))) {
    const auto value = parse_number(part);
    if (!value) {
      throw Error(ErrorKind::usage, fmt::format("{} {}: each must be a finite number", values.keys()("threshold"),
                                                values.text("threshold")));
    }
    thresholds.push_back(*value);
  }
  return thresholds;
}

void check(const Values& values, std::size_t /*results*/) {
  const KeyNames& name = values.keys();
  if (values.given("threshold") == values.given("clusters")) {
    throw Error(ErrorKind::usage, fmt::format("give one of {} and {}", name("threshold"), name("clusters")));
  }
  const bool gold = values.given("gold") || values.flag("gold-labels");
  if (values.given("gold") && values.flag("gold-labels")) {
    throw Error(ErrorKind::usage, fmt::format("{} and {} exclude each other", name("gold"), name("gold-labels")));
  }
  if (thresholds_of(values).size() > 1 && !gold) {
    throw Error(ErrorKind::usage, fmt::format("{} takes several numbers only with {} or {}, which choose",
                                              name("threshold"), name("gold"), name("gold-labels")));
  }
}

std::string without_matrix(const Values& values) {
  return values.flag("exact") ? "" : fmt::format("without {} true", values.keys()("exact"));
}

// A number for each name, negative if the name is empty. Uses 63 bits of a hash: a chance collision is negligible.
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
  explicit Clustering(const TaskInput& input)
      : input_(input),
        communicator_(input.execution.communicator),
        path_(input.results.front()),
        exact_(input.values.flag("exact")) {}

  template <class T>
  void run(const ResultShape& shape) {
    const Values& values = input_.values;
    if (values.given("clusters") && values.integer("clusters") > shape.rows) {
      throw Error(ErrorKind::usage, fmt::format("{} {} is more than there are rows, {}", values.keys()("clusters"),
                                                values.integer("clusters"), shape.rows));
    }
    if (input_.tell) input_.tell({});
    require_memory(shape);
    StoredResult<T> result = [&] {
      Phases::Scope phase = input_.execution.phases.enter("read");
      return read_result<T>(communicator_, path_, most_tile_bytes(communicator_, input_.memory, path_));
    }();
    partition_ = result.approximation.left.partition();
    names_.emplace(communicator_, partition_, std::move(result.labels), std::move(result.numbers),
                   names_beside(result));
    meaning_ = result.approximation.meaning;
    read_gold();
    if (exact_) {
      merge_exact(result, shape);
    } else {
      const auto clusters = averages_of_factors(input_.execution, result.approximation);
      merge(*clusters);
    }
    cut_all();
    Phases::Scope phase = input_.execution.phases.enter("write");
    write();
  }

  [[nodiscard]] TaskReport report() const {
    TaskReport report{text(), metrics()};
    if (input_.tell) input_.tell(report.text);
    return report;
  }

 private:
  // For sums of factors, or for K. @param beside  other bytes of a rank held at the same time: distances of earlier
  // runs
  void require_memory(const ResultShape& shape, Index beside = 0) const {
    const Index width = exact_ ? shape.rows : shape.left_columns + (shape.has_right ? shape.right_columns : 0);
    const double bytes = static_cast<double>(shape.rows) * static_cast<double>(width) * sizeof(double);
    const double needed = bytes / communicator_.size() + static_cast<double>(beside);
    const Index budget = input_.memory.budget_of_rank(communicator_, 0.9);
    if (!input_.memory.refuses(needed, budget)) return;
    throw Error(
        ErrorKind::resource,
        fmt::format("clustering {} by {} takes {} of each of {} ranks for {} numbers a row, and a rank has {}; use "
                    "more ranks{}",
                    path_, exact_ ? "the matrix itself" : "its factors", format_bytes(needed), communicator_.size(),
                    grouped(width), input_.memory.budget_text(budget), exact_ ? ", or the approximation" : ""));
  }

  void read_gold() {
    const Values& values = input_.values;
    std::vector<std::string> names;
    if (values.given("gold")) {
      names = read_row_texts(communicator_, values.text("gold"), partition_);
    } else if (values.flag("gold-labels")) {
      names = names_->labels();
      if (communicator_.maximum(static_cast<Index>(names.size())) == 0) {
        throw Error(ErrorKind::usage, fmt::format("{} has no labels; give {} FILE", path_, values.keys()("gold")));
      }
      for (std::string& name : names) {
        if (is_missing(name)) name.clear();
      }
    } else {
      return;
    }
    gold_ = communicator_.all_gather(cluster_numbers(names));
    if (std::all_of(gold_.begin(), gold_.end(), [](Index c) { return c < 0; })) {
      throw Error(ErrorKind::input,
                  fmt::format("{} names no cluster", values.given("gold") ? values.text("gold") : path_));
    }
  }

  template <class T>
  void merge_exact(const StoredResult<T>& result, const ResultShape& shape) {
    std::unique_ptr<MatrixOfResult<T>> matrix = matrix_of<T>(input_, 0, result.description);
    const Similarity<T>& entries = matrix->entries();
    require_memory(shape, matrix->bytes_beside(0) / communicator_.node().size());
    meaning_ = entries.traits().meaning;
    const auto clusters = averages_of_matrix(input_.execution, entries, matrix->compared());
    evaluations_ = communicator_.sum(matrix->evaluations());
    warnings_ = matrix->warnings();
    matrix.reset();  // only the sums are needed
    merge(*clusters);
  }

  void merge(ClusterAverages& clusters) {
    Phases::Scope phase = input_.execution.phases.enter("merge");
    merges_ = average_linkage(input_.execution, clusters);
  }

  void cut_all() {
    const Index n = partition_.rows();
    const auto add = [&](std::optional<double> threshold, std::size_t merges) {
      Watchdog::beat();
      Cut one{threshold, merges, cut(merges_, merges, n), std::nullopt};
      if (!gold_.empty()) one.scores = score_clusters(gold_, one.cluster);
      cuts_.push_back(std::move(one));
    };
    for (const double threshold : thresholds_of(input_.values)) {
      add(threshold, merges_within(merges_, threshold, meaning_));
    }
    if (input_.values.given("clusters"))
      add(std::nullopt, static_cast<std::size_t>(n - input_.values.integer("clusters")));
    for (std::size_t c = 1; c < cuts_.size(); ++c) {
      if (cuts_[c].scores->conll_f1() > cuts_[chosen_].scores->conll_f1()) chosen_ = c;
    }
  }

  void write_csv(const Cut& chosen) const {
    const Range own = partition_.range(communicator_.rank());
    const std::string heading = std::string("row") + (names_->any() ? ",label" : "") + ",cluster" +
                                (names_->both() ? ",number" : "") + (names_->said() ? ",name" : "");
    write_csv_lines(communicator_, input_.output.file, heading, partition_.rows(), [&](Range window) {
      std::string text;
      for (Index i = std::max(window.begin, own.begin); i < std::min(window.end, own.end); ++i) {
        const RowName name = names_->own(i);
        text += std::to_string(i);
        if (names_->any()) text += next_csv_field(name.label);
        text += fmt::format(",{}{}{}{}\n", chosen.cluster[i], names_->both() ? "," : "",
                            names_->both() ? name.number : "", names_->said() ? next_csv_field(name.text) : "");
      }
      return text;
    });
  }

  void write() const {
    const Cut& chosen = cuts_[chosen_];
    if (input_.output.file.ends_with(csv_ending)) return write_csv(chosen);
    const Range own = partition_.range(communicator_.rank());
    const std::span<const Index> clusters(chosen.cluster);
    std::vector<Index> pairs;
    std::vector<double> averages;
    if (communicator_.is_root()) {
      for (const Merge& merge : merges_) {
        pairs.push_back(merge.into);
        pairs.push_back(merge.from);
        averages.push_back(merge.average);
      }
    }
    std::vector<SharedTable> tables;
    tables.push_back(consecutive_rows(communicator_, "cluster", -1, clusters.subspan(own.begin, own.size())));
    tables.push_back(consecutive_rows(communicator_, "merges", 2, std::span<const Index>(pairs)));
    tables.push_back(consecutive_rows(communicator_, "averages", -1, std::span<const double>(averages)));
    if (auto names = label_table(communicator_, "labels", partition_, names_->labels()))
      tables.push_back(std::move(*names));
    if (communicator_.maximum(static_cast<Index>(names_->numbers().size())) > 0) {
      tables.push_back(consecutive_rows(communicator_, "numbers", -1, std::span<const Index>(names_->numbers())));
    }
    static_cast<void>(write_table_file(communicator_, input_.output, tables));
  }

  [[nodiscard]] ReportText text() const {
    const Cut& chosen = cuts_[chosen_];
    std::vector<std::vector<std::string>> rows = {{chosen.threshold ? "threshold" : "cut", "clusters"}};
    if (!gold_.empty()) rows.front().insert(rows.front().end(), {"MUC F1", "B3 F1", "CEAF-e F1", "CoNLL F1"});
    for (const Cut& one : cuts_) {
      rows.push_back({one.threshold ? fmt::format("{:g}", *one.threshold) : "by number", grouped(one.clusters())});
      if (!one.scores) continue;
      const ClusterScores& s = *one.scores;
      for (const double f1 : {s.muc.f1(), s.b_cubed.f1(), s.ceaf_e.f1(), s.conll_f1()}) {
        rows.back().push_back(fmt::format("{:.4f}", f1));
      }
    }
    ReportText text;
    text.heading(fmt::format("{} rows in {} clusters, in {}", grouped(partition_.rows()), grouped(chosen.clusters()),
                             input_.output.file))
        .gap()
        .table(std::move(rows))
        .gap();
    const ClusterSizes sizes = sizes_of(chosen.cluster);
    text.metric("rows of a cluster", fmt::format("{} in the largest, {} in the median; {} of one row",
                                                 grouped(sizes.largest), grouped(sizes.median), grouped(sizes.single)));
    if (cuts_.size() > 1) text.metric("taken", fmt::format("threshold {:g}", *chosen.threshold));
    if (chosen.scores) {
      std::vector<std::vector<std::string>> parts = {{"", "recall", "precision", "F1"}};
      for (const auto& [name, part] : {std::pair("MUC", chosen.scores->muc), std::pair("B3", chosen.scores->b_cubed),
                                       std::pair("CEAF-e", chosen.scores->ceaf_e)}) {
        parts.push_back({name, fmt::format("{:.4f}", part.recall), fmt::format("{:.4f}", part.precision),
                         fmt::format("{:.4f}", part.f1())});
      }
      text.table(std::move(parts)).gap();
    }
    if (names_->numbered()) {
      text.note("rows are counted from 0 and have other numbers in the file, which are written beside them");
    }
    return text.warnings(warnings_);
  }

  [[nodiscard]] static Metric::Record score_metrics(const ClusterScores& scores) {
    Metric::Record metrics;
    for (const auto& [name, part] :
         {std::pair("muc", scores.muc), std::pair("b_cubed", scores.b_cubed), std::pair("ceaf_e", scores.ceaf_e)}) {
      metrics.emplace_back(name,
                           Metric::Record{{"recall", part.recall}, {"precision", part.precision}, {"f1", part.f1()}});
    }
    metrics.emplace_back("conll_f1", scores.conll_f1());
    return metrics;
  }

  [[nodiscard]] static Metric::Record cut_metrics(const Cut& cut) {
    Metric::Record metrics = {{"clusters", cut.clusters()}};
    if (cut.threshold) metrics.emplace_back("threshold", *cut.threshold);
    if (cut.scores) metrics.emplace_back("scores", score_metrics(*cut.scores));
    return metrics;
  }

  [[nodiscard]] Metric::Record metrics() const {
    Metric::Record metrics = {{"file", path_},
                              {"out", input_.output.file},
                              {"n", partition_.rows()},
                              {"exact", exact_},
                              {"evaluations", evaluations_}};
    for (auto&& one : cut_metrics(cuts_[chosen_])) metrics.push_back(one);
    const ClusterSizes sizes = sizes_of(cuts_[chosen_].cluster);
    metrics.emplace_back("largest_cluster", sizes.largest);
    metrics.emplace_back("single_rows", sizes.single);
    Metric::List cuts;
    for (const Cut& one : cuts_) cuts.emplace_back(cut_metrics(one));
    metrics.emplace_back("cuts", cuts);
    metrics.emplace_back("warnings", warnings_);
    return metrics;
  }

  const TaskInput& input_;
  const Communicator& communicator_;
  const std::string& path_;
  bool exact_;
  RowPartition partition_;
  std::optional<RowNames> names_;
  Meaning meaning_ = Meaning::similarity;
  std::vector<Index> gold_;  // for all rows; empty: not given
  std::vector<Merge> merges_;
  std::vector<Cut> cuts_;
  std::size_t chosen_ = 0;
  Index evaluations_ = 0;
  std::vector<std::string> warnings_;
};

TaskReport run(const TaskInput& input) {
  const ResultShape shape = read_result_shape(input.execution.communicator, input.results.front());
  Clustering clustering(input);
  with_precision(shape.precision, [&](auto number) { clustering.run<decltype(number)>(shape); });
  return clustering.report();
}

}  // namespace

const TaskDescriptor& linkage_task() {
  static const TaskDescriptor task{
      .name = "average-linkage",
      .command = "cluster",
      .summary = "Groups the objects of a result by average linkage, and scores the groups.",
      .details =
          "Two clusters are as near as the mean similarity (or distance) of their objects, by the "
          "approximation through its factors; nearest ones are joined until --threshold or "
          "--clusters is reached. Against gold clusters MUC, B-cubed, CEAF-e and CoNLL F1 are printed.",
      .source = "Sokal and Michener 1958; chains of nearest neighbors: Benzecri 1982, Murtagh 1983",
      .parameters =
          {{.name = "threshold",
            .value = "NUMBER[,NUMBER]",
            .help = "Join clusters while their mean similarity is at least this (distances: at most); of several, with "
                    "gold clusters, that with the best CoNLL F1 is taken."},
           {.name = "clusters",
            .value = "N",
            .type = ValueType::integer,
            .help = "Join clusters until there are so many.",
            .lowest = 1},
           {.name = "exact",
            .value = "BOOL",
            .type = ValueType::flag,
            .fallback = "false",
            .help = "Take the matrix itself, all of whose entries are evaluated: n^2 evaluations and 8 n^2 bytes over "
                    "all ranks. The data are those that the result's own config names, unless keys of [data] say where "
                    "they are now."},
           {.name = "gold",
            .value = "FILE",
            .type = ValueType::input_path,
            .help = "Score the clusters against these: a line for each row of the data with the name of its cluster, "
                    "empty if it has none."},
           {.name = "gold-labels",
            .value = "BOOL",
            .type = ValueType::flag,
            .fallback = "false",
            .help = "Score the clusters against the labels of the rows."}},
      .needs = {.file =
                    "The cluster of each row, from 0: HDF5 with all merges if the name ends in .h5 or .hdf5, CSV if "
                    "it ends in .csv.",
                .endings = {".h5", ".hdf5", csv_ending},
                .matrix = true,
                .draws = false},
      .check = check,
      .without_matrix = without_matrix,
      .run = run};
  return task;
}

}  // namespace cairn
