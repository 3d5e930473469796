// K itself, as a run evaluates it: entries between objects, or rows from one object to all others.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cairn/data/data_kinds.hpp"
#include "cairn/run/computation/method_choice.hpp"
#include "cairn/similarity/catalog/similarities.hpp"

namespace cairn {

/// K of some data; entries are evaluated on request. Refers to the data and the execution with which it was made.
template <class T>
struct ExactMatrix {
  SimilarityTraits traits;
  const ObjectSet* objects = nullptr;         ///< objects that entries compare: the data, or the positions of a mesh
  const ObjectSet* right = nullptr;           ///< objects that the columns represent; null: the same as the rows
  std::unique_ptr<SourceSimilarity> sources;  ///< row oracle, if K is single-source
  std::unique_ptr<Similarity<T>> entries;     ///< for methods that need entries or columns
  /// Creates another object for the same entries; empty if the similarity is single-source. Collective.
  std::function<std::unique_ptr<Similarity<T>>()> again;
  /// Creates another object for the same sources, for nearest-neighbor searches; empty: `sources` serves. Collective.
  std::function<std::unique_ptr<SourceSimilarity>()> nearest;
  Index setup = 0;  ///< evaluations of this rank that resolved parameters

  [[nodiscard]] const std::string& name() const { return entries->traits().name; }
  /// Parameters by name, with words resolved: "gamma" -> "0.25".
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const { return entries->parameters(); }
  /// Evaluations of this rank so far, and evaluations that earlier runs made for its tiles.
  [[nodiscard]] Index evaluations() const { return sources ? sources->evaluations() : entries->evaluations(); }
  [[nodiscard]] Index restored() const { return sources ? sources->restored() : entries->restored(); }
};

/// K of `data` by a similarity, whose values resolve words from the data. For a mesh without sources, the positions are
/// compared. @throws Error(input) for geodesics on a mesh in several pieces; as make_similarity(). Collective.
template <class T>
[[nodiscard]] ExactMatrix<T> make_exact_matrix(const Execution& execution, const Data<T>& data,
                                               const SimilarityChoice& similarity);

/// The same K by whole rows of points, for a method that needs rows. @throws Error(usage) if there are none: the
/// similarity is not a function of coordinates, or the objects have none. Collective.
template <class T>
[[nodiscard]] ExactMatrix<T> by_rows(const Execution& execution, const Data<T>& data, const ExactMatrix<T>& exact,
                                     const MethodChoice& method);

/// K in the form that this method needs. Collective.
template <class T>
[[nodiscard]] ExactMatrix<T> make_exact_matrix(const Execution& execution, const Data<T>& data,
                                               const SimilarityChoice& similarity, const MethodChoice& method) {
  ExactMatrix<T> exact = make_exact_matrix(execution, data, similarity);
  return method.method->needs.rows && !exact.sources ? by_rows(execution, data, exact, method) : std::move(exact);
}

/// Findings from setting up K, as sentences: the path search and its reason, flipped edges, results of a sample of
/// geodesics. @param similarity  values with which K was made, or null for a function of a program. Local.
template <class T>
[[nodiscard]] std::vector<std::string> notes_of(const ExactMatrix<T>& exact, const Values* similarity);

/// K(row, own columns). Collective.
template <class T>
[[nodiscard]] std::vector<double> exact_row(const Execution& execution, const ExactMatrix<T>& exact, Index row);

/// Number of flipped edges of a surface, as a sentence.
[[nodiscard]] std::string note_of(const EdgeFlips& flips);

/// Landmarks chosen by a selection, in the order of the objects if neither the selection nor the method needs another
/// order. Collective.
template <class T>
[[nodiscard]] Landmarks<T> selected(const LandmarkSelection& selection, const MethodChoice& method,
                                    const SelectionInput<T>& input);

/// Landmarks of the choice: none for a method without landmarks. @param count  0: as many as their file has.
/// Collective.
template <class T>
[[nodiscard]] Landmarks<T> select_landmarks(const Execution& execution, const Data<T>& data,
                                            const ExactMatrix<T>& exact, const MethodChoice& method, Index count);

}  // namespace cairn
