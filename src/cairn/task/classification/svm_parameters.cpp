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

Parameter fold_order_parameter() {
  return {.name = "fold-order",
          .value = "NAME",
          .type = ValueType::choice,
          .fallback = "random",
          .help =
              "How rows become folds: random (spread evenly, those of each class, too) or file (the first rows are "
              "the first fold, and so on).",
          .choices = {"random", "file"}};
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
  options.pairs = values.text("multiclass") == "one-vs-one";
  if (options.pairs) {
    constexpr double of_libsvm = 1e-3;
    options.loss = SvmLoss::hinge;
    options.bias = 0.0;
    if (!values.given("tolerance")) options.tolerance = of_libsvm;
  }
  options.keys = values.keys();
  return options;
}

bool wants_validation(const Values& values, std::size_t candidates) { return candidates > 1 || values.given("folds"); }

FoldOrder fold_order_of(const Values& values) {
  return values.text("fold-order") == "file" ? FoldOrder::file : FoldOrder::random;
}

void check_svm(const Values& values, std::size_t results) {
  const std::vector<double> costs = costs_of(values);
  task_parameters::check_rows(values);
  task_parameters::check_tolerance(values);
  if (values.given("fold-order") && !wants_validation(values, costs.size() * results)) {
    throw Error(ErrorKind::usage, fmt::format("{} has no effect without cross-validation", values.where("fold-order")));
  }
}

void check_multiclass(const Values& values) {
  if (values.text("multiclass") != "one-vs-one") return;
  for (const char* name : {"loss", "bias"}) {
    if (!values.given(name) || values.text(name) == "hinge") continue;
    throw Error(ErrorKind::usage, fmt::format("{} has no effect with {} one-vs-one: LIBSVM takes the hinge loss and an "
                                              "intercept that costs nothing",
                                              values.where(name), values.keys()("multiclass")));
  }
}

std::string undrawn_svm(const Values& values, std::size_t results) {
  const std::string rows = task_parameters::undrawn_rows(values);
  if (rows.empty()) return "";
  if (fold_order_of(values) == FoldOrder::file)
    return rows + " and with folds in the order of the file: nothing is drawn";
  if (wants_validation(values, costs_of(values).size() * results)) return "";
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
