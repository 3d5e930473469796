// What tells rows apart beside their row numbers: labels, and numbers in the file of the data.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/parameters/settings.hpp"

namespace cairn::app {

/// Of one row; empty where the result holds none.
struct RowName {
  std::string label;   ///< or, if rows have no labels, the number in the file
  std::string number;  ///< in the file, if rows have labels, too

  /// "", " a", " a 7": behind the values of a line.
  [[nodiscard]] std::string behind() const;
  /// "", " (a)", " (a, 7)".
  [[nodiscard]] std::string in_brackets() const;
  /// Adds PREFIXlabel and PREFIXnumber to an object, if there are any.
  void add_to(nlohmann::ordered_json& json, const std::string& prefix = "") const;
};

/// The names of all rows, each rank with those of its own. The column `label` holds labels, which may be classes of
/// many rows, or if there are none the numbers in the file; those are a column `number` if there are both.
class RowNames {
 public:
  /// @param labels, numbers  as StoredResult has them. Collective.
  RowNames(const Communicator& communicator, const RowPartition& partition, std::vector<std::string> labels,
           std::vector<Index> numbers);

  [[nodiscard]] bool any() const { return labelled_ || numbered_; }
  /// Whether there is a column `number` beside `label`.
  [[nodiscard]] bool both() const { return labelled_ && numbered_; }
  /// This rank's, as they were given.
  [[nodiscard]] const std::vector<std::string>& labels() const { return labels_; }
  [[nodiscard]] const std::vector<Index>& numbers() const { return numbers_; }
  /// The columns as the end of a heading: "", ",label", ",label,number". Local.
  [[nodiscard]] std::string heading() const;
  /// Of an own row. Local.
  [[nodiscard]] RowName own(Index row) const;
  /// The same as the end of a line: "", ",a", ",a,7". Local.
  [[nodiscard]] std::string csv_fields(Index row) const;
  /// Of any rows, the same list on every rank. Memory: their names. Collective.
  [[nodiscard]] std::vector<RowName> of(const std::vector<Index>& rows) const;
  [[nodiscard]] RowName of(Index row) const { return of(std::vector<Index>{row}).front(); }

  /// The rows that an option's texts name: by row number, or as --by-label and --by-number ask. Each rank looks through
  /// its own rows. @throws Error(usage) for a text that names no row, or several. Collective.
  [[nodiscard]] std::vector<Index> find(const Settings& settings, const std::string& option,
                                        const std::vector<std::string>& texts) const;
  /// "  note: ...\n" if rows have other numbers in the file, else empty. Local.
  [[nodiscard]] std::string note() const;

 private:
  [[nodiscard]] std::string text_of(Index row, bool by_number) const;
  [[nodiscard]] std::vector<Index> look_up(const std::string& option, const std::vector<std::string>& texts,
                                           bool by_number) const;

  const Communicator& communicator_;
  RowPartition partition_;
  Range rows_;
  std::vector<std::string> labels_;
  std::vector<Index> numbers_;
  bool labelled_ = false, numbered_ = false;  // the same on every rank
};

/// @throws Error(usage) if --by-label or --by-number are given, both or without one of `options`. Local.
void check_naming(const Settings& settings, const std::vector<std::string>& options);

}  // namespace cairn::app
