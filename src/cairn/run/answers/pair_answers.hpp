// Values for the pairs of a file, block by block.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/store/files/row_names.hpp"

namespace cairn {

/// Pairs to query, answered in blocks, so that no rank holds all of them.
struct PairQuestions {
  std::string path;                  ///< read as in PairList
  std::optional<RowNames::By> by{};  ///< nothing: fields are numbers, those of the rows plus `first`
  Index together = Index{1} << 18;   ///< pairs per block
  Index first = 0;                   ///< number of the first row
  std::string owner = "result", object = "object",
              objects = "objects";  ///< for messages: what has these rows, one of them, several
};

/// Values of the pairs (rows[p], columns[p]) that this rank is given, for the ranks together. Collective.
using PairValues = std::function<std::vector<double>(std::span<const Index> rows, std::span<const Index> columns)>;

/// Produces the value of each pair, one per line, in the order of the file. Ranks divide each block.
/// @param rows, columns  names of the rows that the first and the second field of a line name
/// @param take  receives the lines of a block on rank 0, an empty text on others. @return number of pairs
/// @throws Error(input) with file and line for an invalid pair, or one that names no row. Collective.
Index answer_pairs(const Execution& execution, const PairQuestions& questions, const RowNames& rows,
                   const RowNames& columns, const PairValues& values,
                   const std::function<void(const std::string& lines)>& take);

}  // namespace cairn
