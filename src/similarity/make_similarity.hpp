// From a name and parameters to a similarity.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/execution.hpp"
#include "data/dense_matrix.hpp"
#include "data/object_set.hpp"
#include "similarity/scorers.hpp"
#include "similarity/similarity.hpp"

namespace cairn {

/// The keys of [similarity]. Texts where a word is allowed instead of a number.
struct SimilarityParameters {
  std::string kind{};           ///< one of similarity_kinds()
  std::string gamma = "scale";  ///< rbf, laplacian, polynomial, sigmoid, wmd: a number >= 0, or a word of
                                ///< bandwidth.hpp: "median" (laplacian: of L1 distances), "scale" (not wmd)
  double degree = 3;            ///< polynomial: >= 0
  double coef0 = 1;             ///< polynomial, sigmoid
  double nu = 1.5;              ///< matern: 0.5, 1.5, 2.5
  double length_scale = 1;      ///< matern
  double sigma = 1;             ///< noise: standard deviation off the diagonal
  double sigma_diagonal = -1;   ///< noise: on the diagonal; negative: sigma * sqrt(2)
  std::optional<std::uint64_t> seed{};        ///< noise: of its draws; absent: execution.seed
  std::string path{};                         ///< matrix
  std::string format{};                       ///< matrix
  std::string dataset{};                      ///< matrix
  bool symmetrize = false;                    ///< matrix, external: average both directions
  /// matrix, external: similarity or distance; empty: similarity, and an error where sampled values look like distances
  std::string meaning{};
  ScorerProgram scorer{};                     ///< external
  std::string send{};                         ///< external: texts, ids, vectors; empty: what suits the objects
  std::vector<SimilarityParameters> parts{};  ///< sum, product
  std::vector<double> weights{};              ///< sum: one a part; empty: all 1
};

/// The kinds that make_similarity knows, in the order in which the help names them.
[[nodiscard]] const std::vector<std::string>& similarity_kinds();

/// What Similarity::parameters() gave, turned back: make_similarity makes the same similarity from it. Those of a part
/// of a sum or product carry its number: "1.kind", "1.gamma", "1.weight".
/// @throws Error(input) for an unknown key or a value that is no number: the file that it was read from is damaged.
/// Local.
[[nodiscard]] SimilarityParameters from_resolved(const std::string& kind,
                                                 const std::vector<std::pair<std::string, std::string>>& resolved);

/// Makes the similarity and resolves words into numbers from the data; distances of documents that this takes are its
/// first evaluations. `objects` must outlive it.
/// @throws Error(usage) for an unknown kind or a bad parameter (its key is named), or a kind that does not fit the
/// objects;
///   Error(input) for a matrix file, or values of which the meaning must be given (sampled_meaning.hpp). The same on
///   every rank. Collective.
template <class T>
[[nodiscard]] std::unique_ptr<Similarity<T>> make_similarity(const Execution& execution,
                                                             const SimilarityParameters& parameters,
                                                             const ObjectSet& objects);

}  // namespace cairn
