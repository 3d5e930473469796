// Texts of all ranks, brought together by what they are.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// Each text at the rank that its hash says, its home: equal texts of any ranks meet there. A text ends at its
/// first character 0.
class TextsAtHome {
 public:
  /// @param texts  of this rank. Memory: those of this rank and those that come to it. Collective.
  TextsAtHome(const Communicator& communicator, std::span<const std::string> texts);

  /// Calls f(rank, place, text) for the texts at home here, rank by rank in the order in which each sent them. Local.
  template <class Function>
  void for_each(Function f) const {
    for (std::size_t r = 0; r < received_.size(); ++r) {
      std::size_t place = 0;
      for (std::size_t begin = 0; begin < received_[r].size(); ++place) {
        const std::string_view text(received_[r].data() + begin);
        f(r, place, text);
        begin += text.size() + 1;
      }
    }
  }

  /// A value of each text goes to its home. @param values  one for each text of this rank
  /// @return [rank][place], as for_each has them. Collective.
  [[nodiscard]] std::vector<std::vector<Index>> send(std::span<const Index> values) const;
  /// A value of each text comes back. @param values  [rank][place] @return one for each text of this rank. Collective.
  [[nodiscard]] std::vector<Index> send_back(const std::vector<std::vector<Index>>& values) const;

 private:
  const Communicator& communicator_;
  std::size_t texts_;
  std::vector<std::vector<Index>> sent_;     // which texts went to each rank
  std::vector<std::vector<char>> received_;  // from each rank, a 0 after each text
};

/// Rows that texts name, the names spread over ranks.
class RowKeys {
 public:
  /// @param path  of the file that has them, for messages @param keys  of this rank's rows, which begin with `first`
  /// @throws Error(input) for a key that two rows have. Collective.
  RowKeys(const Communicator& communicator, const std::string& path, std::span<const std::string> keys, Index first);

  /// The row that each text of this rank names; -1: none. Collective.
  [[nodiscard]] std::vector<Index> find(std::span<const std::string> texts);
  /// How many rows no text has named so far. Collective.
  [[nodiscard]] Index unused() const;

 private:
  struct Row {
    std::string key;
    Index row = 0;
    bool used = false;
  };
  const Communicator& communicator_;
  std::vector<Row> rows_;  // by key
};

}  // namespace cairn
