// Objects with trees, texts and numbers, which can be divided, sent to other ranks, and concatenated.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/data/trees/forest.hpp"

namespace cairn {

/// Consecutive texts. Memory: 8 bytes per text, and the text itself.
struct TextList {
  std::vector<Index> starts{0};
  std::vector<char> characters;
  [[nodiscard]] Index size() const { return std::ssize(starts) - 1; }
  [[nodiscard]] std::string_view text(Index a) const {
    const Index first = starts[a];
    return {characters.data() + first, static_cast<std::size_t>(starts[static_cast<std::size_t>(a) + 1] - first)};
  }
  void append(std::string_view text) {
    characters.insert(characters.end(), text.begin(), text.end());
    starts.push_back(std::ssize(characters));
  }
};

/// Objects, each of which has a tree in every forest, a text in every list, and `width` numbers.
struct TreeRecords {
  std::vector<Forest> forests;
  std::vector<TextList> texts;
  Index width = 0;
  std::vector<double> numbers;  ///< size() x width, row-major
  Index count = 0;              ///< number of objects

  TreeRecords() = default;
  /// Creates a value without objects.
  TreeRecords(std::size_t forest_count, std::size_t text_count, Index numbers_of_one)
      : forests(forest_count), texts(text_count), width(numbers_of_one) {}
  [[nodiscard]] TreeRecords empty() const { return {forests.size(), texts.size(), width}; }
  [[nodiscard]] Index size() const { return count; }
  /// Appends object `a` of records with the same form.
  void append(const TreeRecords& from, Index a);
  void append(const TreeRecords& from);
  /// Packs objects [begin, end) as bytes.
  [[nodiscard]] std::vector<std::byte> pack(Index begin, Index end) const;
  /// Unpacks `objects` objects of this form from the front of packed bytes, and removes those bytes.
  [[nodiscard]] TreeRecords unpack(Index objects, std::span<const std::byte>& bytes) const;
  /// True if every list has `count` members. Local.
  [[nodiscard]] bool is_whole() const;
};

/// Gathers the objects with these numbers from their owners, in the order of `ids` (repeats allowed). Collective.
/// @param own  objects of this rank, as distributed by `partition`
[[nodiscard]] TreeRecords gather_records(const Communicator& communicator, const RowPartition& partition,
                                         const TreeRecords& own, std::span<const Index> ids);

/// The objects of one block of a file, on the rank that parsed it.
struct ParsedRecords {
  Index block = 0;  ///< block number, ascending
  TreeRecords records;
};

struct OwnedRecords {
  RowPartition partition;
  TreeRecords records;
};

/// Sends parsed objects to the ranks that own them, in the order of their blocks. Collective.
/// @param form  form of all records
/// @throws Error(input) naming `path` if there are no objects
[[nodiscard]] OwnedRecords send_records(const Communicator& communicator, const std::string& path,
                                        const TreeRecords& form, std::vector<ParsedRecords> parsed);

}  // namespace cairn
