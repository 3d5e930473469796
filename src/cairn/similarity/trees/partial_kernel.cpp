// Kernels over nodes with equal or similar labels: partial trees.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/trees/tree_labels.hpp"
#include "cairn/linalg/dense/local_blas.hpp"
#include "cairn/similarity/trees/child_lists.hpp"
#include "cairn/similarity/trees/subtree_graph.hpp"
#include "cairn/similarity/trees/tree_kernel.hpp"

namespace cairn {

namespace {

// Labels that partial tree kernels compare, and their similarities.

// Groups of labels: each label alone, or lexical labels of one part of speech together.
class LabelGroups {
 public:
  LabelGroups() = default;
  explicit LabelGroups(std::shared_ptr<const TreeLabels> labels);
  /// Number shared by the labels of a group.
  [[nodiscard]] std::int32_t group(std::int32_t label) const { return groups_.empty() ? label : groups_[label]; }
  /// True if words of labels are compared.
  [[nodiscard]] bool smooth() const { return !groups_.empty(); }
  /// True for a group of lexical labels.
  [[nodiscard]] bool lexical(std::int32_t group) const { return smooth() && group >= labels_->size(); }
  [[nodiscard]] Index dimension() const { return labels_->vectors()->dimension(); }
  /// Appends the vector of the label's word, of length 1, or zeros if it has none.
  void append_vector(std::int32_t label, std::vector<double>& values) const;

 private:
  std::shared_ptr<const TreeLabels> labels_;
  std::vector<std::int32_t> groups_;
};

// Labels of a class of nodes of one group, and the vectors of their words.
struct ClassWords {
  std::vector<std::int32_t> labels;
  std::vector<double> vectors;  ///< labels x dimension; empty: one label alone
};

// Similarities of some labels with those of classes.
class LabelSimilarities {
 public:
  LabelSimilarities(const LabelGroups& groups, std::span<const ClassWords> classes, double threshold)
      : groups_(groups), classes_(classes), threshold_(threshold) {}
  /// Computes the similarities of these labels (ascending, distinct), each with the labels of its class; `of` is the
  /// class of each, or negative.
  void compute(std::span<const std::int32_t> labels, std::span<const std::int32_t> of);
  /// Similarities with each label of its class. @pre compute() was given this label
  [[nodiscard]] const double* row(std::int32_t label) const;

 private:
  const LabelGroups& groups_;
  std::span<const ClassWords> classes_;
  double threshold_;
  std::vector<std::int32_t> labels_;
  std::vector<Index> starts_;
  std::vector<double> values_;
};

LabelGroups::LabelGroups(std::shared_ptr<const TreeLabels> labels) : labels_(std::move(labels)) {
  std::map<std::string_view, std::int32_t> speeches;
  for (std::int32_t label = 0; label < labels_->size(); ++label) {
    const LexicalLabel lexical = lexical_label(labels_->name(label));
    if (lexical.word.empty()) {
      groups_.push_back(label);
    } else {
      const auto next = static_cast<std::int32_t>(labels_->size() + std::ssize(speeches));
      groups_.push_back(speeches.emplace(lexical.speech, next).first->second);
    }
  }
}

void LabelGroups::append_vector(std::int32_t label, std::vector<double>& values) const {
  const std::int32_t row = labels_->vector_of(label);
  const Index width = dimension();
  if (row == TreeLabels::none) {
    values.resize(values.size() + static_cast<std::size_t>(width), 0.0);
    return;
  }
  const float* const vector = labels_->vectors()->vectors().row(row);
  double sum = 0;
  for (Index j = 0; j < width; ++j) sum += static_cast<double>(vector[j]) * static_cast<double>(vector[j]);
  const double scale = sum > 0 ? 1.0 / std::sqrt(sum) : 0.0;
  for (Index j = 0; j < width; ++j) values.push_back(scale * static_cast<double>(vector[j]));
}

void LabelSimilarities::compute(std::span<const std::int32_t> labels, std::span<const std::int32_t> of) {
  labels_.assign(labels.begin(), labels.end());
  starts_.clear();
  std::vector<std::pair<std::int32_t, std::size_t>> sorted;  // class, position in labels
  Index total = 0;
  for (std::size_t k = 0; k < labels.size(); ++k) {
    starts_.push_back(0);
    if (of[k] >= 0) sorted.emplace_back(of[k], k);
  }
  std::ranges::sort(sorted);
  for (const auto& [c, k] : sorted) {
    starts_[k] = total;
    total += std::ssize(classes_[c].labels);
  }
  values_.assign(total, 1.0);
  std::vector<double> vectors;
  for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    const ClassWords& words = classes_[sorted[begin].first];
    vectors.clear();
    for (end = begin; end < sorted.size() && sorted[end].first == sorted[begin].first; ++end) {
      if (!words.vectors.empty()) groups_.append_vector(labels[sorted[end].second], vectors);
    }
    if (words.vectors.empty()) continue;
    double* const values = values_.data() + starts_[sorted[begin].second];
    const Index rows = static_cast<Index>(end - begin), columns = std::ssize(words.labels), width = groups_.dimension();
    blas::gemm('T', 'N', static_cast<int>(columns), static_cast<int>(rows), static_cast<int>(width), 1.0,
               words.vectors.data(), static_cast<int>(width), vectors.data(), static_cast<int>(width), 0.0, values,
               static_cast<int>(columns));
    for (Index a = 0; a < rows; ++a) {
      const std::int32_t own = labels[sorted[begin + static_cast<std::size_t>(a)].second];
      for (Index b = 0; b < columns; ++b) {
        double& value = values[a * columns + b];
        if (words.labels[b] == own) {
          value = 1.0;
        } else if (value < threshold_) {
          value = 0.0;
        }
      }
    }
  }
}

const double* LabelSimilarities::row(std::int32_t label) const {
  const auto at = std::ranges::lower_bound(labels_, label) - labels_.begin();
  return values_.data() + starts_[at];
}

using Numbers = std::span<const std::int32_t>;

// Classes are groups of labels. Members of a class are ordered by their lists of children, each stored once.
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
    lists_of_.resize(graph_->size());
    for (std::int32_t node = 0; node < subtrees.size(); ++node) {
      lists_of_[graph_->number(node)] = ranks[node];
    }
    take_lists();
    take_words(groups);
  }

  [[nodiscard]] const SubtreeGraph& graph() const { return *graph_; }
  /// The class of a group of labels, or negative.
  [[nodiscard]] std::int32_t find(std::int32_t group) const {
    return table_.find(hash_list(group, {}), [&](std::int32_t c) { return groups_[c] == group; });
  }
  /// The lists of class c are [list_start(c), list_start(c + 1)) of lists().
  [[nodiscard]] Index list_start(std::int32_t c) const { return list_starts_[c]; }
  [[nodiscard]] Index list_count(std::int32_t c) const { return list_start(c + 1) - list_start(c); }
  [[nodiscard]] const ChildLists& lists() const { return lists_; }
  /// Children in all lists of class c.
  [[nodiscard]] Index listed_children(std::int32_t c) const {
    return lists_.starts[list_start(c + 1)] - lists_.starts[list_start(c)];
  }
  /// List of each member, and its label, as numbers within the class.
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

  // Returns the number of each node's list in its class.
  std::vector<std::int32_t> find_lists(const DistinctSubtrees& subtrees, Numbers classes) {
    std::vector<std::int32_t> ranks, first_of;  // first_of: a node that has the list
    std::vector<std::int32_t> next(groups_.size(), 0);
    HashTable lists;
    for (std::int32_t node = 0; node < subtrees.size(); ++node) {
      const std::int32_t c = classes[node];
      const std::uint64_t hash = hash_list(c, subtrees.children(node));
      const std::int32_t found = lists.find(hash, [&](std::int32_t other) {
        return classes[other] == c && std::ranges::equal(subtrees.children(other), subtrees.children(node));
      });
      if (found != HashTable::none) {
        ranks.push_back(ranks[found]);
      } else {
        ranks.push_back(next[c]++);
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
      const Index list = list_start(c) + lists_of_[node];
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
    words_of_.resize(graph_->size());
    for (std::int32_t c = 0; c < graph_->classes(); ++c) {
      ClassWords& words = words_[c];
      for (std::int32_t node = graph_->class_start(c); node < graph_->class_start(c + 1); ++node) {
        words.labels.push_back(graph_->label(node));
      }
      std::ranges::sort(words.labels);
      words.labels.erase(std::unique(words.labels.begin(), words.labels.end()), words.labels.end());
      for (std::int32_t node = graph_->class_start(c); node < graph_->class_start(c + 1); ++node) {
        words_of_[node] = static_cast<std::int32_t>(std::ranges::lower_bound(words.labels, graph_->label(node)) -
                                                    words.labels.begin());
      }
      if (!groups.lexical(groups_[c])) continue;
      for (const std::int32_t label : words.labels) groups.append_vector(label, words.vectors);
    }
  }

  std::vector<std::int32_t> groups_;  // group of each class
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
  // Delta(x, u) of one node x and all members u of its class, on a stack until the parent of x is done.
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

    // Prepares label similarities for these trees.
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
        values_.resize(2 * (top_ + lists + size));
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

    // Compares the children of x with each list of its class, without the similarity of labels.
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
