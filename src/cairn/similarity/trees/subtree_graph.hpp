// Graph of the distinct subtrees of some trees, in classes that a kernel compares. Private to this folder.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/base/matrix_view.hpp"
#include "cairn/similarity/trees/distinct_subtrees.hpp"

namespace cairn {

/// Nodes are numbered class by class: those of class c are [class_start(c), class_start(c + 1)). Only nodes of one
/// class are compared.
class SubtreeGraph {
 public:
  /// @param roots    nodes of `subtrees`, one per tree
  /// @param classes  class of each node
  /// @param ranks    of each node, or empty: nodes of a class are in ascending order of these
  SubtreeGraph(const DistinctSubtrees& subtrees, std::span<const std::int32_t> roots,
               std::span<const std::int32_t> classes, std::span<const std::int32_t> ranks = {});

  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(labels_.size()); }
  [[nodiscard]] Index trees() const { return std::ssize(roots_); }
  [[nodiscard]] std::int32_t classes() const { return static_cast<std::int32_t>(class_starts_.size()) - 1; }
  [[nodiscard]] std::int32_t class_start(std::int32_t c) const { return class_starts_[c]; }
  [[nodiscard]] std::int32_t class_size(std::int32_t c) const { return class_start(c + 1) - class_start(c); }
  [[nodiscard]] std::int32_t class_of(std::int32_t node) const { return class_of_[node]; }
  [[nodiscard]] std::int32_t label(std::int32_t node) const { return labels_[node]; }
  [[nodiscard]] std::span<const std::int32_t> children(std::int32_t node) const {
    const auto first = static_cast<std::size_t>(starts_[node]);
    return std::span(children_).subspan(first,
                                        static_cast<std::size_t>(starts_[static_cast<std::size_t>(node) + 1]) - first);
  }
  /// Number in this graph of a node of the subtrees.
  [[nodiscard]] std::int32_t number(std::int32_t node) const { return numbers_[node]; }

  static constexpr Index lanes = 8;  ///< rows whose sums are propagated together
  /// out(r, b) = sum of values[u * lanes + r] over the nodes u of tree b, with multiplicity. Sums are propagated up the
  /// graph, in place. @param values  size() x lanes; out has at most `lanes` rows
  void sum_over_trees(double* values, MatrixView<double> out) const;

 private:
  std::vector<std::int32_t> labels_, class_of_, class_starts_;
  std::vector<Index> starts_{0};
  std::vector<std::int32_t> children_;
  std::vector<std::int32_t> order_;  // children before their parents
  std::vector<std::int32_t> roots_;
  std::vector<std::int32_t> numbers_;
};

/// Bytes of a stack of `numbers` values, which grows by doubling, and of the sums of a graph of `nodes` nodes. Local.
[[nodiscard]] double stack_bytes(Index numbers, Index nodes);

}  // namespace cairn
