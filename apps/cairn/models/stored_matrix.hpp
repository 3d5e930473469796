// The matrix itself for a task, of the objects that a result was made from.
#pragma once

#include "cairn/parameters/settings.hpp"
#include "cairn/task/task.hpp"

namespace cairn::app {

/// Finds the data of a result as its own config and `settings` say where they are; with similarity.reuse, distances are
/// those that are kept there. References outlive what is returned. Local; what it returns is collective.
/// @throws what it returns: as stored_settings, load_stored_data, stored_exact_matrix, use_distances
template <class T>
[[nodiscard]] FindMatrix<T> find_stored_matrix(const Execution& execution, const Settings& settings);

}  // namespace cairn::app
