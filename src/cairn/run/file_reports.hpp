// Descriptions of files, for people and for programs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cairn/base/schedule/phases.hpp"
#include "cairn/store/files/embedding_file.hpp"
#include "cairn/store/files/fields_file.hpp"
#include "cairn/store/files/operator_file.hpp"
#include "cairn/store/hdf5/table_file.hpp"
#include "cairn/store/result/result_file.hpp"
#include "cairn/task/task_report.hpp"

namespace cairn {

/// Text and metrics, without provenance. Local.
[[nodiscard]] TaskReport report_of(const StoredEmbedding& stored);
[[nodiscard]] TaskReport report_of(const StoredOperator& stored);
[[nodiscard]] TaskReport report_of(const StoredFields& stored);
/// Report of a file that holds only tables, including its path.
[[nodiscard]] TaskReport report_of(const std::string& path, const std::vector<StoredTable>& tables);

/// Line on the evaluations of a run: evaluated entries of K next to their total number, and evaluations that the
/// similarity itself needed before (the sample of a median, in the phase "similarity setup"). Local.
/// @param entries  number of entries of K: n², or n n'
[[nodiscard]] std::string evaluations_line(Index evaluations, double entries, const std::vector<PhaseSummary>& phases);

/// Line on exact entries of near objects, or empty. Local.
[[nodiscard]] std::string near_line(const ResultShape& shape);

/// Report of a model file.
struct ModelDescription {
  std::string task;  ///< task that wrote the file
  TaskReport report;
  std::map<std::string, std::string> provenance;
};

/// Describes a model of any task. @throws Error(input) as the readers of models. Collective.
[[nodiscard]] ModelDescription describe_model(const Communicator& communicator, const std::string& path);

}  // namespace cairn
