// What a part of a run takes, by item and stage.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// Bytes that live together under one name.
struct CostItem {
  std::string name;
  Index bytes = 0;
};

/// What lives during one stage of a run, beside what lives throughout.
struct CostStage {
  std::string name;
  std::vector<CostItem> own{};     ///< of the rank that holds most
  std::vector<CostItem> shared{};  ///< once per node
};

/// The sum. Local.
[[nodiscard]] inline Index total(const std::vector<CostItem>& items) {
  Index bytes = 0;
  for (const CostItem& item : items) bytes += item.bytes;
  return bytes;
}

}  // namespace cairn
