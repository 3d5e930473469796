// Runs that tests plan.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cairn/approximation/catalog/methods.hpp"
#include "cairn/plan/plan_model.hpp"
#include "cairn/similarity/catalog/similarities.hpp"

namespace cairn::test::planned {

using Given = std::vector<std::pair<std::string, std::string>>;

// The method, with these values.
inline void take(PlanInput& input, const std::string& method, const Given& given = {}, bool definite = false) {
  input.method = &method_named(method);
  input.values = Values(input.method->parameters, given);
  input.similarity.definite = definite;
}

// Rows of shortest paths between vertices of a graph without lengths.
inline void take_paths(PlanInput& input) {
  const SimilarityDescriptor& paths = similarity_named("path-length");
  input.similarity = paths.traits;
  input.rows = paths.source_cost({.objects = input.data.objects, .value_bytes = input.value_bytes});
}

inline PlanInput nystrom(Index objects, Index landmarks) {
  PlanInput input;
  input.data = {.objects = objects, .dimension = 16};
  input.landmarks = landmarks;
  input.ranks = 2;
  input.baseline_bytes = 50'000'000;
  take(input, "nystrom");
  return input;
}

}  // namespace cairn::test::planned
