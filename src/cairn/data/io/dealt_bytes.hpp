// Records of any bytes, parsed in any order and sent to the ranks that own them. Private to the folders that read
// files.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cairn/data/io/text_table.hpp"

namespace cairn {

/// What one rank has parsed, block by block: record k has lengths[k] bytes.
struct ParsedBytes {
  std::vector<char> bytes{};
  std::vector<Index> lengths{};
  std::vector<ParsedBlock> blocks{};  ///< in ascending order; their rows are records
};

/// This rank's records in the order of their blocks, as a RowPartition deals them.
struct DealtBytes {
  RowPartition partition{};
  std::vector<Index> starts{0};  ///< record k has the bytes [starts[k], starts[k + 1])
  std::vector<char> bytes{};

  [[nodiscard]] std::span<const char> record(Index k) const {
    const auto begin = static_cast<std::size_t>(starts[static_cast<std::size_t>(k)]);
    return std::span(bytes).subspan(begin, static_cast<std::size_t>(starts[static_cast<std::size_t>(k) + 1]) - begin);
  }
};

/// Memory: the records of this rank three times at its most. @throws Error(input) if there are no records: `path` and
/// `what` ("sequences") are named. Collective.
[[nodiscard]] DealtBytes deal_bytes(const Communicator& communicator, const std::string& path,
                                        const std::string& what, ParsedBytes parsed);

}  // namespace cairn
