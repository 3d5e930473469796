// Data, similarity, landmarks, approximation, error: the steps that commands put together.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cairn/approximation/methods.hpp"
#include "cairn/data/data_kinds.hpp"
#include "cairn/parameters/settings.hpp"
#include "cairn/store/result/result_file.hpp"
#include "pipeline/context.hpp"
#include "report/figures.hpp"

namespace cairn::app {

/// What a run says of rows that have other numbers in the file.
[[nodiscard]] std::string note_of_numbers();
/// What reading noted, and whether rows have other numbers in the file, in sentences for the user. Local.
[[nodiscard]] std::vector<std::string> notes_of(const std::vector<std::string>& notes, const NumbersInFile& numbers);

/// Reads or generates what [data] names and scales it: as `known` says if it is given, else as data.scaling says.
/// @throws Error(input) for points of another dimension than the known ones; as the readers. Collective.
template <class T>
[[nodiscard]] Data<T> load_data(const Execution& execution, const Settings& settings,
                                const KnownObjects* known = nullptr);

/// What a run made.
template <class T>
struct Outcome {
  Approximation<T> approximation;
  ResultDescription description;
  Figures figures;                              ///< without phases, seconds and peak
  std::shared_ptr<DistanceTable<T>> distances;  ///< where output.distances asks for them, else null
};

/// From data to an approximation and its error. @param start  of the run, which says how long the estimate may take.
/// Collective.
template <class T>
[[nodiscard]] Outcome<T> compute(const Execution& execution, const Settings& settings, const Data<T>& data,
                                 std::chrono::steady_clock::time_point start);

}  // namespace cairn::app
