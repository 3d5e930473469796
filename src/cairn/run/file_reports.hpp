// What files say of themselves, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/phases.hpp"
#include "cairn/store/files/embedding_file.hpp"
#include "cairn/store/files/fields_file.hpp"
#include "cairn/store/files/operator_file.hpp"
#include "cairn/store/hdf5/table_file.hpp"
#include "cairn/store/result/result_file.hpp"
#include "cairn/task/task_report.hpp"

namespace cairn {

/// Text and figures, without provenance. Local.
[[nodiscard]] TaskReport report_of(const StoredEmbedding& stored);
[[nodiscard]] TaskReport report_of(const StoredOperator& stored);
[[nodiscard]] TaskReport report_of(const StoredFields& stored);
/// Of a file that holds nothing else, its path included.
[[nodiscard]] TaskReport report_of(const std::string& path, const std::vector<StoredTable>& tables);

/// The evaluations of a run: those of entries of K beside how many there are, and those that the similarity itself took
/// before (the sample of a median, in the phase "similarity setup"). Local.
/// @param entries  of K: n², or n n'
[[nodiscard]] std::string evaluations_line(Index evaluations, double entries, const std::vector<PhaseSummary>& phases);

/// The line about exact entries of near objects, or nothing. Local.
[[nodiscard]] std::string near_line(const ResultShape& shape);

}  // namespace cairn
