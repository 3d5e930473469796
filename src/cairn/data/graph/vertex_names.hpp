// Names of vertices, which a file has in place of numbers. Private to this folder.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/row_partition.hpp"

namespace cairn {

/// The names in the lines of this rank, numbered in order of occurrence. Local.
class NamesOfLines {
 public:
  [[nodiscard]] Index number(std::string_view name);
  [[nodiscard]] bool has(std::string_view name) const { return numbers_.contains(std::string(name)); }
  /// Assigns all names since the last call to block `block` of the file.
  void end_block(Index block) { blocks_.resize(names_.size(), block); }

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// The block of the file in which this rank found each name first.
  [[nodiscard]] const std::vector<Index>& blocks() const { return blocks_; }

 private:
  std::unordered_map<std::string, Index> numbers_;
  std::vector<std::string> names_;
  std::vector<Index> blocks_;
};

/// The names of all ranks.
class VertexNames {
 public:
  /// Numbers all names 0, 1, ... in the order of first occurrence in the file, for any number of ranks. Memory: about
  /// six times the names of this rank's lines. Collective.
  VertexNames(const Communicator& communicator, const NamesOfLines& lines);

  [[nodiscard]] Index count() const { return partition_.rows(); }
  /// Numbers of the names in this rank's lines. Local.
  [[nodiscard]] const std::vector<Index>& numbers() const { return numbers_; }
  /// The names with these numbers, which may differ between ranks. Collective.
  [[nodiscard]] std::vector<std::string> names_of(const Communicator& communicator,
                                                  std::span<const Index> numbers) const;

 private:
  RowPartition partition_{0, 1};
  std::vector<Index> numbers_;
  std::vector<std::string> own_;  // names whose numbers are in this rank's range
};

}  // namespace cairn
