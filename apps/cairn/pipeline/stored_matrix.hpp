// K itself for tasks and predictions, for the objects that results were made from.
#pragma once

#include "cairn/parameters/settings.hpp"
#include "cairn/task/task.hpp"

namespace cairn::app {

/// Finds the data of a result at the location given by its own config and `settings`. With similarity.reuse, uses the
/// distances stored there. References must outlive the returned function. Local; the returned function is collective.
/// @throws the returned function: as stored_settings, load_stored_data, stored_exact_matrix, use_distances
template <class T>
[[nodiscard]] FindMatrix<T> find_stored_matrix(const Execution& execution, const Settings& settings);

}  // namespace cairn::app
