#include "commands/pair_evaluation.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "cairn/data/points/column_option.hpp"
#include "cairn/evaluation/pair_scores.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/run/computation/compared_pairs.hpp"
#include "keys/key_names.hpp"
#include "report/report.hpp"

namespace cairn::app {

namespace {

nlohmann::ordered_json number_json(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

std::string number_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.4f}", *value) : "undefined";
}

nlohmann::ordered_json scores_json(const PairScores& found, double sign) {
  nlohmann::ordered_json json = {{"pearson", number_json(found.pearson)}, {"spearman", number_json(found.spearman)}};
  if (!found.decisions) return json;
  json["f1"] = found.decisions->f1;
  json["f1_threshold"] = number_json(sign * found.decisions->f1_threshold);
  json["accuracy"] = found.decisions->accuracy;
  json["accuracy_threshold"] = number_json(sign * found.decisions->accuracy_threshold);
  return json;
}

std::vector<std::string> cells(const std::string& name, const PairScores& found, double sign) {
  std::vector<std::string> row = {name, number_text(found.pearson), number_text(found.spearman)};
  if (!found.decisions) return row;
  const Decisions& d = *found.decisions;
  row.insert(row.end(), {fmt::format("{:.4f}", d.f1), fmt::format("{:.4g}", sign * d.f1_threshold),
                         fmt::format("{:.4f}", d.accuracy), fmt::format("{:.4g}", sign * d.accuracy_threshold)});
  return row;
}

}  // namespace

template <class T>
nlohmann::ordered_json evaluate_pairs(const Job& job, const Execution& execution, const Approximation<T>& approximation,
                                      const ExactMatrix<T>& exact) {
  Phases::Scope phase = execution.phases.enter("pairs");
  const Index before = exact.evaluations();
  const ScoredPairs pairs =
      read_pairs(execution, column_source(job.settings.text("pairs"), data_keys), approximation, exact);
  std::optional<ScoredPairs> others;
  if (job.settings.given("threshold-pairs")) {
    others =
        read_pairs(execution, column_source(job.settings.text("threshold-pairs"), data_keys), approximation, exact);
    if (!pairs.binary() || !others->binary()) {
      throw Error(ErrorKind::input, "--threshold-pairs goes with scores that are all 0 or 1, in both files");
    }
  }
  const Index own = exact.evaluations() - before;
  phase.count_evaluations(own);
  const Index evaluations = job.communicator.sum(own);
  const double sign = approximation.meaning == Meaning::distance ? -1.0 : 1.0;
  const PairScores approximate = score(pairs, others, &ScoredPairs::approximate);
  const PairScores itself = score(pairs, others, &ScoredPairs::exact);
  const bool decided = approximate.decisions.has_value();
  const std::string thresholds = !decided ? "" : others ? "those of --threshold-pairs" : "the first half of the pairs";
  std::vector<std::vector<std::string>> rows = {{"", "Pearson", "Spearman"}};
  if (decided) rows.front().insert(rows.front().end(), {"F1", "at", "accuracy", "at"});
  rows.push_back(cells("K~", approximate, sign));
  rows.push_back(cells("K", itself, sign));
  std::string text = fmt::format("  pairs                       {}, {} evaluations of K\n",
                                 grouped(static_cast<Index>(pairs.scores.size())), grouped(evaluations));
  if (decided) {
    text += fmt::format("  thresholds                  best on {}; F1 and accuracy are of {}\n", thresholds,
                        others ? "all pairs" : "the second half");
  }
  if (sign < 0) text += "  correlations                of distances with their signs changed\n";
  print_result(job.communicator, text + "\n" + table(rows));
  nlohmann::ordered_json json = {{"count", pairs.scores.size()},
                                 {"evaluations", evaluations},
                                 {"approximate", scores_json(approximate, sign)},
                                 {"exact", scores_json(itself, sign)}};
  if (decided) json["thresholds_from"] = others ? "threshold-pairs" : "first-half";
  return json;
}

template nlohmann::ordered_json evaluate_pairs(const Job&, const Execution&, const Approximation<float>&,
                                               const ExactMatrix<float>&);
template nlohmann::ordered_json evaluate_pairs(const Job&, const Execution&, const Approximation<double>&,
                                               const ExactMatrix<double>&);

}  // namespace cairn::app
