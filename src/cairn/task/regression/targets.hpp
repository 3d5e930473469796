// The values that a regression predicts.
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

/// Values of this rank's rows, row-major; zeros for rows without values.
struct Targets {
  std::vector<std::string> names;          ///< one per target
  std::vector<double> values;              ///< own rows x targets
  std::vector<char> known;                 ///< for own rows: 1 if the row has values
  Index superfluous = 0;                   ///< rows of the file whose key matches no row
  std::vector<std::string> coordinates{};  ///< names of targets that are also coordinates of the objects
  Index missing = 0;  ///< rows, over all ranks, whose line in the file has no value, or whose label is missing
  LineOrder order = LineOrder::unknown;  ///< of the lines, if they are not matched by keys

  [[nodiscard]] Index count() const { return static_cast<Index>(names.size()); }
  /// Sentences on unused lines of the file `path`, or on unused labels if `path` is empty. Local.
  [[nodiscard]] std::vector<std::string> notes(const std::string& path) const;
};

/// Reads targets for the rows of `partition`, each rank its part: without a key one line per row, in the order of the
/// rows; with a key, lines in any order, possibly for only some rows, matched to the rows whose label is the same text.
/// A row with an empty field has no values.
/// @param labels  this rank's, one per row; used if there is a key
/// @throws Error(input) with file:line for a value that is not a finite number, if the number of lines differs from the
///   number of rows, or if a key occurs twice or no row has any of the keys; Error(usage) for a key if rows have no
///   labels. Collective.
[[nodiscard]] Targets read_targets(const Communicator& communicator, const ColumnSource& source,
                                   const RowPartition& partition, std::span<const std::string> labels);

/// Name of the labels of the rows as a target.
inline constexpr const char* label_target = "label";

/// The labels of the rows themselves as the only target, label_target. A row whose label is_missing has no value.
/// @param path  of the result, for messages @param keys  names of a parameter `targets`, which messages recommend
/// @throws Error(input) that names the first row whose label is not a finite number. Collective.
[[nodiscard]] Targets targets_of_labels(const Communicator& communicator, const std::string& path,
                                        const RowPartition& partition, std::span<const std::string> labels,
                                        const KeyNames& keys = {});

/// The targets given by the parameters of a task (task_parameters::targets) for the rows of a result: values of
/// `targets`, matched by the names of the rows if there is a key; by default labels.
/// @param data  names of the parameters of the data in messages @param path  of the result
/// @throws Error(usage) if there are neither; Error(input) if lines are in another order than the rows; as
///   read_targets, targets_of_labels. Collective.
template <class T>
[[nodiscard]] Targets targets_of(const Communicator& communicator, const Values& values, const KeyNames& data,
                                 const std::string& path, const StoredResult<T>& result);

}  // namespace cairn
