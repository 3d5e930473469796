// K itself, as a run evaluates it: by entries or by source.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "cairn/similarity/geodesic/geodesic.hpp"
#include "cairn/similarity/similarities.hpp"
#include "cairn/similarity/source_similarity.hpp"
#include "pipeline/pipeline.hpp"

namespace cairn::app {

/// What the settings ask for on some data.
template <class T>
struct ExactMatrix {
  std::unique_ptr<SourceSimilarity> sources;  ///< where K comes by source, as by_source of the settings says, or null
  std::unique_ptr<Similarity<T>> entries;     ///< as methods take it that want entries or columns
  const ObjectSet* objects = nullptr;         ///< what entries compare: the data, or the positions of a mesh

  [[nodiscard]] std::string name() const { return sources ? sources->name() : entries->name(); }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const {
    return sources ? sources->parameters() : entries->parameters();
  }
  /// Evaluations of this rank so far.
  [[nodiscard]] Index evaluations() const { return sources ? sources->evaluations() : entries->evaluations(); }
  /// Evaluations that earlier runs made for this rank's tiles.
  [[nodiscard]] Index restored() const { return sources ? sources->restored() : entries->restored(); }
};

/// K of `data`, by entries or by source as the method and the similarity take it. `data` outlives it.
/// @throws Error(input) for geodesics on a mesh in several pieces. Collective.
template <class T>
[[nodiscard]] ExactMatrix<T> make_exact_matrix(const Execution& execution, const Settings& settings,
                                               const Data<T>& data, const SimilarityChoice& similarity);

/// How paths are searched and why, where similarity.search = auto chose; of geodesics, which edges were flipped and
/// what a sample of them says. Local.
template <class T>
[[nodiscard]] std::vector<std::string> notes_of(const ExactMatrix<T>& exact, const Settings& settings);

/// How many edges were flipped, in a sentence.
[[nodiscard]] std::string note_of(const EdgeFlips& flips);

/// Puts the notes and warnings above in `report`, and what they are made of in `figures`. Local.
template <class T>
void describe(const ExactMatrix<T>& exact, const Settings& settings, MethodReport& report, Figures& figures);

/// Landmarks as [landmarks] says: none for a method that takes none. @param count  0: as many as their file has.
/// Collective.
template <class T>
[[nodiscard]] Landmarks<T> select_landmarks(const Execution& execution, const Settings& settings, const Data<T>& data,
                                            const ExactMatrix<T>& exact, Index count);

/// The error as [evaluation] asks for it: over rows, always where K comes by source, or on pairs.
/// @param seconds  that it may take if no number of them is fixed
/// @param by_vertex  where K comes by source: the error of each own object, too
/// Collective.
template <class T>
[[nodiscard]] MeasuredError measure_error(const Execution& execution, const Settings& settings,
                                          const Approximation<T>& approximation, const ExactMatrix<T>& exact,
                                          double seconds, VertexErrors* by_vertex = nullptr);

/// Seconds for the estimate of a run that began at `start`. Local.
[[nodiscard]] double estimate_seconds_since(std::chrono::steady_clock::time_point start);

}  // namespace cairn::app
