#include "cairn/approximation/biharmonic/interpolation_rows.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <numeric>
#include <tuple>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"

namespace cairn {

namespace {

// Approximate number of entries that a rank sends per round: 16 bytes each, half a megabyte in total, which stays in
// cache and comes from the heap, not page by page from the system.
constexpr Index round_entries = Index{1} << 15;

// An entry in transit.
struct Arrival {
  std::int32_t row;  // in the owner's range
  std::int32_t landmark;
  double value;
};

// The first rows of all ranks, and the total number of rows.
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

// Sends an item for every entry of this rank's columns to the owner of its row, round by round; ranks may have
// different numbers of columns. make(row in the owner's range, entry of the column), take(received item). Collective.
template <class Make, class Take>
void exchange_entries(const Communicator& communicator, const RowPartition& partition,
                      std::span<const ColumnView> columns, Make make, Take take) {
  using Sent = decltype(make(std::int32_t{}, columns.front(), std::size_t{}));
  const auto boundaries = boundaries_of(partition);
  std::vector<std::vector<Sent>> send(communicator.size());
  std::size_t next = 0;
  while (communicator.maximum(next < columns.size() ? 1 : 0) == 1) {
    for (auto& list : send) list.clear();
    Index packed = 0;
    for (; next < columns.size() && packed < round_entries; ++next) {
      const ColumnView& column = columns[next];
      packed += static_cast<Index>(column.vertices.size());
      for_each_entry(column, boundaries, [&](std::size_t rank, Index first, std::size_t e) {
        send[rank].push_back(make(static_cast<std::int32_t>(column.vertices[e] - first), column, e));
      });
    }
    for (const auto& list : communicator.exchange(send)) {
      for (const Sent& sent : list) take(sent);
    }
  }
}

Arrival arrival(std::int32_t row, const ColumnView& column, std::size_t e) {
  return {row, static_cast<std::int32_t>(column.landmark), column.values[e]};
}

// Sorts the entries of each row by landmark.
void sort_rows(const std::vector<Index>& starts, std::vector<Index>& indices, std::vector<double>& values) {
  std::vector<std::pair<Index, double>> row;
  for (std::size_t r = 0; r + 1 < starts.size(); ++r) {
    const auto begin = static_cast<std::size_t>(starts[r]), end = static_cast<std::size_t>(starts[r + 1]);
    row.clear();
    for (std::size_t e = begin; e < end; ++e) row.emplace_back(indices[e], values[e]);
    std::ranges::sort(row, {}, &std::pair<Index, double>::first);
    for (std::size_t e = begin; e < end; ++e) std::tie(indices[e], values[e]) = row[e - begin];
  }
}

}  // namespace

SparseRows<double> rows_of_columns(const Communicator& communicator, const std::vector<Index>& landmarks,
                                   bool unit_rows, Index vertices, const std::vector<ColumnView>& mine) {
  const RowPartition partition(vertices, communicator.size());
  const Range own = partition.range(communicator.rank());
  std::vector<Index> starts(static_cast<std::size_t>(own.size()) + 1, 0);
  for (const Index landmark : landmarks) {
    if (unit_rows && own.contains(landmark)) ++starts[static_cast<std::size_t>(landmark - own.begin) + 1];
  }
  exchange_entries(
      communicator, partition, mine, [](std::int32_t row, const ColumnView&, std::size_t) { return row; },
      [&](std::int32_t row) { ++starts[static_cast<std::size_t>(row) + 1]; });
  std::partial_sum(starts.begin(), starts.end(), starts.begin());

  std::vector<Index> next(starts.begin(), starts.end() - 1), indices;
  std::vector<double> values;
  collectively(communicator, [&] {
    indices.resize(starts.back());
    values.resize(indices.size());
  });
  const auto store = [&](Index row, Index landmark, double value) {
    const auto place = static_cast<std::size_t>(next[row]++);
    indices[place] = landmark;
    values[place] = value;
  };
  for (std::size_t k = 0; k < landmarks.size(); ++k) {
    if (unit_rows && own.contains(landmarks[k])) store(landmarks[k] - own.begin, static_cast<Index>(k), 1.0);
  }
  exchange_entries(communicator, partition, mine, arrival,
                   [&](const Arrival& entry) { store(entry.row, entry.landmark, entry.value); });
  sort_rows(starts, indices, values);
  return {partition,         communicator.rank(), static_cast<Index>(landmarks.size()),
          std::move(starts), std::move(indices),  std::move(values)};
}

LargestOfRows::LargestOfRows(const Communicator& communicator, Index vertices, Index kept)
    : partition_(vertices, communicator.size()), range_(partition_.range(communicator.rank())), kept_(kept) {
  collectively(communicator, [&] {
    counts_.resize(range_.size());
    landmarks_.resize(range_.size() * kept);
    values_.resize(range_.size() * kept);
  });
}

// Smaller magnitude, then higher landmark: a total order, so that the order of arrival does not matter.
bool LargestOfRows::smaller(Index a, Index b) const {
  const double x = std::abs(values_[a]), y = std::abs(values_[b]);
  return x != y ? x < y : landmarks_[a] > landmarks_[b];
}

// Restores the heap from `begin` on, where the entry `at` may be larger than those below it.
void LargestOfRows::sift_down(Index begin, Index at) {
  for (;;) {
    Index smallest = at;
    for (Index child = 2 * at + 1; child <= 2 * at + 2 && child < kept_; ++child) {
      if (smaller(begin + child, begin + smallest)) smallest = child;
    }
    if (smallest == at) return;
    std::swap(values_[begin + at], values_[begin + smallest]);
    std::swap(landmarks_[begin + at], landmarks_[begin + smallest]);
    at = smallest;
  }
}

void LargestOfRows::insert(Index row, std::int32_t landmark, double value) {
  if (value == 0.0) return;
  const Index begin = row * kept_;
  if (counts_[row] < kept_) {
    const Index place = begin + counts_[row]++;
    landmarks_[place] = landmark;
    values_[place] = value;
    if (counts_[row] < kept_) return;
    for (Index at = kept_ / 2; at >= 0; --at) sift_down(begin, at);
    return;
  }
  const double smallest = std::abs(values_[begin]);
  if (std::abs(value) < smallest || (std::abs(value) == smallest && landmark > landmarks_[begin])) return;
  landmarks_[begin] = landmark;
  values_[begin] = value;
  sift_down(begin, 0);
}

void LargestOfRows::clear() { std::ranges::fill(counts_, 0); }

void LargestOfRows::add(const Communicator& communicator, const std::vector<ColumnSolver::Column>& columns) {
  std::vector<ColumnView> views;
  for (const auto& column : columns) views.push_back({column.landmark, column.vertices, column.values});
  exchange_entries(communicator, partition_, views, arrival,
                   [&](const Arrival& entry) { insert(entry.row, entry.landmark, entry.value); });
}

void LargestOfRows::add_own(const ColumnView& column) {
  for (std::size_t e = 0; e < column.vertices.size(); ++e) {
    insert(column.vertices[e] - range_.begin, static_cast<std::int32_t>(column.landmark), column.values[e]);
  }
}

// Per row: the number of entries, and space for `kept` entries.
std::size_t LargestOfRows::packed_bytes(Range rows) const {
  return static_cast<std::size_t>(rows.size()) *
         (sizeof(std::int32_t) + static_cast<std::size_t>(kept_) * (sizeof(std::int32_t) + sizeof(double)));
}

std::vector<std::byte> LargestOfRows::pack(Range rows) const {
  std::vector<std::byte> bytes(packed_bytes(rows));
  std::byte* at = bytes.data();
  const auto write = [&](const auto& value) {
    std::memcpy(at, &value, sizeof value);
    at += sizeof value;
  };
  for (Index i = rows.begin; i < rows.end; ++i) {
    const Index row = i - range_.begin;
    write(counts_[row]);
    for (Index e = row * kept_; e < row * kept_ + counts_[row]; ++e) {
      write(landmarks_[e]);
      write(values_[e]);
    }
    at = bytes.data() + packed_bytes({rows.begin, i + 1});
  }
  return bytes;
}

void LargestOfRows::unpack(Range rows, std::span<const std::byte> bytes) {
  const std::byte* at = bytes.data();
  const auto read = [&](auto& value) {
    std::memcpy(&value, at, sizeof value);
    at += sizeof value;
  };
  for (Index i = rows.begin; i < rows.end; ++i) {
    std::int32_t size = 0;
    read(size);
    if (size < 0 || size > kept_) throw Error(ErrorKind::input, "a checkpoint holds rows of P with too many entries");
    const Index row = i - range_.begin;
    counts_[row] = size;
    for (Index e = row * kept_; e < row * kept_ + size; ++e) {
      read(landmarks_[e]);
      read(values_[e]);
    }
    at = bytes.data() + packed_bytes({rows.begin, i + 1});
  }
}

SparseRows<double> LargestOfRows::finish(const Communicator& communicator, const std::vector<Index>& landmarks,
                                         bool unit_rows) && {
  for (std::size_t k = 0; k < landmarks.size(); ++k) {
    if (!unit_rows || !range_.contains(landmarks[k])) continue;
    const Index row = landmarks[k] - range_.begin;
    counts_[row] = 1;
    landmarks_[row * kept_] = static_cast<std::int32_t>(k);
    values_[row * kept_] = 1.0;
  }
  std::vector<Index> starts{0}, indices;
  collectively(communicator, [&] {
    starts.reserve(counts_.size() + 1);
    for (const std::int32_t count : counts_) starts.push_back(starts.back() + count);
    indices.resize(starts.back());
    for (std::size_t row = 0; row < counts_.size(); ++row) {  // the values move to the front
      const Index from = static_cast<Index>(row) * kept_, count = counts_[row];
      std::copy_n(values_.data() + from, count, values_.data() + starts[row]);
      std::copy_n(landmarks_.data() + from, count, indices.data() + starts[row]);
    }
    values_.resize(starts.back());
    std::vector<std::int32_t>().swap(landmarks_);
    sort_rows(starts, indices, values_);
  });
  return {partition_,        communicator.rank(), static_cast<Index>(landmarks.size()),
          std::move(starts), std::move(indices),  std::move(values_)};
}

Index normalize_rows(const Communicator& communicator, SparseRows<double>& p) {
  const std::span<double> values = p.writable_values();
  Index left = 0;
  for (std::size_t row = 0; row + 1 < p.starts().size(); ++row) {
    const auto begin = values.begin() + p.starts()[row], end = values.begin() + p.starts()[row + 1];
    const double sum = std::accumulate(begin, end, 0.0);
    if (sum < least_row_sum) ++left;
    if (sum >= least_row_sum) std::for_each(begin, end, [&](double& value) { value /= sum; });
  }
  return communicator.sum(left);
}

RowSums::RowSums(const Communicator& communicator, Index vertices) : sums_(communicator, vertices) {
  if (sums_.node().is_root()) std::ranges::fill(sums_.writable(), 0.0);
  sums_.publish();
}

void RowSums::add(std::span<const std::int32_t> vertices, std::span<const double> values) {
  const std::span<double> sums = sums_.writable();
  for (std::size_t k = 0; k < vertices.size(); ++k) {
    std::atomic_ref(sums[vertices[k]]).fetch_add(values[k], std::memory_order_relaxed);
  }
}

void RowSums::for_each_piece(const Communicator& communicator,
                             const std::function<void(Index, std::span<const double>)>& visit) {
  sums_.publish();
  const std::span<double> sums = sums_.writable();
  const bool teller = sums_.node().is_root();  // reports for its node
  std::vector<double> part;
  for (Index begin = 0; begin < vertices(); begin += piece) {
    const auto size = static_cast<std::size_t>(std::min(piece, vertices() - begin));
    part.assign(size, 0.0);
    if (teller) std::ranges::copy(sums.subspan(begin, size), part.begin());
    communicator.sum(std::span(part));
    visit(begin, part);
  }
}

double RowSums::largest_error(const Communicator& communicator, const std::vector<Index>& unit_rows) {
  std::vector<Index> sorted = unit_rows;
  std::ranges::sort(sorted);
  auto end = sorted.begin();
  double largest = 0.0;
  for_each_piece(communicator, [&](Index begin, std::span<const double> part) {
    for (std::size_t k = 0; k < part.size(); ++k) {
      const bool is_unit = end != sorted.end() && *end == begin + static_cast<Index>(k);
      if (is_unit) ++end;
      if (!is_unit) largest = std::max(largest, std::abs(part[k] - 1.0));
    }
  });
  return largest;
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
