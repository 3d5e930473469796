#include "cairn/task/regression/model_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "cairn/base/joined.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/task/descriptors.hpp"

namespace cairn {

std::vector<StoredScore> stored_scores(const std::vector<RegressionScore>& scores,
                                       const std::vector<std::string>& names, const std::string& on) {
  std::vector<StoredScore> stored;
  for (std::size_t t = 0; t < scores.size(); ++t) {
    const RegressionScore& score = scores[t];
    stored.push_back(
        {names[t], on, score.rows, score.r_squared(), score.mean_absolute_error(), score.root_mean_squared_error()});
  }
  return stored;
}

ReportText score_report(const std::vector<StoredScore>& scores) {
  ReportText text;
  if (scores.empty()) return text;
  std::vector<std::vector<std::string>> rows = {
      {"target", "rows", "", "R^2", "mean absolute error", "root mean squared error"}};
  for (const StoredScore& score : scores) {
    rows.push_back({score.target, score.on, grouped(score.rows),
                    score.r_squared ? fmt::format("{:.6f}", *score.r_squared) : "undefined",
                    fmt::format("{:.6g}", score.mean_absolute_error),
                    fmt::format("{:.6g}", score.root_mean_squared_error)});
  }
  return text.table(std::move(rows));
}

Metric::List score_metrics(const std::vector<StoredScore>& scores) {
  Metric::List list;
  for (const StoredScore& score : scores) {
    list.emplace_back(Metric::Record{{"target", score.target},
                                     {"on", score.on},
                                     {"rows", score.rows},
                                     {"r_squared", score.r_squared},
                                     {"mean_absolute_error", score.mean_absolute_error},
                                     {"root_mean_squared_error", score.root_mean_squared_error}});
  }
  return list;
}

ReportText interval_score_report(const std::vector<StoredIntervalScore>& scores) {
  ReportText text;
  if (scores.empty()) return text;
  std::vector<std::vector<std::string>> rows = {{"target", "rows", "", "R^2", "mean absolute error",
                                                 "root mean squared error", "inside 95 % intervals", "mean width",
                                                 "log score", "CRPS"}};
  const auto known = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.6g}", *value) : "unknown";
  };
  for (const auto& [score, coverage, width, log_score, crps] : scores) {
    rows.push_back({score.target, score.on, grouped(score.rows),
                    score.r_squared ? fmt::format("{:.6f}", *score.r_squared) : "undefined",
                    fmt::format("{:.6g}", score.mean_absolute_error),
                    fmt::format("{:.6g}", score.root_mean_squared_error), fmt::format("{:.4f}", coverage),
                    fmt::format("{:.6g}", width), known(log_score), known(crps)});
  }
  return text.table(std::move(rows));
}

Metric::List interval_score_metrics(const std::vector<StoredIntervalScore>& scores) {
  Metric::List list;
  for (const auto& [score, coverage, width, log_score, crps] : scores) {
    list.emplace_back(Metric::Record{{"target", score.target},
                                     {"on", score.on},
                                     {"rows", score.rows},
                                     {"r_squared", score.r_squared},
                                     {"mean_absolute_error", score.mean_absolute_error},
                                     {"root_mean_squared_error", score.root_mean_squared_error},
                                     {"interval_coverage", coverage},
                                     {"mean_interval_width", width},
                                     {"log_score", log_score},
                                     {"crps", crps}});
  }
  return list;
}

namespace {

ReportText variance_report(const StoredVariances& variances, double lambda) {
  std::vector<double> sigmas, noises;
  for (const double scale : variances.scales) {
    sigmas.push_back(std::sqrt(scale));
    noises.push_back(std::sqrt(scale * lambda));
  }
  ReportText text;
  text.metric("sigma, of sigma^2 K", fmt::format("{:.6g}", fmt::join(sigmas, ", ")))
      .metric("noise", fmt::format("{:.6g}", fmt::join(noises, ", ")))
      .metric("log marginal likelihood", fmt::format("{:.6g}", fmt::join(variances.log_likelihoods, ", ")));
  return text;
}

Metric::Record variance_metrics(const StoredVariances& variances, double lambda) {
  std::vector<double> sigmas, noises;
  for (const double scale : variances.scales) {
    sigmas.push_back(std::sqrt(scale));
    noises.push_back(std::sqrt(scale * lambda));
  }
  return {{"sigma", sigmas},
          {"noise", noises},
          {"log_marginal_likelihoods", variances.log_likelihoods},
          {"rank", variances.rank},
          {"scores", interval_score_metrics(variances.scores)}};
}

}  // namespace

ReportText model_report(const StoredModel& model, std::size_t number, const StoredCenters* centers) {
  std::string parameters;
  for (const auto& [key, value] : model.similarity_parameters) {
    if (!value.empty()) parameters += fmt::format(", {} = {}", key, value);
  }
  const std::string others = model.lambdas.size() > 1
                                 ? fmt::format(", the best of {:g} by {}", fmt::join(model.lambdas, ", "),
                                               centers == nullptr ? "leave-one-out" : "rows that were held out")
                                 : "";
  ReportText text;
  text.heading(fmt::format("model {}: {}", number + 1, model.result))
      .metric("method, similarity", fmt::format("{}, {}{}", model.method, model.similarity, parameters))
      .metric("lambda", fmt::format("{:g}{}", model.lambda, others))
      .metric("intercept",
              model.intercepts.empty() ? "none" : fmt::format("{:.6g}", fmt::join(model.intercepts, ", ")));
  if (centers != nullptr) {
    text.metric("way", fmt::format("{}, K between an object and {} rows, in {} precision", centers->way,
                                   grouped(std::ssize(centers->rows)), centers->precision));
  }
  if (model.condition > 0.0) {
    text.metric("eigenvalues of K~", fmt::format("{:.6g} to {:.6g} on the training rows", model.smallest_eigenvalue,
                                                 model.largest_eigenvalue))
        .metric("condition of lambda I + K~", fmt::format("{:.2g}", model.condition));
  } else if (centers != nullptr && centers->iterations > 0) {
    text.metric("iterations",
                fmt::format("{} to a residual of {:.1e}, {}", centers->iterations, centers->residual,
                            centers->preconditioner == 0
                                ? "without a preconditioner"
                                : fmt::format("preconditioned by K~ of rank {}", grouped(centers->preconditioner))));
  }
  const StoredVariances* const variances = centers != nullptr && centers->variances ? &*centers->variances : nullptr;
  if (variances != nullptr) text.add(variance_report(*variances, model.lambda));
  text.warnings(model.warnings).add(score_report(model.scores)).gap();
  if (variances != nullptr && !variances->scores.empty()) text.add(interval_score_report(variances->scores)).gap();
  return text;
}

Metric::Record model_metrics(const StoredModel& model, const StoredCenters* centers) {
  Metric::Record metrics = {
      {"file", model.result},           {"method", model.method},
      {"similarity", model.similarity}, {"similarity_parameters", record_of(model.similarity_parameters)},
      {"columns", model.columns},       {"basis_digest", fmt::format("{:016x}", model.basis_digest)},
      {"lambda", model.lambda},         {"lambdas", model.lambdas},
      {"intercepts", model.intercepts}, {"scores", score_metrics(model.scores)},
      {"warnings", model.warnings}};
  Metric::Record more;
  if (model.condition > 0.0) {
    more = {{"smallest_eigenvalue", model.smallest_eigenvalue},
            {"largest_eigenvalue", model.largest_eigenvalue},
            {"condition", model.condition}};
  }
  metrics.insert(metrics.end(), more.begin(), more.end());
  if (centers == nullptr) return metrics;
  more = {{"krr_method", centers->way},
          {"precision", centers->precision},
          {"iterations", centers->iterations},
          {"residual", centers->residual},
          {"preconditioner_rank", centers->preconditioner},
          {"points", centers->points.has_value()},
          {"variances", centers->variances ? Metric(variance_metrics(*centers->variances, model.lambda)) : Metric()}};
  metrics.insert(metrics.end(), more.begin(), more.end());
  return metrics;
}

ReportText model_file_report(const ModelFile& file) {
  ReportText text;
  text.metric("targets", joined(file.targets, ", "))
      .metric("training rows", grouped(file.training_rows))
      .metric("models", std::to_string(file.models.size()))
      .gap();
  const StoredCenters* const centers = file.centers ? &*file.centers : nullptr;
  for (std::size_t m = 0; m < file.models.size(); ++m) text.add(model_report(file.models[m], m, centers));
  if (!file.scores.empty()) text.heading("mean of all models").add(score_report(file.scores)).gap();
  return text;
}

Metric::Record model_file_metrics(const ModelFile& file) {
  Metric::List models;
  const StoredCenters* const centers = file.centers ? &*file.centers : nullptr;
  for (const StoredModel& model : file.models) models.emplace_back(model_metrics(model, centers));
  return {{"task", file.task},
          {"targets", file.targets},
          {"training_rows", file.training_rows},
          {"models", models},
          {"ensemble", score_metrics(file.scores)}};
}

TaskReport write_ridge_models(const TaskInput& input, ModelFile file, ReportText said, Index rows, Index held_out_rows,
                              Metric::List models) {
  file.task = ridge_task().name;
  file.provenance = input.provenance;
  for (const char* name : {"libraries", "threads"}) file.provenance.erase(name);  // not stored in model files
  file.provenance["seed"] = std::to_string(input.execution.seed);
  write_model(input.execution, input.output, file);
  const ReportText written = ReportText().heading("model in " + input.output.file).gap();
  if (input.tell) input.tell(written);
  return {said.add(written),
          {{"task", file.task},
           {"output", input.output.file},
           {"n", rows},
           {"training_rows", file.training_rows},
           {"held_out_rows", held_out_rows},
           {"targets", file.targets},
           {"models", std::move(models)},
           {"ensemble", score_metrics(file.scores)}}};
}

}  // namespace cairn
