#include "cairn/similarity/word_movers/word_movers_distance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/similarity/columns.hpp"
#include "cairn/similarity/points/bandwidth.hpp"
#include "lemon_word_movers.hpp"
#include "random_documents.hpp"

namespace {

using namespace cairn;
using cairn::test::append_random_document;
using cairn::test::Context;
using cairn::test::lemon_word_movers_distance;
using cairn::test::make_documents;
using cairn::test::make_word_vectors;
using cairn::test::word_distance;
using cairn::test::world;
using Vectors = std::shared_ptr<const WordVectors>;

std::uint64_t new_seed() {
  const char* const given = std::getenv("CAIRN_TEST_SEED");
  std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
  world().broadcast(std::span(&seed, 1), 0);
  if (world().is_root()) std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  return seed;
}

struct Bag {
  std::vector<std::int32_t> words;
  std::vector<float> counts;
};

std::unique_ptr<DocumentBlock> make_block(const std::vector<Bag>& bags, const Vectors& vectors, Index first_id = 0) {
  DocumentBags all;
  std::vector<Index> ids;
  for (const Bag& bag : bags) {
    all.words.insert(all.words.end(), bag.words.begin(), bag.words.end());
    all.counts.insert(all.counts.end(), bag.counts.begin(), bag.counts.end());
    all.starts.push_back(static_cast<Index>(all.words.size()));
    ids.push_back(first_id + static_cast<Index>(ids.size()));
  }
  return make_document_block(ids, all, vectors);
}

std::vector<Bag> random_bags(Index count, Index most, Index vocabulary, std::uint64_t seed) {
  DocumentBags all;
  std::vector<Bag> bags;
  for (Index i = 0; i < count; ++i) {
    append_random_document(all, i, vocabulary, most, seed);
    const auto from = all.starts[i];
    bags.push_back({{all.words.begin() + from, all.words.end()}, {all.counts.begin() + from, all.counts.end()}});
  }
  return bags;
}

double reference(const Bag& x, const Bag& y, const WordVectors& vectors) {
  return lemon_word_movers_distance({x.words, x.counts}, {y.words, y.counts}, vectors);
}

template <class T>
std::vector<T> tile(const Similarity<T>& similarity, const ObjectBlock& rows, const ObjectBlock& columns) {
  std::vector<T> values(rows.size() * columns.size());
  similarity.tile(rows, columns, MatrixView<T>(values.data(), rows.size(), columns.size()));
  return values;
}

struct WordMoversDistance : testing::Test {
  Context context;
  Vectors vectors = make_word_vectors(400, 10);
  DocumentSet documents = make_documents(60, 30, vectors);
  std::unique_ptr<Similarity<double>> distance = make_wmd_distance<double>(context.execution, documents);

  double between(const Bag& x, const Bag& y) const {
    return tile(*distance, *make_block({x}, vectors), *make_block({y}, vectors))[0];
  }
};

TEST_F(WordMoversDistance, AgreesWithANetworkSimplexOnWholeDocuments) {
  const std::uint64_t seed = new_seed();
  for (const Index most : {1, 2, 8, 40, 120}) {
    const auto x = random_bags(most > 40 ? 8 : 16, most, 400, seed), y = random_bags(20, most, 400, seed + 1);
    const auto values = tile(*distance, *make_block(x, vectors), *make_block(y, vectors));
    for (std::size_t a = 0; a < x.size(); ++a) {
      for (std::size_t b = 0; b < y.size(); ++b) {
        EXPECT_NEAR(values[a * y.size() + b], reference(x[a], y[b], *vectors), 1e-9) << a << ", " << b;
      }
    }
  }
}

TEST_F(WordMoversDistance, IsZeroForEqualShares) {
  const Bag x{{3, 8, 90}, {1, 2, 1}};
  EXPECT_EQ(between(x, x), 0.0);
  EXPECT_EQ(between(x, {{3, 8, 90}, {2, 4, 2}}), 0.0);
  EXPECT_EQ(between(x, {{3, 8, 90}, {0.1F, 0.2F, 0.1F}}), 0.0);
  EXPECT_EQ(between({{5}, {7}}, {{365}, {3}}), 0.0);  // another word with the same vector
}

TEST_F(WordMoversDistance, IsTheDistanceOfTwoWordsForDocumentsOfOne) {
  EXPECT_NEAR(between({{7}, {2}}, {{200}, {5}}), word_distance(*vectors, 7, 200), 1e-13);
}

TEST_F(WordMoversDistance, MovesOnlyWhatASubsetLacks) {
  // Half of {a, b} moves from b to a.
  EXPECT_NEAR(between({{7, 200}, {1, 1}}, {{7}, {3}}), word_distance(*vectors, 7, 200) / 2, 1e-13);
  // {a, b, c}: the thirds at b and c move to a.
  EXPECT_NEAR(between({{7, 200, 201}, {1, 1, 1}}, {{7}, {1}}),
              (word_distance(*vectors, 7, 200) + word_distance(*vectors, 7, 201)) / 3, 1e-13);
}

TEST_F(WordMoversDistance, IsAMetric) {
  const auto bags = random_bags(25, 20, 400, new_seed());
  const auto block = make_block(bags, vectors);
  const auto values = tile(*distance, *block, *block);
  const std::size_t n = bags.size();
  for (std::size_t a = 0; a < n; ++a) {
    EXPECT_EQ(values[a * n + a], 0.0);
    for (std::size_t b = 0; b < n; ++b) {
      EXPECT_NEAR(values[a * n + b], values[b * n + a], 1e-12);
      for (std::size_t c = 0; c < n; ++c) {
        EXPECT_LE(values[a * n + b], values[a * n + c] + values[c * n + b] + 1e-12);
      }
    }
  }
}

TEST_F(WordMoversDistance, GivesTheSameInPairsTilesAndSinglePrecision) {
  const std::uint64_t seed = new_seed();
  const auto x = make_block(random_bags(70, 60, 400, seed), vectors);
  const auto y = make_block(random_bags(70, 60, 400, seed + 1), vectors, 100);
  const auto single = make_wmd<float>(context.execution, documents, 0.3);
  const auto exponential = make_wmd<double>(context.execution, documents, 0.3);
  const auto distances = tile(*distance, *x, *y);
  const auto similarities = tile(*exponential, *x, *y);
  const auto singles = tile(*single, *x, *y);
  for (std::size_t e = 0; e < distances.size(); ++e) {
    EXPECT_NEAR(similarities[e], std::exp(-0.3 * distances[e]), 1e-15);
    EXPECT_EQ(singles[e], static_cast<float>(similarities[e]));
  }
  std::vector<double> pairs(70);
  distance->pairs(*x, *y, pairs);
  for (std::size_t a = 0; a < 70; ++a) EXPECT_NEAR(pairs[a], distances[a * 70 + a], 1e-13 * pairs[a]);
  EXPECT_EQ(distance->evaluations(), 70 * 70 + 70);
}

TEST_F(WordMoversDistance, KeepsItsDigitsForVectorsOfAnySize) {
  const std::uint64_t seed = new_seed();
  for (const double scale : {1e-15, 1e15}) {
    const Vectors scaled = make_word_vectors(400, 10, scale);
    const auto x = random_bags(10, 30, 400, seed), y = random_bags(10, 30, 400, seed + 1);
    const auto values = tile(*distance, *make_block(x, scaled), *make_block(y, scaled));
    for (std::size_t a = 0; a < 10; ++a) {
      for (std::size_t b = 0; b < 10; ++b) {
        const double expected = reference(x[a], y[b], *scaled);
        EXPECT_NEAR(values[a * 10 + b], expected, 1e-10 * expected);
      }
    }
  }
}

// Two words that differ in their last digits, far from the origin.
TEST_F(WordMoversDistance, TellsNearVectorsApart) {
  std::vector<float> values(30, 100.0F);
  values[10] = std::nextafter(100.0F, 200.0F);
  values[29] = 101.0F;
  const std::vector<std::string> words{"a", "b", "c"};
  const auto near = std::make_shared<const WordVectors>(world(), words, 10, values);
  const auto x = make_block({{{0}, {1}}}, near), y = make_block({{{1}, {1}}, {{2}, {1}}, {{1, 2}, {1, 1}}}, near);
  const auto distances = tile(*distance, *x, *y);
  const double step = static_cast<double>(values[10]) - 100.0;
  EXPECT_NEAR(distances[0], step, 1e-13 * step);
  EXPECT_NEAR(distances[1], 1.0, 1e-13);
  EXPECT_NEAR(distances[2], (1.0 + step) / 2, 1e-13);
}

TEST_F(WordMoversDistance, NamesTheDocumentsOfAValueThatIsNotFinite) {
  std::vector<float> values(40, 1.0F);
  values[25] = std::numeric_limits<float>::infinity();
  const std::vector<std::string> words{"a", "b", "c", "d"};
  const auto broken = std::make_shared<const WordVectors>(world(), words, 10, values);
  const auto x = make_block({{{0, 1}, {1, 1}}}, broken),
             y = make_block({{{1, 3}, {1, 2}}, {{2, 3}, {1, 2}}}, broken, 41);
  for (const auto& similarity :
       {make_wmd<double>(context.execution, documents, 1.0), make_wmd_distance<double>(context.execution, documents)}) {
    try {
      (void)tile(*similarity, *x, *y);
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::numeric);
      EXPECT_NE(std::string(error.what()).find("object 0 and object 42"), std::string::npos) << error.what();
    }
  }
}

// Many times, so that tiles and blocks of a tile end everywhere.
TEST_F(WordMoversDistance, GivesTheSameColumnsOnAnyNumberOfRanks) {
  const DocumentSet many = make_documents(700, 60, vectors, 9);
  std::vector<Index> ids(90);
  for (std::size_t b = 0; b < ids.size(); ++b) ids[b] = static_cast<Index>(b * 7 % 700);
  const auto landmarks = many.gather(world(), ids);
  const auto columns = evaluate_columns<double>(context.execution, *distance, many, *landmarks, "columns", "columns");
  const auto own = many.block(many.range());
  const auto expected = tile(*distance, *own, *landmarks);
  for (Index i = 0; i < own->size(); ++i) {
    for (std::size_t b = 0; b < ids.size(); ++b) {
      EXPECT_NEAR(columns.row(many.range().begin + i)[b], expected[static_cast<std::size_t>(i) * ids.size() + b],
                  1e-13);
    }
  }
}

TEST_F(WordMoversDistance, ATileCostsAsItsDocumentsHaveWords) {
  const DocumentBags& bags = documents.bags();
  const auto words = static_cast<double>(world().sum(static_cast<Index>(bags.words.size())));
  const double mean = words / static_cast<double>(documents.size());
  const Range own = documents.range();
  double sum = 0.0;
  for (Index i = own.begin; i < own.end; ++i) {
    const auto a = static_cast<std::size_t>(i - own.begin);
    const double expected = 300.0 + 15.0 * static_cast<double>(bags.starts[a + 1] - bags.starts[a]) * mean;
    EXPECT_NEAR(distance->cost(*documents.block({i, i + 1})), expected, 1e-9 * expected);
    sum += expected;
  }
  EXPECT_NEAR(distance->cost(*documents.block(own)), sum, 1e-9 * sum);
  const double nanoseconds =
      static_cast<double>(distance->traits().most_entries_in_tile) * (300.0 + 15.0 * mean * mean);
  EXPECT_NEAR(nanoseconds, 1e10, 1e-3 * 1e10);
}

TEST_F(WordMoversDistance, TakesGammaFromTheMedianDistance) {
  const double gamma = median_gamma(context.execution, *distance, documents);
  std::vector<Index> ids(60);
  std::iota(ids.begin(), ids.end(), Index{0});
  const auto all = documents.gather(world(), ids);
  const auto values = tile(*distance, *all, *all);
  std::vector<double> distances;
  for (std::size_t a = 0; a < 60; ++a) {
    for (std::size_t b = 0; b < a; ++b) distances.push_back(values[a * 60 + b]);
  }
  std::sort(distances.begin(), distances.end());
  const std::size_t half = distances.size() / 2;
  EXPECT_NEAR(gamma * (distances[half - 1] + distances[half]) / 2, 1.0, 1e-12);
}

TEST_F(WordMoversDistance, NeedsVectors) {
  const RowPartition partition(1, world().size());
  DocumentBags bags;
  if (partition.range(world().rank()).size() == 1) bags.starts.push_back(0);
  const DocumentSet without(partition, world().rank(), nullptr, bags);
  EXPECT_THROW((void)make_wmd_distance<double>(context.execution, without), Error);
}

}  // namespace
