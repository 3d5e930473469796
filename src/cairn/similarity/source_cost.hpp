// Cost of rows of K from one object to all others.
#pragma once

#include <vector>

#include "cairn/base/cost.hpp"

namespace cairn {

/// Sizes that determine the cost.
struct SourceCostInput {
  Index objects = 0;
  Index points_bytes = 0;  ///< of all points in the precision of the run; 0 if objects are not points
  Index value_bytes = 8;   ///< of a value in the precision of the run
  bool weighted = false;   ///< edges of the graph have weights
  bool directed = false;   ///< the two arcs of an edge have lengths of their own
  bool squared = false;    ///< squares of the values are kept
};

struct SourceCost {
  Index batch = 1;                      ///< SourceTraits::batch
  Index value_bytes = 8;                ///< bytes of a stored value between landmarks
  bool symmetric = true;                ///< only half of the values between landmarks are evaluated
  std::vector<CostItem> shared{};       ///< for the lifetime of the similarity
  std::vector<CostItem> making{};       ///< on one rank of a node, while it makes shared data
  std::vector<CostItem> making_once{};  ///< once per node, meanwhile
  std::vector<CostStage> checks{};      ///< after construction
  std::vector<CostItem> between{};      ///< per rank, while rows between landmarks are evaluated
  std::vector<CostItem> pairs{};        ///< once per node, where many pairs are asked for
  Index search_bytes = 0;               ///< per thread, while it evaluates whole rows
  Index search_row_bytes = 0;           ///< per row of the rank in addition
};

}  // namespace cairn
