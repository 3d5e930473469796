// Rows of a factor as the features of Gaussian processes.
#pragma once

#include <span>
#include <vector>

#include "cairn/approximation/factor.hpp"
#include "cairn/base/schedule/execution.hpp"
#include "cairn/task/gaussian/gaussian_process.hpp"

namespace cairn {

/// The rows `rows` of this rank (global numbers) in double precision: rows x columns, row-major. Local.
template <class T>
[[nodiscard]] std::vector<double> dense_rows(const Factor<T>& factor, std::span<const Index> rows);

/// Predictions of a process for new observations, one for each of this rank's rows `rows` (global numbers) of a factor
/// that holds their features. Works on blocks of rows; memory: 256 rows and their covariances.
/// @throws Error(resource), on every rank. Collective.
template <class T>
[[nodiscard]] std::vector<Normal> predict(const Execution& execution, const GaussianProcess& process,
                                          const Factor<T>& factor, std::span<const Index> rows);

}  // namespace cairn
