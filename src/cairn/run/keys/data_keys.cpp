// The keys of the kinds of data, from their descriptors.
#include "cairn/run/keys/data_keys.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "cairn/parameters/merged_parameters.hpp"
#include "cairn/run/keys/unused_keys.hpp"

namespace cairn {

namespace {

using Names = std::vector<std::string>;

// Keys that some kinds list, each once, in the order of the section.
Names listed_keys(Names DataKind::*list) {
  std::set<std::string> listed;
  for (const DataKind* kind : data_kinds()) listed.insert((kind->*list).begin(), (kind->*list).end());
  Names keys;
  for (const Parameter& key : data_section().options) {
    if (listed.contains(key.name.substr(data_prefix.size()))) keys.push_back(key.name);
  }
  return keys;
}

// Kinds to which each key belongs.
std::map<std::string, Names> kinds_of_key() {
  std::map<std::string, Names> kinds;
  for (const DataKind* kind : data_kinds()) {
    for (const Parameter& own : kind->parameters) kinds[data_prefix + own.name].push_back(kind->name);
  }
  return kinds;
}

}  // namespace

Section data_section() {
  Names names;
  std::vector<ParameterOwner> owners;
  for (const DataKind* kind : data_kinds()) {
    names.push_back(kind->name);
    owners.push_back({kind->name, &kind->parameters});
  }
  Section section{"data",
                  {{.name = data_key,
                    .value = "KIND",
                    .type = ValueType::choice,
                    .fallback = names.front(),
                    .help = "What the objects are; 'cairn help data KIND' prints what one kind takes.",
                    .choices = names}}};
  for (Parameter& key : merged_parameters(data_prefix, owners)) section.options.push_back(std::move(key));
  return section;
}

Names with(Names keys, const Names& others) {
  keys.insert(keys.end(), others.begin(), others.end());
  return keys;
}

Names new_object_keys() {
  Names keys = {data_key};
  for (std::string& key : listed_keys(&DataKind::of_new_objects)) keys.push_back(std::move(key));
  return keys;
}

Names place_keys() { return listed_keys(&DataKind::of_places); }

const DataKind& data_kind(const Settings& settings) {
  return settings.knows(data_key) ? data_kind_named(settings.text(data_key)) : *data_kinds().front();
}

Values data_values(const Settings& settings) { return Values(data_kind(settings).parameters, settings, data_prefix); }

void clear_data_source(Settings& settings) {
  for (const DataKind* kind : data_kinds()) {
    for (const char* name : {"path", "format", "dataset", "generate"}) settings.clear(data_prefix + name);
    for (const std::string& name : kind->of_generators) settings.clear(data_prefix + name);
  }
}

void take_texts_for_paths(Settings& settings) {
  const DataKind& kind = data_kind(settings);
  if (kind.paths == nullptr || !settings.knows(data_prefix + "path")) return;
  for (const std::string& name : kind.paths(data_values(settings))) {
    if (settings.knows(data_prefix + name)) settings.take_for_path(data_prefix + name);
  }
}

void add_unused_data_keys(UnusedKeys& idle) {
  const Settings& settings = idle.settings();
  const DataKind& kind = data_kind(settings);
  for (const auto& [key, owners] : kinds_of_key()) {
    if (!contains(owners, kind.name)) idle.add(key, fmt::format("{} is {}", data_key, kind.name));
  }
  const Values values = data_values(settings);
  for (const UnusedParameter& unused : unused_parameters(kind, values)) {
    idle.add(data_prefix + unused.name, unused.why);
  }
  check_choices(kind, values);
}

}  // namespace cairn
