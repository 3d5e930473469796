// The rows of a factor that words name by their labels.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/row_partition.hpp"

namespace cairn {

/// The rows that have a label.
struct LabelRows {
  Index first = -1;  ///< the lowest; -1 if there is none
  Index count = 0;   ///< how many
};

/// For each of `words` (the same list on every rank, repeats allowed) the rows whose label it is. Each rank looks
/// through its own rows once. @param labels  of this rank's rows in `partition`, one a row, or none. Collective.
[[nodiscard]] std::vector<LabelRows> find_labels(const Communicator& communicator, const RowPartition& partition,
                                                 std::span<const std::string> labels,
                                                 const std::vector<std::string>& words);

/// The row of a word, or -1 if there is none. @param where  of the word, "FILE:LINE"
/// @throws Error(input) if the label of several rows. Local.
[[nodiscard]] Index single_row(const LabelRows& rows, const std::string& word, const std::string& where);

/// Each word in small letters, character by character as Tokenizer writes them; one that is not UTF-8 as it is. Local.
[[nodiscard]] std::vector<std::string> in_lower_case(const std::vector<std::string>& words);

}  // namespace cairn
