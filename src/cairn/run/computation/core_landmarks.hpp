// Landmarks of a graph without its pendant trees.
#pragma once

#include <memory>
#include <string>

#include "cairn/data/graph/hanging_trees.hpp"
#include "cairn/run/computation/exact_matrix.hpp"

namespace cairn {

/// Landmarks, and the pendant trees that contain none of them.
template <class T>
struct CoreLandmarks {
  Landmarks<T> landmarks{};
  std::shared_ptr<const HangingTrees> trees{};  ///< null: no such trees, or P is computed for all vertices
  std::string note{};                           ///< for the report; may be empty
};

/// Like select_landmarks(), except if the method treats pendant trees exactly (parameter exact-trees), the data are a
/// graph and K is its path lengths. Then a tree has at most n / l vertices, the number of vertices per landmark.
/// Uniform and farthest landmarks are chosen on the 2-core; others stay in the 2-core, together with their paths to it.
/// Collective.
template <class T>
[[nodiscard]] CoreLandmarks<T> select_core_landmarks(const Execution& execution, const Data<T>& data,
                                                     const ExactMatrix<T>& exact, const MethodChoice& method,
                                                     Index count);

}  // namespace cairn
