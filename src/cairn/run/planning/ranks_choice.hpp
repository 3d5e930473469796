// Seconds and node hours of a run by its number of ranks.
#pragma once

#include <functional>
#include <vector>

#include "cairn/plan/links.hpp"
#include "cairn/plan/plan_model.hpp"

namespace cairn {

/// A plan for one number of ranks.
struct RanksRow {
  NodeLayout places;
  bool possible = true;  ///< false: sizes on a rank exceed 32-bit integers of libraries; what follows is then 0
  bool fits = true;      ///< its memory, on each node
  Index node_bytes = 0;  ///< of all ranks of a node, shared memory counted once
  Index rank_bytes = 0;  ///< of the largest rank, shared memory included: what run.memory is compared with
  double seconds = 0;
  double node_hours = 0;
};

/// Node hours of the recommended number over the least ones.
inline constexpr double most_node_hours = 1.5;

/// Plans for 1, 2, 4, ... ranks and for those of the input, on nodes of `places.on_a_node()` ranks. @param there  bytes
/// of a node @param seconds  of a plan for these places. Local.
[[nodiscard]] std::vector<RanksRow> rows_by_ranks(
    const PlanInput& input, const NodeLayout& places, Index there,
    const std::function<double(const PlanInput&, const Plan&, const NodeLayout&)>& seconds);

/// The most ranks that take at most most_node_hours times the node hours of the cheapest, among rows that fit; null if
/// none does. Local.
[[nodiscard]] const RanksRow* recommended(const std::vector<RanksRow>& rows);

/// The least ranks that fit; null if none do. Local.
[[nodiscard]] const RanksRow* smallest_fit(const std::vector<RanksRow>& rows);

}  // namespace cairn
