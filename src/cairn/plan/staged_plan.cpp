#include "cairn/plan/staged_plan.hpp"

#include <algorithm>
#include <utility>

#include "cairn/evaluation/exact_error.hpp"
#include "cairn/plan/data_bytes.hpp"
#include "cairn/plan/near_plan.hpp"

namespace cairn {

namespace {

constexpr Index message_bytes = Index{16} << 20;  // of MPI and libraries once they are used, beyond the baseline

// Rows of K that are compared at the same time.
Index compared_round(const PlanInput& input) {
  return std::min(std::max<Index>(1, input.estimate.rows),
                  compared_source_rows(input.data.objects, input.rows.batch, input.ranks, input.threads));
}

StagedCost cost_of(const PlanInput& input, bool on_disk) {
  CostInput sizes = cost_input(input);
  sizes.compared_rows = input.estimate.rows;
  sizes.compared_round = compared_round(input);
  sizes.on_disk = on_disk;
  return input.method->staged_cost(input.values, sizes);
}

std::vector<CostItem> own_data(const PlanInput& input) {
  const DataSize& data = input.data;
  const Index rows = own_rows(input);
  std::vector<CostItem> items = {{"program and libraries", input.baseline_bytes + message_bytes}};
  if (!data.surface && data.dimension == 0) {
    items.push_back({"graph, its own part", graph_part_bytes(input)});
  } else {
    items.push_back({"points, its own part", rows * std::max(3 * input.value_bytes, point_bytes(input))});
  }
  return items;
}

// Memory of the first rank of a node while it creates the shared data.
CostStage similarity_stage(const PlanInput& input) {
  CostStage stage{"similarity setup", input.rows.making, input.rows.making_once};
  stage.shared.insert(stage.shared.begin(), input.rows.shared.begin(), input.rows.shared.end());
  return stage;
}

CostStage evaluation_stage(const PlanInput& input, const StagedCost& cost) {
  const Index n = input.data.objects, rows = own_rows(input), round = compared_round(input);
  const Index own_sources = (round + input.ranks - 1) / input.ranks;
  CostStage stage{"evaluation", cost.compared, {}};
  stage.own.push_back({"rows of K", own_sources * n * 8});
  stage.own.push_back({"rows of K~", round * rows * 8});
  stage.own.push_back({"searches, one a thread",
                       input.threads * (input.rows.search_bytes + own_sources * input.rows.search_row_bytes)});
  stage.own.push_back({"rows on their way", 2 * std::min(travelling_row_bytes, round * n * 8)});
  if (input.kept_bytes > 0)
    stage.own.push_back({"hierarchy for the file, its own part", input.kept_bytes / input.ranks});
  if (input.near > 0) stage.own.push_back({"near entries", near_bytes(input)});
  const Index both = std::min(symmetric_error_rows, input.estimate.rows);
  if (!input.rows.symmetric) stage.own.push_back({"rows that are compared in both directions", both * both * 16});
  return stage;
}

Plan plan_with(const PlanInput& input, const StagedCost& cost) {
  std::vector<CostStage> stages = {similarity_stage(input), cost.core_matrix};
  stages.insert(stages.end(), input.rows.checks.begin(), input.rows.checks.end());
  stages.insert(stages.end(), cost.stages.begin(), cost.stages.end());
  if (input.near > 0) {
    stages.push_back(near_stage(input));
    stages.back().own.push_back({"left factor", cost.left_bytes});
    stages.back().own.push_back({"core matrix", cost.tile_bytes});
  }
  if (input.estimate.rows > 0) stages.push_back(evaluation_stage(input, cost));
  // The similarity is created before the factors and is held beside them.
  for (CostStage& stage : std::span(stages).subspan(1)) {
    stage.shared.insert(stage.shared.end(), input.rows.shared.begin(), input.rows.shared.end());
  }
  const auto largest = std::ranges::max_element(
      stages, {}, [](const CostStage& stage) { return total(stage.own) + total(stage.shared); });
  Plan plan;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const Index owners = i == 0 ? 1 : input.ranks;
    plan.node_bytes = std::max(plan.node_bytes, total(stages[i].own) * owners + total(stages[i].shared));
  }
  std::vector<CostItem> own = own_data(input);
  if (cost.library_bytes > 0) own.push_back({method_libraries, cost.library_bytes});
  for (const CostStage& stage : stages) {
    plan.stages.push_back({stage.name, total(own) + total(cost.shared) + total(stage.own) + total(stage.shared)});
  }
  plan.peak_phase = largest->name;
  for (const auto* list :
       {&std::as_const(own), &cost.shared, &std::as_const(largest->shared), &std::as_const(largest->own)}) {
    plan.items.insert(plan.items.end(), list->begin(), list->end());
  }
  plan.peak_bytes = total(plan.items);
  plan.shared_bytes = total(cost.shared) + total(largest->shared);
  plan.node_bytes += total(own) * input.ranks + total(cost.shared);
  plan.evaluations = cost.evaluations + (input.near > 0 ? near_evaluations(input) : 0);
  plan.probe_evaluations = input.estimate.rows * input.data.objects;
  plan.result_bytes = cost.result_bytes + input.kept_bytes + (input.near > 0 ? near_file_bytes(input) : 0);
  plan.scratch_bytes = cost.scratch_bytes;
  plan.core_on_disk = cost.scratch_bytes > 0;
  return plan;
}

}  // namespace

Index staged_data_bytes(const PlanInput& input) { return own_data(input).back().bytes; }

Index work_beside_tiles(const PlanInput& input) {
  const StagedCost cost = cost_of(input, false);
  Index most = total(cost.core_matrix.own);
  if (input.estimate.rows > 0) most = std::max(most, total(evaluation_stage(input, cost).own));
  return most - cost.tile_bytes - cost.left_bytes;
}

Plan plan_stages(const PlanInput& input) {
  const StagedCost cost = cost_of(input, false);
  Plan plan = plan_with(input, cost);
  const bool too_large = input.memory_limit > 0 && plan.peak_bytes > input.memory_limit;
  return too_large && cost.may_use_disk ? plan_with(input, cost_of(input, true)) : plan;
}

}  // namespace cairn
