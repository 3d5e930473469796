// From a name and parameters to a similarity.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/execution.hpp"
#include "data/dense_matrix.hpp"
#include "data/object_set.hpp"
#include "similarity/similarity.hpp"

namespace cairn {

/// The keys of [similarity]. Texts where a word is allowed instead of a number.
struct SimilarityParameters {
  std::string kind;             ///< rbf, laplacian, polynomial, linear, cosine, sigmoid, matern, euclidean, matrix, noise, sum, product
  std::string gamma = "scale";  ///< a number >= 0, "median" (1 / median squared distance of 1000 random points), "scale" (1 / (d var))
  double degree = 3;            ///< polynomial
  double coef0 = 1;             ///< polynomial, sigmoid
  double nu = 1.5;              ///< matern: 0.5, 1.5, 2.5
  double length_scale = 1;      ///< matern
  double sigma = 1;             ///< noise: standard deviation off the diagonal
  double sigma_diagonal = -1;   ///< noise: on the diagonal; negative: sigma * sqrt(2)
  std::string path;             ///< matrix
  std::string format;           ///< matrix
  std::string dataset;          ///< matrix
  bool symmetrize = false;      ///< matrix: average both directions
  std::vector<SimilarityParameters> parts;  ///< sum, product
  std::vector<double> weights;              ///< sum: one a part; empty: all 1
};

/// Makes the similarity and resolves words into numbers from the data. `objects` must outlive it.
/// @throws Error(usage) for an unknown kind or a bad parameter (its key is named), or a kind that does not fit the objects;
///   Error(input) for a matrix file. The same on every rank. Collective.
template <class T>
[[nodiscard]] std::unique_ptr<Similarity<T>> make_similarity(const Execution& execution,
                                                             const SimilarityParameters& parameters,
                                                             const ObjectSet& objects);

}  // namespace cairn
