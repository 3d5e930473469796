// Names of rows besides their row numbers: labels, and numbers in the data file.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/row_partition.hpp"

namespace cairn {

/// Names of one row; empty if the result holds none.
struct RowName {
  std::string label;   ///< label or, if rows have no labels, the number in the file
  std::string number;  ///< number in the file, if rows have labels, too
  std::string text{};  ///< text of the row

  /// "", " a", " a 7": appended to the values of a line.
  [[nodiscard]] std::string behind() const;
  /// "", " (a)", " (a, 7)".
  [[nodiscard]] std::string in_brackets() const;
};

/// The names of all rows; each rank has those of its own rows. The column `label` holds labels, which may be classes of
/// many rows, or, if there are none, the numbers in the file. If there are both, the numbers are a column `number`.
class RowNames {
 public:
  /// @param labels, numbers, texts  as in StoredResult @param what  "row" or "column", for messages. Collective.
  RowNames(const Communicator& communicator, const RowPartition& partition, std::vector<std::string> labels,
           std::vector<Index> numbers, std::vector<std::string> texts = {}, std::string what = "row");

  /// "row" or "column".
  [[nodiscard]] const std::string& what() const { return what_; }

  [[nodiscard]] bool any() const { return labelled_ || numbered_; }
  /// True if there is a column `number` beside `label`.
  [[nodiscard]] bool both() const { return labelled_ && numbered_; }
  [[nodiscard]] bool labelled() const { return labelled_; }
  /// True if rows have different numbers in the file.
  [[nodiscard]] bool numbered() const { return numbered_; }
  [[nodiscard]] const RowPartition& partition() const { return partition_; }
  /// Labels and numbers of this rank, as given.
  [[nodiscard]] const std::vector<std::string>& labels() const { return labels_; }
  [[nodiscard]] const std::vector<Index>& numbers() const { return numbers_; }
  /// True if rows have texts for people.
  [[nodiscard]] bool said() const { return said_; }
  /// Names of the columns as the end of a heading: "", ",label", ",label,number". Local.
  [[nodiscard]] std::string heading() const;
  /// Names of an own row. Local.
  [[nodiscard]] RowName own(Index row) const;
  /// The same as the end of a line: "", ",a", ",a,7". Local.
  [[nodiscard]] std::string csv_fields(Index row) const;
  /// Names of any rows, the same list on every rank. Memory: their names. Collective.
  [[nodiscard]] std::vector<RowName> of(const std::vector<Index>& rows) const;
  [[nodiscard]] RowName of(Index row) const { return of(std::vector<Index>{row}).front(); }

  /// Key of a row look-up: the label (or, without labels, the number in the file), that number, or the text printed for
  /// people (a text, an identifier).
  enum class By { label, number, text };
  /// Rows with one name: their number, and the first of them.
  struct Found {
    Index rows = 0, first = 0;
  };
  /// Finds the rows of each text. Each rank searches its own rows. Collective.
  [[nodiscard]] std::vector<Found> find(By by, const std::vector<std::string>& texts) const;
  /// Complaint about a text that names no row, or several; a part of a sentence. Collective.
  [[nodiscard]] std::string complaint(By by, const std::string& text, const Found& found) const;
  /// The row that each text names. Each rank searches its own rows. @param where  name of the texts in messages
  /// @throws Error(usage) for a text that names no row, or several. Collective.
  [[nodiscard]] std::vector<Index> look_up(By by, const std::vector<std::string>& texts,
                                           const std::string& where) const;
  /// Likewise for words, which may be texts of rows (file names) or labels. Requires said() or any(). Collective.
  [[nodiscard]] std::vector<Index> look_up_words(const std::vector<std::string>& texts, const std::string& where) const;

 private:
  // Texts similar to a given one, and their number of edits.
  struct Like {
    int edits = 0;
    std::vector<std::string> texts{};
  };
  [[nodiscard]] std::string text_of(Index row, By by) const;
  void find_like(By by, const std::string& text, Like& like) const;
  [[nodiscard]] std::string like(const std::vector<By>& kinds, const std::string& text) const;

  const Communicator& communicator_;
  RowPartition partition_;
  Range rows_;
  std::vector<std::string> labels_;
  std::vector<Index> numbers_;
  std::vector<std::string> texts_;
  std::string what_;
  bool labelled_ = false, numbered_ = false, said_ = false;  // the same on every rank
};

struct ResultShape;
/// Names of the rows of a result of known shape, without reading its factors. @throws Error(input) as read_result.
/// Collective.
[[nodiscard]] RowNames read_row_names(const Communicator& communicator, const std::string& path,
                                      const ResultShape& shape);

}  // namespace cairn
