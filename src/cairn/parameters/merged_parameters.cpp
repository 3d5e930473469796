#include "cairn/parameters/merged_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"

namespace cairn {

namespace {

// One parameter of several owners, with their common type and their widest range.
struct Help {
  std::string text, fallback;
  std::vector<std::string> owners;
};

struct Merged {
  Parameter parameter;
  std::vector<Help> helps;
};

template <class Bound, class Wider>
void widen(Bound& bound, const Bound& other, Wider wider) {
  if (!bound || !other) {
    bound = {};
  } else if (wider(*other, *bound)) {
    bound = other;
  }
}

void include(Merged& merged, const Parameter& parameter, const std::string& owner) {
  Parameter& all = merged.parameter;
  if (parameter.type != all.type) {
    throw Error(ErrorKind::internal, fmt::format("the parameter {} has several types", parameter.name));
  }
  all.rare = all.rare && parameter.rare;
  if (parameter.fallback != all.fallback) all.fallback.clear();  // owners have different defaults
  for (const std::string& choice : parameter.choices) {
    if (!contains(all.choices, choice)) all.choices.push_back(choice);
  }
  // If one owner has a bound and another has none, there is no common bound: each owner checks its own.
  widen(all.lowest, parameter.lowest, std::less<>());
  widen(all.above, parameter.above, std::less<>());
  widen(all.highest, parameter.highest, std::greater<>());
  widen(all.below, parameter.below, std::greater<>());
  for (Help& help : merged.helps) {
    if (help.text != parameter.help || help.fallback != parameter.fallback) continue;
    help.owners.push_back(owner);
    return;
  }
  merged.helps.push_back({parameter.help, parameter.fallback, {owner}});
}

}  // namespace

std::vector<Parameter> merged_parameters(const std::string& prefix, const std::vector<ParameterOwner>& owners) {
  std::vector<Merged> all;
  for (const ParameterOwner& owner : owners) {
    for (const Parameter& parameter : *owner.parameters) {
      auto found = std::ranges::find(all, parameter.name, [](const Merged& m) { return m.parameter.name; });
      if (found == all.end()) {
        all.push_back({parameter, {{parameter.help, parameter.fallback, {owner.name}}}});
      } else {
        include(*found, parameter, owner.name);
      }
    }
  }
  std::vector<Parameter> keys;
  for (Merged& merged : all) {
    std::string text;
    for (const Help& help : merged.helps) {
      text += fmt::format("{}{}: {}", text.empty() ? "" : " ", joined(help.owners, ", "), help.text);
      if (help.fallback != merged.parameter.fallback) text += fmt::format(" Default: {}.", help.fallback);
    }
    merged.parameter.help = text;
    merged.parameter.name = prefix + merged.parameter.name;
    keys.push_back(std::move(merged.parameter));
  }
  return keys;
}

}  // namespace cairn
