// Kernels over nodes whose labels are the same, or similar: partial trees.
#include <algorithm>
#include <optional>
#include <utility>

#include "cairn/base/process/watchdog.hpp"
#include "cairn/similarity/trees/child_lists.hpp"
#include "cairn/similarity/trees/label_classes.hpp"
#include "cairn/similarity/trees/subtree_graph.hpp"
#include "cairn/similarity/trees/tree_kernel.hpp"

namespace cairn {

namespace {

using Numbers = std::span<const std::int32_t>;

// Classes are groups of labels. Members of a class stand in the order of their lists of children, each list once.
class PreparedLists final : public PreparedTrees {
 public:
  PreparedLists(const LabelGroups& groups, ForestView columns) {
    DistinctSubtrees subtrees;
    std::vector<std::int32_t> roots, classes, ranks;
    for (Index b = 0; b < columns.size(); ++b) roots.push_back(subtrees.add(columns.tree(b)));
    for (std::int32_t node = 0; node < subtrees.size(); ++node) {
      classes.push_back(find_or_add(groups.group(subtrees.label(node))));
    }
    ranks = find_lists(subtrees, classes);
    graph_.emplace(subtrees, roots, classes, ranks);
    lists_of_.resize(static_cast<std::size_t>(graph_->size()));
    for (std::int32_t node = 0; node < subtrees.size(); ++node) {
      lists_of_[static_cast<std::size_t>(graph_->number(node))] = ranks[static_cast<std::size_t>(node)];
    }
    take_lists();
    take_words(groups);
  }

  [[nodiscard]] const SubtreeGraph& graph() const { return *graph_; }
  /// The class of a group of labels, or negative.
  [[nodiscard]] std::int32_t find(std::int32_t group) const {
    return table_.find(hash_list(group, {}),
                       [&](std::int32_t c) { return groups_[static_cast<std::size_t>(c)] == group; });
  }
  /// The lists of class c are [list_start(c), list_start(c + 1)) of lists().
  [[nodiscard]] Index list_start(std::int32_t c) const { return list_starts_[static_cast<std::size_t>(c)]; }
  [[nodiscard]] Index list_count(std::int32_t c) const { return list_start(c + 1) - list_start(c); }
  [[nodiscard]] const ChildLists& lists() const { return lists_; }
  /// Children in all lists of class c.
  [[nodiscard]] Index listed_children(std::int32_t c) const {
    return lists_.starts[static_cast<std::size_t>(list_start(c + 1))] -
           lists_.starts[static_cast<std::size_t>(list_start(c))];
  }
  /// Which list of its class each member has, and which label of its class.
  [[nodiscard]] const std::int32_t* lists_of(std::int32_t c) const { return lists_of_.data() + graph_->class_start(c); }
  [[nodiscard]] const std::int32_t* words_of(std::int32_t c) const { return words_of_.data() + graph_->class_start(c); }
  [[nodiscard]] std::span<const ClassWords> words() const { return words_; }

 private:
  std::int32_t find_or_add(std::int32_t group) {
    const std::int32_t found = find(group);
    if (found != HashTable::none) return found;
    const auto added = static_cast<std::int32_t>(groups_.size());
    groups_.push_back(group);
    table_.insert(hash_list(group, {}), added);
    return added;
  }

  // Of each node: the number of its list in its class.
  std::vector<std::int32_t> find_lists(const DistinctSubtrees& subtrees, Numbers classes) {
    std::vector<std::int32_t> ranks, first_of;  // first_of: a node that has the list
    std::vector<std::int32_t> next(groups_.size(), 0);
    HashTable lists;
    for (std::int32_t node = 0; node < subtrees.size(); ++node) {
      const std::int32_t c = classes[static_cast<std::size_t>(node)];
      const std::uint64_t hash = hash_list(c, subtrees.children(node));
      const std::int32_t found = lists.find(hash, [&](std::int32_t other) {
        return classes[static_cast<std::size_t>(other)] == c &&
               std::ranges::equal(subtrees.children(other), subtrees.children(node));
      });
      if (found != HashTable::none) {
        ranks.push_back(ranks[static_cast<std::size_t>(found)]);
      } else {
        ranks.push_back(next[static_cast<std::size_t>(c)]++);
        lists.insert(hash, node);
      }
    }
    list_starts_ = {0};
    for (const std::int32_t count : next) list_starts_.push_back(list_starts_.back() + count);
    return ranks;
  }

  void take_lists() {
    for (std::int32_t node = 0; node < graph_->size(); ++node) {
      const std::int32_t c = graph_->class_of(node);
      const Index list = list_start(c) + lists_of_[static_cast<std::size_t>(node)];
      if (list < std::ssize(lists_.starts) - 1) continue;  // another member has it
      for (const std::int32_t child : graph_->children(node)) {
        const std::int32_t d = graph_->class_of(child);
        lists_.children.push_back({d, child - graph_->class_start(d)});
      }
      lists_.starts.push_back(std::ssize(lists_.children));
    }
  }

  void take_words(const LabelGroups& groups) {
    if (!groups.smooth()) return;
    words_.resize(groups_.size());
    words_of_.resize(static_cast<std::size_t>(graph_->size()));
    for (std::int32_t c = 0; c < graph_->classes(); ++c) {
      ClassWords& words = words_[static_cast<std::size_t>(c)];
      for (std::int32_t node = graph_->class_start(c); node < graph_->class_start(c + 1); ++node) {
        words.labels.push_back(graph_->label(node));
      }
      std::ranges::sort(words.labels);
      words.labels.erase(std::unique(words.labels.begin(), words.labels.end()), words.labels.end());
      for (std::int32_t node = graph_->class_start(c); node < graph_->class_start(c + 1); ++node) {
        words_of_[static_cast<std::size_t>(node)] = static_cast<std::int32_t>(
            std::ranges::lower_bound(words.labels, graph_->label(node)) - words.labels.begin());
      }
      if (!groups.lexical(groups_[static_cast<std::size_t>(c)])) continue;
      for (const std::int32_t label : words.labels) groups.append_vector(label, words.vectors);
    }
  }

  std::vector<std::int32_t> groups_;  // of the classes
  HashTable table_;
  std::optional<SubtreeGraph> graph_;
  std::vector<Index> list_starts_;
  ChildLists lists_;
  std::vector<std::int32_t> lists_of_, words_of_;
  std::vector<ClassWords> words_;
};

class PartialTreeKernel final : public TreeKernel {
 public:
  PartialTreeKernel(const PartialTreeFactors& factors, double threshold, LabelGroups groups)
      : factors_(factors), threshold_(threshold), groups_(std::move(groups)) {}

  [[nodiscard]] std::unique_ptr<const PreparedTrees> prepare(ForestView columns) const override {
    return std::make_unique<PreparedLists>(groups_, columns);
  }

  void compute(ForestView rows, const PreparedTrees& prepared, MatrixView<double> out) const override {
    constexpr Index rows_at_once = 8 * SubtreeGraph::lanes;  // similarities of their labels are computed together
    const auto& columns = dynamic_cast<const PreparedLists&>(prepared);
    Row row(*this, columns);
    std::vector<double> sums;
    const auto size = static_cast<std::size_t>(columns.graph().size());
    for (Index begin = 0; begin < rows.size(); begin += SubtreeGraph::lanes) {
      if (begin % rows_at_once == 0) row.expect(rows, {begin, std::min(begin + rows_at_once, rows.size())});
      const Index count = std::min(SubtreeGraph::lanes, rows.size() - begin);
      sums.assign(size * static_cast<std::size_t>(SubtreeGraph::lanes), 0.0);
      for (Index r = 0; r < count; ++r) {
        row.add(rows.tree(begin + r), sums.data() + r);
        Watchdog::beat();
      }
      columns.graph().sum_over_trees(sums.data(), {out.row(begin), count, out.columns, out.stride});
    }
  }

  [[nodiscard]] double cost(TreeView tree, const PreparedTrees& prepared) const override {
    const auto& columns = dynamic_cast<const PreparedLists&>(prepared);
    constexpr double a_node = 60.0, a_member = 1.0, a_child = 2.5;
    double sum = 2.0 * columns.graph().size();
    for (const TreeNode& node : tree) {
      const std::int32_t c = columns.find(groups_.group(node.label));
      sum += a_node;
      if (c == HashTable::none) continue;
      sum += a_member * columns.graph().class_size(c);
      if (node.size == 1) continue;
      sum += a_child * static_cast<double>(columns.listed_children(c) + columns.list_count(c));
    }
    return sum;
  }

  [[nodiscard]] TreeWork work(TreeView tree, const PreparedTrees& prepared) const override {
    const auto& columns = dynamic_cast<const PreparedLists&>(prepared);
    const SubtreeGraph& graph = columns.graph();
    TreeWork work;
    Index top = 0, highest = 0;  // of the stack of Row
    BottomUp<Index>().over(tree, [&](const TreeNode& node, std::span<const Index> children) {
      const Index begin = children.empty() ? top : children.back();
      const std::int32_t c = columns.find(groups_.group(node.label));
      if (c == HashTable::none) return top = begin;
      const Index size = graph.class_size(c), lists = columns.list_count(c);
      highest = std::max(highest, top + lists + size);
      work.pairs += static_cast<double>(size + lists);
      work.pairs += static_cast<double>(std::ssize(children)) * static_cast<double>(columns.listed_children(c));
      top = begin + size;
      return begin;
    });
    work.bytes = stack_bytes(highest, graph.size());
    return work;
  }

 private:
  // Delta(x, u) of one node x and all members u of its class, on top of a stack while what holds x is not done.
  struct Deltas {
    std::int32_t of;
    Index begin;
  };

  class Row {
   public:
    Row(const PartialTreeKernel& kernel, const PreparedLists& columns)
        : kernel_(kernel),
          columns_(columns),
          comparison_(kernel.factors_.lambda, columns.graph().classes()),
          similarities_(kernel.groups_, columns.words(), kernel.threshold_) {}

    // Prepares for these trees.
    void expect(ForestView forest, Range rows) {
      if (!kernel_.groups_.smooth()) return;
      std::vector<std::int32_t> labels, classes;
      for (Index a = rows.begin; a < rows.end; ++a) {
        for (const TreeNode& node : forest.tree(a)) labels.push_back(node.label);
      }
      std::ranges::sort(labels);
      labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
      for (const std::int32_t label : labels) classes.push_back(columns_.find(kernel_.groups_.group(label)));
      similarities_.compute(labels, classes);
    }

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
      const std::int32_t c = columns_.find(kernel_.groups_.group(label));
      if (c == HashTable::none) {
        top_ = begin;
        return {c, begin};
      }
      const Index size = columns_.graph().class_size(c), lists = columns_.list_count(c);
      if (std::ssize(values_) < top_ + lists + size) {
        values_.resize(static_cast<std::size_t>(2 * (top_ + lists + size)));
      }
      double* const of_lists = values_.data() + top_;
      compare_lists(c, children, of_lists);
      double* deltas = of_lists;
      if (kernel_.groups_.smooth()) {
        deltas = of_lists + lists;
        const std::int32_t *const list = columns_.lists_of(c), *const word = columns_.words_of(c);
        const double* const similarity = similarities_.row(label);
        for (Index k = 0; k < size; ++k) deltas[k] = similarity[word[k]] * of_lists[list[k]];
      }
      double* const target = sums + SubtreeGraph::lanes * columns_.graph().class_start(c);
      for (Index k = 0; k < size; ++k) target[k * SubtreeGraph::lanes] += deltas[k];
      std::copy_n(deltas, size, values_.data() + begin);
      top_ = begin + size;
      return {c, begin};
    }

    // Of the children of x and each list of its class, without the similarity of labels.
    void compare_lists(std::int32_t c, std::span<const Deltas> children, double* out) {
      const PartialTreeFactors& factors = kernel_.factors_;
      const double squared = factors.lambda * factors.lambda;
      const double of_leaves = factors.mu * squared * factors.terminal, of_inner = factors.mu * squared;
      const Index begin = columns_.list_start(c), count = columns_.list_count(c);
      if (children.empty()) {
        std::fill_n(out, count, of_leaves);
        return;
      }
      classes_.clear();
      deltas_.clear();
      bool some = false;
      for (const Deltas& child : children) {
        classes_.push_back(child.of);
        deltas_.push_back(values_.data() + child.begin);
        some |= child.of != HashTable::none;
      }
      if (some) comparison_.set(classes_, deltas_);
      for (Index k = 0; k < count; ++k) {
        const std::span<const ListedChild> list = columns_.lists().list(begin + k);
        if (list.empty()) {
          out[k] = of_leaves;
        } else {
          out[k] = some ? of_inner + factors.mu * comparison_.with(list) : of_inner;
        }
      }
    }

    const PartialTreeKernel& kernel_;
    const PreparedLists& columns_;
    ListComparison comparison_;
    LabelSimilarities similarities_;
    BottomUp<Deltas> walk_;
    std::vector<double> values_;
    Index top_ = 0;
    std::vector<std::int32_t> classes_;
    std::vector<const double*> deltas_;
  };

  PartialTreeFactors factors_;
  double threshold_;
  LabelGroups groups_;
};

}  // namespace

std::unique_ptr<TreeKernel> make_partial_tree_kernel(const PartialTreeFactors& factors) {
  return std::make_unique<PartialTreeKernel>(factors, 0.0, LabelGroups());
}

std::unique_ptr<TreeKernel> make_smoothed_tree_kernel(const PartialTreeFactors& factors, double threshold,
                                                      std::shared_ptr<const TreeLabels> labels) {
  return std::make_unique<PartialTreeKernel>(factors, threshold, LabelGroups(std::move(labels)));
}

}  // namespace cairn
