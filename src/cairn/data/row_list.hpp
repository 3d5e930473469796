// Lists of rows in text files.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/row_partition.hpp"

namespace cairn {

/// Reads row numbers from 0 from a text file, one per line ('#' starts a comment). Returns those that this rank owns,
/// ascending. Every rank reads the file line by line and keeps its own rows.
/// @throws Error(input) with file:line for an entry that is no row number, out of range or a duplicate; if there are
/// none. Collective.
[[nodiscard]] std::vector<Index> read_row_list(const Communicator& communicator, const std::string& path,
                                               const RowPartition& partition);

/// Reads the texts of a file with one line per row, in row order, without surrounding blanks. Returns those of this
/// rank's rows. An empty line is an empty text; '#' starts no comment. Every rank reads the file line by line and keeps
/// its own texts. @throws Error(input) if the number of lines is not the number of rows. Collective.
[[nodiscard]] std::vector<std::string> read_row_texts(const Communicator& communicator, const std::string& path,
                                                      const RowPartition& partition);

/// Use of a row.
enum class RowUse : char { none, train, test };

/// Reads a given split: a file with one line per row, which is train, test, or - for neither. Returns the uses of this
/// rank's rows. @throws Error(input) with file:line for another word, as read_row_texts. Collective.
[[nodiscard]] std::vector<RowUse> read_split(const Communicator& communicator, const std::string& path,
                                             const RowPartition& partition);

}  // namespace cairn
