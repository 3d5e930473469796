// Path lengths on the road network that ships with the project.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "test_communicator.hpp"

namespace cairn::test::road_path_lengths_test {
namespace {

TEST(RoadPathLengths, AreTheSameByTheHierarchyAndBySearches) {
  const SharedGraph graph =
      read_graph(world(), {.path = std::string(CAIRN_TEST_DATA) + "/USA-BAY.gr.xz"}).share(world());
  const auto hierarchy = make_path_length(world(), graph, "auto");
  const auto search = make_path_length(world(), graph, "breadth-first");
  ASSERT_EQ(hierarchy->method(), "hierarchy") << hierarchy->choice();
  const Index n = graph.vertices();
  std::mt19937 random(3);
  std::vector<Index> targets(5000), sources(70);  // more sources than a sweep takes
  for (Index& t : targets) t = static_cast<Index>(random()) % n;
  std::ranges::sort(targets);
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  std::ranges::shuffle(targets, random);
  for (Index& s : sources) s = static_cast<Index>(random()) % n;

  const auto values = [&](const PathLength& similarity, std::span<const Index> some) {
    std::vector<double> out(some.size() * targets.size());
    similarity.to_targets(some, *similarity.prepare(targets),
                          {out.data(), static_cast<Index>(some.size()), static_cast<Index>(targets.size())});
    return out;
  };
  std::vector<double> swept = values(*hierarchy, sources);
  const std::vector<Index> checked(sources.end() - 8, sources.end());  // the last of the first sweep, and the second
  EXPECT_EQ(std::vector<double>(swept.end() - static_cast<std::ptrdiff_t>(8 * targets.size()), swept.end()),
            values(*search, checked));

  std::vector<double> all(2 * n), expected(all.size());
  hierarchy->to_all(std::span(checked).first(2), {all.data(), 2, n});
  search->to_all(std::span(checked).first(2), {expected.data(), 2, n});
  EXPECT_EQ(all, expected);
}

}  // namespace
}  // namespace cairn::test::road_path_lengths_test
