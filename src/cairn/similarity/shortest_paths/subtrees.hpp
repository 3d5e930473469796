// Division of an elimination tree among workers. Private to this folder.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/base/mpi/row_partition.hpp"

namespace cairn {

/// Subtrees, as ranges of places, that workers take for themselves, and the places above all of them.
struct SubtreeDeal {
  std::vector<Range> subtrees;      ///< ascending
  std::vector<Index> worker;        ///< of each subtree
  std::vector<std::int32_t> above;  ///< places in none of them, ascending
};

/// The largest subtrees with at most n / (16 workers) vertices; the largest first, each to the worker with the least. A
/// single worker has none. The same on every rank. Local. Memory: 4 bytes per vertex meanwhile.
/// @param parent  by place in preorder; negative for a root
[[nodiscard]] SubtreeDeal deal_subtrees(std::span<const std::int32_t> parent, Index workers);

}  // namespace cairn
