#include "cairn/task/transport/measure.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/digest.hpp"

namespace cairn {

namespace {

__extension__ using Wide = __int128;  // extension of GCC and Clang

Index ratio(Index a, Index b, Index c) { return static_cast<Index>(Wide{a} * b / c); }

// Data sent for one row in addition to its coordinates.
struct SentRow {
  Index row;
  double weight;
};

template <class T>
using Parts = std::vector<std::vector<T>>;

template <class T>
Parts<T> parts_for(const Communicator& communicator) {
  return Parts<T>(static_cast<std::size_t>(communicator.size()));
}

template <class T>
std::vector<T> joined(const Parts<T>& parts) {
  std::vector<T> all;
  for (const std::vector<T>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// Rows received by the hash of their coordinates, in the order of their numbers.
template <class T>
struct HashedRows {
  std::vector<SentRow> rows;
  std::vector<T> coordinates;
  std::vector<std::size_t> from;  // number of rows from each rank
};

// For each row the first row that is equal to it.
template <class T>
std::vector<std::size_t> first_equal(std::span<const T> points, Index rows, Index dimension) {
  const auto d = static_cast<std::size_t>(dimension);
  const auto point = [&](std::size_t i) { return points.subspan(i * d, d); };
  std::vector<std::size_t> order(rows), first(order.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const auto x = point(a), y = point(b);
    const auto different = std::ranges::mismatch(x, y);
    return different.in1 == x.end() ? a < b : *different.in1 < *different.in2;
  });
  for (std::size_t k = 0; k < order.size(); ++k) {
    const bool again = k > 0 && std::ranges::equal(point(order[k - 1]), point(order[k]));
    first[order[k]] = again ? first[order[k - 1]] : order[k];
  }
  return first;
}

// Sends own rows to the ranks given by their hashes, equal rows once with the sum of their weights. @param places  of
// own rows: the rank that has the point, and its position among the points sent to it from here
template <class T>
HashedRows<T> by_hash(const Communicator& communicator, const RowBlock<T>& block, std::span<const double> weights,
                      std::vector<std::pair<std::size_t, std::size_t>>& places) {
  auto rows = parts_for<SentRow>(communicator);
  auto coordinates = parts_for<T>(communicator);
  collectively(communicator, [&] {
    const MatrixView<const T> own = block.local();
    std::vector<T> points(own.data, own.data + own.rows * own.columns);
    for (T& value : points) value += T(0);  // makes -0 equal to 0
    const std::vector<std::size_t> first = first_equal(std::span<const T>(points), own.rows, own.columns);
    places.resize(first.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
      const double weight = weights.empty() ? 1.0 : weights[i];
      if (first[i] != i) {
        places[i] = places[first[i]];
        rows[places[i].first][places[i].second].weight += weight;
        continue;
      }
      const std::span<const T> point =
          std::span<const T>(points).subspan(i * static_cast<std::size_t>(own.columns), own.columns);
      const std::uint64_t hash = hash_bytes(std::as_bytes(point), 0);
      const auto place = static_cast<std::size_t>(hash % static_cast<std::uint64_t>(communicator.size()));
      places[i] = {place, rows[place].size()};
      rows[place].push_back({block.range().begin + static_cast<Index>(i), weight});
      coordinates[place].insert(coordinates[place].end(), point.begin(), point.end());
    }
  });
  const Parts<SentRow> received = communicator.exchange(rows);
  const Parts<T> points = communicator.exchange(coordinates);
  return collectively(communicator, [&] {
    HashedRows<T> hashed{.rows = joined(received), .coordinates = joined(points), .from = {}};
    for (const auto& part : received) hashed.from.push_back(part.size());
    return hashed;
  });
}

// Numbers of points by their first rows: this rank requests those of `rows`, each of which is the first row of a point.
struct Numbering {
  Index size = 0;
  std::vector<Index> numbers;
};

Numbering number_points(const Communicator& communicator, const RowPartition& partition,
                        const std::vector<Index>& rows) {
  auto asked = parts_for<Index>(communicator);
  collectively(communicator, [&] {
    for (const Index row : rows) asked[partition.owner(row)].push_back(row);
  });
  Parts<Index> received = communicator.exchange(asked);
  const std::vector<Index> own = collectively(communicator, [&] {
    std::vector<Index> all = joined(received);
    std::ranges::sort(all);
    return all;
  });
  Numbering numbering;
  Index before = 0, rank = 0;
  for (const Index count : communicator.all_gather_one(static_cast<Index>(own.size()))) {
    if (rank++ < communicator.rank()) before += count;
    numbering.size += count;
  }
  for (auto& part : received) {
    for (Index& row : part) row = before + (std::ranges::lower_bound(own, row) - own.begin());
  }
  const Parts<Index> answers = communicator.exchange(received);
  collectively(communicator, [&] {
    std::vector<std::size_t> next(answers.size(), 0);
    for (const Index row : rows) {
      const auto owner = static_cast<std::size_t>(partition.owner(row));
      numbering.numbers.push_back(answers[owner][next[owner]++]);
    }
  });
  return numbering;
}

}  // namespace

InterleavedRows::InterleavedRows(Index source, Index target, int ranks)
    : source_(source), target_(target), partition_(source + target, ranks) {}

Index InterleavedRows::before(Side side, Index row) const {
  const Index sources = ratio(row, source_, partition_.rows());
  return side == Side::source ? sources : row - sources;
}

Index InterleavedRows::row(Side side, Index number) const {
  const Index all = partition_.rows();
  if (side == Side::target) return ratio(number, all, target_);
  return static_cast<Index>((Wide{number + 1} * all + source_ - 1) / source_) - 1;
}

template <class T>
MergedPoints<T> merge_points(const Communicator& communicator, const RowBlock<T>& rows,
                             std::span<const double> weights) {
  MergedPoints<T> merged;
  std::vector<std::pair<std::size_t, std::size_t>> places;
  const HashedRows<T> hashed = by_hash(communicator, rows, weights, places);
  const auto d = static_cast<std::size_t>(rows.columns());
  std::vector<std::size_t> first;
  std::vector<double> sums;
  std::vector<std::size_t> points;  // positions of the first row of each point
  std::vector<Index> first_rows;
  double total = 0.0;
  collectively(communicator, [&] {
    first = first_equal(std::span<const T>(hashed.coordinates), std::ssize(hashed.rows), rows.columns());
    sums.assign(hashed.rows.size(), 0.0);
    for (std::size_t i = 0; i < first.size(); ++i) {
      sums[first[i]] += hashed.rows[i].weight;
      total += hashed.rows[i].weight;
    }
  });
  total = communicator.sum(total);
  collectively(communicator, [&] {
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (first[i] != i || sums[i] / total == 0.0) continue;
      points.push_back(i);
      first_rows.push_back(hashed.rows[i].row);
    }
  });
  Numbering numbering = number_points(communicator, rows.partition(), first_rows);
  merged.size = numbering.size;
  merged.numbers = std::move(numbering.numbers);
  auto replies = parts_for<Index>(communicator);
  collectively(communicator, [&] {
    std::vector<Index> number_of(hashed.rows.size(), -1);
    for (std::size_t k = 0; k < points.size(); ++k) {
      number_of[points[k]] = merged.numbers[k];
      merged.weights.push_back(sums[points[k]] / total);
      const T* point = hashed.coordinates.data() + points[k] * d;
      merged.coordinates.insert(merged.coordinates.end(), point, point + d);
    }
    std::size_t next = 0;
    for (std::size_t rank = 0; rank < replies.size(); ++rank) {
      for (std::size_t k = 0; k < hashed.from[rank]; ++k) replies[rank].push_back(number_of[first[next++]]);
    }
  });
  const Parts<Index> groups = communicator.exchange(replies);
  collectively(communicator, [&] {
    for (const auto& [rank, place] : places) merged.groups.push_back(groups[rank][place]);
  });
  merged.dropped = communicator.sum(static_cast<Index>(std::ranges::count(merged.groups, Index{-1})));
  return merged;
}

template <class T>
Measure<T> deal_points(const Communicator& communicator, const MergedPoints<T>& merged, const InterleavedRows& rows,
                       Side side, Index dimension) {
  const auto d = static_cast<std::size_t>(dimension);
  auto numbers = parts_for<Index>(communicator);
  auto weights = parts_for<double>(communicator);
  auto coordinates = parts_for<T>(communicator);
  collectively(communicator, [&] {
    for (std::size_t k = 0; k < merged.numbers.size(); ++k) {
      const auto owner = static_cast<std::size_t>(rows.owner(side, merged.numbers[k]));
      numbers[owner].push_back(merged.numbers[k]);
      weights[owner].push_back(merged.weights[k]);
      const T* point = merged.coordinates.data() + k * d;
      coordinates[owner].insert(coordinates[owner].end(), point, point + d);
    }
  });
  const Parts<Index> number_parts = communicator.exchange(numbers);
  const Parts<double> weight_parts = communicator.exchange(weights);
  const Parts<T> point_parts = communicator.exchange(coordinates);
  Measure<T> measure;
  measure.size = merged.size;
  measure.own = rows.range(side, communicator.rank());
  measure.dimension = dimension;
  collectively(communicator, [&] {
    const std::vector<Index> places = joined(number_parts);
    const std::vector<double> values = joined(weight_parts);
    const std::vector<T> points = joined(point_parts);
    measure.weights.resize(measure.own.size());
    measure.coordinates.resize(measure.weights.size() * d);
    for (std::size_t k = 0; k < places.size(); ++k) {
      const auto to = static_cast<std::size_t>(places[k] - measure.own.begin);
      measure.weights[to] = values[k];
      std::copy_n(points.begin() + static_cast<std::ptrdiff_t>(k * d), d,
                  measure.coordinates.begin() + static_cast<std::ptrdiff_t>(to * d));
    }
  });
  return measure;
}

#define CAIRN_INSTANTIATE(T)                                                                               \
  template MergedPoints<T> merge_points(const Communicator&, const RowBlock<T>&, std::span<const double>); \
  template Measure<T> deal_points(const Communicator&, const MergedPoints<T>&, const InterleavedRows&, Side, Index);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
