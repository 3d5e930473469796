// K~ and K beside given scores of pairs.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "pipeline/pipeline.hpp"
#include "report/job.hpp"

namespace cairn::app {

/// Compares both with the scores of --pairs, prints and returns what it finds. Every rank holds all pairs: 40 bytes
/// each.
/// @throws Error(input) for pairs of rows that do not exist, as read_columns. Collective.
template <class T>
[[nodiscard]] nlohmann::ordered_json evaluate_pairs(const Job& job, const Execution& execution,
                                                    const Approximation<T>& approximation, const ExactMatrix<T>& exact);

}  // namespace cairn::app
