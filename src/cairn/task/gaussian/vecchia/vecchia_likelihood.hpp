// The likelihood of observations by Vecchia's approximation, over all ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/task/gaussian/vecchia/conditional.hpp"
#include "cairn/task/gaussian/vecchia/neighbor_tree.hpp"

namespace cairn {

/// Sums over all observations, the same on every rank.
struct VecchiaSums {
  bool defined = true;                     ///< false if a covariance matrix is not positive definite to rounding
  double value = 0.0;                      ///< log p
  std::vector<double> gradient{};          ///< by the logarithms of the lengths, sigma and the noise
  std::vector<double> information{};       ///< Fisher's, of these: square, row-major
  std::vector<double> mean_gradient{};     ///< by the coefficients of the mean
  std::vector<double> mean_information{};  ///< Fisher's, of these; that between both kinds is 0
};

/// log p(y) ≈ Σ_i log p(y_i | y of its m nearest predecessors) (Vecchia 1988; Katzfuss and Guinness 2021, equation 1),
/// where distances are in lengths, a length for each column (Katzfuss, Guinness and Lawrence 2022: scaled Vecchia).
/// With m = n - 1 it is exact. The gradient and Fisher's information are sums of those of the terms (Guinness 2021).
///
/// Each rank works on the terms of its places in the tree. Sums are the same to the last bit on any number of ranks and
/// threads. Memory of a rank: 4 m bytes for each of its terms, and the sums of all units (NeighborTree), about
/// 8 (columns + 2)² bytes each; of a node: the tree, and 8 bytes for each observation.
class VecchiaLikelihood {
 public:
  /// @param points, targets  of all observations, in the same order; must outlive this object
  VecchiaLikelihood(const Execution& execution, const OrderedPoints& points, const NodeArray<double>& targets,
                    const ConditionalShape& shape);

  [[nodiscard]] const ConditionalShape& shape() const { return shape_; }
  [[nodiscard]] Index observations() const { return points_.count(); }

  /// Finds the nearest predecessors by these lengths (shape().lengths()). Collective.
  /// @throws Error(resource) on every rank
  void find_neighbors(const std::vector<double>& lengths);

  /// NeighborTree::shares() of the lengths by which neighbors were found. Local.
  [[nodiscard]] std::vector<double> shares() const { return tree_->shares(); }

  /// The mean of an observation is coefficients[0] + Σ_c coefficients[c + 1] x_c. Needs find_neighbors().
  /// @param derivatives  false: only the value, and those by the mean. Collective.
  [[nodiscard]] VecchiaSums at(const ColumnCovariance& covariance, const std::vector<double>& coefficients,
                               bool derivatives) const;

 private:
  const Execution& execution_;
  const OrderedPoints& points_;
  const NodeArray<double>& targets_;
  ConditionalShape shape_;
  std::optional<NeighborTree> tree_;
  NodeArray<double> placed_targets_;
  Range own_{};
  Buffer<std::int32_t> neighbors_;  // own terms x m; -1: none
};

/// Copies an observation and its neighbors into a lane of a batch.
class LaneFiller {
 public:
  /// @param targets  by place @param coefficients  as in VecchiaLikelihood::at()
  LaneFiller(const NeighborTree& tree, std::span<const double> targets, const ColumnCovariance& covariance,
             std::span<const double> coefficients, const ConditionalShape& shape);

  /// Point j of the lane is the one at a place; -1: none.
  void put(Conditional& batch, Index lane, Index j, Index place) const;
  /// Point j of the lane is a new one: its coordinates are in the lengths of the tree. Returns the mean there.
  double put_new(Conditional& batch, Index lane, Index j, const double* position) const;

 private:
  const NeighborTree& tree_;
  std::span<const double> targets_;
  Index columns_;
  bool linear_;
  double constant_;
  std::vector<double> ratios_, slopes_;  // lengths of the tree by those of the covariance; of the mean, by length
};

}  // namespace cairn
