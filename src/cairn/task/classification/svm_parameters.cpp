#include "cairn/task/classification/svm_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/parameters/suggestion.hpp"
#include "cairn/task/classification/classes.hpp"
#include "cairn/task/task_parameters.hpp"

namespace cairn {

namespace {

Parameter cost_parameter() {
  return {
      .name = "cost",
      .value = "NUMBER[,NUMBER]",
      .fallback = "0.01,0.1,1,10,100",
      .help = "C, the weight of losses beside 1/2 ||w||^2, above 0; or several to choose from by cross-validation."};
}

Parameter class_weights_parameter() {
  return {.name = "class-weights",
          .value = "NAME",
          .type = ValueType::choice,
          .fallback = "none",
          .help =
              "balanced: the C of positive rows is C times the number of the other rows divided by theirs, for each "
              "class against the rest; of two classes --positive says which one is positive. none: all rows have "
              "the same C.",
          .choices = {"none", "balanced"}};
}

Parameter positive_parameter() {
  return {.name = "positive",
          .value = "LABEL",
          .help =
              "The label by whose score the rows of each group of the data are ranked, and whose F1 is printed beside; "
              "by default of two labels the last in alphabetical order, and of more labels none."};
}

Parameter multiclass_parameter(const std::string& fallback, const std::string& help) {
  return {.name = "multiclass",
          .value = "NAME",
          .type = ValueType::choice,
          .fallback = fallback,
          .help = help,
          .choices = {"one-vs-rest", "one-vs-one"}};
}

}  // namespace

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

std::vector<Parameter> svm_task_parameters() {
  using namespace task_parameters;
  return with(
      {cost_parameter(),
       {.name = "loss",
        .value = "NAME",
        .type = ValueType::choice,
        .fallback = "squared-hinge",
        .help = "What a row costs, by its margin m: squared-hinge max(0, 1 - m)^2, hinge max(0, 1 - m), logistic "
                "log(1 + exp(-m)).",
        .choices = {"squared-hinge", "hinge", "logistic"}},
       multiclass_parameter("one-vs-rest",
                            "one-vs-rest: a plane for each class, by LIBLINEAR or --passes. one-vs-one: a plane for "
                            "each pair of classes, by LIBSVM (hinge, --tolerance 1e-3 by default); the class with the "
                            "most votes wins."),
       {.name = "passes",
        .value = "N",
        .type = ValueType::integer,
        .help = "Train by dual coordinate descent, exactly so many passes over the rows, each in a random order. By "
                "default LIBLINEAR trains until it is near the optimum.",
        .lowest = 1,
        .highest = 1e9},
       class_weights_parameter(),
       positive_parameter(),
       folds(),
       fold_order_parameter(),
       {.name = "bias",
        .value = "NUMBER",
        .type = ValueType::number,
        .fallback = "1",
        .help = "A feature with this value is added to each row; 0 adds none.",
        .lowest = 0},
       tolerance("LIBLINEAR", "0.1"),
       {.name = "repeats",
        .value = "N",
        .type = ValueType::integer,
        .fallback = "1",
        .help = "Splits (--train-fraction) and folds are drawn so often, with seeds run.seed, run.seed + 1 and so on; "
                "mean and standard deviation are printed, the first model is kept.",
        .lowest = 1}},
      rows());
}

std::vector<Parameter> kernel_svm_task_parameters() {
  using namespace task_parameters;
  return with(
      {cost_parameter(),
       multiclass_parameter("one-vs-one",
                            "one-vs-one: a machine for each pair of classes; the class with the most votes "
                            "wins. one-vs-rest: a machine for each class; the largest decision value wins."),
       class_weights_parameter(), positive_parameter(), folds(), fold_order_parameter(), tolerance("LIBSVM", "0.001")},
      rows());
}

std::string positive_label(const Values& values, const std::vector<std::string>& labels) {
  if (!values.given("positive")) return labels.size() == 2 ? labels.back() : "";
  const std::string& label = values.text("positive");
  if (std::ranges::find(labels, label) != labels.end()) return label;
  throw Error(ErrorKind::input, fmt::format("{} = {}: no row has this label{}", values.where("positive"), label,
                                            suggestion(label, labels)));
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
  options.passes = values.integer_or("passes", 0);
  options.balanced = values.text("class-weights") == "balanced";
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

void check_class_weights(const Values& values) {
  if (values.text("class-weights") != "balanced" || values.text("multiclass") != "one-vs-one") return;
  throw Error(ErrorKind::usage, fmt::format("{} balanced is for one class against the rest: it has no effect with {} "
                                            "one-vs-one",
                                            values.where("class-weights"), values.keys()("multiclass")));
}

void check_multiclass(const Values& values) {
  check_class_weights(values);
  if (values.given("passes")) {
    if (values.given("tolerance")) {
      throw Error(ErrorKind::usage, fmt::format("{} has no effect with {}: so many passes are made, however near the "
                                                "optimum is",
                                                values.where("tolerance"), values.keys()("passes")));
    }
    if (values.text("loss") == "logistic") {
      throw Error(ErrorKind::usage, fmt::format("{} is for the losses hinge and squared-hinge, not for logistic",
                                                values.where("passes")));
    }
  }
  if (values.text("multiclass") != "one-vs-one") return;
  for (const char* name : {"loss", "bias", "passes"}) {
    if (!values.given(name) || values.text(name) == "hinge") continue;
    throw Error(ErrorKind::usage, fmt::format("{} has no effect with {} one-vs-one: LIBSVM takes the hinge loss and an "
                                              "intercept that costs nothing",
                                              values.where(name), values.keys()("multiclass")));
  }
}

std::string undrawn_svm(const Values& values, std::size_t results) {
  const std::string rows = task_parameters::undrawn_rows(values);
  if (rows.empty() || values.given("passes")) return "";
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
  return first_sentences(std::move(sentences));
}

}  // namespace cairn
