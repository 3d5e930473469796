// The steps of a run as its request says: reading, planning, measuring the error.
#pragma once

#include <optional>

#include "cairn/run/computation/computation.hpp"
#include "cairn/run/planning/planning.hpp"
#include "cairn/run/request/run_request.hpp"

namespace cairn {

/// Reads or generates the data and scales them: as `known` says if it is given, else as the request does.
/// @throws Error(input) for points of another dimension than the known ones; as the readers. Collective.
template <class T>
[[nodiscard]] Data<T> read(const Execution& execution, const RunRequest& request, const KnownObjects* known = nullptr);

/// The sizes that the file's header or the generator's parameters tell, without reading values; nothing if the format
/// does not tell. Collective.
[[nodiscard]] std::optional<DataSize> peek_size(const Communicator& communicator, const RunRequest& request);

/// The choices that a plan depends on beside sizes. Local.
[[nodiscard]] RunChoices run_choices(const RunRequest& request, Index objects);

/// The plan's sizes. @param ranks  ranks to plan for @param baseline  resident bytes of a rank before any data
/// @throws Error(usage) as require_fitting; Error(input) if the result whose landmarks are reused is not biharmonic.
/// Collective over `communicator`.
[[nodiscard]] PlanInput plan_of(const Communicator& communicator, const RunRequest& request, const DataSize& size,
                                int ranks, Index baseline);

/// Throws if the plan exceeds the memory limit, whatever is free here; not if the number of landmarks is that of a
/// file, for which compute() plans once they are read. @throws Error(resource) with sizes and advice. Local.
void require_memory_limit(const RunRequest& request, const PlanInput& input);

/// Before a run: require_memory_limit, and what is free (require_plan_room, which has `warns` and what is returned).
/// @throws Error(resource). Collective.
bool require_memory(const Communicator& communicator, const RunRequest& request, const PlanInput& input,
                    bool warns = true);

/// Options of compute(), which refer to the request. Local.
[[nodiscard]] ComputationOptions computation_options(const RunRequest& request);

/// The error as the request says: over rows, always if K comes by them, or on pairs.
/// @param seconds  time limit if no number of entries is fixed
/// @param by_vertex  if K comes by rows: the error of each own object, too
/// Collective.
template <class T>
[[nodiscard]] MeasuredError measure_error(const Execution& execution, const RunRequest& request,
                                          const Approximation<T>& approximation, const ExactMatrix<T>& exact,
                                          double seconds, VertexErrors* by_vertex = nullptr);

}  // namespace cairn
