// Reports the error of out-of-sample rows beside the error of the result that they extend.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cairn/approximation/error/probe.hpp"
#include "cairn/store/result/extension.hpp"
#include "cairn/task/task_report.hpp"

namespace cairn {

/// Default number of off-diagonal pairs on which an extension is measured: a tenth of its evaluations, 100 to 1,000.
[[nodiscard]] Index default_extension_pairs(Index evaluations);

/// Messages that accompany the metrics of a measurement.
struct Remarks {
  std::vector<std::string> warnings, notes;
};

/// The error among the objects of an extension of a result with `old` rows, as unseen_error: on `pairs` uniform pairs
/// and on up to 1,000 diagonal entries, which are weighted as in the matrix of the old objects.
/// @return nothing if pairs is 0, if there are fewer than fewest_unseen objects (adds a note), or if the error cannot
/// be measured (for example because all sampled entries of K are 0; adds a warning). Collective.
template <class T>
[[nodiscard]] std::optional<ErrorEstimate> measure_extension(const Execution& execution,
                                                             const Approximation<T>& extended,
                                                             const Similarity<T>& similarity, const ObjectSet& objects,
                                                             Index old, Index pairs, Remarks& remarks);

/// As above for new rows of one factor if the columns represent other objects than the rows. Measured on pairs of a row
/// and a column. Collective.
template <class T>
[[nodiscard]] std::optional<ErrorEstimate> measure_extension(const Execution& execution,
                                                             const Approximation<T>& extended,
                                                             const Similarity<T>& similarity, const ObjectSet& rows,
                                                             const ObjectSet& columns, Index pairs, Remarks& remarks);

/// Adds the error of out-of-sample rows to a report, if there are any, beside the error of the result that they extend.
/// @param base  name of that result in the report. Local.
void add_extension(TaskReport& report, const std::optional<ExtensionError>& error,
                   const std::string& base = "the result extended");

}  // namespace cairn
