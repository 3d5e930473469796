// A network with one hidden layer as a linear function of features.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cairn/approximation/method.hpp"
#include "cairn/approximation/random_features/feature_map.hpp"
#include "cairn/data/network/dense_network.hpp"
#include "cairn/data/points/point_set.hpp"
#include "cairn/similarity/similarities.hpp"

namespace cairn {

/// How a network is linearized. All of it outlives the computation.
struct LinearizationInput {
  const Execution& execution;
  const DenseNetwork& network;
  const SimilarityChoice& activation;  ///< f of inner products
  const MethodDescriptor& method;      ///< takes points on both sides
  const Values& values;                ///< of the method
  Index components = 0;                ///< principal components that inputs are projected on; 0: none
};

/// y ~ phi(x) C + b2.
template <class T>
struct LinearizedNetwork {
  std::shared_ptr<const FeatureMap> features;  ///< phi, of an input x
  RowBlock<T> left;                            ///< phi of the points
  std::vector<double> coefficients;            ///< C, features x outputs, row-major, replicated
  MethodReport report;                         ///< of the method
};

/// With u = (x - m, c), m the mean of the points, and v_k the row k of W1 beside (b1_k + W1_k·m) / c, the hidden unit k
/// is f(u·v_k) ~ phi(u) J phi'(v_k)ᵀ, so that C = J phi'(V)ᵀ W2ᵀ. c is such that the norms of u and v, in the mean of
/// squares, have the smallest product. With components, x - m is projected on the largest ones first.
///                                                                          [Han, Avron and Shin 2020, section 4.4]
/// @param points  by which coefficients are chosen
/// @throws Error(usage) for points of another dimension than the inputs, more components than inputs, or a method that
/// gives no feature maps; as the method. Memory: features of the points over all ranks, those of the hidden units on
/// every rank. Collective.
template <class T>
[[nodiscard]] LinearizedNetwork<T> linearize(const LinearizationInput& input, const PointSet<T>& points);

/// Columns of a factor times `coefficients` (factor columns x outputs) + intercepts, in the precision T: the rows of
/// this rank, on the threads of the execution. Local.
template <class T>
[[nodiscard]] RowBlock<T> linear_outputs(const Execution& execution, const RowBlock<T>& left,
                                         std::span<const double> coefficients, std::span<const double> intercepts);

/// The same of points, whose features are not kept: a block of rows at a time. Not finite ones give outputs that are
/// not finite. Memory: a block of features a thread. Local.
template <class T>
[[nodiscard]] RowBlock<T> feature_outputs(const Execution& execution, const RowBlock<T>& points,
                                          const FeatureMap& features, std::span<const double> coefficients,
                                          std::span<const double> intercepts);

}  // namespace cairn
