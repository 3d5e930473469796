// The result of every method: K ~ g(L J Rᵀ).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cairn/approximation/core_matrix.hpp"
#include "cairn/approximation/factor.hpp"
#include "cairn/approximation/interpolation_report.hpp"
#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/graph/hanging_trees.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/operator/biharmonic_operator.hpp"
#include "cairn/similarity/similarity.hpp"

namespace cairn {

/// The function g, applied entry by entry. sqrt: squared distances are interpolated, and K~ is their square root.
enum class Transform { none, sqrt };

class FeatureMap;

/// Rule for rows of a factor: from similarities with chosen objects, factor = K(objects, landmarks) * map, or
/// from points, factor = features(points). Rows for unseen objects then need those similarities alone, or only the
/// objects.
struct FactorOrigin {
  std::vector<Index> indices{};                    ///< numbers of the objects in the data set
  std::shared_ptr<const ObjectBlock> objects{};    ///< the objects themselves, replicated
  std::shared_ptr<const BlockCyclicMatrix> map{};  ///< null: the identity
  std::shared_ptr<const FeatureMap> features{};    ///< if set, there are no objects and no map
};

/// Findings of a method during its run; printed and stored with the result.
struct MethodReport {
  std::string method;                 ///< resolved name (of the chosen method if it chooses among others)
  Index s1 = 0, s2 = 0;               ///< sizes of the two samples; s2 = 0 if there is one
  Index rank = 0;                     ///< number of columns kept in the core step
  Index dropped_eigenvalues = 0;      ///< number of eigenvalues below the relative tolerance
  Index negative_eigenvalues = 0;     ///< number of negative ones of the core matrix, beyond the tolerance
  std::vector<double> spectrum;       ///< eigenvalues (or singular values) of the core matrix, if it was decomposed
  double shift = 0.0;                 ///< e of SMS-Nystrom, in units of K
  double rescale = 1.0;               ///< beta of SMS-Nystrom
  std::vector<std::string> warnings;  ///< sentences for the user
  std::vector<std::pair<std::string, double>> metrics{};  ///< metrics of the method, by their names in the file
  std::vector<std::string> notes{};  ///< information for the user: what was tried and why something was chosen
  std::optional<InterpolationReport> interpolation{};  ///< about P, if the method computes one
  std::string operator_kind{};                         ///< of P: graph, cotangent or neighbors
  EdgeFlips flips{};                                   ///< edge flips in the operator's triangulation
};

/// K ~ g(L J Rᵀ), R = L where `right` is empty. Factors are dense, or sparse with a core matrix in symmetric tiles;
/// then R = L.
template <class T>
struct Approximation {
  Factor<T> left;
  CoreMatrix core_matrix;
  std::optional<Factor<T>> right;
  Transform transform = Transform::none;
  Meaning meaning = Meaning::similarity;
  bool symmetric = true;     ///< L J Rᵀ is symmetric; false for the CUR family
  bool rectangular = false;  ///< columns of K~ (rows of `right`) are other objects than its rows
  bool symmetrize = false;   ///< K~ is (g(L J Rᵀ) + its transpose) / 2
  /// K~ = K S (SᵀKS)⁺ SᵀK, perhaps without small eigenvalues: K - K~ is semidefinite if K is, and so is K~ - K if K is
  /// a distance of negative type, which has one positive eigenvalue (by the inertia of Schur complements).
  bool projected = false;
  std::optional<FactorOrigin> left_origin;   ///< empty if factors do not come from similarities (optimal)
  std::optional<FactorOrigin> right_origin;  ///< empty if right is empty, too
  /// Pendant trees: their vertices have the row of P of the tree's root, and the last two columns of L are heights and
  /// ones. Entries of K~ between vertices of one tree are lowered by twice the height of their lowest common ancestor,
  /// which is not part of L J Rᵀ. Null: there are none.
  std::shared_ptr<const HangingTrees> trees{};
  MethodReport report;

  [[nodiscard]] const Factor<T>& right_factor() const { return right ? *right : left; }
};

/// Entries K~(i, j) for the pairs of global numbers that this rank requests (each rank has its own list), in batches of
/// bounded memory. @throws Error(internal) for sparse factors without tiles, or tiles without sparse factors.
/// Collective.
template <class T>
[[nodiscard]] std::vector<double> approximate_entries(const Execution& execution, const Approximation<T>& approximation,
                                                      std::span<const Index> rows, std::span<const Index> columns);

/// K~(own rows, columns): this rank's rows of the partition and `columns` (replicated list), n x columns.size(), in
/// double precision. Collective.
template <class T>
[[nodiscard]] RowBlock<double> approximate_columns(const Execution& execution, const Approximation<T>& approximation,
                                                   std::span<const Index> columns);

/// K~(unseen object, own objects) for `picks` (replicated list) of the rows of `unseen`, an extension of `known`: known
/// objects x picks.size(), distributed as the rows of `known`, in double precision. If K~ is not symmetric, the unseen
/// object is the row. @param by_angle  return the cosines of rows of both left factors instead @pre factors are dense
/// and K~ is not rectangular. Collective.
template <class T>
[[nodiscard]] RowBlock<double> columns_of_unseen(const Execution& execution, const Approximation<T>& known,
                                                 const Approximation<T>& unseen, std::span<const Index> picks,
                                                 bool by_angle = false);

}  // namespace cairn
