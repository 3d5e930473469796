// Memory cost of a part of a run, by item and stage.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// Bytes that are held together under one name.
struct CostItem {
  std::string name;
  Index bytes = 0;
};

/// Memory held during one stage of a run, in addition to what is held throughout.
struct CostStage {
  std::string name;
  std::vector<CostItem> own{};     ///< on the rank that holds the most
  std::vector<CostItem> shared{};  ///< once per node
};

/// Sum of the bytes. Local.
[[nodiscard]] inline Index total(const std::vector<CostItem>& items) {
  Index bytes = 0;
  for (const CostItem& item : items) bytes += item.bytes;
  return bytes;
}

}  // namespace cairn
