#include "cairn/plan/near_plan.hpp"

#include <algorithm>

#include "cairn/approximation/near/near_candidates.hpp"
#include "cairn/evaluation/near_check.hpp"
#include "cairn/evaluation/near_search.hpp"
#include "cairn/similarity/word_movers/nearest_texts.hpp"

namespace cairn {

namespace {

Index candidates(const PlanInput& input) {
  return input.near_exact ? input.near : near_candidate_count(input.data.objects, input.near);
}

// Distances that an exact search evaluates for one neighbor: measured, 3 among tweets, 12 among recipes.
constexpr Index searched_a_kept = 12;
// Seconds that the lower bound of one pair of texts takes: measured among recipes.
constexpr double bound_seconds = 6e-9;

Index searched(const PlanInput& input) {
  if (!input.near_exact) return 0;
  return input.data.objects * std::min(searched_a_kept * input.near, input.data.objects - 1);
}

}  // namespace

CostStage near_stage(const PlanInput& input) {
  const Index rows = own_rows(input);
  if (input.near_exact) {
    return {"near entries",
            {{"near entries: candidates", rows * candidates(input) * candidate_bytes},
             {"near entries: texts that others are compared with", rows * input.data.document_bytes},
             {"near entries: bounds of distances", nearest_texts_bytes()}}};
  }
  const Index columns = std::min(candidate_columns(rows), input.data.objects);
  return {"near entries",
          {{"near entries: candidates", rows * candidates(input) * candidate_bytes},
           {"near entries: numbers of all objects, largest values", 8 * (input.data.objects + rows)},
           {"near entries: columns of the approximation", rows * columns * static_cast<Index>(sizeof(double))}}};
}

Index near_bytes(const PlanInput& input) {
  return own_rows(input) * (2 * input.near + 1) * (static_cast<Index>(sizeof(Index)) + input.value_bytes);
}

Index near_file_bytes(const PlanInput& input) {
  constexpr Index column_bytes = 4, start_bytes = 4;
  const Index entries = input.data.objects * (input.near + input.near / 2 + 1);
  return entries * (column_bytes + input.value_bytes) + input.data.objects * start_bytes;
}

Index near_evaluations(const PlanInput& input) {
  return (input.data.objects * (candidates(input) + 1) + searched(input)) * input.similarity.evaluations_per_entry;
}

double near_seconds(const PlanInput& input, Index width, const PlanRates& rates) {
  const auto n = static_cast<double>(input.data.objects);
  const double pairs = static_cast<double>(own_rows(input)) * n;
  const double looking =
      input.near_exact ? pairs * bound_seconds : 2 * pairs * static_cast<double>(width) / rates.flops;
  return looking + static_cast<double>(near_evaluations(input)) / input.ranks / rates.pairs;
}

double near_check_seconds(const PlanInput& input, const PlanRates& rates) {
  if (!input.checks_near) return 0.0;
  const Index evaluations =
      std::min(near_check_rows, input.data.objects) * input.data.objects * input.similarity.evaluations_per_entry;
  return static_cast<double>(evaluations) / input.ranks / rates.evaluations;
}

}  // namespace cairn
