// What later commands take from a result file.
#pragma once

#include <string>

#include "cairn/parameters/settings.hpp"
#include "cairn/similarity/similarities.hpp"
#include "cairn/store/result/result_file.hpp"
#include "pipeline/pipeline.hpp"
#include "report/job.hpp"

namespace cairn::app {

/// The settings that the result was made with, and on top of them those keys that `job` was given.
/// @throws Error(input) if the file holds no config that can be read. Local.
[[nodiscard]] Settings stored_settings(const ResultDescription& description, const std::string& path,
                                       const Settings& given);

/// The files that a result's own config names are not replaced: later commands read them again.
/// @throws Error(usage) if `output` is one of them, for any of the results. Collective.
void protect_stored_data(const Job& job, const OutputPath& output, const std::vector<std::string>& results);

/// The similarity that a result was made with, its words resolved. A scorer's command is the one that
/// similarity.command of `given` says, which stored_settings leaves to the command line: a file does not get to run
/// programs.
/// @throws Error(usage) if it was a scorer's, and there is none; or there is one and it was another's. Local.
[[nodiscard]] SimilarityChoice stored_similarity(const ResultDescription& description, const Settings& given);

/// Says so where the scorer that `given` names is not the one that the result was made with: its path may be another
/// one, or its numbers are. Collective.
void announce_other_scorer(const Communicator& communicator, const ResultDescription& description,
                           const Settings& given);

/// An entry of /provenance as an integer; 0 if there is none.
[[nodiscard]] Index stored_number(const ResultDescription& description, const std::string& name);

/// The data of `request` (of stored_settings), scaled as the result says: those that it was made from.
/// @param path, rows  the result's @throws Error(input) if their number or digest is another one. Collective.
template <class T>
[[nodiscard]] Data<T> load_stored_data(const Execution& execution, const RunRequest& request,
                                       const ResultDescription& description, const std::string& path, Index rows);

/// K itself, of the data that load_stored_data gave, with the parameters that the result says.
/// @param settings, request  those of the data @param search  of paths, in place of similarity.search; empty: that.
/// @throws as make_exact_matrix. Collective.
template <class T>
[[nodiscard]] ExactMatrix<T> stored_exact_matrix(const Execution& execution, const Settings& settings,
                                                 const RunRequest& request, const ResultDescription& description,
                                                 const Data<T>& data, const std::string& search = {});

/// Calls `work` with a value of the type that the file's factors have: float or double.
template <class Work>
void with_precision(const std::string& precision, Work&& work) {
  if (precision == "single") {
    work(float{});
  } else {
    work(double{});
  }
}

}  // namespace cairn::app
