#include "cairn/task/task_parameters.hpp"

#include <fmt/format.h>

#include "cairn/base/error.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn::task_parameters {

std::vector<Parameter> with(std::vector<Parameter> own, const std::vector<Parameter>& more) {
  own.insert(own.end(), more.begin(), more.end());
  return own;
}

std::vector<Parameter> rows() {
  return {{.name = "train-fraction",
           .value = "NUMBER",
           .type = ValueType::number,
           .help = "Train on each row with this probability, and score on the others; by default on the splits train "
                   "and test of the data, and if they have none, on all rows that have a target.",
           .lowest = 0,
           .highest = 1},
          {.name = "train-rows",
           .value = "FILE",
           .type = ValueType::input_path,
           .help = "Train on these rows, numbers from 0, one a line, and score on the others that have a target."},
          {.name = "split",
           .value = "FILE",
           .type = ValueType::input_path,
           .help = "Train and score on the rows that this file says: a line for each row of the data, which is train, "
                   "test, or - for neither."}};
}

void check_rows(const Values& values) {
  std::string first;
  for (const Parameter& parameter : rows()) {
    if (!values.given(parameter.name)) continue;
    if (!first.empty()) {
      throw Error(ErrorKind::usage,
                  fmt::format("{} and {} exclude each other", values.where(first), values.where(parameter.name)));
    }
    first = parameter.name;
  }
  if (values.given("train-fraction") && !(values.number("train-fraction") > 0.0)) {
    throw Error(ErrorKind::usage, values.where("train-fraction") + " must be above 0");
  }
}

std::string undrawn_rows(const Values& values) {
  const std::string fraction = rows().front().name;
  return values.given(fraction) ? "" : fmt::format("without {}", values.keys()(fraction));
}

std::vector<Parameter> targets() {
  return {{.name = "targets",
           .value = "FILE[:COLUMN]",
           .help = "The values to learn: a CSV file with a line for each row of the data, and which of its columns, by "
                   "name or number from 1, with commas between several; by default all of them. Without a file the "
                   "labels of the data are learned."},
          {.name = "targets-key",
           .value = "COLUMN",
           .help = "The column of the targets that holds labels of rows: values go to the rows with the same label, "
                   "and rows without value are ignored. By default values are in the order of the rows."}};
}

void check_targets(const Values& values) {
  if (!values.given("targets-key") || values.given("targets")) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} has no effect without {}", values.where("targets-key"), values.keys()("targets")));
}

Parameter folds() {
  return {.name = "folds",
          .value = "N",
          .type = ValueType::integer,
          .fallback = "5",
          .help =
              "Folds of cross-validation, stratified by class; if it is given, a single candidate is validated, "
              "too.",
          .lowest = 2,
          .highest = 1e6};
}

Parameter tolerance(const std::string& library, const std::string& fallback) {
  return {.name = "tolerance",
          .value = "NUMBER",
          .type = ValueType::number,
          .fallback = fallback,
          .help = fmt::format("How near the optimum {} stops, by a measure of its own; above 0.", library)};
}

void check_tolerance(const Values& values) {
  if (values.number("tolerance") > 0.0) return;
  throw Error(ErrorKind::usage, values.where("tolerance") + " must be above 0");
}

std::vector<double> positive_numbers(const Values& values, const std::string& name) {
  std::vector<double> numbers;
  for (const std::string& text : comma_list(values.required(name))) {
    const auto value = parse_number(text);
    if (!value || !(*value > 0.0)) {
      throw Error(ErrorKind::usage,
                  fmt::format("{} {}: each must be a number above 0", values.where(name), values.text(name)));
    }
    numbers.push_back(*value);
  }
  return numbers;
}

}  // namespace cairn::task_parameters
