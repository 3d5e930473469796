#include "cairn/task/classification/svm_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/task/task_parameters.hpp"

namespace cairn {

Parameter cost_parameter() {
  return {
      .name = "cost",
      .value = "NUMBER[,NUMBER]",
      .fallback = "0.01,0.1,1,10,100",
      .help = "C, the weight of losses beside 1/2 ||w||^2, above 0; or several to choose from by cross-validation."};
}

std::vector<double> costs_of(const Values& values) {
  std::vector<double> costs = task_parameters::positive_numbers(values, "cost");
  std::sort(costs.begin(), costs.end());
  if (std::adjacent_find(costs.begin(), costs.end()) != costs.end()) {
    throw Error(ErrorKind::usage,
                fmt::format("{} {}: a number is a duplicate", values.where("cost"), values.text("cost")));
  }
  return costs;
}

SvmOptions svm_options(const Values& values) {
  const std::string& loss = values.text("loss");
  SvmOptions options;
  options.loss = loss == "hinge" ? SvmLoss::hinge : loss == "logistic" ? SvmLoss::logistic : SvmLoss::squared_hinge;
  options.bias = values.number("bias");
  options.tolerance = values.number("tolerance");
  options.keys = values.keys();
  return options;
}

bool wants_validation(const Values& values, std::size_t candidates) { return candidates > 1 || values.given("folds"); }

void check_svm(const Values& values, std::size_t /*results*/) {
  static_cast<void>(costs_of(values));
  task_parameters::check_rows(values);
  task_parameters::check_tolerance(values);
}

std::string undrawn_svm(const Values& values, std::size_t results) {
  const std::string rows = task_parameters::undrawn_rows(values);
  if (rows.empty() || wants_validation(values, costs_of(values).size() * results)) return "";
  return rows + " or cross-validation: nothing is drawn";
}

std::vector<std::string> label_notices(const std::vector<std::string>& labels, const std::vector<Index>& sizes,
                                       const std::vector<Index>& tested) {
  std::vector<std::string> sentences;
  Index all = 0;
  for (const Index count : tested) all += count;
  for (std::size_t c = 0; c < labels.size(); ++c) {
    if (tested[c] > 0 && sizes[c] == 0) {
      sentences.push_back(fmt::format("no row to train on has the label '{}' of {} tested rows: they count as mistakes",
                                      labels[c], tested[c]));
    } else if (all > 0 && tested[c] == 0 && sizes[c] > 0) {
      sentences.push_back(fmt::format("no tested row has the label '{}' of {} rows to train on", labels[c], sizes[c]));
    }
  }
  return sentences;
}

}  // namespace cairn
