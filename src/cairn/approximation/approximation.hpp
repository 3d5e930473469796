// What every method returns: K ~ g(L J Rᵀ).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cairn/approximation/biharmonic/interpolation.hpp"
#include "cairn/approximation/factor.hpp"
#include "cairn/approximation/joining.hpp"
#include "cairn/base/execution.hpp"
#include "cairn/data/graph/hanging_trees.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/similarity/similarity.hpp"

namespace cairn {

/// g, applied entry by entry. Squared distances are interpolated and their root is taken.
enum class Transform { none, sqrt };

class FeatureMap;

/// How the rows of a factor come from similarities with chosen objects: factor = K(objects, landmarks) * map; or from
/// points: factor = features(points). With it a factor's rows for unseen objects need those similarities alone, or
/// nothing but the objects.
struct FactorOrigin {
  std::vector<Index> indices{};                    ///< of the objects, in the data set
  std::shared_ptr<const ObjectBlock> objects{};    ///< the objects themselves, replicated
  std::shared_ptr<const BlockCyclicMatrix> map{};  ///< nothing: the identity
  std::shared_ptr<const FeatureMap> features{};    ///< then there are no objects and there is no map
};

/// What a method found out on its way; printed and stored with the result.
struct MethodReport {
  std::string method;                 ///< resolved name (of the method that was chosen among others)
  Index s1 = 0, s2 = 0;               ///< sizes of the two samples; s2 = 0 if there is one
  Index rank = 0;                     ///< columns of the joining step that were kept
  Index dropped_eigenvalues = 0;      ///< below the relative tolerance
  Index negative_eigenvalues = 0;     ///< of the joining matrix, beyond the tolerance
  std::vector<double> spectrum;       ///< eigenvalues (or singular values) of the joining matrix, if it was decomposed
  double shift = 0.0;                 ///< e of SMS-Nystrom, in units of K
  double rescale = 1.0;               ///< beta of SMS-Nystrom
  std::vector<std::string> warnings;  ///< sentences for the user
  std::vector<std::pair<std::string, double>> figures{};  ///< what the method measured, by the names of the file
  std::vector<std::string> notes{};  ///< the same, of no concern: what was tried and why something was chosen
  std::optional<InterpolationReport> interpolation{};  ///< of P, if the method makes one
  std::string operator_kind{};                         ///< that P solves with: graph, cotangent, neighbours
  EdgeFlips flips{};                                   ///< of the operator's triangles
};

/// K ~ g(L J Rᵀ), R = L where `right` is empty. Factors are dense, or sparse under a joining matrix in symmetric tiles;
/// R is then L.
template <class T>
struct Approximation {
  Factor<T> left;
  Joining joining;
  std::optional<Factor<T>> right;
  Transform transform = Transform::none;
  Meaning meaning = Meaning::similarity;
  bool symmetric = true;                    ///< L J Rᵀ is symmetric; false for the CUR family
  bool rectangular = false;                 ///< its columns, the rows of `right`, stand for other objects than its rows
  bool symmetrize = false;                  ///< K~ stands for (g(L J Rᵀ) + its transpose) / 2
  std::optional<FactorOrigin> left_origin;  ///< nothing if factors do not come from similarities (optimal)
  std::optional<FactorOrigin> right_origin;  ///< nothing if right is empty, too
  /// Trees whose vertices have the row of P of their root: the last two columns of L are heights and ones. Entries of
  /// K~ between vertices of one tree are lowered by twice the height of their lowest common ancestor, which is no part
  /// of L J Rᵀ. Null: there are none.
  std::shared_ptr<const HangingTrees> trees{};
  MethodReport report;

  [[nodiscard]] const Factor<T>& right_factor() const { return right ? *right : left; }
};

/// Entries K~(i, j) of the pairs of global numbers that this rank asks for (another list on every rank), in batches
/// that keep memory bounded. @throws Error(internal) for sparse factors without tiles, or tiles without. Collective.
template <class T>
[[nodiscard]] std::vector<double> approximate_entries(const Execution& execution, const Approximation<T>& approximation,
                                                      std::span<const Index> rows, std::span<const Index> columns);

/// K~(own rows, columns): this rank's rows of the partition against `columns` (replicated list), n x columns.size(),
/// in double precision. Collective.
template <class T>
[[nodiscard]] RowBlock<double> approximate_columns(const Execution& execution, const Approximation<T>& approximation,
                                                   std::span<const Index> columns);

/// K~(unseen object, own objects) for `picks` (replicated list) of the rows of `unseen`, an extension of `known`:
/// known objects x picks.size(), distributed as the rows of `known`, in double precision. Of a K~ that is not symmetric
/// the unseen object is the row. @param by_angle  the cosines of rows of both left factors instead @pre factors are
/// dense and K~ is not rectangular. Collective.
template <class T>
[[nodiscard]] RowBlock<double> columns_of_unseen(const Execution& execution, const Approximation<T>& known,
                                                 const Approximation<T>& unseen, std::span<const Index> picks,
                                                 bool by_angle = false);

}  // namespace cairn
