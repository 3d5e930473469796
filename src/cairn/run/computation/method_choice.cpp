#include "cairn/run/computation/method_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cairn/approximation/column_sampling/nystrom.hpp"
#include "cairn/approximation/method_parameters.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/data/data_kinds.hpp"
#include "cairn/landmark/landmark_count.hpp"
#include "cairn/parameters/missing_value.hpp"
#include "cairn/parameters/suggestion.hpp"

namespace cairn {

namespace {

namespace names = landmark_names;

// "uniform, farthest or file": the selections that work for any K.
std::string selections_of_any() {
  std::vector<std::string> all;
  for (const LandmarkSelection* selection : landmark_selections()) {
    if (!selection->entries && selection->objects.empty()) all.push_back(selection->name);
  }
  const std::string last = all.back();
  all.pop_back();
  return fmt::format("{} or {}", joined(all, ", "), last);
}

}  // namespace

const LandmarkSelection& MethodChoice::selection() const {
  return landmark_selection_named(landmarks.text(names::selection));
}

bool MethodChoice::reuses_landmarks() const { return method->has("reuse") && values.given("reuse"); }

bool MethodChoice::grows() const { return landmarks.given(names::error); }

bool MethodChoice::count_is_read() const {
  if (!method->needs.landmarks || reuses_landmarks()) return false;
  return (selection().counts || grows()) && !landmarks.given(names::count) && !landmarks.given(names::fraction);
}

Index MethodChoice::landmark_count(Index objects) const {
  if (reuses_landmarks()) return 0;
  if (landmarks.given(names::fraction)) {
    return std::max<Index>(1, std::llround(landmarks.number(names::fraction) * static_cast<double>(objects)));
  }
  if (count_is_read()) return 0;
  if (!landmarks.given(names::count) && method->default_count != nullptr) {
    return std::min(method->default_count(values, objects), objects);
  }
  const std::string& instead = method->count_parameter;
  if (!landmarks.given(names::count) && !instead.empty() && values.given(instead)) return 0;
  if (!landmarks.given(names::count) && method == &nystrom_method()) {
    const KeyNames& keys = landmarks.keys();
    throw MissingValue(keys(names::count), fmt::format("{} is missing; give it, or {}, from which it follows",
                                                       keys(names::count), keys(names::error)));
  }
  const Index count = landmarks.integer(names::count);
  require_landmark_count(count, objects, landmarks.keys());
  return count;
}

MethodChoice method_choice(const std::string& method, const GivenValues& given) {
  const MethodDescriptor& chosen = method_named(method);
  const std::string& prefix = landmark_names::prefix;
  const std::vector<Parameter> selecting = landmark_parameters();
  GivenValues own, of_landmarks;
  for (const Given& one : given) {
    const std::string bare = one.name.starts_with(prefix) ? one.name.substr(prefix.size()) : "";
    if (std::ranges::find(selecting, bare, &Parameter::name) != selecting.end()) {
      of_landmarks.emplace_back(bare, one.text);
    } else if (chosen.has(one.name)) {
      own.push_back(one);
    } else {
      std::vector<std::string> known;
      for (const Parameter& parameter : chosen.parameters) known.push_back(parameter.name);
      for (const Parameter& parameter : selecting) known.push_back(prefix + parameter.name);
      throw Error(ErrorKind::usage,
                  fmt::format("no parameter is called '{}'{}", one.name, suggestion(one.name, known)));
    }
  }
  const Values landmarks = Values(selecting).named(KeyNames("parameter " + prefix));
  return {&chosen, values_of(chosen.parameters, own), with_given(landmarks, of_landmarks), "the method " + method};
}

MethodChoice with_default_selection(MethodChoice choice, ObjectKind objects) {
  if (!choice.method->needs.landmarks || choice.landmarks.given(names::selection)) return choice;
  if (choice.reuses_landmarks()) return choice;
  const MethodDescriptor& method = *choice.method;
  if (!method.default_selection.empty() && std::ranges::find(method.default_for, objects) != method.default_for.end()) {
    choice.landmarks = choice.landmarks.with(names::selection, method.default_selection);
    return choice;
  }
  for (const LandmarkSelection* selection : landmark_selections()) {
    if (std::ranges::find(selection->default_for, objects) == selection->default_for.end()) continue;
    choice.landmarks = choice.landmarks.with(names::selection, selection->name);
  }
  return choice;
}

void check(const MethodChoice& choice, ProblemShape shape, const std::string& similarity,
           const SimilarityTraits& traits) {
  const auto refuse = [](const Values& values, const std::vector<UnusedParameter>& unused) {
    if (unused.empty()) return;
    throw Error(ErrorKind::usage,
                fmt::format("{} has no effect if {}", values.where(unused.front().name), unused.front().why));
  };
  refuse(choice.landmarks, unused_landmark_parameters(choice));
  shape.landmarks = choice.landmark_count(shape.objects);
  shape.by_source = traits.single_source;
  check_parameters(*choice.method, choice.values, shape);
  refuse(choice.values, unused_parameters(choice, shape));
  check_selection(choice, similarity, traits);
}

void check_selection(const MethodChoice& choice, const std::string& similarity, const SimilarityTraits& traits) {
  if (choice.method->has("store-left") && !method_parameters::stores_left(choice.values)) {
    if (choice.grows()) {
      choice.values.refuse("store-left",
                           fmt::format("= false is incompatible with {}, which adds columns to those that "
                                       "it has evaluated",
                                       choice.landmarks.where(names::error)));
    }
    if (choice.selection().evaluates) {
      choice.values.refuse("store-left",
                           fmt::format("= false is incompatible with {} = {}, which evaluates whole columns",
                                       choice.landmarks.keys()(names::selection), choice.selection().name));
    }
  }
  if (!choice.method->needs.landmarks || !choice.selection().entries) return;
  const std::string others = selections_of_any();
  if (choice.method->needs.rows) {
    choice.landmarks.refuse(names::selection,
                            fmt::format("is incompatible with {}, which takes {}", choice.called, others));
  }
  if (traits.single_source) {
    choice.landmarks.refuse(names::selection, fmt::format("needs single entries of the matrix, and {} come by whole "
                                                          "rows; it can be {}",
                                                          similarity, others));
  }
}

std::vector<UnusedParameter> unused_parameters(const MethodChoice& choice, const ProblemShape& shape) {
  if (choice.method->unused == nullptr) return {};
  return choice.method->unused(choice.values, shape);
}

std::vector<UnusedParameter> unused_landmark_parameters(const MethodChoice& choice) {
  const Values& landmarks = choice.landmarks;
  std::vector<UnusedParameter> unused;
  const auto add = [&](const std::string& name, const std::string& why) {
    if (landmarks.given(name)) unused.push_back({name, why});
  };
  if (landmarks.given(names::count)) add(names::fraction, landmarks.where(names::count) + " is given");
  if (!choice.method->needs.landmarks) {
    for (const Parameter& parameter : landmark_parameters()) {
      const bool counts = parameter.name == names::count || parameter.name == names::fraction;
      if (!counts || choice.method->default_count != nullptr)
        add(parameter.name, choice.called + " takes no landmarks");
    }
    return unused;
  }
  const LandmarkSelection& chosen = choice.selection();
  for (const Parameter& parameter : landmark_parameters()) {
    if (choice.reuses_landmarks()) {
      add(parameter.name, "P and its landmarks are taken from " + choice.values.text("reuse"));
      continue;
    }
    std::vector<std::string> owners;
    for (const LandmarkSelection* selection : landmark_selections()) {
      if (std::ranges::find(selection->parameters, parameter.name, &Parameter::name) != selection->parameters.end()) {
        owners.push_back(selection->name);
      }
    }
    if (owners.empty() || contains(owners, chosen.name)) continue;
    add(parameter.name, fmt::format("{} is {}; it belongs to {}", landmarks.keys()(names::selection), chosen.name,
                                    joined(owners, ", ")));
  }
  return unused;
}

std::vector<std::string> operators_of(ObjectKind kind) {
  for (const DataKind* data : data_kinds()) {
    if (data->objects == kind) return data->operators;
  }
  return {};
}

}  // namespace cairn
