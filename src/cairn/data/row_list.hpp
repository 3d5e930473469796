// Lists of rows in text files.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/row_partition.hpp"

namespace cairn {

/// The row numbers from 0 that a text file holds, one a line ('#' starts a comment): those that this rank owns,
/// ascending. Every rank reads the file line by line and keeps its own.
/// @throws Error(input) with file:line for what is no row number, out of range or there twice; if there are none.
/// Collective.
[[nodiscard]] std::vector<Index> read_row_list(const Communicator& communicator, const std::string& path,
                                               const RowPartition& partition);

/// The texts of a file with a line for each row, in their order, blanks around them dropped: those of this rank's rows.
/// An empty line is an empty text; '#' starts no comment. Every rank reads the file line by line and keeps its own.
/// @throws Error(input) if there are not as many lines as rows. Collective.
[[nodiscard]] std::vector<std::string> read_row_texts(const Communicator& communicator, const std::string& path,
                                                      const RowPartition& partition);

/// What a row is for.
enum class RowUse : char { none, train, test };

/// A split that was made before: a file with a line for each row, which is train, test, or - for neither. Of this
/// rank's rows. @throws Error(input) with file:line for another word, as read_row_texts. Collective.
[[nodiscard]] std::vector<RowUse> read_split(const Communicator& communicator, const std::string& path,
                                             const RowPartition& partition);

}  // namespace cairn
