// Trees whose nodes have labels by number, in flat arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// A node of a tree in preorder: a node stands before its subtrees, which follow one another. So the first child of
/// node v is v + 1, unless nodes[v].size is 1, and the next sibling of a child c is c + nodes[c].size.
struct TreeNode {
  std::int32_t label = 0;
  std::int32_t size = 1;  ///< nodes of its subtree, itself one of them
  friend bool operator==(const TreeNode&, const TreeNode&) = default;
};

/// A tree: its root is node 0.
using TreeView = std::span<const TreeNode>;

/// Some trees one after another: tree a has nodes[starts[a]] up to nodes[starts[a + 1]]; starts[0] need not be 0.
struct ForestView {
  std::span<const Index> starts;
  std::span<const TreeNode> nodes;
  [[nodiscard]] Index size() const { return std::ssize(starts) - 1; }
  [[nodiscard]] TreeView tree(Index a) const {
    const auto first = static_cast<std::size_t>(starts[static_cast<std::size_t>(a)]);
    return nodes.subspan(first, static_cast<std::size_t>(starts[static_cast<std::size_t>(a) + 1]) - first);
  }
};

/// The same, owned. Memory: 8 bytes a node and 8 a tree.
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
  /// A node below the one that is open. @throws Error(resource) for more than 2^31 nodes of a tree
  void open(std::int32_t label);
  void close();
  void leaf(std::int32_t label) { open(label), close(); }
  [[nodiscard]] Index depth() const { return std::ssize(open_); }
  /// Ends the tree. @pre its root was closed
  void finish() { forest_.starts.push_back(std::ssize(forest_.nodes)); }
  /// Forgets what was added since the last tree.
  void discard();

 private:
  Forest& forest_;
  std::vector<Index> open_;  // places in forest_.nodes
};

/// Whether subtree sizes fit one another, and labels are below `labels`. Local.
[[nodiscard]] bool is_sound(TreeView tree, Index labels);

}  // namespace cairn
