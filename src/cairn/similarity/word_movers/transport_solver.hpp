// Exact optimal transport between two small sets of masses.
#pragma once

#include <cstdint>
#include <span>

#include "cairn/base/buffer.hpp"
#include "cairn/base/matrix_view.hpp"

namespace cairn {

/// min sum_ij f_ij c_ij over f_ij >= 0, sum_j f_ij = supply_i, sum_i f_ij = demand_j: the transportation problem,
/// solved exactly, for many dense problems one after the other.
///
/// The network simplex on bipartite graphs (Dantzig 1951), for problems of a few to a few hundred masses. Pricing is a
/// pass over rows of costs at the rate of the vector unit. Each node of the tree stores its descendants as a set of
/// bits, so that a pivot tests, cuts and attaches subtrees by a few operations on words, and shifts their potentials
/// eight at a time. For the first tree, the mean costs of the columns are subtracted, and rows are sent to their best
/// columns in the order of their regret (what the best column saves against the mean one). Supplies are perturbed by
/// insignificant amounts (Orden 1956): no tree is degenerate, and no pivot can be undone.
///
/// An object serves one thread.
class TransportSolver {
 public:
  /// Opens a problem of rows x columns >= 1: the caller fills costs(), supply() and demand(), then calls solve().
  /// Memory: that of the largest problem so far, 8 bytes per cost and (rows + columns)² / 8 bytes.
  void open(Index rows, Index columns);

  /// rows x columns, of the open problem; any finite numbers.
  [[nodiscard]] MatrixView<double> costs() { return {costs_.data(), rows_, columns_, stride_}; }
  /// Positive masses, consumed by solve(). Their sums agree up to rounding. Integers with a sum below 2^40 are moved
  /// without rounding; others as if each were changed by 1e-14 of the sum.
  [[nodiscard]] std::span<double> supply() { return {supply_.data(), static_cast<std::size_t>(rows_)}; }
  [[nodiscard]] std::span<double> demand() { return {demand_.data(), static_cast<std::size_t>(columns_)}; }

  /// Least total cost, within 1e-13 times the total mass times the largest cost. NaN if a cost is not finite.
  /// @throws Error(internal) if pivots do not end
  [[nodiscard]] double solve();

  struct Arrays;  // pointers to the arrays below, for the kernels

 private:
  void make_room();
  [[nodiscard]] Arrays arrays();

  Index rows_ = 0, columns_ = 0, stride_ = 0;
  Index base_ = 0;  // nodes of the tree: rows from 0 on, columns from here on
  Buffer<double> costs_, supply_, demand_;
  Buffer<double> offsets_;  // of columns, while the first tree is made
  Buffer<double> regret_;
  Buffer<std::int32_t> order_;
  // of nodes
  Buffer<double> potential_, flow_;
  Buffer<std::int32_t> parent_, removed_;
  Buffer<std::int64_t> below_, moved_;
};

}  // namespace cairn
