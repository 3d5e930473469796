// The keys of the methods, from their descriptors.
#include "cairn/run/keys/method_keys.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/approximation/column_sampling/nystrom.hpp"
#include "cairn/parameters/merged_parameters.hpp"
#include "cairn/run/keys/data_keys.hpp"
#include "cairn/run/keys/defaults.hpp"

namespace cairn {

namespace {

using Names = std::vector<std::string>;

const std::string landmarks_prefix = "landmarks.";

// True for a key of the number of landmarks.
bool of_all_methods(const std::string& key) {
  const auto counts = landmark_count_parameters();
  return std::ranges::any_of(counts, [&](const Parameter& own) { return landmarks_prefix + own.name == key; });
}

}  // namespace

Section landmarks_section() {
  Section section{"landmarks", landmark_count_parameters()};
  section.options.push_back(landmark_selection_parameter());
  for (Parameter& parameter : landmark_error_parameters()) section.options.push_back(std::move(parameter));
  for (Parameter& parameter : section.options) parameter.name = landmarks_prefix + parameter.name;
  std::vector<ParameterOwner> owners;
  for (const LandmarkSelection* selection : landmark_selections()) {
    owners.push_back({selection->name, &selection->parameters});
  }
  for (Parameter& key : merged_parameters(landmarks_prefix, owners)) section.options.push_back(std::move(key));
  return section;
}

Section approximation_section() {
  std::vector<std::string> names;
  for (const MethodDescriptor* method : methods()) names.push_back(method->name);
  Section section{
      "approximation",
      {{.name = method_key,
        .value = "METHOD",
        .type = ValueType::choice,
        .help = "The method." + defaults_help(methods()) + " Otherwise the default is " + names.front() + ".",
        .choices = names}}};
  std::vector<ParameterOwner> owners;
  for (const MethodDescriptor* method : methods()) owners.push_back({method->name, &method->parameters});
  for (Parameter& key : merged_parameters(method_prefix, owners)) section.options.push_back(std::move(key));
  return section;
}

const std::map<std::string, Names>& methods_of_key() {
  static const std::map<std::string, Names> owners = [] {
    std::map<std::string, Names> all;
    for (const MethodDescriptor* method : methods()) {
      for (const Parameter& own : method->parameters) all[method_prefix + own.name].push_back(method->name);
      for (const Parameter& own : method->output) all["output." + own.name].push_back(method->name);
      if (method->needs.landmarks) {
        for (const Parameter& own : landmarks_section().options) {
          if (!of_all_methods(own.name)) all[own.name].push_back(method->name);
        }
      }
      if (method->needs.rows) continue;
      // For methods that compare entries, not whole rows.
      for (const char* key : {"similarity.reuse", "output.distances", "evaluation.pairs"}) {
        all[key].push_back(method->name);
      }
    }
    return all;
  }();
  return owners;
}

const MethodDescriptor& method_of(const Settings& settings) {
  if (settings.given(method_key)) return method_named(settings.text(method_key));
  const std::string error = landmarks_prefix + landmark_names::error;
  if (settings.knows(error) && settings.given(error)) return nystrom_method();
  const MethodDescriptor* usual = default_of(methods(), data_kind(settings).objects);
  return usual != nullptr ? *usual : *methods().front();
}

MethodChoice method_choice(const Settings& settings) { return method_choice(settings, method_of(settings)); }

MethodChoice method_choice(const Settings& settings, const MethodDescriptor& method) {
  return with_default_selection(
      {&method, Values(method.parameters, settings, method_prefix),
       Values(landmark_parameters(), settings, landmarks_prefix), fmt::format("{} = {}", method_key, method.name)},
      data_kind(settings).objects);
}

}  // namespace cairn
