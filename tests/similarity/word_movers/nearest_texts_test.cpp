// The nearest texts by word mover's distance, against the distances to all texts.
#include "cairn/similarity/word_movers/nearest_texts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "cairn/similarity/word_movers/relaxed_bounds.hpp"
#include "cairn/similarity/word_movers/text_candidates.hpp"
#include "cairn/similarity/word_movers/word_movers_distance.hpp"
#include "similarity/random_documents.hpp"

namespace cairn::nearest_texts_test {
namespace {

using test::make_documents;
using test::make_word_vectors;
using test::world;

std::vector<Index> all_of(const ObjectSet& objects) {
  std::vector<Index> all(static_cast<std::size_t>(objects.size()));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

// Values of K of some rows with all objects of another set, on every rank.
template <class T>
std::vector<std::vector<double>> rows_of(const Similarity<T>& similarity, const ObjectSet& queries,
                                         const std::vector<Index>& rows, const ObjectSet& targets) {
  const auto left = queries.gather(world(), rows), right = targets.gather(world(), all_of(targets));
  std::vector<T> values(rows.size() * static_cast<std::size_t>(right->size()));
  similarity.tile(*left, *right, {values.data(), left->size(), right->size()});
  std::vector<std::vector<double>> result;
  for (std::size_t q = 0; q < rows.size(); ++q) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(q) * right->size();
    result.emplace_back(begin, begin + right->size());
  }
  return result;
}

struct Side {
  std::vector<Index> rows, groups;  // of all ranks
  [[nodiscard]] SearchSide own(const ObjectSet& objects) const {
    SearchSide side{objects, {}, {}};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!objects.range().contains(rows[i])) continue;
      side.rows.push_back(rows[i]);
      if (!groups.empty()) side.groups.push_back(groups[i]);
    }
    return side;
  }
};

// The definition: all targets of other groups by their distance, of equal ones the first.
std::vector<Neighbor> by_definition(const std::vector<double>& distances, Index group, const Side& targets, Index k) {
  std::vector<Neighbor> all;
  for (std::size_t t = 0; t < targets.rows.size(); ++t) {
    if (!targets.groups.empty() && targets.groups[t] == group) continue;
    all.push_back({targets.rows[t], distances[targets.rows[t]]});
  }
  std::ranges::sort(all, {}, [](const Neighbor& one) { return std::pair(one.value, one.object); });
  for (auto begin = all.begin(); begin != all.end();) {
    auto end = begin + 1;
    while (end != all.end() && end->value - (end - 1)->value <= same_distance * end->value) ++end;
    std::sort(begin, end, [](const Neighbor& a, const Neighbor& b) { return a.object < b.object; });
    begin = end;
  }
  all.resize(std::min(all.size(), static_cast<std::size_t>(k)));
  return all;
}

template <class T>
Index expect_definition(const Similarity<T>& similarity, const Similarity<double>& distance, const ObjectSet& queries,
                        const Side& asked, const ObjectSet& among, const Side& targets, Index k) {
  test::Context context;
  context.execution.threads = world().size() == 1 ? 2 : 1;
  const Index before = world().sum(similarity.evaluations());
  const NearestSearch* const search = nearest_search(similarity);
  EXPECT_NE(search, nullptr);
  const SearchSide own = asked.own(queries);
  const FoundNeighbors found = search->nearest(context.execution, own, targets.own(among), k);
  const Index evaluated = world().sum(similarity.evaluations()) - before;
  const auto distances = rows_of(distance, queries, asked.rows, among);
  const auto values = rows_of(similarity, queries, asked.rows, among);
  EXPECT_EQ(found.starts.size(), own.rows.size() + 1);
  Index q = 0;
  for (std::size_t i = 0; i < asked.rows.size(); ++i) {
    if (!queries.range().contains(asked.rows[i])) continue;
    const auto expected = by_definition(distances[i], asked.groups.empty() ? -1 : asked.groups[i], targets, k);
    const auto list = found.of(q++);
    EXPECT_EQ(list.size(), expected.size()) << "text " << asked.rows[i];
    for (std::size_t j = 0; j < std::min(list.size(), expected.size()); ++j) {
      EXPECT_EQ(list[j].object, expected[j].object) << "text " << asked.rows[i] << ", neighbor " << j;
      const double value = values[i][list[j].object];
      EXPECT_NEAR(list[j].value, value, (std::is_same_v<T, float> ? 1e-6 : 1e-11) * std::abs(value));
    }
  }
  return evaluated;
}

struct Texts {
  const char* name;
  Index n, vocabulary, dimension, longest;
  double scale;
};

void PrintTo(const Texts& texts, std::ostream* out) { *out << texts.name; }

class NearestTexts : public testing::TestWithParam<Texts> {
 protected:
  [[nodiscard]] DocumentSet documents(std::uint64_t seed = 5) const {
    return make_documents(GetParam().n, GetParam().longest, vectors_, seed);
  }
  std::shared_ptr<const WordVectors> vectors_ =
      make_word_vectors(GetParam().vocabulary, GetParam().dimension, GetParam().scale);
  test::Context context_;
};

TEST_P(NearestTexts, AreThoseWithTheLeastDistances) {
  const DocumentSet texts = documents();
  const auto distance = make_wmd_distance<double>(context_.execution, texts);
  const Side all{all_of(texts), all_of(texts)};
  for (const Index k : {Index{1}, Index{10}, std::max<Index>(1, texts.size() - 1), texts.size() + 5}) {
    SCOPED_TRACE(k);
    const Index evaluated = expect_definition(*distance, *distance, texts, all, texts, all, k);
    EXPECT_LE(evaluated, texts.size() * (texts.size() - 1));
  }
}

TEST_P(NearestTexts, OfASimilarityInSinglePrecisionAreTheSame) {
  const DocumentSet texts = documents();
  const auto distance = make_wmd_distance<double>(context_.execution, texts);
  const auto similarity = make_wmd<float>(context_.execution, texts, 0.3 / GetParam().scale);
  const Side all{all_of(texts), all_of(texts)};
  (void)expect_definition(*similarity, *distance, texts, all, texts, all, 7);
}

TEST_P(NearestTexts, ComeFromOtherGroupsAndFromChosenRows) {
  const DocumentSet texts = documents();
  const auto distance = make_wmd_distance<double>(context_.execution, texts);
  Side asked, among;
  for (Index i = 0; i < texts.size(); ++i) {
    if (i % 3 == 0) asked.rows.push_back(i), asked.groups.push_back(i % 5);
    if (i > texts.size() / 2) among.rows.push_back(i), among.groups.push_back(i % 5);
  }
  (void)expect_definition(*distance, *distance, texts, asked, texts, among, 4);
}

TEST_P(NearestTexts, OfOtherTextsAreFound) {
  const DocumentSet texts = documents(), unseen = documents(77);
  const auto distance = make_wmd_distance<double>(context_.execution, texts);
  const Side few{{0, texts.size() - 1}, {}}, none{{}, {}}, all{all_of(texts), {}};
  for (const Side& asked : {few, none}) {
    (void)expect_definition(*distance, *distance, unseen, asked, texts, all, 3);
    (void)expect_definition(*distance, *distance, unseen, few, texts, asked, 3);
  }
}

INSTANTIATE_TEST_SUITE_P(Random, NearestTexts,
                         testing::Values(Texts{"usual", 150, 60, 20, 8, 1.0}, Texts{"ties", 100, 12, 1, 3, 1.0},
                                         Texts{"long", 40, 90, 3, 80, 1.0}, Texts{"large vectors", 60, 60, 5, 8, 1e17},
                                         Texts{"small vectors", 60, 60, 5, 8, 1e-17},
                                         Texts{"one text", 1, 12, 2, 3, 1.0}),
                         [](const auto& of) {
                           std::string name = of.param.name;
                           std::ranges::replace(name, ' ', '_');
                           return name;
                         });

// More neighbors than one pass over the targets keeps.
TEST(NearestTextsOfMany, TakeSeveralPasses) {
  test::Context context;
  const auto vectors = make_word_vectors(200, 4);
  const DocumentSet texts = make_documents(2500, 3, vectors);
  const auto distance = make_wmd_distance<double>(context.execution, texts);
  const Side all{all_of(texts), all_of(texts)}, few{{3, 1200, 2499}, {3, 1200, 2499}};
  const Index k = 2 * static_cast<Index>(TextCandidates::most) + 100;
  (void)expect_definition(*distance, *distance, texts, few, texts, all, k);
}

// The bounds leave out most texts of a collection with many words.
TEST(NearestTextsOfMany, TakeFewDistances) {
  test::Context context;
  const auto vectors = make_word_vectors(2000, 3);
  const DocumentSet texts = make_documents(600, 5, vectors);
  const auto distance = make_wmd_distance<double>(context.execution, texts);
  const Side all{all_of(texts), all_of(texts)};
  const Index evaluated = expect_definition(*distance, *distance, texts, all, texts, all, 5);
  EXPECT_LT(evaluated, texts.size() * texts.size() / 4);
  EXPECT_GE(evaluated, texts.size() * 5);
}

// No bound is above the distance, whatever the scale of the vectors.
TEST(NearestTextsOfMany, HaveBoundsBelowTheirDistances) {
  test::Context context;
  for (const double scale : {1.0, 1e-12, 1e-25, 1e15, 1e19}) {
    const auto vectors = make_word_vectors(300, 40, scale);
    const DocumentSet texts = make_documents(90, 30, vectors);
    const auto distance = make_wmd_distance<double>(context.execution, texts);
    const auto distances = rows_of(*distance, texts, all_of(texts), texts);
    const auto gathered = texts.gather(world(), all_of(texts));
    const auto& block = dynamic_cast<const DocumentBlock&>(*gathered);
    RelaxedBounds bounds;
    const Range queries = bounds.take_queries(block, 0);
    ASSERT_EQ(queries.size(), texts.size());
    const Range targets = bounds.take_targets(block, 0, RelaxedBounds::target_words(bounds.words()), 1);
    ASSERT_EQ(targets.size(), texts.size());
    bounds.prepare(targets, 1);
    const std::vector<float> limits(bound_kernels::lanes, std::numeric_limits<float>::infinity());
    Index tight = 0;
    for (Index g = 0; g < bounds.groups(); ++g) {
      bounds.each_hit(g, limits.data(), [&](const RelaxedBounds::Hit& hit) {
        for (Index l = 0; l < bound_kernels::lanes && g * bound_kernels::lanes + l < texts.size(); ++l) {
          const double d = distances[g * bound_kernels::lanes + l][hit.target];
          ASSERT_LE(static_cast<double>(hit.bounds[l]), d) << scale;
          tight += static_cast<double>(hit.bounds[l]) > 0.5 * d ? 1 : 0;
        }
      });
    }
    if (scale > 1e-13 && scale < 1e17) {
      EXPECT_GT(tight, texts.size() * texts.size() / 2) << scale;
    }
  }
}

}  // namespace
}  // namespace cairn::nearest_texts_test
