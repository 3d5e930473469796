// Landmarks of a graph without the trees that hang off it.
#pragma once

#include <memory>
#include <string>

#include "cairn/data/graph/hanging_trees.hpp"
#include "cairn/run/computation/exact_matrix.hpp"

namespace cairn {

/// Landmarks, and the trees that none of them is in.
template <class T>
struct CoreLandmarks {
  Landmarks<T> landmarks{};
  std::shared_ptr<const HangingTrees> trees{};  ///< null: there are none, or P is to be that of all vertices
  std::string note{};                           ///< of the report; empty: there is nothing to say
};

/// As select_landmarks(), but where the method takes trees to be exact (parameter exact-trees), the data are a graph
/// and K is its path lengths: trees have at most as many vertices as there are for a landmark, n / l, and uniform and
/// farthest landmarks are chosen on the core; others stay in the core with the way to them. Collective.
template <class T>
[[nodiscard]] CoreLandmarks<T> select_core_landmarks(const Execution& execution, const Data<T>& data,
                                                     const ExactMatrix<T>& exact, const MethodChoice& method,
                                                     Index count);

}  // namespace cairn
