// Trees of numbered labels in flat arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// A node of a tree in preorder: a node precedes its subtrees, which are consecutive. Unless nodes[v].size is 1, the
/// first child of node v is v + 1. The next sibling of a child c is c + nodes[c].size.
struct TreeNode {
  std::int32_t label = 0;
  std::int32_t size = 1;  ///< number of nodes of its subtree, including itself
  friend bool operator==(const TreeNode&, const TreeNode&) = default;
};

/// A tree. Its root is node 0.
using TreeView = std::span<const TreeNode>;

/// Consecutive trees. Tree a has nodes[starts[a]] up to nodes[starts[a + 1]]; starts[0] need not be 0.
struct ForestView {
  std::span<const Index> starts;
  std::span<const TreeNode> nodes;
  [[nodiscard]] Index size() const { return std::ssize(starts) - 1; }
  [[nodiscard]] TreeView tree(Index a) const {
    const auto first = static_cast<std::size_t>(starts[a]);
    return nodes.subspan(first, static_cast<std::size_t>(starts[static_cast<std::size_t>(a) + 1]) - first);
  }
};

/// A ForestView that owns its trees. Memory: 8 bytes per node and 8 per tree.
struct Forest {
  std::vector<Index> starts{0};
  std::vector<TreeNode> nodes;
  [[nodiscard]] Index size() const { return std::ssize(starts) - 1; }
  [[nodiscard]] ForestView view() const { return {starts, nodes}; }
  [[nodiscard]] TreeView tree(Index a) const { return view().tree(a); }
  void append(TreeView tree) {
    nodes.insert(nodes.end(), tree.begin(), tree.end());
    starts.push_back(std::ssize(nodes));
  }
};

/// Appends trees to a forest node by node. Local.
class TreeBuilder {
 public:
  explicit TreeBuilder(Forest& forest) : forest_(forest) {}
  /// Begins a child of the current node. @throws Error(resource) for more than 2^31 nodes in a tree
  void open(std::int32_t label);
  void close();
  void leaf(std::int32_t label) { open(label), close(); }
  [[nodiscard]] Index depth() const { return std::ssize(open_); }
  /// Ends the tree. @pre its root was closed
  void finish() { forest_.starts.push_back(std::ssize(forest_.nodes)); }
  /// Removes the nodes added since the last finished tree.
  void discard();

 private:
  Forest& forest_;
  std::vector<Index> open_;  // indices into forest_.nodes
};

/// True if subtree sizes are consistent and labels are below `labels`. Local.
[[nodiscard]] bool is_sound(TreeView tree, Index labels);

}  // namespace cairn
