// The keys of the methods, from their descriptors.
#include "keys/method_keys.hpp"

#include "keys/data_keys.hpp"
#include "keys/merged_keys.hpp"

namespace cairn::app {

namespace {

using Names = std::vector<std::string>;

std::vector<Parameter> merged_parameters(const std::string& prefix, std::vector<Parameter> MethodDescriptor::*own) {
  std::vector<Owner> owners;
  for (const MethodDescriptor* method : methods()) owners.push_back({method->name, &(method->*own)});
  return merged_keys(prefix, owners);
}

}  // namespace

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
  for (Parameter& key : merged_parameters(method_prefix, &MethodDescriptor::parameters)) {
    section.options.push_back(std::move(key));
  }
  return section;
}

std::vector<Parameter> method_output_keys() { return merged_parameters("output.", &MethodDescriptor::output); }

const std::map<std::string, Names>& methods_of_key() {
  static const std::map<std::string, Names> owners = [] {
    std::map<std::string, Names> all;
    for (const MethodDescriptor* method : methods()) {
      for (const Parameter& own : method->parameters) all[method_prefix + own.name].push_back(method->name);
      for (const Parameter& own : method->output) all["output." + own.name].push_back(method->name);
      if (method->needs.landmarks) {
        for (const char* key : {"landmarks.selection", "landmarks.path"}) all[key].push_back(method->name);
      }
      if (method->needs.rows) continue;
      // Where entries are compared, not whole rows.
      for (const char* key : {"similarity.reuse", "output.distances", "evaluation.pairs"}) {
        all[key].push_back(method->name);
      }
    }
    return all;
  }();
  return owners;
}

const MethodDescriptor& method_of(const Settings& settings) { return method_named(method_name(settings)); }

Values method_values(const Settings& settings) {
  return Values(method_of(settings).parameters, settings, method_prefix);
}

bool method_reuses_landmarks(const Settings& settings) {
  return method_of(settings).has("reuse") && !settings.text(method_prefix + "reuse").empty();
}

bool method_takes_count(const Settings& settings) {
  const std::string& other = method_of(settings).count_parameter;
  return other.empty() || !settings.given(method_prefix + other);
}

}  // namespace cairn::app
