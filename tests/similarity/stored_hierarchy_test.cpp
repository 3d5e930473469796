// Hierarchies in the numbers that files hold, and single pairs and rows by them.
#include "cairn/similarity/shortest_paths/stored_hierarchy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "cairn/base/error.hpp"
#include "cairn/similarity/shortest_paths/hierarchy_path_length.hpp"
#include "expected_errors.hpp"
#include "shared_graphs.hpp"

namespace cairn::test::stored_hierarchy_test {
namespace {

// A graph, its size and whether its edges have lengths.
struct Sample {
  std::string name;
  Index vertices = 0;
  Edges edges;
  bool weighted = false;
};

std::vector<Sample> samples() {
  Edges broken = grid_graph(12, 0.2, 1000, 4);
  for (auto& [edge, length] : broken) length /= 7.0;
  return {{"edges", 100, grid_graph(10, 0.3, 1, 1), false},
          {"a tree", 70, random_graph(70, 0, 1, 2), false},
          {"many edges", 60, random_graph(60, 400, 1, 3), false},
          {"16 bits", 80, random_graph(80, 100, 50, 5), true},
          {"32 bits", 80, random_graph(80, 100, 100'000, 6), true},
          {"too long for 32 bits", 80, random_graph(80, 100, 2'000'000'000, 7), true},
          {"broken", 144, broken, true},
          {"one vertex", 1, {}, false}};
}

std::unique_ptr<PathLength> hierarchy_of(const Sample& sample) {
  return make_path_length(world(), share(sample.vertices, sample.edges, sample.weighted), "hierarchy");
}

template <class List>
void append(List& to, const List& from) {
  to.insert(to.end(), from.begin(), from.end());
}

template <class... Lists>
void append(std::variant<Lists...>& to, const std::variant<Lists...>& from) {
  ASSERT_EQ(to.index(), from.index());
  std::visit([&](auto& list) { append(list, std::get<std::decay_t<decltype(list)>>(from)); }, to);
}

StoredHierarchy whole(const PathLength& lengths, int parts) {
  StoredHierarchy all = lengths.stored_hierarchy(0, parts).value();
  for (int part = 1; part < parts; ++part) {
    const StoredHierarchy more = lengths.stored_hierarchy(part, parts).value();
    append(all.vertices, more.vertices);
    append(all.depths, more.depths);
    append(all.degrees, more.degrees);
    append(all.heads, more.heads);
    append(all.lengths, more.lengths);
  }
  return all;
}

std::vector<double> to_all(const PathLength& lengths, const std::vector<Index>& sources) {
  std::vector<double> out(sources.size() * static_cast<std::size_t>(lengths.size()));
  lengths.to_all(sources, {out.data(), static_cast<Index>(sources.size()), lengths.size()});
  return out;
}

std::vector<Index> all_of(Index n) {
  std::vector<Index> all(n);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST(StoredHierarchy, GivesTheSameLengthsFromItsParts) {
  for (const Sample& sample : samples()) {
    for (const int parts : {1, 3, 200}) {
      SCOPED_TRACE(sample.name + " in " + std::to_string(parts) + " parts");
      const auto made = hierarchy_of(sample);
      std::string refused;
      ContractionHierarchy unpacked = unpack(whole(*made, parts), refused);
      ASSERT_EQ("", refused);
      const auto again = make_hierarchy_path_length(world(), std::move(unpacked));
      EXPECT_EQ(made->traits(), again->traits());
      EXPECT_EQ(to_all(*made, all_of(sample.vertices)), to_all(*again, all_of(sample.vertices)));
    }
  }
}

TEST(StoredHierarchy, TakesTheNarrowestNumbers) {
  const std::vector<Sample> all = samples();
  for (const auto& [k, lengths] : {std::pair{0, 0}, {3, 0}, {4, 1}, {5, 2}, {6, 2}}) {
    const StoredHierarchy stored = whole(*hierarchy_of(all[k]), 1);
    EXPECT_EQ(static_cast<std::size_t>(lengths), stored.lengths.index()) << all[k].name;
    EXPECT_EQ(0U, stored.depths.index());
    EXPECT_EQ(0U, stored.heads.index());
  }
}

TEST(StoredHierarchy, IsOfHierarchiesAlone) {
  const SharedGraph graph = share(100, grid_graph(10, 0.3, 1, 1));
  EXPECT_FALSE(make_path_length(world(), graph, "dijkstra")->stored_hierarchy(0, 1));
  EXPECT_FALSE(make_path_length(world(), graph, "breadth-first")->stored_hierarchy(0, 1));
}

// One source and few targets are found without a sweep: bit by bit the same.
TEST(HierarchyDescent, GivesThePairsAndRowsOfASweep) {
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.name);
    const auto lengths = hierarchy_of(sample);
    const auto n = static_cast<std::size_t>(sample.vertices);
    const std::vector<double> expected = to_all(*lengths, all_of(sample.vertices));
    const std::vector<double> reference = all_path_lengths(sample.vertices, sample.edges);
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(reference[i], expected[i], 1e-13 * reference[i]);
    for (Index i = 0; i < sample.vertices; ++i) {
      const std::span<const double> row = std::span(expected).subspan(static_cast<std::size_t>(i) * n, n);
      ASSERT_THAT(to_all(*lengths, {i}), testing::ElementsAreArray(row)) << i;
      for (Index j = 0; j < sample.vertices; ++j) {
        double value = -1;
        lengths->to_targets(std::span(&i, 1), *lengths->prepare({j}), {&value, 1, 1});
        ASSERT_EQ(row[j], value) << i << " to " << j;
      }
    }
  }
}

TEST(HierarchyDescent, FewTargetsAreSweptForManySources) {
  const Sample sample = samples()[6];
  const auto lengths = hierarchy_of(sample);
  const std::vector<Index> targets = {143, 0, 77}, sources = all_of(sample.vertices);
  const auto set = lengths->prepare(targets);
  std::vector<double> out(sources.size() * targets.size());
  lengths->to_targets(sources, *set, {out.data(), sample.vertices, 3});
  const std::vector<double> expected = to_all(*lengths, sources);
  for (std::size_t a = 0; a < sources.size(); ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      EXPECT_EQ(expected[a * sources.size() + static_cast<std::size_t>(targets[b])], out[a * 3 + b]);
    }
  }
  EXPECT_EQ(sample.vertices * 3 + sample.vertices * sample.vertices, lengths->evaluations());
}

TEST(HierarchyDescent, NamesTwoVerticesWithoutAPath) {
  Edges edges;
  add_edge(edges, 0, 1);
  add_edge(edges, 2, 3);
  const auto lengths = make_path_length(world(), share(4, edges), "hierarchy");
  double value = 0;
  const Index source = 2;
  try {
    lengths->to_targets(std::span(&source, 1), *lengths->prepare({1}), {&value, 1, 1});
    FAIL() << "a length came for a pair without a path";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::numeric);
    EXPECT_THAT(error.what(), testing::HasSubstr("vertices 2 and 1"));
  }
  EXPECT_THROW(to_all(*lengths, {3}), Error);
  lengths->expect_pairs(world(), 100);  // by labels
  const std::vector<Index> first = {0, 3, 2}, second = {1, 3, 1};
  std::vector<double> found(3);
  lengths->pairs(std::span(first).first(2), std::span(second).first(2), std::span(found).first(2));
  EXPECT_THAT(found, testing::ElementsAre(1, 0, 0));
  expect_error([&] { lengths->pairs(first, second, found); }, ErrorKind::numeric, {"vertices 2 and 1"});
}

using Narrow = std::vector<std::uint16_t>;

TEST(StoredHierarchy, ThatIsDamagedIsRefused) {
  const auto lengths = hierarchy_of(samples()[3]);
  const auto refusal = [&](const std::function<void(StoredHierarchy&)>& damage) {
    StoredHierarchy stored = whole(*lengths, 1);
    damage(stored);
    std::string refused;
    static_cast<void>(unpack(stored, refused));
    return refused;
  };
  using testing::HasSubstr;
  EXPECT_EQ("", refusal([](StoredHierarchy&) {}));
  EXPECT_THAT(refusal([](auto& s) { s.vertices.pop_back(); }), HasSubstr("79 vertices, 80 depths"));
  EXPECT_THAT(refusal([](auto& s) { s.vertices[5] = s.vertices[6]; }), HasSubstr("or a duplicate"));
  EXPECT_THAT(refusal([](auto& s) { s.vertices[5] = 80; }), HasSubstr("the vertex 80 at place 5"));
  EXPECT_THAT(refusal([](auto& s) { s.vertices[5] = -1; }), HasSubstr("the vertex -1 at place 5"));
  EXPECT_THAT(refusal([](auto& s) { std::get<Narrow>(s.depths)[0] = 1; }), HasSubstr("the depth 1 at place 0"));
  EXPECT_THAT(refusal([](auto& s) { std::get<Narrow>(s.depths)[3] = 60000; }), HasSubstr("the depth 60000"));
  EXPECT_THAT(refusal([](auto& s) { s.depths = std::vector<std::int32_t>(80, -1); }), HasSubstr("the depth -1"));
  EXPECT_THAT(refusal([](auto& s) { std::get<Narrow>(s.degrees)[9] += 1; }), HasSubstr("arcs"));
  EXPECT_THAT(refusal([](auto& s) { std::get<Narrow>(s.degrees)[9] = 65535; }), HasSubstr("the place 9 65535 arcs"));
  EXPECT_THAT(refusal([](auto& s) { std::get<Narrow>(s.degrees).back() -= 1; }), HasSubstr("1 arcs more"));
  EXPECT_THAT(refusal([](auto& s) { s.degrees = std::vector<std::int32_t>(80, -5); }), HasSubstr("-5 arcs"));
  EXPECT_THAT(refusal([](auto& s) { std::get<Narrow>(s.heads)[0] = 1; }), HasSubstr("to depth 1"));
  EXPECT_THAT(refusal([](auto& s) { std::get<Narrow>(s.heads).back() = 65535; }), HasSubstr("to depth 65535"));
  EXPECT_EQ("", refusal([](auto& s) { std::get<Narrow>(s.lengths)[7] = 0; }));  // an edge may have it
  EXPECT_THAT(refusal([](auto& s) { std::get<Narrow>(s.lengths)[7] = 65535; }), HasSubstr("length 65535"));
  for (const double length :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), -1.0}) {
    EXPECT_THAT(refusal([&](auto& s) {
                  const auto arcs = std::get<Narrow>(s.lengths).size();
                  s.lengths = std::vector<double>(arcs, length);
                }),
                HasSubstr("an arc of length"));
  }
  // A vertex without a way up would be reached by no search.
  EXPECT_THAT(refusal([](auto& s) {
                auto& degrees = std::get<Narrow>(s.degrees);
                degrees[1] += degrees[2];
                degrees[2] = 0;
              }),
              testing::AnyOf(HasSubstr("no arc upward from place 2"), HasSubstr("has an arc from place 1")));
}

}  // namespace
}  // namespace cairn::test::stored_hierarchy_test
