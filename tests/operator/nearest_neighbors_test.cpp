// The nearest neighbors are those that looking at every pair finds, on any number of ranks, by either search.
#include "cairn/operator/nearest_neighbors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"
#include "cairn/data/points/generator.hpp"
#include "test_communicator.hpp"

namespace cairn::test::nearest_neighbors_test {
namespace {

using Coordinate = std::function<double(Index point, Index k)>;

template <class T>
PointSet<T> points_of(Index points, Index dimension, const Coordinate& coordinate) {
  RowBlock<T> rows(RowPartition(points, world().size()), world().rank(), dimension);
  for (Index i = rows.range().begin; i < rows.range().end; ++i)
    for (Index k = 0; k < dimension; ++k) rows.row(i)[k] = static_cast<T>(coordinate(i, k));
  return PointSet<T>(std::move(rows), world().rank(), {});
}

// All points on one rank, and every pair of them.
template <class T>
class BruteForce {
 public:
  BruteForce(Index points, Index dimension, const Coordinate& coordinate) : points_(points), dimension_(dimension) {
    for (Index i = 0; i < points; ++i)
      for (Index k = 0; k < dimension; ++k) values_.push_back(static_cast<T>(coordinate(i, k)));
  }

  // Sorted by distance and number.
  [[nodiscard]] std::vector<std::pair<double, std::int32_t>> nearest(Index i, Index each) const {
    std::vector<std::pair<double, std::int32_t>> all;
    for (Index j = 0; j < points_; ++j) {
      if (j != i) all.emplace_back(squared(i, j), static_cast<std::int32_t>(j));
    }
    std::sort(all.begin(), all.end());
    all.resize(each);
    return all;
  }

 private:
  [[nodiscard]] double squared(Index i, Index j) const {
    double sum = 0;
    for (Index k = 0; k < dimension_; ++k) {
      const double difference =
          static_cast<double>(values_[i * dimension_ + k]) - static_cast<double>(values_[j * dimension_ + k]);
      sum += difference * difference;
    }
    return sum;
  }

  Index points_, dimension_;
  std::vector<T> values_;
};

template <class T>
void expect_nearest(Index points, Index dimension, Index each, const Coordinate& coordinate) {
  const PointSet<T> set = points_of<T>(points, dimension, coordinate);
  const BruteForce<T> brute_force(points, dimension, coordinate);
  for (const NeighborSearch search : {NeighborSearch::automatic, NeighborSearch::tree, NeighborSearch::products}) {
    const Context context;
    const NearestNeighbors found = nearest_neighbors(context.execution, set, each, search);
    EXPECT_EQ(found.each, each);
    ASSERT_EQ(static_cast<Index>(found.indices.size()), set.range().size() * each);
    for (Index i = set.range().begin; i < set.range().end; ++i) {
      const auto expected = brute_force.nearest(i, each);
      const Index own = i - set.range().begin;
      for (std::size_t k = 0; k < expected.size(); ++k) {
        ASSERT_EQ(found.indices_of(own)[k], expected[k].second) << "point " << i << ", neighbor " << k;
        ASSERT_EQ(found.squared_distances_of(own)[k], expected[k].first) << "point " << i << ", neighbor " << k;
      }
    }
  }
}

double random_coordinate(std::uint64_t seed, Index point, Index k) {
  return Random(seed, Stream::test).uniform(static_cast<std::uint64_t>(point), static_cast<std::uint64_t>(k)) - 0.5;
}

TEST(NearestNeighbors, AreThoseOfEveryPairInAnyDimension) {
  for (const Index dimension : {Index{1}, Index{2}, Index{3}, Index{15}, Index{16}, Index{40}}) {
    SCOPED_TRACE(dimension);
    const auto coordinate = [](Index point, Index k) { return random_coordinate(5, point, k); };
    expect_nearest<double>(300, dimension, 7, coordinate);
    expect_nearest<float>(300, dimension, 7, coordinate);
  }
}

TEST(NearestNeighbors, AreFoundOverManyTilesOfProducts) {
  const auto coordinate = [](Index point, Index k) { return random_coordinate(6, point, k); };
  expect_nearest<double>(1500, 20, 3, coordinate);
}

// On a square grid most distances occur many times: the lowest numbers come first.
TEST(NearestNeighbors, AreTheLowestNumbersAmongEquallyFar) {
  const auto coordinate = [](Index point, Index k) { return static_cast<double>(k == 0 ? point / 15 : point % 15); };
  for (const Index each : {Index{1}, Index{2}, Index{6}, Index{11}}) expect_nearest<double>(225, 2, each, coordinate);
}

TEST(NearestNeighbors, AreTheLowestNumbersAmongPointsInOnePlace) {
  expect_nearest<double>(90, 3, 5, [](Index point, Index /*k*/) { return static_cast<double>(point % 3); });
  expect_nearest<float>(60, 20, 8, [](Index /*point*/, Index /*k*/) { return 0.3; });
}

// All digits of |x|² + |y|² - 2 x.y are lost here.
TEST(NearestNeighbors, AreExactFarFromTheOrigin) {
  const auto coordinate = [](Index point, Index k) { return 1e8 + random_coordinate(7, point, k); };
  expect_nearest<double>(200, 3, 6, coordinate);
  expect_nearest<double>(200, 30, 6, coordinate);
}

TEST(NearestNeighbors, MayBeAllOthers) {
  const auto coordinate = [](Index point, Index k) { return random_coordinate(8, point, k); };
  expect_nearest<double>(20, 2, 19, coordinate);
  expect_nearest<double>(2, 18, 1, coordinate);
}

TEST(NearestNeighbors, AreTheSameOnSeveralThreads) {
  const PointSet<double> set =
      points_of<double>(800, 3, [](Index point, Index k) { return random_coordinate(9, point, k); });
  for (const NeighborSearch search : {NeighborSearch::tree, NeighborSearch::products}) {
    Context context;
    const NearestNeighbors one = nearest_neighbors(context.execution, set, 10, search);
    context.execution.threads = 3;
    const NearestNeighbors three = nearest_neighbors(context.execution, set, 10, search);
    EXPECT_EQ(one.indices, three.indices);
  }
}

void expect_usage(Index each) {
  const Context context;
  const PointSet<double> set = points_of<double>(12, 2, [](Index point, Index) { return static_cast<double>(point); });
  try {
    static_cast<void>(nearest_neighbors(context.execution, set, each));
    ADD_FAILURE() << each << " neighbors were found";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr(std::to_string(each) + " neighbors"),
                                             testing::HasSubstr("12 points"), testing::HasSubstr("from 1 to 11")));
  }
}

TEST(NearestNeighbors, OfAsManyAsThereArePointsAreRefused) {
  for (const Index each : {Index{12}, Index{13}, Index{0}, Index{-4}}) expect_usage(each);
}

TEST(NearestNeighbors, WhoseDistanceOverflowsAreRefused) {
  const PointSet<double> set =
      points_of<double>(40, 2, [](Index point, Index) { return (point % 2 == 0 ? 1e200 : -1e200) * double(point); });
  for (const NeighborSearch search : {NeighborSearch::tree, NeighborSearch::products}) {
    const Context context;
    EXPECT_THROW(static_cast<void>(nearest_neighbors(context.execution, set, 3, search)), Error);
  }
}

}  // namespace
}  // namespace cairn::test::nearest_neighbors_test
