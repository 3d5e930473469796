#include "cairn/landmark/word_order.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"
#include "function_similarity.hpp"
#include "test_communicator.hpp"

namespace cairn::word_order_test {
namespace {

using test::world;

bool together(Index i, Index j, Index n, std::uint64_t seed) {
  const Random random(seed, Stream::test);
  const auto low = static_cast<std::uint64_t>(std::min(i, j)), high = static_cast<std::uint64_t>(std::max(i, j));
  return random.uniform(low, high) < 6.0 / (1.0 + static_cast<double>(i + j) * 20.0 / static_cast<double>(n));
}

WordSet graph_of(Index n, std::uint64_t seed) {
  CorpusWords vocabulary;
  for (Index i = 0; i < n; ++i) {
    vocabulary.words.push_back(std::to_string(i));
    vocabulary.counts.push_back(n - i);
  }
  WordSet words(world(), vocabulary, {}, {});
  CooccurrenceCounts counts(words.partition(), world().rank(), {});
  for (Index k = 0; k < counts.pieces(); ++k) {
    CooccurrenceCounts::Piece piece;
    for (Index i = counts.rows_of_piece(k).begin; i < counts.rows_of_piece(k).end; ++i) {
      for (Index j = 0; j <= i; ++j) {
        if (together(i, j, n, seed)) piece.append(static_cast<std::int32_t>(j), 1);
      }
      piece.end_row();
    }
    counts.set_piece(k, std::move(piece));
  }
  words.adopt(std::move(counts));
  return words;
}

// By its definition: vertices of degree below k are removed until none is left.
std::vector<Index> by_removal(Index n, std::uint64_t seed) {
  std::vector<Index> core(n, 0);
  std::set<Index> left;
  for (Index i = 0; i < n; ++i) left.insert(i);
  for (Index k = 1; !left.empty(); ++k) {
    for (bool removed = true; removed;) {
      removed = false;
      for (auto i = left.begin(); i != left.end();) {
        const Index degree = std::ranges::count_if(left, [&](Index j) { return j != *i && together(*i, j, n, seed); });
        if (degree >= k) {
          ++i;
          continue;
        }
        i = left.erase(i);
        removed = true;
      }
    }
    for (const Index i : left) core[i] = k;
  }
  return core;
}

TEST(Coreness, IsThatOfRemovingVerticesOneByOne) {
  for (const Index n : {1, 2, 40, 150}) {
    const WordSet words = graph_of(n, static_cast<std::uint64_t>(n));
    test::Context context;
    EXPECT_EQ(coreness(context.execution, words.counts()), by_removal(n, static_cast<std::uint64_t>(n))) << n;
  }
}

Landmarks<double> chosen(const LandmarkSelection& selection, const ObjectSet& objects, Index count) {
  test::Context context;
  const test::FunctionSimilarity<double> similarity([](Index, Index) { return 1.0; });
  const Values values = Values({{.name = "selection", .fallback = "x"}, {.name = "count"}});
  return selection.run_double(
      {.execution = context.execution, .objects = objects, .entries = similarity, .count = count, .values = values});
}

TEST(WordOrder, PutsEqualCorenessByFrequency) {
  const Index n = 120;
  const WordSet words = graph_of(n, 3);
  const std::vector<Index> core = by_removal(n, 3), order = chosen(coreness_selection(), words, n).indices;
  ASSERT_EQ(std::ssize(order), n);
  for (std::size_t p = 1; p < order.size(); ++p) {
    const Index before = core[order[p - 1]], here = core[order[p]];
    EXPECT_TRUE(before > here || (before == here && order[p - 1] < order[p]));
  }
  EXPECT_THAT(chosen(frequency_selection(), words, 4).indices, testing::ElementsAre(0, 1, 2, 3));
}

TEST(WordOrder, IsRefusedForOtherObjects) {
  const NumberedObjects objects(RowPartition(10, world().size()), world().rank());
  for (const LandmarkSelection* selection : {&frequency_selection(), &coreness_selection()}) {
    EXPECT_THROW(static_cast<void>(chosen(*selection, objects, 3)), Error);
  }
}

}  // namespace
}  // namespace cairn::word_order_test
