#include "cairn/data/trees/forest.hpp"

#include <limits>

#include "cairn/base/error.hpp"

namespace cairn {

void TreeBuilder::open(std::int32_t label) {
  if (std::ssize(forest_.nodes) - forest_.starts.back() >= std::numeric_limits<std::int32_t>::max()) {
    throw Error(ErrorKind::resource, "a tree has more than 2^31 nodes");
  }
  open_.push_back(std::ssize(forest_.nodes));
  forest_.nodes.push_back({label, 1});
}

void TreeBuilder::close() {
  const Index node = open_.back();
  open_.pop_back();
  forest_.nodes[node].size = static_cast<std::int32_t>(std::ssize(forest_.nodes) - node);
}

void TreeBuilder::discard() {
  open_.clear();
  forest_.nodes.resize(forest_.starts.back());
}

bool is_sound(TreeView tree, Index labels) {
  if (tree.empty() || tree.front().size != std::ssize(tree)) return false;
  std::vector<Index> ends;  // ends of the open subtrees
  for (Index v = 0; v < std::ssize(tree); ++v) {
    const TreeNode& node = tree[v];
    while (!ends.empty() && ends.back() == v) ends.pop_back();
    const Index limit = ends.empty() ? std::ssize(tree) : ends.back();
    if (node.label < 0 || node.label >= labels || node.size < 1 || v + node.size > limit) return false;
    ends.push_back(v + node.size);
  }
  return true;
}

}  // namespace cairn
