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

/// The names in the lines of this rank, numbered as they come. Local.
class NamesOfLines {
 public:
  [[nodiscard]] Index number(std::string_view name);
  [[nodiscard]] bool has(std::string_view name) const { return numbers_.contains(std::string(name)); }
  /// All names that came since the last call are of block `block` of the file.
  void end_block(Index block) { blocks_.resize(names_.size(), block); }

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// The block of the file in which this rank met each name first.
  [[nodiscard]] const std::vector<Index>& blocks() const { return blocks_; }

 private:
  std::unordered_map<std::string, Index> numbers_;
  std::vector<std::string> names_;
  std::vector<Index> blocks_;
};

/// The names of all ranks.
class VertexNames {
 public:
  /// Numbers all names 0, 1, ... in the order in which the file has them first, whatever the number of ranks.
  /// Memory: some six times the names of this rank's lines. Collective.
  VertexNames(const Communicator& communicator, const NamesOfLines& lines);

  [[nodiscard]] Index count() const { return partition_.rows(); }
  /// Of the names of this rank's lines. Local.
  [[nodiscard]] const std::vector<Index>& numbers() const { return numbers_; }
  /// The names with these numbers, other ones on every rank. Collective.
  [[nodiscard]] std::vector<std::string> names_of(const Communicator& communicator,
                                                  std::span<const Index> numbers) const;

 private:
  RowPartition partition_{0, 1};
  std::vector<Index> numbers_;
  std::vector<std::string> own_;  // with the numbers of this rank's part of all
};

}  // namespace cairn
