// A run as the settings describe it: its choices, its plan, and the steps that commands put together.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cairn/parameters/settings.hpp"
#include "cairn/run/computation/computation.hpp"
#include "cairn/run/planning/planning.hpp"
#include "cairn/store/result/tile_room.hpp"
#include "pipeline/context.hpp"
#include "report/figures.hpp"

namespace cairn::app {

/// The names of keys in messages of the library. Local.
[[nodiscard]] const RunKeys& named_keys();
/// run.memory, and the folder of output.path. Local.
[[nodiscard]] RunRoom run_room(const Settings& settings);
/// run.memory. Local.
[[nodiscard]] MemoryLimit memory_of(const Settings& settings);

/// What a run says of rows that have other numbers in the file.
[[nodiscard]] std::string note_of_numbers();
/// What reading noted, and whether rows have other numbers in the file, in sentences for the user. Local.
[[nodiscard]] std::vector<std::string> notes_of(const std::vector<std::string>& notes, const NumbersInFile& numbers);

/// Reads or generates what [data] names and scales it: as `known` says if it is given, else as data.scaling says.
/// @throws Error(input) for points of another dimension than the known ones; as the readers. Collective.
template <class T>
[[nodiscard]] Data<T> load_data(const Execution& execution, const Settings& settings,
                                const KnownObjects* known = nullptr);

/// The sizes that the file's header or the generator's parameters tell, without reading values; nothing if the format
/// does not tell. Collective.
[[nodiscard]] std::optional<DataSize> peek_size(const Communicator& communicator, const Settings& settings);

/// Similarity, method, distances and estimate of the error, for so many objects. Local.
[[nodiscard]] RunChoices run_choices(const Settings& settings, Index objects);

/// The plan's sizes. @param ranks  ranks to plan for @param baseline  resident bytes of a rank before any data
/// @throws Error(input) if approximation.reuse names no biharmonic result. Collective over `communicator`.
[[nodiscard]] PlanInput plan_of(const Communicator& communicator, const Settings& settings, const DataSize& size,
                                int ranks, Index baseline);

/// @throws Error(resource) with the figures and what to change, if the plan exceeds run.memory, whatever is free here;
/// not if the number of landmarks is that of a file, of which compute() plans once they are read. Local.
void require_memory_limit(const Settings& settings, const PlanInput& input);

/// Before a run: require_memory_limit, and what is free (require_plan_room, which has `warns` and what is returned).
/// @throws Error(resource). Collective.
bool require_memory(const Communicator& communicator, const Settings& settings, const PlanInput& input,
                    bool warns = true);

/// The error as [evaluation] asks for it: over rows, always if K comes by rows, or on pairs.
/// @param seconds  that it may take if no number of them is fixed
/// @param by_vertex  if K comes by rows: the error of each own object, too
/// Collective.
template <class T>
[[nodiscard]] MeasuredError measure_error(const Execution& execution, const Settings& settings,
                                          const Approximation<T>& approximation, const ExactMatrix<T>& exact,
                                          double seconds, VertexErrors* by_vertex = nullptr);

/// What a run made.
template <class T>
struct Outcome {
  Computed<T> computed;
  RunFigures figures;  ///< without totals
};

/// From data to an approximation and its error. @param start  of the run, which says how long the estimate may take.
/// Collective.
template <class T>
[[nodiscard]] Outcome<T> compute(const Execution& execution, const Settings& settings, const Data<T>& data,
                                 std::chrono::steady_clock::time_point start);

/// Sets phases, seconds and peak at the end of a run. Collective.
void finish(Context& context, RunTotals& totals);

}  // namespace cairn::app
