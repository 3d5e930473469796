// Texts of all ranks, redistributed so that equal texts meet.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// Sends each text to the rank that its hash determines, its home: equal texts of all ranks meet there. A text ends at
/// its first character 0.
class TextsAtHome {
 public:
  /// @param texts  texts of this rank. Memory: the texts that this rank sends and receives. Collective.
  TextsAtHome(const Communicator& communicator, std::span<const std::string> texts);

  /// Calls f(rank, place, text) for the texts at home on this rank, rank by rank, in the order in which each rank sent
  /// them. Local.
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

  /// Sends a value of each text to its home. @param values  one for each text of this rank
  /// @return [rank][place], as in for_each. Collective.
  [[nodiscard]] std::vector<std::vector<Index>> send(std::span<const Index> values) const;
  /// Sends a value of each text back from its home. @param values  [rank][place] @return one for each text of this
  /// rank. Collective.
  [[nodiscard]] std::vector<Index> send_back(const std::vector<std::vector<Index>>& values) const;

 private:
  const Communicator& communicator_;
  std::size_t texts_;
  std::vector<std::vector<Index>> sent_;     // texts sent to each rank
  std::vector<std::vector<char>> received_;  // received from each rank, a 0 after each text
};

/// Rows identified by texts (keys); the keys are distributed over ranks.
class RowKeys {
 public:
  /// @param path  file with the keys, for messages @param keys  keys of this rank's rows, which begin with `first`
  /// @throws Error(input) if two rows have the same key. Collective.
  RowKeys(const Communicator& communicator, const std::string& path, std::span<const std::string> keys, Index first);

  /// The row that each text of this rank names; -1: none. Collective.
  [[nodiscard]] std::vector<Index> find(std::span<const std::string> texts);
  /// Number of rows that no text has named so far. Collective.
  [[nodiscard]] Index unused() const;

 private:
  struct Row {
    std::string key;
    Index row = 0;
    bool used = false;
  };
  const Communicator& communicator_;
  std::vector<Row> rows_;  // sorted by key
};

}  // namespace cairn
