// Kernels over nodes with the same production: subtrees and subset trees.
#include <algorithm>
#include <optional>

#include "cairn/base/process/watchdog.hpp"
#include "cairn/similarity/trees/subtree_graph.hpp"
#include "cairn/similarity/trees/tree_kernel.hpp"

namespace cairn {

namespace {

using Numbers = std::span<const std::int32_t>;

class PreparedSubtrees final : public PreparedTrees {
 public:
  explicit PreparedSubtrees(ForestView columns) {
    std::vector<std::int32_t> roots;
    for (Index b = 0; b < columns.size(); ++b) roots.push_back(subtrees_.add(columns.tree(b)));
    count(roots);
  }
  [[nodiscard]] const DistinctSubtrees& subtrees() const { return subtrees_; }

  struct Tree {
    std::int32_t number;
    std::int32_t times;
  };
  /// Trees that contain a subtree, and how often.
  [[nodiscard]] std::span<const Tree> trees(std::int32_t node) const {
    const auto first = static_cast<std::size_t>(starts_[node]);
    return std::span(trees_).subspan(first,
                                     static_cast<std::size_t>(starts_[static_cast<std::size_t>(node) + 1]) - first);
  }

 private:
  // Counts the nodes of each tree, from its root down: children have lower numbers than their parents.
  void count(const std::vector<std::int32_t>& roots) {
    struct Entry {
      std::int32_t node, tree, times;
    };
    std::vector<Entry> entries;
    std::vector<std::int32_t> times(subtrees_.size(), 0);
    std::vector<std::int32_t> heap;
    for (std::size_t b = 0; b < roots.size(); ++b) {
      heap = {roots[b]};
      times[roots[b]] = 1;
      while (!heap.empty()) {
        std::ranges::pop_heap(heap);
        const std::int32_t node = heap.back();
        heap.pop_back();
        const std::int32_t often = std::exchange(times[node], 0);
        entries.push_back({node, static_cast<std::int32_t>(b), often});
        for (const std::int32_t child : subtrees_.children(node)) {
          std::int32_t& sum = times[child];
          if (sum == 0) {
            heap.push_back(child);
            std::ranges::push_heap(heap);
          }
          sum += often;
        }
      }
    }
    std::ranges::sort(
        entries, [](const Entry& a, const Entry& b) { return a.node != b.node ? a.node < b.node : a.tree < b.tree; });
    starts_.assign(static_cast<std::size_t>(subtrees_.size()) + 1, 0);
    for (const Entry& entry : entries) {
      ++starts_[static_cast<std::size_t>(entry.node) + 1];
      trees_.push_back({entry.tree, entry.times});
    }
    for (std::size_t k = 1; k < starts_.size(); ++k) starts_[k] += starts_[k - 1];
  }

  DistinctSubtrees subtrees_;
  std::vector<Index> starts_;
  std::vector<Tree> trees_;
};

// Delta(x, u) is nonzero only if the subtrees of x and u are equal: they are looked up.
class SubtreeKernel final : public TreeKernel {
 public:
  SubtreeKernel(double lambda, bool leaves) : lambda_(lambda), leaves_(leaves) {}

  [[nodiscard]] std::unique_ptr<const PreparedTrees> prepare(ForestView columns) const override {
    return std::make_unique<PreparedSubtrees>(columns);
  }

  void compute(ForestView rows, const PreparedTrees& prepared, MatrixView<double> out) const override {
    const auto& columns = dynamic_cast<const PreparedSubtrees&>(prepared);
    BottomUp<Found> walk;
    std::vector<std::int32_t> nodes;
    for (Index a = 0; a < rows.size(); ++a) {
      std::fill_n(out.row(a), out.columns, 0.0);
      walk.over(rows.tree(a), [&](const TreeNode& node, std::span<const Found> children) {
        Found found{HashTable::none, lambda_, children.empty()};
        nodes.clear();
        for (const Found& child : children) {
          if (child.node == HashTable::none) return found;
          nodes.push_back(child.node);
          if (!child.leaf) found.delta *= child.delta;
        }
        found.node = columns.subtrees().find(node.label, nodes);
        if (found.node == HashTable::none || (found.leaf && !leaves_)) return found;
        for (const auto& [tree, times] : columns.trees(found.node)) out(a, tree) += times * found.delta;
        return found;
      });
    }
  }

  [[nodiscard]] double cost(TreeView tree, const PreparedTrees& /*prepared*/) const override {
    constexpr double a_node = 60.0;
    return a_node * static_cast<double>(tree.size());
  }

  [[nodiscard]] TreeWork work(TreeView tree, const PreparedTrees& /*prepared*/) const override {
    const auto nodes = static_cast<double>(tree.size());
    return {nodes, nodes * sizeof(Found)};
  }

 private:
  struct Found {
    std::int32_t node;
    double delta;
    bool leaf;
  };
  double lambda_;
  bool leaves_;
};

// Classes are productions. For a class, a place of a child and the child's class: the members with such a child.
class PreparedProductions final : public PreparedTrees {
 public:
  struct Meeting {
    std::int32_t member;        // number in its class
    std::int32_t child_member;  // its child, in the child's class
  };

  explicit PreparedProductions(ForestView columns) {
    DistinctSubtrees subtrees;
    std::vector<std::int32_t> roots;
    for (Index b = 0; b < columns.size(); ++b) roots.push_back(subtrees.add(columns.tree(b)));
    std::vector<std::int32_t> classes;
    for (std::int32_t node = 0; node < subtrees.size(); ++node) {
      list_.clear();
      for (const std::int32_t child : subtrees.children(node)) list_.push_back(subtrees.label(child));
      classes.push_back(find_or_add(subtrees.label(node), list_));
    }
    graph_.emplace(subtrees, roots, classes);
    meet();
  }

  [[nodiscard]] const SubtreeGraph& graph() const { return *graph_; }
  [[nodiscard]] std::int32_t find(std::int32_t label, Numbers children) const {
    return productions_.find(hash_list(label, children), [&](std::int32_t c) { return is(c, label, children); });
  }
  [[nodiscard]] std::span<const Meeting> meetings(std::int32_t c, std::int32_t place, std::int32_t child_class) const {
    const std::int32_t k = table_.find(hash(c, place, child_class), [&](std::int32_t number) {
      const Key& key = keys_[number];
      return key.of == c && key.place == place && key.child == child_class;
    });
    if (k == HashTable::none) return {};
    const Key& key = keys_[k];
    return std::span(meetings_).subspan(key.begin, key.count);
  }

 private:
  struct Key {
    std::int32_t of, place, child;
    Index begin, count;
  };
  struct Entry {
    std::int32_t of, place, child;
    Meeting meeting;
  };
  static std::uint64_t hash(std::int32_t c, std::int32_t place, std::int32_t child) {
    const std::int32_t list[] = {place, child};
    return hash_list(c, list);
  }
  [[nodiscard]] bool is(std::int32_t c, std::int32_t label, Numbers children) const {
    const auto first = static_cast<std::size_t>(starts_[c]);
    const auto last = static_cast<std::size_t>(starts_[static_cast<std::size_t>(c) + 1]);
    return labels_[c] == label && std::ranges::equal(std::span(lists_).subspan(first, last - first), children);
  }
  std::int32_t find_or_add(std::int32_t label, Numbers children) {
    const std::int32_t found = find(label, children);
    if (found != HashTable::none) return found;
    const auto added = static_cast<std::int32_t>(labels_.size());
    labels_.push_back(label);
    lists_.insert(lists_.end(), children.begin(), children.end());
    starts_.push_back(std::ssize(lists_));
    productions_.insert(hash_list(label, children), added);
    return added;
  }
  void meet() {
    std::vector<Entry> entries;
    for (std::int32_t node = 0; node < graph_->size(); ++node) {
      const std::int32_t c = graph_->class_of(node);
      std::int32_t place = 0;
      for (const std::int32_t child : graph_->children(node)) {
        const std::int32_t d = graph_->class_of(child);
        const bool leaf = graph_->children(child).empty();
        if (!leaf) entries.push_back({c, place, d, {node - graph_->class_start(c), child - graph_->class_start(d)}});
        ++place;
      }
    }
    const auto order = [](const Entry& e) { return std::tuple(e.of, e.place, e.child, e.meeting.member); };
    std::ranges::sort(entries, {}, order);
    for (const Entry& e : entries) {
      if (keys_.empty() || keys_.back().of != e.of || keys_.back().place != e.place || keys_.back().child != e.child) {
        table_.insert(hash(e.of, e.place, e.child), static_cast<std::int32_t>(keys_.size()));
        keys_.push_back({e.of, e.place, e.child, std::ssize(meetings_), 0});
      }
      ++keys_.back().count;
      meetings_.push_back(e.meeting);
    }
  }

  std::vector<std::int32_t> labels_, lists_, list_;
  std::vector<Index> starts_{0};
  HashTable productions_, table_;
  std::optional<SubtreeGraph> graph_;
  std::vector<Key> keys_;
  std::vector<Meeting> meetings_;
};

class SubsetTreeKernel final : public TreeKernel {
 public:
  SubsetTreeKernel(double lambda, bool leaves) : lambda_(lambda), leaves_(leaves) {}

  [[nodiscard]] std::unique_ptr<const PreparedTrees> prepare(ForestView columns) const override {
    return std::make_unique<PreparedProductions>(columns);
  }

  void compute(ForestView rows, const PreparedTrees& prepared, MatrixView<double> out) const override {
    const auto& columns = dynamic_cast<const PreparedProductions&>(prepared);
    Row row(*this, columns);
    std::vector<double> sums;
    for (Index begin = 0; begin < rows.size(); begin += SubtreeGraph::lanes) {
      const Index count = std::min(SubtreeGraph::lanes, rows.size() - begin);
      const auto size = static_cast<std::size_t>(columns.graph().size());
      sums.assign(size * static_cast<std::size_t>(SubtreeGraph::lanes), 0.0);
      for (Index r = 0; r < count; ++r) {
        row.add(rows.tree(begin + r), sums.data() + r);
        Watchdog::beat();
      }
      columns.graph().sum_over_trees(sums.data(), {out.row(begin), count, out.columns, out.stride});
    }
  }

  [[nodiscard]] double cost(TreeView tree, const PreparedTrees& prepared) const override {
    const auto& columns = dynamic_cast<const PreparedProductions&>(prepared);
    constexpr double a_node = 80.0, a_member = 1.0;
    double sum = 2.0 * columns.graph().size();
    std::vector<std::int32_t> labels;
    BottomUp<std::int32_t>().over(tree, [&](const TreeNode& node, Numbers children) {
      const std::int32_t c = columns.find(node.label, children);
      sum += a_node + (c == HashTable::none ? 0.0 : a_member * columns.graph().class_size(c));
      return node.label;
    });
    return sum;
  }

  [[nodiscard]] TreeWork work(TreeView tree, const PreparedTrees& prepared) const override {
    const auto& columns = dynamic_cast<const PreparedProductions&>(prepared);
    struct Place {
      std::int32_t label;
      Index begin;
      bool leaf;
    };
    TreeWork work;
    Index top = 0, highest = 0;  // of the stack of Row
    std::vector<std::int32_t> labels;
    BottomUp<Place>().over(tree, [&](const TreeNode& node, std::span<const Place> children) {
      const Index begin = children.empty() ? top : children.back().begin;
      labels.clear();
      for (const Place& child : children) labels.push_back(child.label);
      const std::int32_t c = columns.find(node.label, labels);
      const Index size = c == HashTable::none ? 0 : columns.graph().class_size(c);
      highest = std::max(highest, top + size);
      const auto inner = std::ranges::count(children, false, &Place::leaf);
      work.pairs += static_cast<double>(size) * static_cast<double>(1 + inner);
      top = begin + size;
      return Place{node.label, begin, children.empty()};
    });
    work.bytes = stack_bytes(highest, columns.graph().size());
    return work;
  }

 private:
  // Delta(x, u) of one node x and all members u of its class, on a stack until the parent of x is done.
  struct Deltas {
    std::int32_t label, of;
    Index begin;
    bool leaf;
  };

  class Row {
   public:
    Row(const SubsetTreeKernel& kernel, const PreparedProductions& columns) : kernel_(kernel), columns_(columns) {}

    // Adds Delta(x, u) for all nodes x of the tree to sums[u * lanes].
    void add(TreeView tree, double* sums) {
      top_ = 0;
      walk_.over(tree, [&](const TreeNode& node, std::span<const Deltas> children) {
        return of_node(node.label, children, sums);
      });
    }

   private:
    Deltas of_node(std::int32_t label, std::span<const Deltas> children, double* sums) {
      const Index begin = children.empty() ? top_ : children.back().begin;
      labels_.clear();
      for (const Deltas& child : children) labels_.push_back(child.label);
      const Deltas own{label, columns_.find(label, labels_), begin, children.empty()};
      const bool counts = own.of != HashTable::none && (!own.leaf || kernel_.leaves_);
      if (!counts) {
        top_ = begin;
        return {label, HashTable::none, begin, own.leaf};
      }
      const SubtreeGraph& graph = columns_.graph();
      const Index size = graph.class_size(own.of);
      if (std::ssize(values_) < top_ + size) values_.resize(2 * (top_ + size));
      double* const deltas = values_.data() + top_;
      std::fill_n(deltas, size, kernel_.lambda_);
      std::int32_t place = 0;
      for (const Deltas& child : children) {
        if (!child.leaf && child.of != HashTable::none) {
          const double* const of_child = values_.data() + child.begin;
          for (const auto& [member, child_member] : columns_.meetings(own.of, place, child.of)) {
            deltas[member] *= 1.0 + of_child[child_member];
          }
        }
        ++place;
      }
      double* const target = sums + SubtreeGraph::lanes * graph.class_start(own.of);
      for (Index k = 0; k < size; ++k) target[k * SubtreeGraph::lanes] += deltas[k];
      std::copy_n(deltas, size, values_.data() + begin);
      top_ = begin + size;
      return own;
    }

    const SubsetTreeKernel& kernel_;
    const PreparedProductions& columns_;
    BottomUp<Deltas> walk_;
    std::vector<std::int32_t> labels_;
    std::vector<double> values_;
    Index top_ = 0;
  };

  double lambda_;
  bool leaves_;
};

}  // namespace

std::unique_ptr<TreeKernel> make_subtree_kernel(double lambda, bool leaves) {
  return std::make_unique<SubtreeKernel>(lambda, leaves);
}

std::unique_ptr<TreeKernel> make_subset_tree_kernel(double lambda, bool leaves) {
  return std::make_unique<SubsetTreeKernel>(lambda, leaves);
}

}  // namespace cairn
