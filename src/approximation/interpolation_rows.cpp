#include "approximation/interpolation_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/collective_guard.hpp"

namespace cairn {

namespace {

constexpr Index round_entries = Index{1} << 24;  // 16 bytes each, over all ranks

// An entry on its way.
struct Arrival {
  std::int32_t row;  // in the owner's range
  std::int32_t landmark;
  double value;
};

// First rows of all ranks, and the end.
std::vector<Index> boundaries_of(const RowPartition& partition) {
  std::vector<Index> boundaries;
  for (int rank = 0; rank < partition.ranks(); ++rank) boundaries.push_back(partition.range(rank).begin);
  boundaries.push_back(partition.rows());
  return boundaries;
}

// Calls what(rank, first row of the rank, entry) for every entry of a column.
template <class What>
void for_each_entry(const ColumnView& column, const std::vector<Index>& boundaries, What what) {
  std::size_t rank = 0;
  for (std::size_t e = 0; e < column.vertices.size(); ++e) {
    while (column.vertices[e] >= boundaries[rank + 1]) ++rank;
    what(rank, boundaries[rank], e);
  }
}

// Rounds of landmarks: about round_entries entries each, the same on every rank.
std::vector<Index> rounds_of(const Communicator& communicator, Index landmarks, const std::vector<ColumnView>& mine) {
  Index entries = 0;
  for (const ColumnView& column : mine) entries += static_cast<Index>(column.vertices.size());
  entries = communicator.sum(entries);
  const Index width = std::max<Index>(1, round_entries / std::max<Index>(1, entries / std::max<Index>(1, landmarks)));
  std::vector<Index> rounds;
  for (Index begin = 0; begin < landmarks; begin += width) rounds.push_back(begin);
  rounds.push_back(landmarks);
  return rounds;
}

// The columns of a round: a part of those sorted by landmark.
std::span<const ColumnView> part(const std::vector<ColumnView>& columns, Index begin, Index end) {
  const auto first = std::ranges::lower_bound(columns, begin, {}, &ColumnView::landmark);
  const auto last = std::ranges::lower_bound(columns, end, {}, &ColumnView::landmark);
  return {first, last};
}

// Writes what came from all ranks, each list ascending by landmark, so that rows ascend too.
void store(const std::vector<std::vector<Arrival>>& received, Index begin, Index end, std::vector<Index>& next,
           std::vector<Index>& indices, std::vector<double>& values) {
  std::vector<std::size_t> cursors(received.size(), 0);
  for (Index landmark = begin; landmark < end; ++landmark) {
    for (std::size_t rank = 0; rank < received.size(); ++rank) {
      const auto& list = received[rank];
      std::size_t& cursor = cursors[rank];
      for (; cursor < list.size() && list[cursor].landmark == landmark; ++cursor) {
        const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(list[cursor].row)]++);
        indices[place] = landmark;
        values[place] = list[cursor].value;
      }
    }
  }
}

}  // namespace

SparseRows<double> rows_of_columns(const Communicator& communicator, const std::vector<Index>& landmarks,
                                   bool unit_rows, Index vertices, const std::vector<ColumnView>& mine) {
  const RowPartition partition(vertices, communicator.size());
  const Range own = partition.range(communicator.rank());
  const auto boundaries = boundaries_of(partition);
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const auto rounds = rounds_of(communicator, static_cast<Index>(landmarks.size()), mine);

  std::vector<Index> starts(static_cast<std::size_t>(own.size()) + 1, 0);
  for (const Index landmark : landmarks) {
    if (unit_rows && own.contains(landmark)) ++starts[static_cast<std::size_t>(landmark - own.begin) + 1];
  }
  for (std::size_t round = 0; round + 1 < rounds.size(); ++round) {
    std::vector<std::vector<std::int32_t>> rows(ranks);
    for (const ColumnView& column : part(mine, rounds[round], rounds[round + 1])) {
      for_each_entry(column, boundaries, [&](std::size_t rank, Index first, std::size_t e) {
        rows[rank].push_back(static_cast<std::int32_t>(column.vertices[e] - first));
      });
    }
    for (const auto& list : communicator.exchange(rows)) {
      for (const std::int32_t row : list) ++starts[static_cast<std::size_t>(row) + 1];
    }
  }
  std::partial_sum(starts.begin(), starts.end(), starts.begin());

  std::vector<Index> next(starts.begin(), starts.end() - 1), indices;
  std::vector<double> values;
  collectively(communicator, [&] {
    indices.resize(static_cast<std::size_t>(starts.back()));
    values.resize(indices.size());
  });
  for (std::size_t k = 0; k < landmarks.size(); ++k) {
    if (!unit_rows || !own.contains(landmarks[k])) continue;
    const auto place = static_cast<std::size_t>(starts[static_cast<std::size_t>(landmarks[k] - own.begin)]);
    indices[place] = static_cast<Index>(k);
    values[place] = 1.0;
  }
  for (std::size_t round = 0; round + 1 < rounds.size(); ++round) {
    std::vector<std::vector<Arrival>> entries(ranks);
    for (const ColumnView& column : part(mine, rounds[round], rounds[round + 1])) {
      for_each_entry(column, boundaries, [&](std::size_t rank, Index first, std::size_t e) {
        entries[rank].push_back({static_cast<std::int32_t>(column.vertices[e] - first),
                                 static_cast<std::int32_t>(column.landmark), column.values[e]});
      });
    }
    store(communicator.exchange(entries), rounds[round], rounds[round + 1], next, indices, values);
  }
  return {partition,         communicator.rank(), static_cast<Index>(landmarks.size()),
          std::move(starts), std::move(indices),  std::move(values)};
}

LargestOfRows::LargestOfRows(const Communicator& communicator, Index vertices, Index kept)
    : partition_(vertices, communicator.size()),
      range_(partition_.range(communicator.rank())),
      kept_(kept),
      rows_(static_cast<std::size_t>(range_.size())) {}

void LargestOfRows::insert(Index row, Entry entry) {
  // Larger magnitude first, then lower landmark: a total order, so that the order of arrival does not matter.
  const auto better = [](const Entry& a, const Entry& b) {
    const double x = std::abs(a.value), y = std::abs(b.value);
    return x != y ? x > y : a.landmark < b.landmark;
  };
  auto& heap = rows_[static_cast<std::size_t>(row)];
  if (static_cast<Index>(heap.size()) < kept_) {
    heap.push_back(entry);
    std::ranges::push_heap(heap, better);
  } else if (better(entry, heap.front())) {
    std::ranges::pop_heap(heap, better);
    heap.back() = entry;
    std::ranges::push_heap(heap, better);
  }
}

void LargestOfRows::add(const Communicator& communicator, const std::vector<ColumnSolver::Column>& columns) {
  const auto boundaries = boundaries_of(partition_);
  const Index most = std::max<Index>(1, round_entries / communicator.size());
  std::size_t next = 0;
  while (communicator.maximum(next < columns.size() ? 1 : 0) == 1) {
    std::vector<std::vector<Arrival>> entries(static_cast<std::size_t>(communicator.size()));
    Index packed = 0;
    for (; next < columns.size() && packed < most; ++next) {
      const auto& column = columns[next];
      packed += static_cast<Index>(column.vertices.size());
      for_each_entry({column.landmark, column.vertices, column.values}, boundaries,
                     [&](std::size_t rank, Index first, std::size_t e) {
                       entries[rank].push_back({static_cast<std::int32_t>(column.vertices[e] - first),
                                                static_cast<std::int32_t>(column.landmark), column.values[e]});
                     });
    }
    for (const auto& list : communicator.exchange(entries)) {
      for (const Arrival& arrival : list) insert(arrival.row, {arrival.landmark, arrival.value});
    }
  }
}

SparseRows<double> LargestOfRows::finish(const Communicator& communicator, const std::vector<Index>& landmarks,
                                         bool unit_rows) && {
  for (std::size_t k = 0; k < landmarks.size(); ++k) {
    if (unit_rows && range_.contains(landmarks[k])) {
      rows_[static_cast<std::size_t>(landmarks[k] - range_.begin)] = {{static_cast<std::int32_t>(k), 1.0}};
    }
  }
  std::vector<Index> starts{0}, indices;
  std::vector<double> values;
  collectively(communicator, [&] {
    for (auto& row : rows_) {
      std::ranges::sort(row, {}, &Entry::landmark);
      for (const Entry& entry : row) {
        indices.push_back(entry.landmark);
        values.push_back(entry.value);
      }
      starts.push_back(static_cast<Index>(indices.size()));
      std::vector<Entry>().swap(row);
    }
  });
  return {partition_,        communicator.rank(), static_cast<Index>(landmarks.size()),
          std::move(starts), std::move(indices),  std::move(values)};
}

Index normalize_rows(const Communicator& communicator, SparseRows<double>& p) {
  std::vector<double> values = p.values();
  Index left = 0;
  for (std::size_t row = 0; row + 1 < p.starts().size(); ++row) {
    const auto begin = values.begin() + p.starts()[row], end = values.begin() + p.starts()[row + 1];
    const double sum = std::accumulate(begin, end, 0.0);
    if (sum == 0.0) ++left;
    if (sum != 0.0) std::for_each(begin, end, [&](double& value) { value /= sum; });
  }
  p = SparseRows<double>(p.partition(), communicator.rank(), p.columns(), p.starts(), p.indices(), std::move(values));
  return communicator.sum(left);
}

double row_sum_error(const Communicator& communicator, const std::vector<Index>& unit_rows, Index vertices,
                     const std::vector<PartialRowSums>& parts) {
  const RowPartition partition(vertices, communicator.size());
  const Range own = partition.range(communicator.rank());
  std::vector<double> sums(static_cast<std::size_t>(own.size()), 0.0);
  const auto rounds = communicator.maximum(static_cast<Index>(parts.size()));
  for (Index round = 0; round < rounds; ++round) {
    std::vector<std::vector<Arrival>> send(static_cast<std::size_t>(communicator.size()));
    if (round < static_cast<Index>(parts.size())) {
      const PartialRowSums& part = parts[static_cast<std::size_t>(round)];
      for (std::size_t k = 0; k < part.vertices.size(); ++k) {
        const int owner = partition.owner(part.vertices[k]);
        const auto row = static_cast<std::int32_t>(part.vertices[k] - partition.range(owner).begin);
        send[static_cast<std::size_t>(owner)].push_back({row, 0, part.sums[k]});
      }
    }
    for (const auto& list : communicator.exchange(send)) {
      for (const Arrival& arrival : list) sums[static_cast<std::size_t>(arrival.row)] += arrival.value;
    }
  }
  for (const Index landmark : unit_rows) {
    if (own.contains(landmark)) sums[static_cast<std::size_t>(landmark - own.begin)] = 1.0;
  }
  double largest = 0.0;
  for (const double sum : sums) largest = std::max(largest, std::abs(sum - 1.0));
  return communicator.maximum(largest);
}

double row_sum_error(const Communicator& communicator, const SparseRows<double>& p) {
  double largest = 0.0;
  for (std::size_t row = 0; row + 1 < p.starts().size(); ++row) {
    const auto begin = p.values().begin() + p.starts()[row], end = p.values().begin() + p.starts()[row + 1];
    largest = std::max(largest, std::abs(std::accumulate(begin, end, -1.0)));
  }
  return communicator.maximum(largest);
}

}  // namespace cairn
