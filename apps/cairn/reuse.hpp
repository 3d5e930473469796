// P of a stored result, for another K.
#pragma once

#include <string>
#include <vector>

#include "linalg/sparse_rows.hpp"
#include "pipeline.hpp"

namespace cairn::app {

template <class T>
struct ReusedInterpolation {
  SparseRows<T> rows;            ///< P
  std::vector<Index> landmarks;  ///< its columns
  std::string selection;         ///< how they were chosen
};

/// P and the landmarks of the result that approximation.reuse names, on any number of ranks.
/// @throws Error(input) where it is no biharmonic result or one of other data or another scaling, Error(usage) where
/// its
///   precision is not that of the run. Collective.
template <class T>
[[nodiscard]] ReusedInterpolation<T> read_reused(const Execution& execution, const Settings& settings,
                                                 const Data<T>& data);

/// What a plan needs to know of it.
struct ReusedShape {
  Index landmarks = 0;
  Index entries = 0;  ///< of P
};
/// @throws Error(input) as read_reused. Collective.
[[nodiscard]] ReusedShape reused_shape(const Communicator& communicator, const std::string& path);

}  // namespace cairn::app
