#include "cairn/similarity/catalog/similarities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <type_traits>

#include "cairn/base/error.hpp"
#include "cairn/parameters/suggestion.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/similarity/catalog/composite_similarity.hpp"
#include "cairn/similarity/cooccurrence/pmi.hpp"
#include "cairn/similarity/external/external_similarity.hpp"
#include "cairn/similarity/geodesic/geodesic.hpp"
#include "cairn/similarity/numbered_similarities.hpp"
#include "cairn/similarity/pairs/pair_similarity.hpp"
#include "cairn/similarity/points/point_similarities.hpp"
#include "cairn/similarity/sequences/sequence_similarities.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "cairn/similarity/trees/tree_features.hpp"
#include "cairn/similarity/trees/tree_similarities.hpp"
#include "cairn/similarity/word_movers/word_movers_distance.hpp"

namespace cairn {

namespace {

// All similarities.
std::vector<const SimilarityDescriptor*>& table() {
  static std::vector<const SimilarityDescriptor*> all = {
      &rbf_similarity(),           &laplacian_similarity(),    &polynomial_similarity(),    &linear_similarity(),
      &cosine_similarity(),        &sigmoid_similarity(),      &matern_similarity(),        &euclidean_similarity(),
      &matrix_similarity(),        &noise_similarity(),        &wmd_similarity(),           &wmd_distance_similarity(),
      &sum_similarity(),           &product_similarity(),      &path_length_similarity(),   &geodesic_similarity(),
      &external_similarity(),      &pmi_similarity(),          &function_similarity(),      &subtree_similarity(),
      &subset_tree_similarity(),   &partial_tree_similarity(), &smoothed_tree_similarity(), &subsequence_similarity(),
      &edit_distance_similarity(), &edit_similarity(),
  };
  return all;
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

// Part of a composite, as its resolved parameters describe it.
struct StoredPart {
  std::string name;
  std::string weight;
  Pairs pairs;
};

}  // namespace

const std::vector<const SimilarityDescriptor*>& similarities() { return table(); }

const SimilarityDescriptor& similarity_named(const std::string& name) {
  std::vector<std::string> names;
  for (const SimilarityDescriptor* similarity : table()) {
    if (similarity->name == name) return *similarity;
    names.push_back(similarity->name);
  }
  throw Error(ErrorKind::usage, fmt::format("no similarity is called '{}'{}", name, suggestion(name, names)));
}

void add_similarity(const SimilarityDescriptor& similarity) {
  if (std::ranges::any_of(table(), [&](const auto* other) { return other->name == similarity.name; })) {
    throw Error(ErrorKind::usage, fmt::format("there is a similarity called '{}'", similarity.name));
  }
  table().push_back(&similarity);
}

SimilarityChoice::SimilarityChoice(const std::string& name) : SimilarityChoice(similarity_named(name)) {}

SimilarityChoice::SimilarityChoice(const SimilarityDescriptor& chosen)
    : descriptor(&chosen), values(chosen.parameters) {}

SimilarityChoice& SimilarityChoice::set(const std::string& name, const std::string& text) {
  values = values.with(name, text);
  return *this;
}

const std::string& SimilarityChoice::name() const { return descriptor->name; }

SimilarityTraits SimilarityChoice::traits() const {
  SimilarityTraits result = descriptor->traits;
  if (descriptor->refine != nullptr) descriptor->refine(values, result);
  if (!result.composite) return result;
  result.whole_rows = true;
  for (const SimilarityChoice& part : parts) {
    const SimilarityTraits own = part.traits();
    result.distance |= own.distance;
    result.word_vectors |= own.word_vectors;
    result.stored |= own.stored;
    result.whole_rows &= own.whole_rows;
    result.evaluations_per_entry = std::max(result.evaluations_per_entry, own.evaluations_per_entry);
  }
  return result;
}

void check_parameters(const SimilarityChoice& choice) {
  for (const Parameter& parameter : choice.descriptor->parameters) {
    const Values& values = choice.values;
    if (values.given(parameter.name)) check_value(parameter, values.text(parameter.name), values.where(parameter.name));
  }
  if (choice.descriptor->check != nullptr) choice.descriptor->check(choice);
  for (const SimilarityChoice& part : choice.parts) check_parameters(part);
}

SimilarityChoice from_resolved(const std::string& name, const Pairs& resolved) {
  try {
    SimilarityChoice choice(name);
    std::map<Index, StoredPart> parts;
    for (const auto& [key, value] : resolved) {
      const auto dot = key.find('.');
      if (dot == std::string::npos) {
        if (!value.empty()) choice.set(key, value);
        continue;
      }
      const auto number = parse_integer(key.substr(0, dot));
      if (!number) throw Error(ErrorKind::usage, fmt::format("'{}' does not begin with the number of a part", key));
      StoredPart& part = parts[*number];
      const std::string rest = key.substr(dot + 1);
      if (rest == "kind") {
        part.name = value;
      } else if (rest == "weight") {
        part.weight = value;
      } else {
        part.pairs.emplace_back(rest, value);
      }
    }
    std::vector<std::string> weights;
    for (const auto& [position, part] : parts) {
      if (part.name.empty()) throw Error(ErrorKind::usage, fmt::format("{}.kind is missing", position));
      choice.parts.push_back(from_resolved(part.name, part.pairs));
      if (!part.weight.empty()) weights.push_back(part.weight);
    }
    if (!weights.empty()) choice.set("weights", fmt::format("{}", fmt::join(weights, ",")));
    // Only distances store their meaning. Setting it avoids another check of the values.
    const auto& own = choice.descriptor->parameters;
    if (std::ranges::find(own, "meaning", &Parameter::name) != own.end() && !choice.values.given("meaning")) {
      choice.set("meaning", "similarity");
    }
    return choice;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    throw Error(ErrorKind::input, fmt::format("resolved parameters of the similarity {}: {}", name, error.what()));
  }
}

template <class T>
std::unique_ptr<Similarity<T>> make_similarity(const Execution& execution, const SimilarityChoice& choice,
                                               const ObjectSet& objects) {
  check_parameters(choice);
  MakeSimilarity<T> make = nullptr;
  if constexpr (std::is_same_v<T, float>) {
    make = choice.descriptor->make_single;
  } else {
    make = choice.descriptor->make_double;
  }
  if (make == nullptr) {
    throw Error(ErrorKind::usage, fmt::format("the similarity {} comes from one object to all others", choice.name()));
  }
  const auto* pairs = dynamic_cast<const PairSet*>(&objects);
  if (pairs == nullptr) refuse_pair_parameters(choice);
  const auto* trees = dynamic_cast<const TreeSet*>(&objects);
  auto similarity = pairs != nullptr && !choice.descriptor->traits.composite
                        ? make_pair_similarity<T>(execution, choice, *pairs, make)
                    : trees != nullptr && compares_points(choice)
                        ? make_feature_similarity<T>(execution, choice, *trees, make)
                        : make({execution, choice, objects});
  if (similarity->traits().base.empty() != (similarity->base_distance() == nullptr)) {
    throw Error(ErrorKind::internal, fmt::format("the similarity {} names a distance and has none, or has one without "
                                                 "name",
                                                 choice.name()));
  }
  similarity->set_keys(choice.values.keys());
  return similarity;
}

template std::unique_ptr<Similarity<float>> make_similarity(const Execution&, const SimilarityChoice&,
                                                            const ObjectSet&);
template std::unique_ptr<Similarity<double>> make_similarity(const Execution&, const SimilarityChoice&,
                                                             const ObjectSet&);

std::unique_ptr<SourceSimilarity> make_source_similarity(const SimilarityChoice& choice, const SourceInput& input) {
  check_parameters(choice);
  if (choice.descriptor->make_source == nullptr) {
    throw Error(ErrorKind::usage, fmt::format("the similarity {} does not come by single sources", choice.name()));
  }
  return choice.descriptor->make_source(input);
}

}  // namespace cairn
