// K itself, as a run evaluates it: entries between objects, or rows from one object to all others.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cairn/data/data_kinds.hpp"
#include "cairn/run/computation/method_choice.hpp"
#include "cairn/similarity/similarities.hpp"

namespace cairn {

/// K of some data, of which nothing is evaluated before it is asked for. Refers to the data and the execution that it
/// was made with.
template <class T>
struct ExactMatrix {
  SimilarityTraits traits;
  const ObjectSet* objects = nullptr;         ///< what entries compare: the data, or the positions of a mesh
  const ObjectSet* right = nullptr;           ///< that the columns stand for; null: the same as the rows
  std::unique_ptr<SourceSimilarity> sources;  ///< if K comes from one object to all others
  std::unique_ptr<Similarity<T>> entries;     ///< as methods take it that ask for entries or columns
  /// Makes another of the same entries; nothing if the similarity is single-source. Collective.
  std::function<std::unique_ptr<Similarity<T>>()> again;
  /// Makes another of the same sources, which serves searches for the nearest; nothing: `sources` does. Collective.
  std::function<std::unique_ptr<SourceSimilarity>()> nearest;

  [[nodiscard]] const std::string& name() const { return entries->traits().name; }
  /// By name, with words resolved: "gamma" -> "0.25".
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const { return entries->parameters(); }
  /// Evaluations of this rank so far, and those that earlier runs made for its tiles.
  [[nodiscard]] Index evaluations() const { return sources ? sources->evaluations() : entries->evaluations(); }
  [[nodiscard]] Index restored() const { return sources ? sources->restored() : entries->restored(); }
};

/// K of `data` by a similarity, whose values resolve words from the data. Of a mesh without sources the positions are
/// compared. @throws Error(input) for geodesics on a mesh in several pieces; as make_similarity(). Collective.
template <class T>
[[nodiscard]] ExactMatrix<T> make_exact_matrix(const Execution& execution, const Data<T>& data,
                                               const SimilarityChoice& similarity);

/// The same K by whole rows of points, for a method that takes these. @throws Error(usage) if it has none: the
/// similarity is not a function of coordinates, or the objects have none. Collective.
template <class T>
[[nodiscard]] ExactMatrix<T> by_rows(const Execution& execution, const Data<T>& data, const ExactMatrix<T>& exact,
                                     const MethodChoice& method);

/// K as this method takes it. Collective.
template <class T>
[[nodiscard]] ExactMatrix<T> make_exact_matrix(const Execution& execution, const Data<T>& data,
                                               const SimilarityChoice& similarity, const MethodChoice& method) {
  ExactMatrix<T> exact = make_exact_matrix(execution, data, similarity);
  return method.method->needs.rows && !exact.sources ? by_rows(execution, data, exact, method) : std::move(exact);
}

/// What making K found out, in sentences: how paths are searched and why, which edges were flipped, what a sample of
/// geodesics says. @param similarity  the values that it was made with, or null: of a program's function. Local.
template <class T>
[[nodiscard]] std::vector<std::string> notes_of(const ExactMatrix<T>& exact, const Values* similarity);

/// K(row, own columns). Collective.
template <class T>
[[nodiscard]] std::vector<double> exact_row(const Execution& execution, const ExactMatrix<T>& exact, Index row);

/// How many edges of a surface were flipped, in a sentence.
[[nodiscard]] std::string note_of(const EdgeFlips& flips);

/// What a selection chooses, in the order of the objects if neither the selection nor the method minds. Collective.
template <class T>
[[nodiscard]] Landmarks<T> selected(const LandmarkSelection& selection, const MethodChoice& method,
                                    const SelectionInput<T>& input);

/// Landmarks as the choice says: none for a method that takes none. @param count  0: as many as their file has
/// Collective.
template <class T>
[[nodiscard]] Landmarks<T> select_landmarks(const Execution& execution, const Data<T>& data,
                                            const ExactMatrix<T>& exact, const MethodChoice& method, Index count);

}  // namespace cairn
