// Farthest landmarks by path lengths and other distances by source, against brute force.
#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "../similarity/function_sources.hpp"
#include "../similarity/shared_graphs.hpp"
#include "cairn/base/error.hpp"
#include "cairn/landmark/landmarks.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "test_communicator.hpp"

namespace cairn::farthest_sources_test {
namespace {

using test::Context;
using test::FunctionSources;
using test::world;

NumberedObjects numbered(Index n) { return {RowPartition(n, world().size()), world().rank()}; }

// Gonzalez' algorithm as it is written down, with all distances at hand (row-major).
std::vector<Index> by_hand(const std::vector<double>& distances, Index n, Index count, Index first) {
  std::vector<Index> landmarks{first};
  while (static_cast<Index>(landmarks.size()) < count) {
    Index best = -1;
    double farthest = -10.0;
    for (Index v = 0; v < n; ++v) {
      if (std::ranges::find(landmarks, v) != landmarks.end()) continue;
      double nearest = std::numeric_limits<double>::infinity();
      for (const Index l : landmarks) nearest = std::min(nearest, distances[l * n + v]);
      if (nearest > farthest) farthest = nearest, best = v;
    }
    landmarks.push_back(best);
  }
  return landmarks;
}

TEST(FarthestSource, FollowsPathLengthsWithManyTies) {
  const test::Edges edges = test::grid_graph(15, 0.3, 1, 7);
  const std::vector<double> all = test::all_path_lengths(225, edges);
  for (const char* method : {"breadth-first", "dijkstra", "hierarchy"}) {
    SCOPED_TRACE(method);
    Context context(world(), 4);
    const auto similarity = make_path_length(world(), test::share(225, edges), method);
    const NumberedObjects objects = numbered(225);
    const auto landmarks = select_farthest<double>(context.execution, *similarity, objects, 60);
    EXPECT_EQ(landmarks.indices, by_hand(all, 225, 60, landmarks.indices.front()));
    EXPECT_EQ(landmarks.objects->ids, landmarks.indices);
    EXPECT_FALSE(landmarks.columns.has_value());
    const auto uniform = select_uniform<double>(context.execution, objects, 1);
    EXPECT_EQ(landmarks.indices.front(), uniform.indices.front());
  }
}

TEST(FarthestSource, FollowsLengths) {
  const test::Edges edges = test::random_graph(200, 150, 50, 3);
  const std::vector<double> all = test::all_path_lengths(200, edges);
  for (const char* method : {"dijkstra", "hierarchy"}) {
    Context context(world(), 9);
    const auto similarity = make_path_length(world(), test::share(200, edges, true), method);
    const auto landmarks = select_farthest<double>(context.execution, *similarity, numbered(200), 200);
    EXPECT_EQ(landmarks.indices, by_hand(all, 200, 200, landmarks.indices.front()));
  }
}

// 60 of 225 vertices take fewer values than 60 whole searches would.
TEST(FarthestSource, SearchesNoFartherThanALandmarkIsTheNearest) {
  Context context;
  const auto similarity = make_path_length(world(), test::share(225, test::grid_graph(15, 0.3, 1, 7)), "breadth-first");
  static_cast<void>(select_farthest<double>(context.execution, *similarity, numbered(225), 60));
  EXPECT_LT(similarity->evaluations(), 10 * 225);
}

TEST(FarthestSource, SearchesOnOneRank) {
  const FunctionSources sources(
      30, [](Index i, Index j) { return static_cast<double>(std::abs(i - j)); }, true);
  Context context;
  static_cast<void>(select_farthest<double>(context.execution, sources, numbered(30), 5));
  EXPECT_EQ(world().sum(sources.evaluations()), 4 * 30);
}

TEST(FarthestSource, TakesOneSidedDistancesFromTheLandmark) {
  const auto value = [](Index source, Index target) {
    return source == target ? 0.0 : 1.0 + static_cast<double>((source * 37 + target * 101) % 97);
  };
  std::vector<double> all;
  for (Index i = 0; i < 120; ++i)
    for (Index j = 0; j < 120; ++j) all.push_back(value(i, j));
  Context context;
  const auto landmarks =
      select_farthest<float>(context.execution, FunctionSources(120, value, false), numbered(120), 50);
  EXPECT_EQ(landmarks.indices, by_hand(all, 120, 50, landmarks.indices.front()));
}

// Distances far apart in size, equal ones, 0 and below 0, and vertices that no path reaches.
TEST(FarthestSource, OrdersDistancesOfAnySize) {
  const auto value = [](Index source, Index target) {
    const Index between = std::abs(source - target);
    if (source % 7 == 3 || target % 7 == 3) return between == 0 ? 0.0 : std::numeric_limits<double>::infinity();
    if (between > 90) return -1.0;
    return between == 0 ? 0.0 : std::ldexp(1.0, static_cast<int>(between % 80) - 60);
  };
  std::vector<double> all;
  for (Index i = 0; i < 100; ++i)
    for (Index j = 0; j < 100; ++j) all.push_back(value(i, j));
  Context context;
  const auto landmarks =
      select_farthest<double>(context.execution, FunctionSources(100, value, true), numbered(100), 100);
  EXPECT_EQ(landmarks.indices, by_hand(all, 100, 100, landmarks.indices.front()));
}

TEST(FarthestSource, RefusesSimilaritiesAndCounts) {
  Context context;
  const auto one = [](Index, Index) { return 1.0; };
  const NumberedObjects objects = numbered(5);
  EXPECT_THROW(static_cast<void>(select_farthest<double>(
                   context.execution, FunctionSources(5, one, true, Meaning::similarity), objects, 2)),
               Error);
  EXPECT_THROW(static_cast<void>(select_farthest<double>(context.execution, FunctionSources(5, one, true), objects, 6)),
               Error);
}

}  // namespace
}  // namespace cairn::farthest_sources_test
