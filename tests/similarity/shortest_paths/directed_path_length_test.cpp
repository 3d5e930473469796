// Path lengths along one-way arcs, by every method, against Floyd and Warshall.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "../shared_graphs.hpp"
#include "cairn/base/error.hpp"
#include "cairn/similarity/shortest_paths/contraction_hierarchy.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "cairn/similarity/shortest_paths/symmetrized_path_length.hpp"
#include "expected_errors.hpp"

namespace cairn::test::directed_path_length_test {
namespace {

struct Sample {
  std::string name;
  Index vertices = 0;
  OneWayArcs arcs;
};

OneWayArcs scaled(OneWayArcs arcs, double factor) {
  for (auto& [arc, length] : arcs) length *= factor;
  return arcs;
}

// Ways round all vertices, there and back over one-way arcs.
OneWayArcs with_circle(OneWayArcs arcs, Index vertices, double length) {
  for (Index v = 0; v < vertices; ++v) arcs.try_emplace({v, (v + 1) % vertices}, length);
  return arcs;
}

OneWayArcs with_zeros(OneWayArcs arcs) {
  for (auto& [arc, length] : arcs) {
    if ((arc.first + arc.second) % 3 == 0) length = 0;
  }
  return arcs;
}

OneWayArcs chain(Index vertices) {
  OneWayArcs arcs;
  for (Index v = 0; v + 1 < vertices; ++v) arcs[{v, v + 1}] = static_cast<double>(1 + v % 7);
  return arcs;
}

std::vector<Sample> samples() {
  return {{"a third one way", 100, directed_arcs(grid_graph(10, 0.2, 20, 1), 0.3, 9, 11)},
          {"all one way", 81, directed_arcs(grid_graph(9, 0.2, 20, 2), 1.0, 0, 12)},
          {"edges alone", 100, directed_arcs(grid_graph(10, 0.3, 1, 3), 0.3, 0, 13)},
          {"both ways alike", 64, directed_arcs(grid_graph(8, 0.2, 9, 4), 0.0, 0, 14)},
          {"no separators", 60, directed_arcs(random_graph(60, 200, 50, 5), 0.4, 30, 15)},
          {"a one-way street", 50, chain(50)},
          {"a tree", 70, directed_arcs(random_graph(70, 0, 40, 6), 0.2, 40, 16)},
          {"a circle besides", 90, with_circle(directed_arcs(random_graph(90, 60, 30, 7), 0.5, 30, 17), 90, 200)},
          {"32 bits", 80, directed_arcs(random_graph(80, 100, 100'000, 8), 0.3, 1000, 18)},
          {"too long for 32 bits", 60, directed_arcs(random_graph(60, 90, 2'000'000'000, 9), 0.3, 1000, 19)},
          {"broken", 100, scaled(directed_arcs(grid_graph(10, 0.2, 1000, 10), 0.3, 9, 20), 1.0 / 7.0)},
          {"zeros", 100, with_zeros(directed_arcs(grid_graph(10, 0.2, 20, 11), 0.3, 9, 21))},
          {"two pieces", 40, {{{0, 1}, 3}, {{1, 2}, 4}, {{2, 0}, 5}, {{5, 6}, 1}, {{6, 7}, 2}}},
          {"one vertex", 1, {}}};
}

std::vector<Index> all_of(Index n) {
  std::vector<Index> all(n);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// Lengths from sources to targets; infinite if there is no path.
std::vector<double> table(const PathLength& lengths, const std::vector<Index>& sources,
                          const std::vector<Index>& targets) {
  std::vector<double> out(sources.size() * targets.size());
  const MatrixView<double> view(out.data(), std::ssize(sources), std::ssize(targets));
  const LengthsFound found = lengths.write_rows(sources, *lengths.prepare(targets), 1.0, LengthRows(view));
  EXPECT_EQ(found.without_path, std::ranges::count(out, no_path<double>));
  return out;
}

void expect_near(const std::vector<double>& expected, const std::vector<double>& actual, double relative) {
  ASSERT_EQ(expected.size(), actual.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    if (expected[k] == actual[k]) continue;
    ASSERT_LE(std::abs(actual[k] - expected[k]), relative * expected[k]) << "entry " << k << ", " << expected[k];
  }
}

std::vector<double> part(const std::vector<double>& all, Index n, const std::vector<Index>& rows,
                         const std::vector<Index>& columns) {
  std::vector<double> out;
  for (const Index i : rows) {
    for (const Index j : columns) out.push_back(all[static_cast<std::size_t>(i * n + j)]);
  }
  return out;
}

std::vector<double> transposed(const std::vector<double>& all, Index n) {
  std::vector<double> out;
  for (Index i = 0; i < n * n; ++i) out.push_back(all[static_cast<std::size_t>(i % n * n + i / n)]);
  return out;
}

// Tables of many and few sources and targets, and pairs one by one and by labels.
void expect_lengths(const PathLength& lengths, const std::vector<double>& expected, double relative) {
  const Index n = lengths.size();
  expect_near(expected, table(lengths, all_of(n), all_of(n)), relative);
  std::vector<Index> some = all_of(n);
  std::ranges::shuffle(some, std::mt19937(5));
  some.resize((some.size() + 2) / 3);
  const std::vector<Index> one = {n - 1}, few(some.begin(), some.begin() + std::min<Index>(std::ssize(some), 5));
  for (const auto& [sources, targets] :
       {std::pair(all_of(n), some), {some, all_of(n)}, {few, few}, {one, few}, {few, one}, {one, all_of(n)}}) {
    expect_near(part(expected, n, sources, targets), table(lengths, sources, targets), relative);
  }
  double longest = 0.0;
  std::vector<Index> first, second;
  std::vector<double> there;
  for (Index i = 0; i < n * n; ++i) {
    const double length = expected[static_cast<std::size_t>(i)];
    if (std::isinf(length)) continue;
    longest = std::max(longest, length);
    first.push_back(i / n);
    second.push_back(i % n);
    there.push_back(length);
  }
  EXPECT_GE(lengths.longest(), longest);
  for (const Index announced : {Index{0}, n * n}) {
    lengths.expect_pairs(world(), announced);
    std::vector<double> out(first.size());
    lengths.pairs(first, second, out);
    expect_near(there, out, relative);
    const auto unreached = std::ranges::find_if(expected, [](double length) { return std::isinf(length); });
    if (unreached == expected.end()) continue;
    Index from = (unreached - expected.begin()) / n, to = (unreached - expected.begin()) % n;
    double value = 0;
    const bool turned = lengths.arcs() == Arcs::backward;
    const std::string named = "no path from the vertex " + std::to_string(turned ? to : from) + " to the vertex " +
                              std::to_string(turned ? from : to) + ":";
    expect_error([&] { lengths.pairs(std::span(&from, 1), std::span(&to, 1), std::span(&value, 1)); },
                 ErrorKind::numeric, {named.c_str()});
  }
}

TEST(DirectedPathLength, IsThatOfFloydAndWarshall) {
  Index number = 0;
  for (const Sample& sample : samples()) {
    const bool searched = number++ % 3 == 0;  // the slower method
    const std::vector<double> expected = all_directed_lengths(sample.vertices, sample.arcs);
    const double relative = sample.name == "broken" ? 1e-13 : 0.0;
    for (const char* method : {"hierarchy", "dijkstra"}) {
      if (!searched && method == std::string("dijkstra")) continue;
      SCOPED_TRACE(sample.name + " by " + method);
      const auto lengths = make_path_length(world(), share_directed(sample.vertices, sample.arcs), method);
      EXPECT_TRUE(lengths->directed());
      EXPECT_EQ(lengths->stored_hierarchy(0, 1), std::nullopt);
      expect_lengths(*lengths, expected, relative);
      const auto back = lengths->reversed(world());
      expect_lengths(*back, transposed(expected, sample.vertices), relative);
    }
  }
}

TEST(DirectedPathLength, TakesNarrowNumbersWhereOneWayArcsCutVerticesOff) {
  const OneWayArcs arcs = directed_arcs(grid_graph(40, 0.2, 9, 1), 0.3, 0, 2);
  const auto lengths = make_path_length(world(), share_directed(1600, arcs), "hierarchy");
  EXPECT_EQ(lengths->length_bytes(), 2);
  std::vector<double> all = table(*lengths, all_of(1600), all_of(1600));
  EXPECT_GT(std::erase(all, no_path<double>), 0);
  const double longest = *std::ranges::max_element(all);
  EXPECT_GE(lengths->longest(), longest);
  EXPECT_LE(lengths->longest(), 4 * longest);
}

TEST(DirectedPathLength, ChoosesAHierarchyForRoads) {
  const OneWayArcs arcs = directed_arcs(grid_graph(30, 0.3, 9, 1), 0.3, 3, 2);
  const auto road = make_path_length(world(), share_directed(900, arcs), "auto");
  EXPECT_EQ(road->method(), "hierarchy");
  EXPECT_THAT(road->choice(), testing::HasSubstr("downward"));
  const OneWayArcs dense = directed_arcs(random_graph(400, 4000, 9, 1), 0.3, 3, 2);
  EXPECT_EQ(make_path_length(world(), share_directed(400, dense), "auto")->method(), "dijkstra");
  expect_error([&] { static_cast<void>(make_path_length(world(), share_directed(900, arcs), "breadth-first")); },
               ErrorKind::usage, {"directed", "dijkstra or hierarchy"});
}

TEST(SymmetrizedPathLength, IsTheMeanOfBothDirections) {
  for (const auto& [n, arcs] :
       {std::pair(Index{90}, samples()[7].arcs), {Index{100}, with_circle(samples()[0].arcs, 100, 77)}}) {
    const std::vector<double> there = all_directed_lengths(n, arcs), back = transposed(there, n);
    std::vector<double> expected;
    for (std::size_t k = 0; k < there.size(); ++k) expected.push_back(0.5 * (there[k] + back[k]));
    for (const char* method : {"hierarchy", "dijkstra"}) {
      const auto mean = make_symmetrized(world(), make_path_length(world(), share_directed(n, arcs), method));
      std::vector<double> out(expected.size());
      mean->to_all(all_of(n), {out.data(), n, n});
      EXPECT_EQ(expected, out);
      const std::vector<Index> some = {n - 1, 3, 8, 9, 10, 40, 2, 1, 7, 6, 5, 4, 11, 12, 13, 14, 15, 16, 17, 18};
      std::vector<double> few(some.size() * some.size());
      mean->to_targets(some, *mean->prepare(some), {few.data(), std::ssize(some), std::ssize(some)});
      EXPECT_EQ(part(expected, n, some, some), few);
      std::vector<Index> first, second;
      for (Index i = 0; i < n * n; ++i) first.push_back(i / n), second.push_back(i % n);
      mean->pairs(first, second, out);
      EXPECT_EQ(expected, out);
      mean->expect_pairs(world(), n * n);
      mean->pairs(first, second, out);
      EXPECT_EQ(expected, out);
    }
  }
}

TEST(SymmetrizedPathLength, NeedsPathsInBothDirections) {
  const auto mean = make_symmetrized(world(), make_path_length(world(), share_directed(50, chain(50)), "hierarchy"));
  std::vector<double> out(50);
  const Index source = 7;
  expect_error(
      [&] {
        mean->to_all(std::span(&source, 1), {out.data(), 1, 50});
      },
      ErrorKind::numeric, {"no path from the vertex 7 to the vertex 0", "strongly connected"});
}

}  // namespace
}  // namespace cairn::test::directed_path_length_test
