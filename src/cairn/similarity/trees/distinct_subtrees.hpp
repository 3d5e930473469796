// The distinct subtrees of some trees. Private to this folder.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/data/trees/forest.hpp"

namespace cairn {

/// Numbers by 64-bit hashes; the caller compares what they stand for. Open addressing, a power of two of places.
class HashTable {
 public:
  static constexpr std::int32_t none = -1;
  /// First number of this hash for which same(number), or none.
  template <class Same>
  [[nodiscard]] std::int32_t find(std::uint64_t hash, const Same& same) const {
    if (places_.empty()) return none;
    for (std::uint64_t at = hash & mask_;; at = (at + 1) & mask_) {
      const Place& place = places_[at];
      if (place.number == none) return none;
      if (place.hash == hash && same(place.number)) return place.number;
    }
  }
  /// @pre the number is not in the table
  void insert(std::uint64_t hash, std::int32_t number);

 private:
  struct Place {
    std::uint64_t hash = 0;
    std::int32_t number = none;
  };
  void put(std::uint64_t hash, std::int32_t number);
  std::vector<Place> places_;
  std::uint64_t mask_ = 0;
  std::uint64_t filled_ = 0;
};

/// Hash of `first` and a list of numbers.
[[nodiscard]] std::uint64_t hash_list(std::int32_t first, std::span<const std::int32_t> list);

/// Equal subtrees are one node of a graph: its label, and its children in order, which have lower numbers. Memory: 24
/// to 48 bytes per node and 4 per child.
class DistinctSubtrees {
 public:
  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(labels_.size()); }
  [[nodiscard]] std::int32_t label(std::int32_t node) const { return labels_[node]; }
  [[nodiscard]] std::span<const std::int32_t> children(std::int32_t node) const {
    const auto first = static_cast<std::size_t>(starts_[node]);
    return std::span(children_).subspan(first,
                                        static_cast<std::size_t>(starts_[static_cast<std::size_t>(node) + 1]) - first);
  }
  /// The node with this label and these children, or HashTable::none.
  [[nodiscard]] std::int32_t find(std::int32_t label, std::span<const std::int32_t> children) const;
  /// Adds the new subtrees of a tree. @return node of its root
  /// @throws Error(resource) for more than 2^31 nodes
  std::int32_t add(TreeView tree);

 private:
  std::int32_t find_or_add(std::int32_t label, std::span<const std::int32_t> children);
  std::vector<std::int32_t> labels_;
  std::vector<Index> starts_{0};
  std::vector<std::int32_t> children_;
  HashTable table_;
};

/// Traverses a tree from its last node to its first, so that subtrees come before the nodes that contain them.
/// visit(node, children) returns the value of the subtree; `children` has the value of each child, in order.
template <class Value>
class BottomUp {
 public:
  template <class Visit>
  Value over(TreeView tree, const Visit& visit) {
    stack_.clear();
    sizes_.clear();
    for (Index v = std::ssize(tree) - 1; v >= 0; --v) {
      const TreeNode& node = tree[v];
      children_.clear();
      for (std::int32_t rest = node.size - 1; rest > 0;) {
        children_.push_back(stack_.back());
        rest -= sizes_.back();
        stack_.pop_back();
        sizes_.pop_back();
      }
      const Value value = visit(node, std::span<const Value>(children_));
      stack_.push_back(value);
      sizes_.push_back(node.size);
    }
    return stack_.back();
  }

 private:
  std::vector<Value> stack_, children_;
  std::vector<std::int32_t> sizes_;
};

}  // namespace cairn
