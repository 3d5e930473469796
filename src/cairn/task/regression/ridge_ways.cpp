#include "cairn/task/regression/ridge_ways.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"

namespace cairn {

namespace {

constexpr const char* choice_name = "krr-method";

bool has(const RidgeWay& way, const std::string& parameter) {
  return std::ranges::any_of(way.parameters, [&](const Parameter& own) { return own.name == parameter; });
}

}  // namespace

const std::vector<const RidgeWay*>& ridge_ways() {
  static const std::vector<const RidgeWay*> all = {&factor_ridge(), &full_ridge(), &center_ridge(), &chosen_ridge()};
  return all;
}

const RidgeWay& ridge_way(const Values& values) {
  const std::string& name = values.text(choice_name);
  return **std::ranges::find(ridge_ways(), name, [](const RidgeWay* way) { return way->name; });
}

std::vector<Parameter> ridge_way_parameters() {
  Parameter choice{.name = choice_name,
                   .value = "NAME",
                   .type = ValueType::choice,
                   .fallback = ridge_ways().front()->name,
                   .help = "How the regression is computed."};
  std::vector<Parameter> all;
  for (const RidgeWay* way : ridge_ways()) {
    choice.choices.push_back(way->name);
    choice.help += fmt::format(" {}: {}", way->name, way->help);
    for (const Parameter& own : way->parameters) {
      if (std::ranges::find(all, own.name, &Parameter::name) == all.end()) all.push_back(own);
    }
  }
  all.insert(all.begin(), std::move(choice));
  return all;
}

void check_ridge_way(const Values& values, std::size_t results) {
  const RidgeWay& way = ridge_way(values);
  if (results > 1 && !way.several) {
    throw Error(ErrorKind::usage,
                fmt::format("{} {} takes one result, not {}", values.where(choice_name), way.name, results));
  }
  if (way.check != nullptr) way.check(values);
  for (const RidgeWay* other : ridge_ways()) {
    for (const Parameter& parameter : other->parameters) {
      if (!values.given(parameter.name) || has(way, parameter.name)) continue;
      throw Error(ErrorKind::usage, fmt::format("{} has no effect with {} {}", values.where(parameter.name),
                                                values.keys()(choice_name), way.name));
    }
  }
}

std::vector<Parameter> ridge_iteration_parameters() {
  return {
      {.name = "target-residual",
       .value = "NUMBER",
       .type = ValueType::number,
       .fallback = "1e-6",
       .help = "Regression by iteration ends when the norm of the residual is this share of the norm of the "
               "targets less their means; on centers, both in the norm of the preconditioner, and 1e-3 in single "
               "precision unless it is given.",
       .lowest = 1e-14,
       .highest = 0.5},
      {.name = "max-iterations",
       .value = "N",
       .type = ValueType::integer,
       .fallback = "200",
       .help =
           "Regression by iteration makes at most so many iterations; if they do not suffice, it ends with an error.",
       .lowest = 1}};
}

}  // namespace cairn
