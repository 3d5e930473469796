// Makers of the similarities of points.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cairn/similarity/similarity_descriptor.hpp"

namespace cairn {

/// exp(-gamma |x - y|^2), gamma >= 0. Exactly 1 for an object and itself.
template <class T>
[[nodiscard]] std::unique_ptr<Similarity<T>> make_rbf(Index dimension, double gamma);

/// Matern function of r = |x - y| / length_scale, length_scale > 0 (Rasmussen and Williams 2006, section 4.2.1): with
/// t = sqrt(2 nu) r, exp(-t) for nu = 1/2, (1 + t) exp(-t) for 3/2, (1 + t + t^2 / 3) exp(-t) for 5/2.
template <class T>
[[nodiscard]] std::unique_ptr<Similarity<T>> make_matern(Index dimension, double nu, double length_scale);

/// |x - y|, a distance.
template <class T>
[[nodiscard]] std::unique_ptr<Similarity<T>> make_euclidean(Index dimension);

/// exp(-gamma sum_k |x_k - y_k|), gamma >= 0.
template <class T>
[[nodiscard]] std::unique_ptr<Similarity<T>> make_laplacian(Index dimension, double gamma);

/// x.y
template <class T>
[[nodiscard]] std::unique_ptr<Similarity<T>> make_linear(Index dimension);

/// (gamma x.y + coef0)^degree; NaN, and thus an error, for a degree that is not an integer and a negative base.
template <class T>
[[nodiscard]] std::unique_ptr<Similarity<T>> make_polynomial(Index dimension, double gamma, double coef0,
                                                             double degree);

/// tanh(gamma x.y + coef0)
template <class T>
[[nodiscard]] std::unique_ptr<Similarity<T>> make_sigmoid(Index dimension, double gamma, double coef0);

/// x.y / (|x| |y|). For the zero vector, an Error(input) that names the point, or 0 with every point. An Error(input),
/// too, for points whose squares are beyond the range of T.
template <class T>
[[nodiscard]] std::unique_ptr<Similarity<T>> make_cosine(Index dimension, bool zero_is_zero = false);

[[nodiscard]] const SimilarityDescriptor& rbf_similarity();
[[nodiscard]] const SimilarityDescriptor& matern_similarity();
[[nodiscard]] const SimilarityDescriptor& euclidean_similarity();
[[nodiscard]] const SimilarityDescriptor& laplacian_similarity();
[[nodiscard]] const SimilarityDescriptor& linear_similarity();
[[nodiscard]] const SimilarityDescriptor& polynomial_similarity();
[[nodiscard]] const SimilarityDescriptor& sigmoid_similarity();
[[nodiscard]] const SimilarityDescriptor& cosine_similarity();
/// f(scale x·y + shift) for a function f by name.
[[nodiscard]] const SimilarityDescriptor& function_similarity();
/// Names of f; the choice of one by name; name of the chosen f, and its value as a function of scale x·y + shift.
/// Local.
[[nodiscard]] std::vector<std::string> function_names();
[[nodiscard]] SimilarityChoice function_by_name(const std::string& name);
[[nodiscard]] const std::string& name_of_function(const SimilarityChoice& choice);
[[nodiscard]] std::function<double(double)> value_of_function(const SimilarityChoice& choice);

}  // namespace cairn
