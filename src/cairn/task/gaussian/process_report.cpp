#include "cairn/task/gaussian/process_report.hpp"

#include <fmt/format.h>

#include "cairn/parameters/units.hpp"
#include "cairn/task/regression/model_report.hpp"

namespace cairn {

namespace {

std::string starts_of(const ProcessFit& fit) {
  std::vector<double> found;
  for (const ProcessStart& start : fit.starts) found.push_back(start.log_likelihood);
  return fmt::format(", the largest of {:.6g}", fmt::join(found, ", "));
}

Metric::Record parameter_metrics(const CovarianceParameters& parameters) {
  return {{"sigma", parameters.sigma}, {"length", parameters.length}, {"noise", parameters.noise}};
}

}  // namespace

ReportText process_report(const ProcessFile& file, const std::vector<ProcessFit>& fits) {
  std::string parameters;
  for (const auto& [key, value] : file.similarity_parameters) parameters += fmt::format(", {} = {}", key, value);
  ReportText text;
  text.metric("result", file.result)
      .metric("method, similarity", fmt::format("{}, {}{}", file.method, file.similarity, parameters))
      .metric("training rows", fmt::format("{}, of {} features", grouped(file.training_rows()), file.columns));
  for (std::size_t t = 0; t < file.processes.size(); ++t) {
    const StoredProcess& process = file.processes[t];
    const bool known = t < fits.size();
    text.gap()
        .heading(fmt::format("target {}: mean {:.6g}, standard deviation {:.6g}", process.target, process.mean,
                             process.scale))
        .metric("sigma", fmt::format("{:.6g}", process.sigma))
        .metric("length l",
                fmt::format(
                    "{:.6g}{}", process.length,
                    known ? fmt::format(", the median distance of the rows is {:.6g}", fits[t].median_distance) : ""))
        .metric("noise", fmt::format("{:.6g}", process.noise))
        .metric("log marginal likelihood",
                fmt::format("{:.6g}{}", process.log_likelihood, known ? starts_of(fits[t]) : ""));
  }
  return text.warnings(file.warnings).gap().add(interval_score_report(file.scores)).gap();
}

Metric::Record process_metrics(const ProcessFile& file) {
  Metric::List processes;
  std::vector<std::string> targets;
  for (const StoredProcess& process : file.processes) {
    targets.push_back(process.target);
    processes.emplace_back(Metric::Record{{"target", process.target},
                                          {"mean", process.mean},
                                          {"scale", process.scale},
                                          {"sigma", process.sigma},
                                          {"length", process.length},
                                          {"noise", process.noise},
                                          {"log_marginal_likelihood", process.log_likelihood}});
  }
  return {{"task", file.task},
          {"targets", targets},
          {"training_rows", file.training_rows()},
          {"columns", file.columns},
          {"result", file.result},
          {"basis_digest", fmt::format("{:016x}", file.basis_digest)},
          {"method", file.method},
          {"similarity", file.similarity},
          {"similarity_parameters", record_of(file.similarity_parameters)},
          {"processes", processes},
          {"scores", interval_score_metrics(file.scores)},
          {"warnings", file.warnings}};
}

Metric::Record fit_metrics(const ProcessFit& fit, const std::string& target) {
  Metric::List starts;
  for (const ProcessStart& start : fit.starts) {
    starts.emplace_back(Metric::Record{{"begin", parameter_metrics(start.begin)},
                                       {"end", parameter_metrics(start.end)},
                                       {"log_marginal_likelihood", start.log_likelihood},
                                       {"iterations", start.iterations},
                                       {"evaluations", start.evaluations},
                                       {"converged", start.converged}});
  }
  return {{"target", target}, {"median_distance", fit.median_distance}, {"chosen", fit.chosen + 1}, {"starts", starts}};
}

}  // namespace cairn
