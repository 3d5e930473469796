// Finds the rows of a factor whose labels are given words.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/row_partition.hpp"

namespace cairn {

/// Rows with a label.
struct LabelRows {
  Index first = -1;  ///< the lowest row; -1 if there is none
  Index count = 0;   ///< number of rows
};

/// For each of `words` (the same list on every rank, repeats allowed), the rows with this label. Each rank searches its
/// own rows once.
/// @param labels  one for each row of this rank in `partition`, or none
/// Collective.
[[nodiscard]] std::vector<LabelRows> find_labels(const Communicator& communicator, const RowPartition& partition,
                                                 std::span<const std::string> labels,
                                                 const std::vector<std::string>& words);

/// The row of a word, or -1 if there is none.
/// @param where  position of the word, "FILE:LINE"
/// @throws Error(input) if several rows have the label. Local.
[[nodiscard]] Index single_row(const LabelRows& rows, const std::string& word, const std::string& where);

/// Converts each word to lower case, character by character as Tokenizer does. A word that is not UTF-8 stays as it is.
/// Local.
[[nodiscard]] std::vector<std::string> in_lower_case(const std::vector<std::string>& words);

}  // namespace cairn
