#include "cairn/task/network/linearize_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/similarity/points/point_similarities.hpp"
#include "cairn/task/task_parameters.hpp"

namespace cairn {

namespace {

// Parameters of learning, which have no effect without it.
constexpr const char* of_learning[] = {"learn", "penalty", "iterations", "train-fraction", "train-rows", "split"};

}  // namespace

std::vector<Parameter> linearize_parameters() {
  using enum ValueType;
  std::vector<Parameter> own = {
      {.name = "tuning",
       .value = "NAME",
       .type = choice,
       .fallback = "ridge",
       .help =
           "Where the coefficients of the features come from: none (the weights of the network alone), ridge (least "
           "squares on the training rows) or logistic (multinomial logistic regression on them).",
       .choices = {"none", "ridge", "logistic"}},
      {.name = "learn",
       .value = "NAME",
       .type = choice,
       .help = "What they are learned from: labels, or outputs (with ridge those of the network, with logistic the "
               "classes that it says); by default labels if the points have them.",
       .choices = {"labels", "outputs"}},
      {.name = "penalty",
       .value = "LIST",
       .help = "The penalty on squares of coefficients, of features scaled to variance 1, above 0; of several, with "
               "commas between, the best on a tenth of the training rows is taken. By default ridge tries the powers "
               "of ten from 1e-7 to 1, and "
               "logistic takes 1e-5."},
      {.name = "iterations",
       .value = "N",
       .type = integer,
       .fallback = "200",
       .help = "With tuning = logistic: the most iterations of L-BFGS.",
       .lowest = 1,
       .highest = 1e6},
      {.name = "components",
       .value = "N",
       .type = integer,
       .help = "Project the inputs on so many principal components first; by default all coordinates are taken.",
       .lowest = 1,
       .highest = 1e6},
      {.name = "activation",
       .value = "NAME",
       .type = choice,
       .help = "The function of the hidden units, for files that do not say it (.npz); by default logistic.",
       .choices = function_names()},
      {.name = "exponent", .value = "NUMBER", .help = "The exponent of the activation power."},
      {.name = "series", .value = "LIST", .help = "The coefficients of the activation series, of t^0, t^1, ..."},
      {.name = "classes",
       .value = "LIST",
       .help = "Names of the outputs in their order, with commas between; by default the labels of the points, "
               "ascending, if there are as many of them as outputs, else numbers from 0."},
      {.name = "test.path",
       .value = "FILE",
       .type = input_path,
       .help = "More points that nothing is learned from: network and model are compared on them, too. Their columns "
               "and scaling are those of the others."},
      {.name = "test.format",
       .value = "FORMAT",
       .help = "The format of that file; by default the ending of its name says it."},
      {.name = "test.label",
       .value = "LABEL",
       .help = "Their labels, as data.label says those of the others; by default the same column, but no other file."},
      {.name = "speed-rows",
       .value = "N",
       .type = integer,
       .fallback = "10000",
       .help = "Rows for which the seconds of network and model are measured; 0: none.",
       .lowest = 0,
       .highest = 1e9}};
  return task_parameters::with(std::move(own), task_parameters::rows());
}

void check_linearize(const Values& values) {
  task_parameters::check_rows(values);
  const std::string& tune = values.text("tuning");
  const auto idle = [&](const char* name, const std::string& why) {
    if (values.given(name)) {
      throw Error(ErrorKind::usage, fmt::format("{} has no effect {}", values.where(name), why));
    }
  };
  if (tune == "none") {
    for (const char* name : of_learning) idle(name, fmt::format("if {} is none", values.keys()("tuning")));
  }
  if (tune != "logistic") idle("iterations", fmt::format("unless {} is logistic", values.keys()("tuning")));
  for (const char* name : {"test.format", "test.label"}) {
    if (!values.given("test.path")) idle(name, fmt::format("without {}", values.keys()("test.path")));
  }
  (void)penalties_of(values);
}

std::vector<double> penalties_of(const Values& values) {
  if (values.given("penalty")) return task_parameters::positive_numbers(values, "penalty");
  if (values.text("tuning") == "logistic") return {1e-5};
  return {1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1};
}

SimilarityChoice activation_of(const DenseNetwork& network, const Values& values, const std::string& path) {
  if (!network.activation.empty()) {
    for (const char* name : {"activation", "exponent", "series"}) {
      if (!values.given(name)) continue;
      throw Error(ErrorKind::usage, fmt::format("{} has no effect: {} says that the activation is {}",
                                                values.where(name), path, network.activation));
    }
    return function_by_name(network.activation);
  }
  const std::string name = values.given("activation") ? values.text("activation") : "logistic";
  SimilarityChoice activation = function_by_name(name);
  for (const auto& [own, of] : {std::pair("exponent", "power"), std::pair("series", "series")}) {
    if (values.given(own) && name != of) {
      throw Error(ErrorKind::usage, fmt::format("{} has no effect if the activation is {}", values.where(own), name));
    }
  }
  if (name == "series" && !values.given("series")) static_cast<void>(values.required("series"));
  if (values.given("exponent")) activation.set("exponent", values.text("exponent"));
  if (values.given("series")) activation.set("coefficients", values.text("series"));
  check_parameters(activation);
  return activation;
}

}  // namespace cairn
