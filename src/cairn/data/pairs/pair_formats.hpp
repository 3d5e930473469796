// Files of pairs, one format each. Private to this folder.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cairn/data/pairs/pair_reader.hpp"
#include "cairn/data/trees/tree_labels.hpp"
#include "cairn/data/trees/tree_records.hpp"

namespace cairn {

/// This rank's pairs.
struct ParsedPairs {
  RowPartition partition;
  PairForm form;
  std::shared_ptr<TreeLabels> labels;  ///< what labels of nodes are numbers in
  TreeRecords records;                 ///< forests: left and right of each name in turn; the numbers are the features
  ObjectTexts texts;
  Index skipped = 0;
  /// Computes the features of this rank's pairs once labels have vectors; null: they are there. Local.
  std::function<void(const TreeLabels&, TreeRecords&)> features{};
};

/// Puts shared numbers in place of those that one rank gave labels. Local.
void renumber_labels(const std::vector<std::int32_t>& numbers, TreeRecords& records);

/// @throws as read_pairs. Collective.
[[nodiscard]] ParsedPairs parse_semeval_pairs(const Communicator& communicator, const PairSource& source);
[[nodiscard]] ParsedPairs parse_kelp_pairs(const Communicator& communicator, const PairSource& source);

}  // namespace cairn
