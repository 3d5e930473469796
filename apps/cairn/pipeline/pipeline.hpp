// The steps of a run that commands share.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cairn/parameters/settings.hpp"
#include "cairn/run/request/run_steps.hpp"
#include "cairn/store/result/tile_room.hpp"
#include "keys/request.hpp"
#include "pipeline/context.hpp"
#include "report/figures.hpp"

namespace cairn::app {

/// What a run says of rows that have other numbers in the file.
[[nodiscard]] std::string note_of_numbers();
/// What reading noted, and whether rows have other numbers in the file, in sentences for the user. Local.
[[nodiscard]] std::vector<std::string> notes_of(const std::vector<std::string>& notes, const NumbersInFile& numbers);

/// What a run made.
template <class T>
struct Outcome {
  Computed<T> computed;
  RunFigures figures;  ///< without totals
};

/// From data to an approximation and its error. @param config  that is kept with the result
/// @param start  of the run, which says how long the estimate may take. Collective.
template <class T>
[[nodiscard]] Outcome<T> compute(const Execution& execution, const RunRequest& request, const std::string& config,
                                 const Data<T>& data, std::chrono::steady_clock::time_point start);

/// Sets phases, seconds and peak at the end of a run. Collective.
void finish(Context& context, RunTotals& totals);

}  // namespace cairn::app
