#include "cairn/run/keys/similarity_keys.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/parameters/merged_parameters.hpp"
#include "cairn/parameters/suggestion.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/run/keys/data_keys.hpp"
#include "cairn/run/keys/defaults.hpp"
#include "cairn/run/keys/key_names.hpp"
#include "cairn/run/request/run_request.hpp"

namespace cairn {

namespace {

using Names = std::vector<std::string>;

template <class Which>
Names names_of(Which which) {
  Names names;
  for (const SimilarityDescriptor* similarity : similarities()) {
    if (which(*similarity)) names.push_back(similarity->name);
  }
  return names;
}

template <class Which>
std::vector<Parameter> keys_of_similarities(const std::string& prefix, Which which) {
  std::vector<ParameterOwner> owners;
  for (const SimilarityDescriptor* similarity : similarities()) {
    if (which(*similarity)) owners.push_back({similarity->name, &similarity->parameters});
  }
  return merged_parameters(prefix, owners);
}

bool can_be_part(const SimilarityDescriptor& similarity) { return similarity.traits.part; }
bool any(const SimilarityDescriptor& /*similarity*/) { return true; }

std::vector<SimilarityChoice> parts_of(const Settings& settings) {
  std::vector<SimilarityChoice> parts;
  for (const std::string& name : comma_list(settings.required("similarity.parts"))) {
    const Names possible = names_of(can_be_part);
    if (!contains(possible, name)) {
      throw Error(ErrorKind::usage, fmt::format("{}: no similarity that can be a part is called '{}'{}",
                                                settings.where("similarity.parts"), name, suggestion(name, possible)));
    }
    if (parts.size() == static_cast<std::size_t>(largest_part)) {
      throw Error(ErrorKind::usage,
                  fmt::format("{} has more than {} parts", settings.where("similarity.parts"), largest_part));
    }
    const SimilarityDescriptor& part = similarity_named(name);
    const std::string prefix = fmt::format("similarity.{}.", parts.size() + 1);
    parts.emplace_back(part, Values(part.parameters, settings, prefix));
  }
  return parts;
}

}  // namespace

Section similarity_section() {
  Section section{"similarity",
                  {{.name = "similarity.kind",
                    .value = "KIND",
                    .type = ValueType::choice,
                    .help = "The similarity or distance of two objects." + defaults_help(similarities()),
                    .choices = names_of(any)}}};
  for (Parameter& key : keys_of_similarities("similarity.", any)) section.options.push_back(std::move(key));
  for (Parameter& key : reuse_parameters(output_keys)) {
    key.name = similarity_keys(key.name);
    section.options.push_back(std::move(key));
  }
  return section;
}

std::vector<Parameter> part_keys(int part) {
  return keys_of_similarities(fmt::format("similarity.{}.", part), can_be_part);
}

const std::map<std::string, Names>& similarities_of_parameter() {
  static const std::map<std::string, Names> owners = [] {
    std::map<std::string, Names> all;
    for (const SimilarityDescriptor* similarity : similarities()) {
      for (const Parameter& own : similarity->parameters) all[own.name].push_back(similarity->name);
    }
    all["reuse"] = functions_of_distances();
    for (const std::string& name : functions_of_counts()) all["reuse"].push_back(name);
    return all;
  }();
  return owners;
}

const std::map<std::string, Names>& similarities_of_output() {
  static const std::map<std::string, Names> owners = [] {
    std::map<std::string, Names> all;
    for (const SimilarityDescriptor* similarity : similarities()) {
      for (const Parameter& own : similarity->output) all["output." + own.name].push_back(similarity->name);
    }
    return all;
  }();
  return owners;
}

std::string similarity_kind(const Settings& settings) {
  const std::string key = similarity_keys("kind");
  const SimilarityDescriptor* usual = default_of(similarities(), data_kind(settings).objects);
  return settings.given(key) || usual == nullptr ? settings.required(key) : usual->name;
}

SimilarityChoice similarity_choice(const Settings& settings) {
  const SimilarityDescriptor& chosen = similarity_named(similarity_kind(settings));
  SimilarityChoice choice(chosen, Values(chosen.parameters, settings, "similarity."));
  if (chosen.traits.composite) choice.parts = parts_of(settings);
  // A matrix that is the data need not be named twice.
  if (data_kind(settings).objects == objects::matrix_rows && chosen.traits.stored && !chosen.traits.runs_program &&
      !choice.values.given("path")) {
    for (const char* name : {"path", "format", "dataset", "triangle"}) {
      const std::string& text = settings.text(std::string("data.") + name);
      if (!text.empty()) choice.set(name, text);
    }
  }
  return choice;
}

}  // namespace cairn
