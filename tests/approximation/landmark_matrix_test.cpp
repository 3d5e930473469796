// W against values that are computed one by one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "../landmark/remembering_ledger.hpp"
#include "../similarity/shared_graphs.hpp"
#include "cairn/approximation/biharmonic/biharmonic.hpp"
#include "cairn/base/error.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "test_communicator.hpp"

namespace cairn::test::landmark_matrix_test {
namespace {

// All entries, the same on every rank.
std::vector<double> dense(const SymmetricTiles& tiles) {
  const Index size = tiles.size();
  std::vector<Index> rows, columns;
  for (Index i = 0; i < size; ++i) {
    for (Index j = 0; j < size; ++j) rows.push_back(i), columns.push_back(j);
  }
  return entries_of(world(), tiles, rows, columns);
}

std::vector<Index> some_vertices(Index n, std::size_t count) {
  std::vector<Index> all(n);
  std::iota(all.begin(), all.end(), 0);
  std::ranges::shuffle(all, std::mt19937(11));
  all.resize(count);
  return all;
}

void expect_path_lengths(const SymmetricTiles& w, Index n, const Edges& edges, const std::vector<Index>& landmarks,
                         double relative = 0.0) {
  const std::vector<double> values = dense(w), all = all_path_lengths(n, edges);
  ASSERT_EQ(w.size(), static_cast<Index>(landmarks.size()));
  for (std::size_t i = 0; i < landmarks.size(); ++i) {
    for (std::size_t j = 0; j < landmarks.size(); ++j) {
      const double expected = all[landmarks[i] * n + landmarks[j]];
      ASSERT_LE(std::abs(values[i * landmarks.size() + j] - expected), relative * expected) << i << ", " << j;
      ASSERT_EQ(values[i * landmarks.size() + j], values[j * landmarks.size() + i]) << i << ", " << j;
    }
  }
}

// The value depends on the source: K is the mean of both directions.
class OneSided final : public SourceSimilarity {
 public:
  OneSided() : SourceSimilarity({.name = "one-sided", .size = 1000, .symmetric_by_construction = false, .batch = 7}) {}
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override { return {}; }
  [[nodiscard]] static double value(Index source, Index target) {
    return static_cast<double>(source * source) / 3.0 + static_cast<double>(target) / 7.0;
  }

 protected:
  void compute_to_targets(std::span<const Index> sources, const TargetSet& targets,
                          MatrixView<double> out) const override {
    for (Index a = 0; a < out.rows; ++a) {
      for (Index b = 0; b < out.columns; ++b) {
        out(a, b) = value(sources[a], targets.targets[b]);
      }
    }
  }
  void compute_to_all(std::span<const Index> /*sources*/, MatrixView<double> /*out*/) const override {}
};

TEST(LandmarkMatrix, HoldsThePathLengthsOfLandmarksByEveryMethod) {
  const Edges edges = grid_graph(20, 0.3, 1, 3);
  const std::vector<Index> landmarks = some_vertices(400, 150);
  for (const char* method : {"hierarchy", "breadth-first", "dijkstra"}) {
    SCOPED_TRACE(method);
    Context context;
    const auto similarity = make_path_length(world(), share(400, edges), method);
    const SymmetricTiles w = landmark_matrix(context.execution, *similarity, landmarks);
    EXPECT_EQ(w.number(), TileNumber::uint16);
    expect_path_lengths(w, 400, edges, landmarks);
    EXPECT_EQ(context.phases.summarize(world()).at(0).evaluations, 150 * 150 + 4 * 150);
  }
}

TEST(LandmarkMatrix, TakesTheSmallestNumberTypeThatFits) {
  for (const int longest : {100, 50'000, 2'000'000'000}) {
    SCOPED_TRACE(longest);
    Context context;
    const Edges edges = random_graph(90, 60, longest, 2);
    const std::vector<Index> landmarks = some_vertices(90, 60);
    const auto similarity = make_path_length(world(), share(90, edges, true), "hierarchy");
    const SymmetricTiles w = landmark_matrix(context.execution, *similarity, landmarks);
    EXPECT_EQ(w.number(), longest == 100      ? TileNumber::uint16
                          : longest == 50'000 ? TileNumber::uint32
                                              : TileNumber::float64);
    expect_path_lengths(w, 90, edges, landmarks);
  }
}

TEST(LandmarkMatrix, KeepsBrokenLengthsInThePrecisionOfTheRun) {
  Edges edges = grid_graph(10, 0.2, 1000, 4);
  for (auto& [edge, length] : edges) length /= 7.0;
  const std::vector<Index> landmarks = some_vertices(100, 70);
  const auto similarity = make_path_length(world(), share(100, edges, true), "hierarchy");
  for (const bool single : {false, true}) {
    Context context;
    const SymmetricTiles w = landmark_matrix(context.execution, *similarity, landmarks, single);
    EXPECT_EQ(w.number(), single ? TileNumber::float32 : TileNumber::float64);
    expect_path_lengths(w, 100, edges, landmarks, single ? 1e-7 : 1e-14);
  }
}

TEST(LandmarkMatrix, AveragesBothDirectionsOfAOneSidedSimilarity) {
  Context context;
  const OneSided similarity;
  const std::vector<Index> landmarks = some_vertices(1000, 90);
  const std::vector<double> w = dense(landmark_matrix(context.execution, similarity, landmarks));
  for (std::size_t i = 0; i < 90; ++i) {
    for (std::size_t j = 0; j < 90; ++j) {
      ASSERT_DOUBLE_EQ(w[i * 90 + j],
                       (OneSided::value(landmarks[i], landmarks[j]) + OneSided::value(landmarks[j], landmarks[i])) / 2);
      ASSERT_EQ(w[i * 90 + j], w[j * 90 + i]);
    }
  }
}

TEST(LandmarkMatrix, IsTakenUpFromTheLedger) {
  const Edges edges = grid_graph(12, 0.2, 1, 5);
  const std::vector<Index> landmarks = some_vertices(144, 100);
  const auto similarity = make_path_length(world(), share(144, edges), "breadth-first");
  RememberingLedger ledger;
  const auto run = [&] {
    Phases phases;
    const SymmetricTiles w = landmark_matrix({world(), phases, ledger, 2, 0}, *similarity, landmarks);
    expect_path_lengths(w, 144, edges, landmarks);
    return phases.summarize(world()).at(0).evaluations - 400;  // which bounded the values
  };
  EXPECT_EQ(run(), 100 * 100);
  EXPECT_EQ(run(), 0);
}

TEST(LandmarkMatrix, GoesToItsTilesInSeveralSlabs) {
  Context context;
  const Index n = 4900;
  const SharedGraph graph = share(n, grid_graph(70, 0.3, 1, 6));
  const std::vector<Index> landmarks = some_vertices(n, 4500);
  const auto hierarchy = make_path_length(world(), graph, "hierarchy");
  const SymmetricTiles w = landmark_matrix(context.execution, *hierarchy, landmarks);
  EXPECT_LT(context.phases.summarize(world()).at(0).evaluations, 4500 * 4500);  // the first slab leaves columns out
  const auto search = make_path_length(world(), graph, "breadth-first");
  std::vector<Index> rows, columns, sources;
  for (const Index i : {0, 408, 409, 4089, 4090, 4499}) {  // at the edges of tiles and slabs
    sources.push_back(landmarks[i]);
    for (Index j = 0; j < 4500; ++j) rows.push_back(i), columns.push_back(j);
  }
  std::vector<double> expected(rows.size());
  search->to_targets(sources, *search->prepare(landmarks), {expected.data(), 6, 4500});
  EXPECT_EQ(entries_of(world(), w, rows, columns), expected);
  EXPECT_EQ(entries_of(world(), w, columns, rows), expected);
}

// On disk it is the same, in whatever order tiles were written.
TEST(LandmarkMatrix, IsTheSameWhereALedgerKeepsItsTiles) {
  const TileStorage shelf = [](Index) { return std::make_shared<RememberingLedger>(); };
  const auto expect_same = [&](const SourceSimilarity& similarity, const std::vector<Index>& landmarks) {
    Context context;
    const SymmetricTiles kept = landmark_matrix(context.execution, similarity, landmarks);
    const SymmetricTiles stored = landmark_matrix(context.execution, similarity, landmarks, false, shelf);
    EXPECT_FALSE(stored.in_memory());
    for (Index tile = world().rank(); tile < kept.tiles(); tile += world().size())
      ASSERT_TRUE(std::ranges::equal(kept.read(tile).bytes(), stored.read(tile).bytes())) << tile;
  };
  expect_same(OneSided(), some_vertices(1000, 90));
  const auto paths = make_path_length(world(), share(4900, grid_graph(70, 0.3, 1, 6)), "hierarchy");
  expect_same(*paths, some_vertices(4900, 4500));
}

TEST(LandmarkMatrix, OfOneLandmarkIsOneNumber) {
  Context context;
  const auto similarity = make_path_length(world(), share(9, grid_graph(3, 0.0, 1, 1)), "hierarchy");
  EXPECT_THAT(dense(landmark_matrix(context.execution, *similarity, {4})), testing::ElementsAre(0));
}

TEST(LandmarkMatrix, NamesLandmarksWithoutAPathOnEveryRank) {
  Edges edges;
  for (Index v = 0; v < 40; ++v) add_edge(edges, v, (v + 1) % 40), add_edge(edges, 40 + v, 40 + (v + 1) % 40);
  Context context;
  const auto similarity = make_path_length(world(), share(80, edges), "hierarchy");
  try {
    (void)landmark_matrix(context.execution, *similarity, {3, 17, 61, 20});
    FAIL() << "there is no path from 3 to 61";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::numeric);
    EXPECT_THAT(error.what(), testing::HasSubstr("vertices 3 and 61"));
  }
}

}  // namespace
}  // namespace cairn::test::landmark_matrix_test
