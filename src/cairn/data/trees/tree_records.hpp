// Objects that hold trees, texts and numbers: cut into parts, sent to other ranks, put together.
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

/// Texts one after another. Memory: 8 bytes a text beside its own.
struct TextList {
  std::vector<Index> starts{0};
  std::vector<char> characters;
  [[nodiscard]] Index size() const { return std::ssize(starts) - 1; }
  [[nodiscard]] std::string_view text(Index a) const {
    const Index first = starts[static_cast<std::size_t>(a)];
    return {characters.data() + first, static_cast<std::size_t>(starts[static_cast<std::size_t>(a) + 1] - first)};
  }
  void append(std::string_view text) {
    characters.insert(characters.end(), text.begin(), text.end());
    starts.push_back(std::ssize(characters));
  }
};

/// Some objects, each of which has a tree in every forest, a text in every list, and `width` numbers.
struct TreeRecords {
  std::vector<Forest> forests;
  std::vector<TextList> texts;
  Index width = 0;
  std::vector<double> numbers;  ///< size() x width, row-major
  Index count = 0;              ///< of objects

  TreeRecords() = default;
  /// Without objects.
  TreeRecords(std::size_t forest_count, std::size_t text_count, Index numbers_of_one)
      : forests(forest_count), texts(text_count), width(numbers_of_one) {}
  [[nodiscard]] TreeRecords empty() const { return {forests.size(), texts.size(), width}; }
  [[nodiscard]] Index size() const { return count; }
  /// Object `a` of others of the same form.
  void append(const TreeRecords& from, Index a);
  void append(const TreeRecords& from);
  /// Objects [begin, end) as bytes.
  [[nodiscard]] std::vector<std::byte> pack(Index begin, Index end) const;
  /// So many objects, of this form, from what pack() gave; takes the bytes off the front.
  [[nodiscard]] TreeRecords unpack(Index objects, std::span<const std::byte>& bytes) const;
  /// Whether every list has `count` members. Local.
  [[nodiscard]] bool is_whole() const;
};

/// The objects with these numbers, whoever owns them, in their order (repeats allowed). Collective.
/// @param own  of this rank, as `partition` deals them
[[nodiscard]] TreeRecords gather_records(const Communicator& communicator, const RowPartition& partition,
                                         const TreeRecords& own, std::span<const Index> ids);

/// The objects of one block of a file, on the rank that parsed it.
struct ParsedRecords {
  Index block = 0;  ///< its number, ascending
  TreeRecords records;
};

struct OwnedRecords {
  RowPartition partition;
  TreeRecords records;
};

/// Sends parsed objects to the ranks that own them, in the order of their blocks. Collective.
/// @param form  of all records
/// @throws Error(input) if there are none: `path` is named
[[nodiscard]] OwnedRecords send_records(const Communicator& communicator, const std::string& path,
                                        const TreeRecords& form, std::vector<ParsedRecords> parsed);

}  // namespace cairn
