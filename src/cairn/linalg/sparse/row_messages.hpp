// Messages with rows of sparse matrices between ranks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// For each rank: heads that describe its rows (as sender and receiver agree), and the columns and values of all of
/// them, one row after the other. Arrays are reused between rounds.
template <class T>
struct RowMessages {
  explicit RowMessages(std::size_t ranks) : heads(ranks), columns(ranks), values(ranks) {}
  void clear() {
    for (auto& part : heads) part.clear();
    for (auto& part : columns) part.clear();
    for (auto& part : values) part.clear();
    entries = 0;
  }
  /// True if a rank may add rows in this round. A rank receives no more than `most` entries and a row from each, even
  /// if all others send all of theirs to it.
  [[nodiscard]] bool has_room(Index most) const { return entries < std::max(most / std::ssize(heads), least_entries); }
  /// Sends them; received data is in received_heads, received_columns and received_values, by rank. Collective.
  void exchange(const Communicator& communicator) {
    communicator.exchange(heads, received_heads);
    communicator.exchange(columns, received_columns);
    communicator.exchange(values, received_values);
  }

  static constexpr Index least_entries = Index{1} << 12U;  // per round, so that messages are not too small
  std::vector<std::vector<std::int32_t>> heads, columns;
  std::vector<std::vector<T>> values;
  ReusedArrays<std::int32_t> received_heads, received_columns;
  ReusedArrays<T> received_values;
  Index entries = 0;  ///< number of entries to send
};

}  // namespace cairn
