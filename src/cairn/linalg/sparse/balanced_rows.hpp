// Square sparse matrices, their rows distributed over ranks by number of entries.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// Contiguous rows of a sparse matrix in compressed form; fewer than 2^31 columns.
/// Memory: 4 + sizeof(T) bytes per entry, 8 per row.
template <class T>
struct CompressedRows {
  struct Row {
    std::span<const std::int32_t> columns;
    std::span<const T> values;
  };

  Range rows;
  std::vector<Index> starts{0};  ///< first entry of each row, then the number of entries
  Buffer<std::int32_t> columns;
  Buffer<T> values;

  [[nodiscard]] Index own_entries() const { return starts.back(); }
  /// The row with this global number, which must be one of `rows`. Local.
  [[nodiscard]] Row row(Index global) const {
    const auto local = static_cast<std::size_t>(global - rows.begin);
    const auto begin = static_cast<std::size_t>(starts[local]),
               count = static_cast<std::size_t>(starts[local + 1]) - begin;
    return {columns.span().subspan(begin, count), values.span().subspan(begin, count)};
  }
};

/// An n x n sparse matrix, columns ascending in its rows: each rank has contiguous rows with about as many entries as
/// any other rank.
template <class T>
struct BalancedRows : CompressedRows<T> {
  std::vector<Index> ends{};  ///< end of each rank's rows, on every rank

  [[nodiscard]] Index size() const { return ends.empty() ? 0 : ends.back(); }
};

/// Ends of the ranks' rows such that all have about the same number of entries. @param entries  of each row, over all
/// ranks. Local.
[[nodiscard]] inline std::vector<Index> balanced_ends(std::span<const Index> entries, int ranks) {
  const auto total = static_cast<double>(std::max<Index>(1, std::accumulate(entries.begin(), entries.end(), Index{0})));
  std::vector<Index> ends(ranks, 0);
  Index before = 0;
  for (const Index count : entries) {
    const auto rank = static_cast<Index>(static_cast<double>(before) / total * static_cast<double>(ranks));
    ++ends[std::min<Index>(rank, ranks - 1)];
    before += count;
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  return ends;
}

/// The rows of a rank. Local.
[[nodiscard]] inline Range rows_between(const std::vector<Index>& ends, int rank) {
  const auto r = static_cast<std::size_t>(rank);
  return {r == 0 ? 0 : ends[r - 1], ends[r]};
}

}  // namespace cairn
