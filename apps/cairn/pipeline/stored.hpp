// Inputs that later commands take from a result file.
#pragma once

#include <string>

#include "cairn/parameters/settings.hpp"
#include "cairn/run/outcome/run_outcome.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/store/result/result_file.hpp"
#include "report/job.hpp"

namespace cairn::app {

/// The settings of the run that made the result, overridden by the keys given to `job`.
/// @throws Error(input) if the file contains no readable config. Local.
[[nodiscard]] Settings stored_settings(const ResultDescription& description, const std::string& path,
                                       const Settings& given);

/// The description of an extension with the config of its new objects in place of that of the result that it extends.
/// @throws Error(input) if `cairn extend` did not write it, or an earlier version did. Local.
[[nodiscard]] ResultDescription of_new_objects(ResultDescription description, const std::string& path);

/// Protects the files named in a result's own config, which later commands read again, from being replaced.
/// @throws Error(usage) if `output` is one of them, for any of the results. Collective.
void protect_stored_data(const Job& job, const OutputPath& output, const std::vector<std::string>& results);

/// The similarity of a result, with resolved names. The command of a scorer is similarity.command of `given`, which
/// stored_settings only takes from the command line: a file must not run programs.
/// @throws Error(usage) if the result used a scorer and none is given, or if one is given and the result did not use
///   one. Local.
[[nodiscard]] SimilarityChoice stored_similarity(const ResultDescription& description, const Settings& given);

/// Prints a note if the scorer command in `given` differs from that of the result: only its path may differ, or also
/// its values. Collective.
void announce_other_scorer(const Communicator& communicator, const ResultDescription& description,
                           const Settings& given);

/// An entry of /provenance as an integer; 0 if there is none.
[[nodiscard]] Index stored_number(const ResultDescription& description, const std::string& name);

/// The data of `request` (from stored_settings) from which the result was made, scaled as stored in the result.
/// @param path, rows  of the result @throws Error(input) if the number of rows or the digest differs. Collective.
template <class T>
[[nodiscard]] Data<T> load_stored_data(const Execution& execution, const RunRequest& request,
                                       const ResultDescription& description, const std::string& path, Index rows);

/// K itself for the data that load_stored_data returned, with the parameters of the result.
/// @param settings, request  of the data @param search  of paths, instead of similarity.search; empty:
/// similarity.search.
/// @throws as make_exact_matrix. Collective.
template <class T>
[[nodiscard]] ExactMatrix<T> stored_exact_matrix(const Execution& execution, const Settings& settings,
                                                 const RunRequest& request, const ResultDescription& description,
                                                 const Data<T>& data, const std::string& search = {});

/// Calls `work` with a value of the file's factor type: float or double.
template <class Work>
void with_precision(const std::string& precision, Work&& work) {
  if (precision == "single") {
    work(float{});
  } else {
    work(double{});
  }
}

}  // namespace cairn::app
