#include "cairn/approximation/fetch_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cairn/base/mpi/collective_guard.hpp"

namespace cairn {

namespace {

// Positions in a list of ids, by the rank that owns the row.
std::vector<std::vector<Index>> places_by_owner(const RowPartition& partition, std::span<const Index> ids) {
  std::vector<std::vector<Index>> places(partition.ranks());
  for (std::size_t p = 0; p < ids.size(); ++p) {
    places[partition.owner(ids[p])].push_back(static_cast<Index>(p));
  }
  return places;
}

// The part of `list` for a round of `length` elements.
std::span<const Index> part(const std::vector<Index>& list, Index round, Index length) {
  const auto size = static_cast<Index>(list.size());
  const Index begin = std::min(round * length, size);
  const Index end = std::min(begin + length, size);
  return std::span(list).subspan(begin, end - begin);
}

// Puts the rows that each rank asked for into `rows`, whose memory is kept.
template <class T>
void answer(const RowBlock<T>& factor, const std::vector<std::vector<Index>>& asked, Range columns,
            std::vector<std::vector<T>>& rows) {
  rows.resize(asked.size());
  for (std::size_t r = 0; r < asked.size(); ++r) {
    rows[r].clear();
    rows[r].reserve(asked[r].size() * static_cast<std::size_t>(columns.size()));
    for (const Index id : asked[r]) {
      const auto row = factor.row(id).subspan(columns.begin, columns.size());
      rows[r].insert(rows[r].end(), row.begin(), row.end());
    }
  }
}

}  // namespace

template <class T>
Buffer<T> fetch_rows(const Communicator& communicator, const RowBlock<T>& factor, std::span<const Index> ids,
                     Range columns) {
  const Index width = columns.size();
  auto rows = collectively(communicator, [&] { return Buffer<T>(static_cast<Index>(ids.size()) * width); });
  const auto places = places_by_owner(factor.partition(), ids);
  const Index row_bytes = std::max<Index>(1, width * static_cast<Index>(sizeof(T)));
  const Index length = std::max<Index>(1, row_message_bytes / (row_bytes * communicator.size()));
  Index rounds = 0;
  for (const auto& list : places) rounds = std::max(rounds, (static_cast<Index>(list.size()) + length - 1) / length);
  rounds = communicator.maximum(rounds);

  std::vector<std::vector<T>> answers;
  ReusedArrays<T> received;
  for (Index round = 0; round < rounds; ++round) {
    std::vector<std::vector<Index>> wanted(places.size());
    for (std::size_t r = 0; r < places.size(); ++r) {
      for (const Index place : part(places[r], round, length)) {
        wanted[r].push_back(ids[place]);
      }
    }
    answer(factor, communicator.exchange(wanted), columns, answers);
    communicator.exchange(answers, received);
    for (std::size_t r = 0; r < places.size(); ++r) {
      const T* next = received[r].data();
      for (const Index place : part(places[r], round, length)) {
        std::copy_n(next, width, rows.data() + place * width);
        next += width;
      }
    }
  }
  return rows;
}

template Buffer<float> fetch_rows(const Communicator&, const RowBlock<float>&, std::span<const Index>, Range);
template Buffer<double> fetch_rows(const Communicator&, const RowBlock<double>&, std::span<const Index>, Range);
template Buffer<std::uint16_t> fetch_rows(const Communicator&, const RowBlock<std::uint16_t>&, std::span<const Index>,
                                          Range);
template Buffer<std::uint32_t> fetch_rows(const Communicator&, const RowBlock<std::uint32_t>&, std::span<const Index>,
                                          Range);

}  // namespace cairn
