#include <fmt/format.h>

#include <cmath>

#include "cairn/parameters/units.hpp"
#include "cairn/task/gaussian/vecchia/vecchia_training.hpp"
#include "cairn/task/regression/model_report.hpp"

namespace cairn {

namespace {

// Names of the coordinates, or their numbers from 1.
std::string column_name(const VecchiaFile& file, Index column) {
  const bool named = file.points && file.points->columns && std::ssize(file.points->columns->names) == file.columns;
  return named ? file.points->columns->names[column] : std::to_string(column + 1);
}

// Change of the mean of the target with a feature, in their units.
double slope(const VecchiaFile& file, const StoredVecchiaProcess& process, Index column) {
  return process.coefficients[column + 1] * process.scale / file.unit[column];
}

ReportText columns_report(const VecchiaFile& file, const StoredVecchiaProcess& process) {
  const bool linear = process.coefficients.size() > 1;
  std::vector<std::vector<std::string>> rows = {{"column", "length", "standard deviation"}};
  if (linear) rows.front().emplace_back("slope of the mean");
  for (Index c = 0; c < file.columns; ++c) {
    rows.push_back(
        {column_name(file, c), fmt::format("{:.6g}", process.lengths[c]), fmt::format("{:.6g}", file.unit[c])});
    if (linear) rows.back().push_back(fmt::format("{:.6g}", slope(file, process, c)));
  }
  return ReportText().table(std::move(rows));
}

}  // namespace

ReportText vecchia_report(const VecchiaFile& file, Index rows) {
  std::string parameters;
  for (const auto& [key, value] : file.similarity_parameters) parameters += fmt::format(", {} = {}", key, value);
  ReportText text;
  text.metric("result", file.result)
      .metric("method, similarity", fmt::format("{}, {}{}", file.method, file.similarity, parameters))
      .metric("training rows", grouped(rows))
      .metric("features", file.points ? fmt::format("{} coordinates, with a length each", file.columns)
                                      : fmt::format("{} columns of rows of L, with one length", file.columns))
      .metric("likelihood", fmt::format("Vecchia's, of each row given its {} nearest predecessors; smoothness {}",
                                        file.neighbors, file.smoothness));
  for (const StoredVecchiaProcess& process : file.processes) {
    text.gap()
        .heading(fmt::format("target {}: mean {:.6g}, standard deviation {:.6g}", process.target, process.mean,
                             process.scale))
        .metric("sigma", fmt::format("{:.6g}", process.sigma))
        .metric("noise", fmt::format("{:.6g}", process.noise))
        .metric("log likelihood", fmt::format("{:.8g}, {:.4f} a row", process.log_likelihood,
                                              process.log_likelihood / static_cast<double>(rows)));
    if (file.one_length() && (file.columns > 1 || !file.points)) {
      text.metric("length l", fmt::format("{:.6g}", process.lengths.front()));
    } else {
      text.gap().add(columns_report(file, process));
    }
  }
  return text.warnings(file.warnings).gap().add(interval_score_report(file.scores)).gap();
}

Metric::Record vecchia_metrics(const VecchiaFile& file, Index rows) {
  Metric::List processes;
  std::vector<std::string> targets, columns;
  for (Index c = 0; c < file.columns && file.points; ++c) columns.push_back(column_name(file, c));
  for (const StoredVecchiaProcess& process : file.processes) {
    targets.push_back(process.target);
    std::vector<double> slopes;
    for (Index c = 0; c + 1 < std::ssize(process.coefficients); ++c) slopes.push_back(slope(file, process, c));
    processes.emplace_back(Metric::Record{{"target", process.target},
                                          {"mean", process.mean},
                                          {"scale", process.scale},
                                          {"sigma", process.sigma},
                                          {"lengths", process.lengths},
                                          {"noise", process.noise},
                                          {"slopes", slopes},
                                          {"log_marginal_likelihood", process.log_likelihood}});
  }
  return {{"task", file.task},
          {"targets", targets},
          {"training_rows", rows},
          {"columns", file.columns},
          {"likelihood", "vecchia"},
          {"features", file.points ? "coordinates" : "factors"},
          {"feature_names", columns},
          {"neighbors", file.neighbors},
          {"smoothness", file.smoothness},
          {"result", file.result},
          {"basis_digest", fmt::format("{:016x}", file.basis_digest)},
          {"method", file.method},
          {"similarity", file.similarity},
          {"similarity_parameters", record_of(file.similarity_parameters)},
          {"processes", processes},
          {"scores", interval_score_metrics(file.scores)},
          {"warnings", file.warnings}};
}

}  // namespace cairn
