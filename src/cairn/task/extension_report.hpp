// The error of out-of-sample rows beside that of the result that they extend.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cairn/approximation/error/probe.hpp"
#include "cairn/store/result/extension.hpp"
#include "cairn/task/task_report.hpp"

namespace cairn {

/// Off-diagonal pairs on which an extension is measured by default: a tenth of its evaluations, 100 to 1,000.
[[nodiscard]] Index default_extension_pairs(Index evaluations);

/// What is said of a measurement beside its figures.
struct Remarks {
  std::vector<std::string> warnings, notes;
};

/// The error among the objects of an extension of a result with `old` rows, as unseen_error: on `pairs` uniform pairs,
/// and on up to 1,000 diagonal entries, which count as they do in the matrix of the old objects.
/// @return nothing if pairs is 0, if there are fewer than fewest_unseen objects (a note says so), or if it cannot be
/// measured (all sampled entries of K are 0, say: a warning). Collective.
template <class T>
[[nodiscard]] std::optional<ErrorEstimate> measure_extension(const Execution& execution,
                                                             const Approximation<T>& extended,
                                                             const Similarity<T>& similarity, const ObjectSet& objects,
                                                             Index old, Index pairs, Remarks& remarks);

/// The same of new rows of one factor, if the columns stand for other objects than the rows: on pairs of a row and a
/// column. Collective.
template <class T>
[[nodiscard]] std::optional<ErrorEstimate> measure_extension(const Execution& execution,
                                                             const Approximation<T>& extended,
                                                             const Similarity<T>& similarity, const ObjectSet& rows,
                                                             const ObjectSet& columns, Index pairs, Remarks& remarks);

/// Adds to a report the error of out-of-sample rows, if they are, beside that of the result that they extend.
/// @param base  what this is called. Local.
void add_extension(TaskReport& report, const std::optional<ExtensionError>& error,
                   const std::string& base = "the result extended");

}  // namespace cairn
