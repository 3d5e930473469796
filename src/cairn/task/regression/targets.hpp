// The values that a regression is to predict.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/data/points/column_reader.hpp"
#include "cairn/parameters/values.hpp"
#include "cairn/store/result/result_file.hpp"
#include "cairn/task/regression/line_order.hpp"

namespace cairn {

/// Values of this rank's rows, row-major; of rows that have none, zeros.
struct Targets {
  std::vector<std::string> names;          ///< one a target
  std::vector<double> values;              ///< own rows x targets
  std::vector<char> known;                 ///< own rows: 1 where the row has values
  Index superfluous = 0;                   ///< rows of the file whose key no row has
  std::vector<std::string> coordinates{};  ///< names of targets that coordinates of the objects have, too
  Index missing = 0;  ///< rows, over all ranks, of which the file has a line without a value, or no label
  LineOrder order = LineOrder::unknown;  ///< of the lines, if they are not found by keys

  [[nodiscard]] Index count() const { return static_cast<Index>(names.size()); }
  /// What became of lines of the file `path`, or of labels if that is empty, that are of no use, in sentences. Local.
  [[nodiscard]] std::vector<std::string> notes(const std::string& path) const;
};

/// Reads targets for the rows of `partition`, each rank its part: in the order of the rows, one line each; or, with a
/// key, to the rows whose label is the same text, in any order and for some rows alone. A row with an empty
/// field has no values.
/// @param labels  this rank's, one a row; read where there is a key
/// @throws Error(input) with file:line for what is no finite number, if there are not as many as rows, where a key
///   is there twice or no row has any of them; Error(usage) for a key where rows have no labels. Collective.
[[nodiscard]] Targets read_targets(const Communicator& communicator, const ColumnSource& source,
                                   const RowPartition& partition, std::span<const std::string> labels);

/// What the labels of the rows are called as a target.
inline constexpr const char* label_target = "label";

/// The labels of the rows themselves as the one target, label_target. A row whose label is_missing has no value.
/// @param path  of the result, for messages @param keys  of a parameter `targets`, which they advise
/// @throws Error(input) that names the first row whose label is no finite number. Collective.
[[nodiscard]] Targets targets_of_labels(const Communicator& communicator, const std::string& path,
                                        const RowPartition& partition, std::span<const std::string> labels,
                                        const KeyNames& keys = {});

/// The targets that the parameters of a task say (task_parameters::targets) for the rows of a result: values of
/// `targets`, by the names of the rows if there is a key; by default labels.
/// @param data  how messages name parameters of the data @param path  of the result
/// @throws Error(usage) if there are neither; Error(input) for lines in another order than the rows; as read_targets,
///   targets_of_labels. Collective.
template <class T>
[[nodiscard]] Targets targets_of(const Communicator& communicator, const Values& values, const KeyNames& data,
                                 const std::string& path, const StoredResult<T>& result);

}  // namespace cairn
