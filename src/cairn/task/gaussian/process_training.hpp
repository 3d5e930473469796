// Training of Gaussian processes by Vecchia's likelihood, as a part of their task; in the folder vecchia.
#pragma once

#include <vector>

#include "cairn/parameters/values.hpp"
#include "cairn/store/result/result_file.hpp"
#include "cairn/task/regression/chosen_rows.hpp"
#include "cairn/task/task.hpp"

namespace cairn {

/// Parameters of the task that only this likelihood has: neighbors, smoothness, features, mean.
[[nodiscard]] std::vector<Parameter> vecchia_parameters();

/// Fits, scores and writes the model. @throws Error(input) for fewer than two training rows or a constant target,
/// Error(usage) if coordinates are asked for and there are none, Error(resource). Collective.
template <class T>
[[nodiscard]] TaskReport train_vecchia(const TaskInput& input, const StoredResult<T>& result, ChosenRows chosen);

}  // namespace cairn
