// Represents a network with one hidden layer as a linear function of features.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cairn/approximation/feature_map.hpp"
#include "cairn/approximation/method.hpp"
#include "cairn/data/network/dense_network.hpp"
#include "cairn/data/points/point_set.hpp"
#include "cairn/similarity/catalog/similarities.hpp"

namespace cairn {

/// Input of a linearization. All members must outlive the computation.
struct LinearizationInput {
  const Execution& execution;
  const DenseNetwork& network;
  const SimilarityChoice& activation;  ///< f, applied to inner products
  const MethodDescriptor& method;      ///< must take points on both sides
  const Values& values;                ///< parameters of the method
  Index components = 0;  ///< number of principal components on which inputs are projected; 0: no projection
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
/// is f(u·v_k) ~ phi(u) J phi'(v_k)ᵀ, so that C = J phi'(V)ᵀ W2ᵀ. c minimizes the product of the root mean square norms
/// of u and v. With components, x - m is first projected on the largest ones.
///                                                                          [Han, Avron and Shin 2020, section 4.4]
/// @param points  by which coefficients are chosen
/// @throws Error(usage) for points of another dimension than the inputs, more components than inputs, or a method
///   without feature maps; as the method. Memory: features of the points over all ranks, those of the hidden units on
///   every rank. Collective.
template <class T>
[[nodiscard]] LinearizedNetwork<T> linearize(const LinearizationInput& input, const PointSet<T>& points);

/// Columns of a factor times `coefficients` (factor columns x outputs) + intercepts, in the precision T, for the rows
/// of this rank, on the threads of the execution. Local.
template <class T>
[[nodiscard]] RowBlock<T> linear_outputs(const Execution& execution, const RowBlock<T>& left,
                                         std::span<const double> coefficients, std::span<const double> intercepts);

/// As linear_outputs, for points whose features are not stored: computed one block of rows at a time. Points that are
/// not finite give outputs that are not finite. Memory: a block of features per thread. Local.
template <class T>
[[nodiscard]] RowBlock<T> feature_outputs(const Execution& execution, const RowBlock<T>& points,
                                          const FeatureMap& features, std::span<const double> coefficients,
                                          std::span<const double> intercepts);

}  // namespace cairn
