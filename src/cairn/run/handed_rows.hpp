// Rows that the ranks of a program hold, brought to the ranks that own them. Private to this folder.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/linalg/tall/row_block.hpp"

namespace cairn {

/// The rows of all ranks together.
struct HandedRows {
  Index first = 0;  ///< number of this rank's first row
  Index total = 0;
  Index dimension = 0;
  bool labelled = false;
};

/// Number of this rank's first row, and of all rows. Collective.
[[nodiscard]] inline std::pair<Index, Index> place_among_ranks(const Communicator& communicator, Index own) {
  Index first = 0, total = 0;
  int rank = 0;
  for (const Index others : communicator.all_gather_one(own)) {
    if (rank++ < communicator.rank()) first += others;
    total += others;
  }
  return {first, total};
}

/// Calls take(rank, first, count) for each run of this rank's `own` rows with the same owner, in their order.
template <class Take>
void for_each_owner(const RowPartition& partition, Index first, Index own, const Take& take) {
  for (Index row = first; row < first + own;) {
    const int owner = partition.owner(row);
    const Index end = std::min(first + own, partition.range(owner).end);
    take(static_cast<std::size_t>(owner), row - first, end - row);
    row = end;
  }
}

/// Bytes of rows that a rank sends at once.
inline constexpr Index handed_message_bytes = Index{16} << 20;

/// The rows that each rank hands to this one, which owns the rows `owned`; `own` rows are in its hands. Collective.
[[nodiscard]] inline std::vector<Range> sources_of(const Communicator& communicator, Range owned, Index own) {
  std::vector<Range> sources;
  Index first = 0;
  for (const Index others : communicator.all_gather_one(own)) {
    const Index begin = std::max(first, owned.begin), end = std::min(first + others, owned.end);
    sources.push_back({begin, std::max(begin, end)});
    first += others;
  }
  return sources;
}

/// Rows at their owners. Those of this rank are copied, the others sent in rounds. Collective.
template <class T>
[[nodiscard]] RowBlock<T> at_owners(const Communicator& communicator, std::span<const T> values,
                                    const HandedRows& rows) {
  const RowPartition partition(rows.total, communicator.size());
  const auto width = rows.dimension;
  const Index own = static_cast<Index>(values.size()) / width;
  RowBlock<T> block = collectively(communicator, [&] { return RowBlock<T>(partition, communicator.rank(), width); });
  std::vector<Range> sources = sources_of(communicator, block.range(), own);
  const Range kept = sources[communicator.rank()];
  if (!kept.empty()) {
    std::copy_n(values.data() + (kept.begin - rows.first) * width, kept.size() * width, block.row(kept.begin).data());
  }
  const Index step = std::max<Index>(1, handed_message_bytes / (width * static_cast<Index>(sizeof(T))));
  const Index sent = communicator.maximum(own == kept.size() ? Index{0} : own);
  for (Index begin = 0; begin < sent; begin += step) {
    std::vector<std::vector<T>> send(communicator.size());
    for_each_owner(partition, rows.first + begin, std::clamp<Index>(own - begin, 0, step),
                   [&](std::size_t owner, Index first, Index count) {
                     if (static_cast<int>(owner) == communicator.rank()) return;
                     const T* part = values.data() + (begin + first) * width;
                     send[owner].assign(part, part + count * width);
                   });
    const std::vector<std::vector<T>> received = communicator.exchange(send);
    for (std::size_t r = 0; r < received.size(); ++r) {
      if (received[r].empty()) continue;
      std::copy(received[r].begin(), received[r].end(), block.row(sources[r].begin).data());
      sources[r].begin += static_cast<Index>(received[r].size()) / width;
    }
  }
  return block;
}

/// Rows of the program, if each rank has those that it owns; otherwise a block of none. Collective.
template <class T>
[[nodiscard]] RowBlock<T> as_lent(const Communicator& communicator, std::span<const T> values, const HandedRows& rows,
                                  const std::shared_ptr<const void>& keeper) {
  const RowPartition partition(rows.total, communicator.size());
  const Range owned = partition.range(communicator.rank());
  const bool here = keeper && owned.size() * rows.dimension == static_cast<Index>(values.size()) &&
                    (owned.empty() || owned.begin == rows.first);
  if (communicator.minimum(Index{here}) == 0) return {};
  const std::shared_ptr<T> lent(keeper, const_cast<T*>(values.data()));  // which a RowBlock only reads
  return {partition, communicator.rank(), rows.dimension, lent};
}

}  // namespace cairn
