// P of a stored result, for another K.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cairn/linalg/sparse/sparse_rows.hpp"
#include "cairn/similarity/distance_table.hpp"
#include "pipeline/exact_matrix.hpp"
#include "pipeline/pipeline.hpp"

namespace cairn::app {

template <class T>
struct ReusedInterpolation {
  SparseRows<T> rows;      ///< P
  Landmarks<T> landmarks;  ///< its columns: the numbers only
  std::string selection;   ///< how they were chosen
  std::string path;        ///< of the result
};

/// P and the landmarks of the result that approximation.reuse names, on any number of ranks.
/// @throws Error(input) where it is no biharmonic result or one of other data or another scaling, Error(usage) where
/// its
///   precision is not that of the run. Collective.
template <class T>
[[nodiscard]] ReusedInterpolation<T> read_reused(const Execution& execution, const Settings& settings,
                                                 const Data<T>& data);

/// The distances of similarity.reuse, and those that the run will evaluate beside, for the similarity of `exact`, which
/// uses them from now on; null where neither similarity.reuse nor output.distances asks for any.
/// @throws Error(input) for a file of other data or another scaling, or one that holds no distances or others,
/// Error(usage)
///   where its precision is not that of the run. Collective.
template <class T>
[[nodiscard]] std::shared_ptr<DistanceTable<T>> use_distances(const Execution& execution, const Settings& settings,
                                                              const Data<T>& data, const ExactMatrix<T>& exact);

/// What came of similarity.reuse so far, a sentence each; none where it is not given. The same on every rank. Local.
template <class T>
[[nodiscard]] std::vector<std::string> notes_of_reuse(const Settings& settings, const DistanceTable<T>* table);

/// What a plan needs to know of it.
struct ReusedShape {
  Index landmarks = 0;
  Index entries = 0;  ///< of P
};
/// @throws Error(input) as read_reused. Collective.
[[nodiscard]] ReusedShape reused_shape(const Communicator& communicator, const std::string& path);

}  // namespace cairn::app
