// Tree kernels as they are published: the peers of Cairn's, and the reference of its tests.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cairn/data/trees/forest.hpp"

namespace plain {

using cairn::TreeView;

/// A tree with the lists that the published algorithms compare: nodes sorted by production, and by label.
class Tree {
 public:
  explicit Tree(TreeView nodes);
  [[nodiscard]] int size() const { return static_cast<int>(labels.size()); }
  [[nodiscard]] bool leaf(int node) const { return children[static_cast<std::size_t>(node)].empty(); }
  std::vector<std::int32_t> labels;
  std::vector<std::vector<int>> children;
  std::vector<std::vector<std::int32_t>> productions;  ///< the label, then those of the children
  std::vector<int> by_production, by_label;
};

/// What two labels have in common: 1 for equal ones.
using LabelSimilarity = std::function<double(std::int32_t, std::int32_t)>;

/// Sum over pairs of nodes of one production, found by merging the sorted lists, of Delta by the recursion of Collins
/// and Duffy with a memo. @param sigma  0: subtrees, 1: subset trees
/// @param slip  of subtrees: 1 for inner children of unequal productions, as KeLP has it
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

/// Sum over pairs of nodes of one label (or, with `similarity`, of all for which it is not 0) of Delta by Moschitti's
/// recursion over lengths of sequences of children, with a memo.
class PartialKernel {
 public:
  PartialKernel(double lambda, double mu, double terminal, LabelSimilarity similarity = nullptr)
      : lambda_(lambda), mu_(mu), terminal_(terminal), similarity_(std::move(similarity)) {}
  [[nodiscard]] double operator()(const Tree& x, const Tree& y);

 private:
  [[nodiscard]] double similarity(std::int32_t a, std::int32_t b) const {
    return a == b ? 1.0 : similarity_ ? similarity_(a, b) : 0.0;
  }
  double delta(const Tree& x, int a, const Tree& y, int b);
  double sequences(const Tree& x, int a, const Tree& y, int b);
  double lambda_, mu_, terminal_;
  LabelSimilarity similarity_;
  std::vector<double> memo_;
};

}  // namespace plain
