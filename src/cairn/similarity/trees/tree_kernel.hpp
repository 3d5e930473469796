// Kernels of trees: of two, and of many with many.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cairn/base/matrix_view.hpp"
#include "cairn/data/trees/forest.hpp"
#include "cairn/data/trees/tree_labels.hpp"
#include "cairn/parameters/values.hpp"

namespace cairn {

/// Data that a kernel prepares from some trees, the columns, with which rows are compared.
class PreparedTrees {
 public:
  virtual ~PreparedTrees() = default;
};

/// Work of comparing a tree with columns.
struct TreeWork {
  double pairs = 0;  ///< compared pairs of nodes, and of their children: one or two nanoseconds each
  double bytes = 0;  ///< memory held at once
};

/// A kernel of trees, in double precision: a sum over pairs of their nodes. No function is recursive. All are
/// thread-safe and local.
class TreeKernel {
 public:
  virtual ~TreeKernel() = default;
  /// @throws Error(resource) for more than 2^31 different subtrees
  [[nodiscard]] virtual std::unique_ptr<const PreparedTrees> prepare(ForestView columns) const = 0;
  /// out(a, b) = the kernel of row a and column b, not normalized.
  /// @param prepared  from prepare() of this kernel, or of another with the same parameters and labels
  virtual void compute(ForestView rows, const PreparedTrees& prepared, MatrixView<double> out) const = 0;
  /// Predicted cost of comparing `tree` with these columns, in nanoseconds.
  [[nodiscard]] virtual double cost(TreeView tree, const PreparedTrees& prepared) const = 0;
  /// Upper bound of that work for any form of the tree. Takes O(nodes) time and compares nothing.
  [[nodiscard]] virtual TreeWork work(TreeView tree, const PreparedTrees& prepared) const = 0;

  /// Rejects a comparison that would take more than ten minutes per column, or more memory than the node has free.
  /// Trees of fewer than 10,000 nodes always pass. @throws Error(resource) with the predicted cost
  void require_feasible(TreeView tree, const PreparedTrees& prepared, Index columns) const;
  /// The same for a tree with itself; nothing is compared.
  void require_self_feasible(TreeView tree) const;
  /// Upper bound of the seconds for comparing `tree` with these columns, or with itself, on a machine ten times slower
  /// than require_feasible() assumes; 0 for fewer than 10,000 nodes.
  [[nodiscard]] double seconds(TreeView tree, const PreparedTrees& prepared) const;
  [[nodiscard]] double self_seconds(TreeView tree) const;

  /// The kernel of two trees. @throws Error(resource) as require_feasible()
  [[nodiscard]] double pair(TreeView x, TreeView y) const;
};

/// [Vishwanathan, Smola 2003]: common subtrees, each down to its leaves.
/// Sum over nodes x, u of the same production (label, and labels of the children) of Delta(x, u) = lambda prod_i f_i.
/// f_i is 1 if both i-th children are leaves, their Delta if both are inner nodes of one production, else 0.
/// @param leaves  pairs of leaves with one label count lambda, too
[[nodiscard]] std::unique_ptr<TreeKernel> make_subtree_kernel(double lambda, bool leaves);

/// [Collins, Duffy 2001]: common subset trees. The same with f_i = 1 + Delta for Delta, and 1 for 0.
[[nodiscard]] std::unique_ptr<TreeKernel> make_subset_tree_kernel(double lambda, bool leaves);

/// Factors of partial tree kernels.
struct PartialTreeFactors {
  double lambda = 0.4;    ///< of a skipped child
  double mu = 0.4;        ///< of a level
  double terminal = 1.0;  ///< of leaves
};

/// [Moschitti 2006]: common partial trees. Sum over nodes of one label of Delta: mu lambda^2 terminal where one is a
/// leaf, else mu (lambda^2 + sum_ij s_ij) over pairs of their children, s_ij = Delta_ij (1 + p_{i-1,j-1}),
/// p_ij = s_ij + lambda p_{i-1,j} + lambda p_{i,j-1} - lambda^2 p_{i-1,j-1}.
[[nodiscard]] std::unique_ptr<TreeKernel> make_partial_tree_kernel(const PartialTreeFactors& factors);

/// [Croce, Moschitti, Basili 2011]: the same with Delta times sigma of the labels. sigma is 1 for equal labels, the
/// cosine of the vectors for lexical labels of one part of speech if it is at least `threshold`, else 0.
/// @param labels  of all trees to compare, with vectors
[[nodiscard]] std::unique_ptr<TreeKernel> make_smoothed_tree_kernel(const PartialTreeFactors& factors, double threshold,
                                                                    std::shared_ptr<const TreeLabels> labels);

}  // namespace cairn
