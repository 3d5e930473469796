// Tree kernels as published: peers of Cairn's kernels, and the reference of its tests.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "cairn/data/trees/forest.hpp"

namespace plain {

using cairn::TreeView;

/// Numbers of productions: a label, followed by those of the children.
using Productions = std::map<std::vector<std::int32_t>, int>;

/// A tree with the lists that the published algorithms compare: nodes sorted by production, and by label.
class Tree {
 public:
  Tree(TreeView nodes, Productions& numbers);
  [[nodiscard]] int size() const { return static_cast<int>(labels.size()); }
  [[nodiscard]] bool leaf(int node) const { return children[node].empty(); }
  std::vector<std::int32_t> labels;
  std::vector<std::vector<int>> children;
  std::vector<int> productions;
  std::vector<int> by_production, by_label;
};

/// Similarity of labels: 1 for equal ones, `of` for different ones of the same group, else 0.
struct LabelSimilarity {
  std::vector<std::int32_t> groups;  ///< of each label; empty: each label is its own group
  std::function<double(std::int32_t, std::int32_t)> of = nullptr;
};

/// Sum of Delta over pairs of nodes with the same production, which are found by merging the sorted lists; Delta by the
/// recursion of Collins and Duffy with memoization. @param sigma  0: subtrees, 1: subset trees
/// @param slip  for subtrees: true gives 1 for inner children with different productions, as KeLP does
class ProductionKernel {
 public:
  ProductionKernel(double lambda, int sigma, bool leaves, bool slip = false)
      : lambda_(lambda), sigma_(sigma), leaves_(leaves), slip_(slip) {}
  [[nodiscard]] double operator()(const Tree& x, const Tree& y);

 private:
  double delta(const Tree& x, int a, const Tree& y, int b);
  double lambda_;
  int sigma_;
  bool leaves_, slip_;
  std::vector<double> memo_;
};

/// Sum of Delta over pairs of nodes with the same label, or of the same group; Delta by Moschitti's recursion over
/// lengths of sequences of children, with memoization.
class PartialKernel {
 public:
  PartialKernel(double lambda, double mu, double terminal, LabelSimilarity similarity = {})
      : lambda_(lambda), mu_(mu), terminal_(terminal), similarity_(std::move(similarity)) {}
  [[nodiscard]] double operator()(const Tree& x, const Tree& y);

 private:
  [[nodiscard]] std::int32_t group(std::int32_t label) const {
    return similarity_.groups.empty() ? label : similarity_.groups[label];
  }
  [[nodiscard]] double similarity(std::int32_t a, std::int32_t b) const {
    if (a == b) return 1.0;
    return similarity_.of && group(a) == group(b) ? similarity_.of(a, b) : 0.0;
  }
  double delta(const Tree& x, int a, const Tree& y, int b);
  double sequences(const Tree& x, int a, const Tree& y, int b);
  double lambda_, mu_, terminal_;
  LabelSimilarity similarity_;
  std::vector<double> memo_, room_;
  std::size_t used_ = 0;  // of room_
  std::vector<int> by_group_x_, by_group_y_;
};

}  // namespace plain
