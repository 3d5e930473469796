// Shared functions of the methods of distance geometry. Private to this folder.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cairn/approximation/method.hpp"
#include "cairn/linalg/krylov/block_krylov.hpp"

namespace cairn::gram_points {

[[nodiscard]] Parameter dimension();
[[nodiscard]] Parameter truncate();
/// Accuracy of eigenvectors if a few of many are computed. @param fallback  "1e-4"
[[nodiscard]] Parameter tolerance(const std::string& fallback);
/// The file of vectors for other programs (keys of [output]).
[[nodiscard]] std::vector<Parameter> outputs();

/// 4 K: number of references of an order.
[[nodiscard]] Index default_references(const Values& values, Index objects);
/// @throws Error(usage) unless K < m <= n, as far as these are known
void check_references(const Values& values, const ProblemShape& shape);

/// Replaces K(own rows, references) by inner products if K is a distance, in place: G_ij = -(d_ij² - a_i - a_j + c) / 2
/// with a_i the mean of d_ij² over the references j, and c the mean of a over them. The points are then centered on the
/// mean of the references. [equation 6; de Silva and Tenenbaum 2004, landmark MDS]
/// @param indices  of the references, replicated. Collective.
template <class T>
void center(const Communicator& communicator, RowBlock<T>& columns, std::span<const Index> indices, Meaning meaning);

/// The largest eigenpairs of a symmetric matrix, descending.
struct TopPairs {
  std::vector<double> values;
  RowBlock<double> vectors;  ///< n x count
  double least = 0;          ///< eigenvalues up to this are rounding errors: n times rounding unit times largest
  Index positive = 0;        ///< number of values above it
};

/// Eigenpairs of a dense matrix, which is consumed: by a decomposition, or by block Lanczos if few of many are needed
/// (a residual of `tolerance` of the largest). Collective.
[[nodiscard]] TopPairs top_pairs(const Execution& execution, BlockCyclicMatrix matrix, Index count, double tolerance,
                                 bool single_precision);
/// The same for a matrix whose rows are distributed over ranks.
[[nodiscard]] TopPairs top_pairs(const Execution& execution, RowBlock<double> matrix, Index count, double tolerance,
                                 bool single_precision);

/// The size of the dense problem in top_pairs for the largest `count` of n. Local.
[[nodiscard]] DenseSize dense_size(Index n, Index count);

/// @throws Error(numeric) that gives the number of positive eigenvalues if it is less than K, unless `truncate`: a
/// warning then states how many are kept. @param what  the matrix: "the 800 references" @return number of kept pairs.
/// Local.
[[nodiscard]] Index kept_pairs(const TopPairs& pairs, Index dimension, const Values& values, const std::string& what,
                               MethodReport& report);

/// V as an approximation of K: V Vᵀ, or, if K is a distance, the root of |v_i|² + |v_j|² - 2 v_i·v_j, with L = (V,
/// |v|², 1). Collective.
template <class T>
[[nodiscard]] Approximation<T> from_points(const Execution& execution, RowBlock<T> points, Meaning meaning,
                                           MethodReport report);

}  // namespace cairn::gram_points
