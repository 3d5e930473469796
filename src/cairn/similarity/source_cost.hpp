// What rows of K from one object to all others take.
#pragma once

#include <vector>

#include "cairn/base/cost.hpp"

namespace cairn {

/// Sizes that it depends on.
struct SourceCostInput {
  Index objects = 0;
  Index points_bytes = 0;  ///< of all points in the precision of the run; 0 where objects are no points
  Index value_bytes = 8;   ///< of a value in the precision of the run
  bool weighted = false;   ///< edges of the graph have lengths
  bool squared = false;    ///< squares of the values are kept
};

struct SourceCost {
  Index batch = 1;                      ///< SourceTraits::batch
  Index value_bytes = 8;                ///< of a value between landmarks, as it is kept
  bool symmetric = true;                ///< only half of the values between landmarks are evaluated
  std::vector<CostItem> shared{};       ///< as long as the similarity lives
  std::vector<CostItem> making{};       ///< of one rank of a node, while it makes what is shared
  std::vector<CostItem> making_once{};  ///< once per node, meanwhile
  std::vector<CostStage> checks{};      ///< after it is made
  std::vector<CostItem> between{};      ///< of a rank, while rows between landmarks are evaluated
  Index search_bytes = 0;               ///< of a thread, while it evaluates whole rows
  Index search_row_bytes = 0;           ///< the same, for each row of the rank
};

}  // namespace cairn
