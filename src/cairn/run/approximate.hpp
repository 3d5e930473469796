// Approximations from a similarity, or from the keys of a config.
#pragma once

#include <string>

#include "cairn/approximation/catalog/methods.hpp"
#include "cairn/plan/plan_model.hpp"
#include "cairn/run/request/run_forecast.hpp"
#include "cairn/run/result.hpp"

namespace cairn {

class Session;

/// Approximates K ~ g(L J Rᵀ) by the method with this command-line name.
/// @param given  parameters of the method, by the names in its descriptor (`cairn help method NAME` describes them),
/// and the landmarks: landmarks.count or landmarks.fraction, landmarks.selection (uniform, farthest, rpcholesky, file,
/// by-list), landmarks.path, landmarks.list (row numbers: "3,17,42")
/// @throws Error(usage) for an unknown name, a bad parameter or one without effect (it is named), a similarity that
/// lacks what the method needs; Error(input) for a file that belongs to other data; as approximate() of the method and
/// the landmark selection. Collective.
template <class T>
[[nodiscard]] Result<T> approximate(const Session& session, const SimilarityMatrix<T>& matrix,
                                    const std::string& method, const GivenValues& given = {});

/// Runs `cairn approximate` from the keys of a config: reads the data, plans the memory, selects landmarks,
/// approximates K, measures the error and, if output.path is given, writes the result.
/// @param keys  {{"data.path", "letter.csv"}, {"similarity.kind", "rbf"}, {"landmarks.count", 500}}; `cairn help keys`
/// lists them. Keys of the session (run.threads, run.seed, run.precision, run.memory, run.stall-timeout) are its
/// options instead. {"restart", true} resumes from run.checkpoint. An output replaces only a file that cairn wrote
/// in the same form, unless {"overwrite", true} is given.
/// @throws Error(usage) that names the key; Error(resource) if the plan exceeds the memory; as the steps. Collective.
template <class T = double>
[[nodiscard]] Result<T> approximate(const Session& session, const GivenValues& keys);
/// The same for objects that the program holds: keys of data are refused. Collective.
template <class T>
[[nodiscard]] Result<T> approximate(const Session& session, const Objects<T>& objects, const GivenValues& keys);

/// Memory of such a run, bytes by phase, as `cairn plan` prints it. Reads the data if no header states their size.
/// @param ranks  ranks to plan for; 0: those of the session @throws as approximate() before it computes. Collective.
template <class T = double>
[[nodiscard]] Plan plan(const Session& session, const GivenValues& keys, int ranks = 0);

/// Where a run is planned from a program.
struct PlannedRanks {
  int ranks = 0;        ///< 0: those of the session
  int nodes = 0;        ///< on which they are; 0: one if ranks are given, else those of the session
  bool seconds = true;  ///< measured on pieces of the run
};

/// Memory and seconds of such a run, as `cairn plan` prints them with rates that are measured here. @throws likewise.
/// Collective.
template <class T = double>
[[nodiscard]] RunForecast forecast_run(const Session& session, const GivenValues& keys, const PlannedRanks& where = {});

}  // namespace cairn
