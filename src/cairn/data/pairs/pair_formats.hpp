// Readers of pair files, one per format. Private to this folder.
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

/// The pairs of this rank.
struct ParsedPairs {
  RowPartition partition;
  PairForm form;
  std::shared_ptr<TreeLabels> labels;  ///< the table of node labels, by number
  TreeRecords records;                 ///< forests: left and right of each name in turn; the numbers are the features
  ObjectTexts texts;
  Index skipped = 0;
  /// Computes the features of this rank's pairs once labels have vectors; null: they exist already. Local.
  std::function<void(const TreeLabels&, TreeRecords&)> features{};
};

/// Replaces the label numbers of one rank by shared numbers. Local.
void renumber_labels(const std::vector<std::int32_t>& numbers, TreeRecords& records);

/// @throws as read_pairs. Collective.
[[nodiscard]] ParsedPairs parse_semeval_pairs(const Communicator& communicator, const PairSource& source);
[[nodiscard]] ParsedPairs parse_kelp_pairs(const Communicator& communicator, const PairSource& source);

}  // namespace cairn
