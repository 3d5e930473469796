#include "models/svm_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/parameters/units.hpp"
#include "keys/problem.hpp"
#include "models/model_commands.hpp"
#include "models/training_rows.hpp"

namespace cairn::app {

std::vector<double> costs_of(const Settings& settings) {
  const std::string& text = settings.required("cost");
  std::vector<double> costs;
  for (const std::string& part : comma_list(text)) {
    const auto value = parse_number(part);
    if (!value || !(*value > 0.0)) {
      throw Error(ErrorKind::usage, fmt::format("--cost {}: each must be a number above 0", text));
    }
    costs.push_back(*value);
  }
  std::sort(costs.begin(), costs.end());
  if (std::adjacent_find(costs.begin(), costs.end()) != costs.end()) {
    throw Error(ErrorKind::usage, fmt::format("--cost {}: a number is there twice", text));
  }
  return costs;
}

SvmOptions svm_options(const Settings& settings) {
  const std::string& loss = settings.text("loss");
  SvmOptions options;
  options.loss = loss == "hinge" ? SvmLoss::hinge : loss == "logistic" ? SvmLoss::logistic : SvmLoss::squared_hinge;
  options.bias = settings.number("bias");
  options.tolerance = settings.number_or("tolerance", options.tolerance);
  return options;
}

bool wants_validation(const Settings& settings, std::size_t candidates) {
  return candidates > 1 || settings.given("folds");
}

void check_svm(const Settings& settings, const std::vector<std::string>& arguments) {
  const bool validated = wants_validation(settings, costs_of(settings).size() * arguments.size());
  if (settings.text("task") == "svm") settings.required("output.path");
  check_row_keys(settings);
  if (settings.given("tolerance") && !(settings.number("tolerance") > 0.0)) {
    throw Error(ErrorKind::usage, "--tolerance must be above 0");
  }
  if (validated || settings.given("train-fraction")) return;
  for (const char* name : {"run.seed", "repeats"}) {
    if (!settings.given(name)) continue;
    throw Error(ErrorKind::usage,
                fmt::format("--{} has no effect without --train-fraction or cross-validation: nothing "
                            "is drawn",
                            name));
  }
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

}  // namespace cairn::app
