// Path lengths by every method against Floyd and Warshall.
#include "cairn/similarity/shortest_paths/path_length.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "cairn/base/error.hpp"
#include "shared_graphs.hpp"

namespace cairn::test::path_length_test {
namespace {

std::vector<double> to_all(const PathLength& similarity, const std::vector<Index>& sources) {
  std::vector<double> out(sources.size() * static_cast<std::size_t>(similarity.size()));
  similarity.to_all(sources, {out.data(), static_cast<Index>(sources.size()), similarity.size()});
  return out;
}

std::vector<double> to_targets(const PathLength& similarity, const std::vector<Index>& sources,
                               const std::vector<Index>& targets) {
  std::vector<double> out(sources.size() * targets.size());
  const auto set = similarity.prepare(targets);
  similarity.to_targets(sources, *set,
                        {out.data(), static_cast<Index>(sources.size()), static_cast<Index>(targets.size())});
  return out;
}

std::vector<Index> all_of(Index n) {
  std::vector<Index> all(n);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// Every pair from every source at once, and a third of the vertices as targets in a shuffled order.
void expect_exact(const PathLength& similarity, const Edges& edges, double relative = 0.0) {
  const Index n = similarity.size();
  const std::vector<double> expected = all_path_lengths(n, edges), actual = to_all(similarity, all_of(n));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_LE(std::abs(actual[i] - expected[i]), relative * expected[i])
        << similarity.method() << ": " << i / static_cast<std::size_t>(n) << " to " << i % static_cast<std::size_t>(n)
        << " is " << actual[i] << ", not " << expected[i];
  }
  std::vector<Index> targets = all_of(n);
  std::ranges::shuffle(targets, std::mt19937(5));
  targets.resize((targets.size() + 2) / 3);
  const std::vector<double> some = to_targets(similarity, all_of(n), targets);
  for (std::size_t a = 0; a < static_cast<std::size_t>(n); ++a) {
    for (std::size_t b = 0; b < targets.size(); ++b) {
      ASSERT_EQ(some[a * targets.size() + b],
                actual[a * static_cast<std::size_t>(n) + static_cast<std::size_t>(targets[b])])
          << similarity.method() << ": " << a << " to " << targets[b];
    }
  }
}

// All pairs one by one, before and after they are announced: a hierarchy then has labels.
void expect_exact_pairs(const PathLength& similarity, const Edges& edges, double relative = 0.0) {
  const Index n = similarity.size();
  const std::vector<double> expected = all_path_lengths(n, edges);
  std::vector<Index> first, second;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) first.push_back(i), second.push_back(j);
  }
  for (const Index announced : {Index{0}, n * n}) {
    similarity.expect_pairs(world(), announced);
    const Index before = similarity.evaluations();
    std::vector<double> actual(expected.size());
    similarity.pairs(first, second, actual);
    EXPECT_EQ(similarity.evaluations() - before, n * n);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_LE(std::abs(actual[i] - expected[i]), relative * expected[i])
          << similarity.method() << ": " << first[i] << " to " << second[i] << " is " << actual[i] << ", not "
          << expected[i] << (announced > 0 ? ", announced" : "");
    }
  }
}

class PathLengthMethod : public testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static bool weighted() { return GetParam() != "breadth-first"; }
};

TEST_P(PathLengthMethod, GivesTheLengthsOfAGraphByHand) {
  // 0 - 1 - 2 - 3 and 1 - 4, 4 - 3
  Edges edges;
  for (const auto& [u, v] : {std::pair{0, 1}, {1, 2}, {2, 3}, {1, 4}, {4, 3}}) add_edge(edges, u, v);
  const auto similarity = make_path_length(world(), share(5, edges), GetParam());
  EXPECT_THAT(to_all(*similarity, {0, 3}), testing::ElementsAre(0, 1, 2, 3, 2, 3, 2, 1, 0, 1));
  EXPECT_THAT(to_targets(*similarity, {4}, {3, 0, 4}), testing::ElementsAre(1, 2, 0));
  EXPECT_TRUE(similarity->traits().integral);
  EXPECT_EQ(similarity->size(), 5);
  EXPECT_EQ(similarity->evaluations(), 13);
}

TEST_P(PathLengthMethod, AgreesWithFloydAndWarshallOnUnitLengths) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    const Edges sparse = random_graph(90, 30, 1, seed), dense = random_graph(60, 400, 1, seed),
                grid = grid_graph(10, 0.3, 1, seed), tree = random_graph(70, 0, 1, seed);
    expect_exact(*make_path_length(world(), share(90, sparse), GetParam()), sparse);
    expect_exact_pairs(*make_path_length(world(), share(90, sparse), GetParam()), sparse);
    expect_exact(*make_path_length(world(), share(60, dense), GetParam()), dense);
    expect_exact_pairs(*make_path_length(world(), share(60, dense), GetParam()), dense);
    expect_exact(*make_path_length(world(), share(100, grid), GetParam()), grid);
    expect_exact_pairs(*make_path_length(world(), share(100, grid), GetParam()), grid);
    expect_exact(*make_path_length(world(), share(70, tree), GetParam()), tree);
    expect_exact_pairs(*make_path_length(world(), share(70, tree), GetParam()), tree);
  }
}

TEST_P(PathLengthMethod, AgreesWithFloydAndWarshallOnLengths) {
  if (!weighted()) GTEST_SKIP() << "a breadth-first search takes no lengths; the other methods of this suite run it";
  for (unsigned seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    for (const int longest : {3, 1000, 2'000'000'000}) {
      const Edges whole = random_graph(80, 100, longest, seed);
      const auto similarity = make_path_length(world(), share(80, whole, true), GetParam());
      EXPECT_EQ(similarity->traits().integral, longest < 2'000'000'000);
      expect_exact(*similarity, whole);
      expect_exact_pairs(*similarity, whole);
    }
    Edges broken = grid_graph(9, 0.2, 1000, seed);
    for (auto& [edge, length] : broken) length /= 7.0;
    const auto similarity = make_path_length(world(), share(81, broken, true), GetParam());
    EXPECT_FALSE(similarity->traits().integral);
    expect_exact(*similarity, broken, 1e-14);
    expect_exact_pairs(*similarity, broken, 1e-14);
  }
}

TEST_P(PathLengthMethod, NamesTwoVerticesWithoutAPath) {
  Edges edges;
  add_edge(edges, 0, 1);
  add_edge(edges, 2, 3);
  const auto similarity = make_path_length(world(), share(5, edges), GetParam());
  EXPECT_THAT(to_targets(*similarity, {0}, {1, 0}), testing::ElementsAre(1, 0));
  try {
    to_targets(*similarity, {2}, {3, 1});
    FAIL() << "a length came for a pair without a path";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::numeric);
    EXPECT_THAT(error.what(), testing::HasSubstr("vertices 2 and 1"));
  }
  EXPECT_THROW(to_all(*similarity, {4}), Error);
}

TEST_P(PathLengthMethod, TakesAGraphOfOneVertexAndOneOfTwo) {
  Edges edges;
  EXPECT_THAT(to_all(*make_path_length(world(), share(1, edges), GetParam()), {0}), testing::ElementsAre(0));
  add_edge(edges, 0, 1);
  EXPECT_THAT(to_all(*make_path_length(world(), share(2, edges), GetParam()), {1, 0}),
              testing::ElementsAre(1, 0, 0, 1));
}

INSTANTIATE_TEST_SUITE_P(ByName, PathLengthMethod, testing::Values("breadth-first", "dijkstra", "hierarchy", "auto"),
                         [](const auto& info) { return info.param == "breadth-first" ? "BreadthFirst" : info.param; });

TEST(PathLength, RefusesWhatIsNoMethodOrDoesNotFitTheGraph) {
  Edges edges;
  add_edge(edges, 0, 1, 2.5);
  EXPECT_THROW((void)make_path_length(world(), share(2, edges), "depth-first"), Error);
  EXPECT_THROW((void)make_path_length(world(), share(2, edges, true), "breadth-first"), Error);
  add_edge(edges, 0, 1, -1.0);
  try {
    (void)make_path_length(world(), share(2, edges, true), "dijkstra");
    FAIL() << "an edge of length -1 was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_THAT(error.what(), testing::HasSubstr("vertices 0 and 1"));
  }
}

// The way over the third vertex is as long for both of two that are 0 apart: neither may stand for the other.
TEST(PathLength, TakesEdgesOfLengthZero) {
  for (const char* method : {"dijkstra", "hierarchy", "auto"}) {
    Edges edges;
    add_edge(edges, 0, 1, 0.0);
    add_edge(edges, 0, 2, 5.0);
    add_edge(edges, 1, 2, 5.0);
    add_edge(edges, 2, 3, 0.0);
    EXPECT_THAT(to_all(*make_path_length(world(), share(4, edges, true), method), {0, 3}),
                testing::ElementsAre(0, 0, 5, 5, 5, 5, 0, 0))
        << method;
  }
}

}  // namespace
}  // namespace cairn::test::path_length_test
