// Small sets of points for tests of similarities.
#pragma once

#include <memory>
#include <numeric>
#include <vector>

#include "cairn/base/random.hpp"
#include "cairn/data/points/point_set.hpp"
#include "test_communicator.hpp"

namespace cairn::test {

/// Coordinate k of point i: standard normal, the same on any number of ranks.
inline double normal_coordinate(Index i, Index k) {
  return Random(7, Stream::test).normal(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(k));
}

/// n points in d coordinates, distributed; coordinate(i, k) gives them. Collective.
template <class T, class Coordinate>
PointSet<T> make_points(Index n, Index d, const Coordinate& coordinate) {
  const RowPartition partition(n, world().size());
  RowBlock<T> rows(partition, world().rank(), d);
  for (Index i = rows.range().begin; i < rows.range().end; ++i) {
    for (Index k = 0; k < d; ++k) rows.row(i)[k] = static_cast<T>(coordinate(i, k));
  }
  return PointSet<T>(std::move(rows), world().rank(), {});
}

inline std::vector<Index> numbers(Index begin, Index end, Index step = 1) {
  std::vector<Index> ids;
  for (Index i = begin; i < end; i += step) ids.push_back(i);
  return ids;
}

/// Points held by every rank, numbered as `ids` says; coordinate(a, k) of the a-th of them.
template <class T, class Coordinate>
std::unique_ptr<PointBlock<T>> make_block(const std::vector<Index>& ids, Index d, const Coordinate& coordinate) {
  std::vector<T> values;
  for (std::size_t a = 0; a < ids.size(); ++a) {
    for (Index k = 0; k < d; ++k) values.push_back(static_cast<T>(coordinate(static_cast<Index>(a), k)));
  }
  return make_point_block<T>(ids, d, values);
}

}  // namespace cairn::test
