// Rows of numbers with labels and other texts, parsed from text in any order and sent to their owners. Private to this
// folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/linalg/sparse/sparse_rows.hpp"
#include "cairn/linalg/tall/row_block.hpp"

namespace cairn {

/// A block of a file (TextBlocks) that one rank has parsed: its number, and its number of rows.
struct ParsedBlock {
  Index number = 0;
  Index rows = 0;
};

/// The first row of each block of this rank, counted over the blocks of all ranks in order; `total` receives the number
/// of all rows. @param own  in ascending order. Collective.
[[nodiscard]] std::vector<Index> first_rows(const Communicator& communicator, const std::vector<ParsedBlock>& own,
                                            Index& total);

/// Rows that one rank has parsed: `width` values per row, or the entries of sparse rows; texts, and numbers in the file
/// (one per row, or none at all), block by block.
template <class T>
struct ParsedRows {
  Index width = 0;
  std::vector<T> values;
  bool sparse = false;
  std::vector<Index> counts;   ///< sparse: entries of each row
  std::vector<Index> columns;  ///< sparse: column of each of `values`, ascending within a row
  ObjectTexts texts;
  std::vector<Index> numbers;
  std::vector<ParsedBlock> blocks;
};

/// Rows in the order of the file, distributed as in a RowPartition.
template <class T>
struct OwnedRows {
  RowBlock<T> values;
  std::optional<SparseRows<T>> entries;  ///< entries of sparse rows, which have no `values`
  ObjectTexts texts;
  std::vector<Index> numbers;
};

/// Sends the rows to their owners. Memory: at most twice this rank's rows. Collective. @throws Error(input) that names
/// the path if there are no rows at all
template <class T>
[[nodiscard]] OwnedRows<T> send_to_owners(const Communicator& communicator, const std::string& path,
                                          ParsedRows<T> parsed);

/// The first 40 bytes of a text for a message; a zero byte as \x00. Local.
[[nodiscard]] std::string excerpt(std::string_view field);

/// The number in a text field, surrounding blanks allowed.
/// @throws Error(input) if it is not a number, not finite, or out of the range of T. Local.
template <class T>
[[nodiscard]] T parse_number(std::string_view field);
/// @throws Error(input) if a label contains a zero byte, which ends texts. Local.
void check_label(std::string_view label);
/// True if the field is a number, finite or not.
[[nodiscard]] bool is_number(std::string_view field);
[[nodiscard]] std::string_view trimmed(std::string_view text);

}  // namespace cairn
