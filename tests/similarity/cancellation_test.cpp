// Distances through the matrix product where it cancels: tiles must agree with pairs, which take differences.
#include <gtest/gtest.h>

#include <cmath>

#include "cairn/similarity/points/point_similarities.hpp"
#include "point_objects.hpp"

namespace {

using namespace cairn;
using cairn::test::make_block;
using cairn::test::normal_coordinate;
using cairn::test::numbers;

// Largest difference between tile and pairs of n objects, relative to the largest value.
template <class T>
double disagreement(const Similarity<T>& similarity, const PointBlock<T>& points) {
  const Index n = points.size(), d = points.coordinates.columns;
  std::vector<T> tile(n * n), pair(static_cast<std::size_t>(n));
  similarity.tile(points, points, MatrixView<T>(tile.data(), n, n));
  double worst = 0, largest = 0;
  for (Index j = 0; j < n; ++j) {
    const auto repeated = make_block<T>(std::vector<Index>(static_cast<std::size_t>(n), points.ids[j]), d,
                                        [&](Index, Index k) { return points.coordinates(j, k); });
    similarity.pairs(points, *repeated, pair);
    for (Index i = 0; i < n; ++i) {
      const double exact = pair[i];
      worst = std::max(worst, std::abs(tile[i * n + j] - exact));
      largest = std::max(largest, std::abs(exact));
    }
  }
  return worst / largest;
}

// 19 coordinates of very different size, as the UCI segment data have, each row twice with a small step between.
double segment_like(Index i, Index k) {
  const double size = std::pow(10.0, static_cast<double>(k % 4) - 1.0);
  return size * (20.0 + normal_coordinate(i / 2, k)) + (i % 2 == 1 ? 1e-7 * normal_coordinate(i, k + 100) : 0.0);
}

TEST(Cancellation, WideRbfOnUnscaledDataAgrees) {
  const auto points = make_block<double>(numbers(0, 120), 19, segment_like);
  EXPECT_LT(disagreement(*make_rbf<double>(19, 1e-8), *points), 1e-13);
}

TEST(Cancellation, NarrowRbfFarFromTheOriginAgrees) {
  const auto points =
      make_block<double>(numbers(0, 120), 3, [](Index i, Index k) { return 1e4 + normal_coordinate(i, k); });
  for (const double gamma : {1e-4, 1e-2, 1.0, 100.0}) {
    EXPECT_LT(disagreement(*make_rbf<double>(3, gamma), *points), 1e-13) << gamma;
  }
}

TEST(Cancellation, FunctionsOfTheDistanceItselfAgree) {
  const auto points = make_block<double>(numbers(0, 120), 19, segment_like);
  EXPECT_LT(disagreement(*make_euclidean<double>(19), *points), 1e-13);
  for (const double nu : {0.5, 1.5, 2.5}) {
    for (const double length : {1e-3, 1.0, 1e3}) {
      EXPECT_LT(disagreement(*make_matern<double>(19, nu, length), *points), 1e-13) << nu << " " << length;
    }
  }
}

TEST(Cancellation, SinglePrecisionAgreesToItsOwnTolerance) {
  const auto points =
      make_block<float>(numbers(0, 120), 3, [](Index i, Index k) { return 30 + normal_coordinate(i, k); });
  EXPECT_LT(disagreement(*make_rbf<float>(3, 0.5), *points), 1e-5);
  EXPECT_LT(disagreement(*make_euclidean<float>(3), *points), 1e-5);
  EXPECT_LT(disagreement(*make_matern<float>(3, 0.5, 1.0), *points), 1e-5);
}

TEST(Cancellation, DuplicatesUnderOtherNumbersAreAtDistanceZero) {
  const auto twins = make_block<double>({3, 9}, 5, [](Index, Index k) { return 1e3 + normal_coordinate(0, k); });
  std::vector<double> values(4);
  make_euclidean<double>(5)->tile(*twins, *twins, MatrixView<double>(values.data(), 2, 2));
  for (const double distance : values) EXPECT_EQ(distance, 0.0);
}

}  // namespace
