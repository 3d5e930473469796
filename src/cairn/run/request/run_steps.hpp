// The steps of a run by its request: reading, planning, measuring the error.
#pragma once

#include <optional>

#include "cairn/run/computation/computation.hpp"
#include "cairn/run/planning/landmark_forecast.hpp"
#include "cairn/run/planning/planning.hpp"
#include "cairn/run/request/run_request.hpp"

namespace cairn {

/// Reads or generates the data and scales them: as `known` if it is given, otherwise as requested.
/// @throws Error(input) for points of another dimension than the known ones; as the readers. Collective.
template <class T>
[[nodiscard]] Data<T> read(const Execution& execution, const RunRequest& request, const KnownObjects* known = nullptr);

/// Sizes from the file's header or the generator's parameters, without reading values; nothing if the format does not
/// state them. Collective.
[[nodiscard]] std::optional<DataSize> peek_size(const Communicator& communicator, const RunRequest& request);

/// Choices besides sizes on which a plan depends. Local.
[[nodiscard]] RunChoices run_choices(const RunRequest& request, Index objects);

/// Input of the plan. @param ranks  ranks to plan for @param baseline  resident bytes of a rank before any data
/// @throws Error(usage) as require_fitting; Error(input) if the result whose landmarks are reused is not biharmonic.
/// Collective over `communicator`.
[[nodiscard]] PlanInput plan_of(const Communicator& communicator, const RunRequest& request, const DataSize& size,
                                int ranks, Index baseline);

/// Sets the number of landmarks, and the core rows that follow, of a request that states an error: as
/// forecast_landmarks finds them. @pre the request's method grows Collective.
template <class T>
LandmarkForecast find_landmarks(const Execution& execution, const Data<T>& data, RunRequest& request);

/// Throws if the plan exceeds the memory limit, whatever memory is free here. Does not throw if the number of landmarks
/// is that of a file, or grows: compute() then plans when it knows it. @throws Error(resource) with sizes and advice.
/// Local.
void require_memory_limit(const RunRequest& request, const PlanInput& input);

/// Before a run: calls require_memory_limit and checks the free memory (require_plan_budget, which defines `warns` and
/// the return value). @throws Error(resource). Collective.
bool require_memory(const Communicator& communicator, const RunRequest& request, const PlanInput& input,
                    bool warns = true);

/// Options of compute(), which refer to the request. Local.
[[nodiscard]] ComputationOptions computation_options(const RunRequest& request);

/// Measures the error as requested: over rows, always if K is evaluated by rows, or on pairs.
/// @param share  as in EstimateEffort
/// @param by_vertex  if K is evaluated by rows: also the error of each own object
/// Collective.
template <class T>
[[nodiscard]] MeasuredError measure_error(const Execution& execution, const RunRequest& request,
                                          const Approximation<T>& approximation, const ExactMatrix<T>& exact,
                                          double share, VertexErrors* by_vertex = nullptr);

}  // namespace cairn
