#include "cairn/approximation/catalog/methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "cairn/approximation/biharmonic/biharmonic.hpp"
#include "cairn/approximation/catalog/auto_method.hpp"
#include "cairn/approximation/column_sampling/cur.hpp"
#include "cairn/approximation/column_sampling/nystrom.hpp"
#include "cairn/approximation/column_sampling/optimal.hpp"
#include "cairn/approximation/column_sampling/sms_nystrom.hpp"
#include "cairn/approximation/column_sampling/stacur.hpp"
#include "cairn/approximation/distance_geometry/distance_geometry.hpp"
#include "cairn/approximation/random_features/poly_tensorsketch.hpp"
#include "cairn/approximation/random_features/random_fourier.hpp"
#include "cairn/approximation/random_features/wme.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/parameters/suggestion.hpp"

namespace cairn {

namespace {

// One line per method.
std::vector<const MethodDescriptor*>& table() {
  static std::vector<const MethodDescriptor*> all = {
      &nystrom_method(),
      &sms_nystrom_method(),
      &skeleton_method(),
      &sicur_method(),
      &stacur_method(),
      &optimal_method(),
      &auto_method(),
      &word_movers_embedding_method(),
      &random_fourier_method(),
      &poly_tensorsketch_method(),
      &biharmonic_method(),
      &build_up_method(),
      &divide_and_conquer_method(),
      &algebraic_method(),
      &adam_method(),
  };
  return all;
}

}  // namespace

bool MethodDescriptor::has(const std::string& parameter) const {
  return std::ranges::any_of(parameters, [&](const Parameter& own) { return own.name == parameter; });
}

const std::vector<const MethodDescriptor*>& methods() { return table(); }

const MethodDescriptor& method_named(const std::string& name) {
  std::vector<std::string> names;
  for (const MethodDescriptor* method : table()) {
    if (method->name == name) return *method;
    names.push_back(method->name);
  }
  throw Error(ErrorKind::usage, fmt::format("no method is called '{}'{}", name, suggestion(name, names)));
}

void add_method(const MethodDescriptor& method) {
  if (std::ranges::any_of(table(), [&](const auto* other) { return other->name == method.name; })) {
    throw Error(ErrorKind::usage, fmt::format("there is a method called '{}'", method.name));
  }
  table().push_back(&method);
}

void check_parameters(const MethodDescriptor& method, const Values& values, const ProblemShape& shape) {
  for (const Parameter& parameter : method.parameters) {
    if (values.given(parameter.name)) check_value(parameter, values.text(parameter.name), values.where(parameter.name));
  }
  if (shape.rectangular && !method.rectangular) {
    std::vector<std::string> others;
    for (const MethodDescriptor* other : table()) {
      if (other->rectangular) others.push_back(other->name);
    }
    throw Error(ErrorKind::usage, fmt::format("the method {} needs a K with the same objects in rows and columns, and "
                                              "here the columns are other objects (V); methods for it: {}",
                                              method.name, joined(others, ", ")));
  }
  if (method.check != nullptr) method.check(values, shape);
}

template <class T>
Approximation<T> approximate(const MethodDescriptor& method, Problem<T> problem) {
  const auto landmarks = static_cast<Index>(problem.landmarks.indices.size());
  const Index count = landmarks > 0 ? landmarks : problem.count;
  check_parameters(method, problem.parameters,
                   {.objects = problem.objects.size(),
                    .landmarks = count,
                    .rectangular = problem.right != nullptr,
                    .by_source = problem.similarity.by_source() != nullptr});
  if (method.needs.landmarks && landmarks == 0) {
    throw Error(ErrorKind::usage, fmt::format("the method {} needs at least 1 landmark", method.name));
  }
  if (!method.takes_factor) problem.landmarks.factor.reset();
  const bool symmetrize = method.has("symmetrize-result") && problem.parameters.flag("symmetrize-result");
  const Meaning meaning = problem.similarity.traits().meaning;
  Approximation<T> result;
  if constexpr (std::is_same_v<T, float>) {
    result = method.run_single(std::move(problem));
  } else {
    result = method.run_double(std::move(problem));
  }
  if (result.report.method.empty()) result.report.method = method.name;
  result.meaning = meaning;
  result.symmetrize = symmetrize && !result.symmetric;
  return result;
}

template Approximation<float> approximate(const MethodDescriptor&, Problem<float>);
template Approximation<double> approximate(const MethodDescriptor&, Problem<double>);

}  // namespace cairn
