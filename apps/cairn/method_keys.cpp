// The keys of the methods, from their descriptors.
#include "method_keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.hpp"

namespace cairn::app {

namespace {

using Names = std::vector<std::string>;

// One parameter of several methods: its type is theirs, its range the widest of them.
struct Merged {
  Parameter parameter;
  std::vector<std::pair<std::string, Names>> helps;  // and the methods that have each
};

template <class Bound, class Wider>
void widen(Bound& bound, const Bound& other, Wider wider) {
  if (!bound || !other) {
    bound = {};
  } else if (wider(*other, *bound)) {
    bound = other;
  }
}

void include(Merged& merged, const Parameter& parameter, const std::string& method) {
  Parameter& all = merged.parameter;
  if (parameter.type != all.type || parameter.fallback != all.fallback) {
    throw Error(ErrorKind::internal, fmt::format("methods disagree about the parameter {}", parameter.name));
  }
  for (const std::string& choice : parameter.choices) {
    if (!contains(all.choices, choice)) all.choices.push_back(choice);
  }
  // Where one has a bound that is not its own value and the other has not, each method checks its own.
  widen(all.lowest, parameter.lowest, std::less<>());
  widen(all.above, parameter.above, std::less<>());
  widen(all.highest, parameter.highest, std::greater<>());
  widen(all.below, parameter.below, std::greater<>());
  for (auto& [help, owners] : merged.helps) {
    if (help != parameter.help) continue;
    owners.push_back(method);
    return;
  }
  merged.helps.push_back({parameter.help, {method}});
}

std::vector<Parameter> merged_parameters(const std::string& section, std::vector<Parameter> MethodDescriptor::*own) {
  std::vector<Merged> all;
  for (const MethodDescriptor* method : methods()) {
    for (const Parameter& parameter : method->*own) {
      auto found = std::ranges::find(all, parameter.name, [](const Merged& m) { return m.parameter.name; });
      if (found == all.end()) {
        all.push_back({parameter, {{parameter.help, {method->name}}}});
      } else {
        include(*found, parameter, method->name);
      }
    }
  }
  std::vector<Parameter> keys;
  for (Merged& merged : all) {
    std::string help;
    for (const auto& [text, owners] : merged.helps) {
      help += fmt::format("{}{}: {}", help.empty() ? "" : " ", fmt::join(owners, ", "), text);
    }
    merged.parameter.help = help;
    merged.parameter.name = section + "." + merged.parameter.name;
    keys.push_back(std::move(merged.parameter));
  }
  return keys;
}

}  // namespace

Section approximation_section() {
  std::vector<std::string> names;
  for (const MethodDescriptor* method : methods()) names.push_back(method->name);
  Section section{"approximation",
                  {{.name = method_key,
                    .value = "METHOD",
                    .type = ValueType::choice,
                    .help = "The method; by default biharmonic for a graph or mesh, else nystrom.",
                    .choices = names}}};
  for (Parameter& key : merged_parameters(section.name, &MethodDescriptor::parameters)) {
    section.options.push_back(std::move(key));
  }
  return section;
}

std::vector<Parameter> method_output_keys() { return merged_parameters("output", &MethodDescriptor::output); }

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

Values method_values(const Settings& settings) { return Values(settings, method_prefix); }

bool method_reuses_landmarks(const Settings& settings) {
  return method_of(settings).has("reuse") && !settings.text(method_prefix + "reuse").empty();
}

bool method_takes_count(const Settings& settings) {
  const std::string& other = method_of(settings).count_parameter;
  return other.empty() || !settings.given(method_prefix + other);
}

}  // namespace cairn::app
