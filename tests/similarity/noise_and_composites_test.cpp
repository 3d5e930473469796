#include <gtest/gtest.h>

#include <cmath>

#include "cairn/base/error.hpp"
#include "cairn/similarity/catalog/composite_similarity.hpp"
#include "cairn/similarity/numbered_similarities.hpp"
#include "cairn/similarity/points/point_similarities.hpp"
#include "point_objects.hpp"

namespace {

using namespace cairn;
using cairn::test::make_block;
using cairn::test::normal_coordinate;
using cairn::test::numbers;

std::vector<double> tile_of(const Similarity<double>& similarity, const ObjectBlock& rows, const ObjectBlock& columns) {
  std::vector<double> values(rows.size() * columns.size());
  similarity.tile(rows, columns, MatrixView<double>(values.data(), rows.size(), columns.size()));
  return values;
}

ObjectBlock numbered(std::vector<Index> ids) {
  ObjectBlock block;
  block.ids = std::move(ids);
  return block;
}

std::vector<std::unique_ptr<Similarity<double>>> two(std::unique_ptr<Similarity<double>> first,
                                                     std::unique_ptr<Similarity<double>> second) {
  std::vector<std::unique_ptr<Similarity<double>>> parts;
  parts.push_back(std::move(first));
  parts.push_back(std::move(second));
  return parts;
}

TEST(Noise, IsSymmetricAndHasTheMomentsAskedFor) {
  const auto noise = make_noise<double>(3, 0.5, 2.0);
  const ObjectBlock objects = numbered(numbers(0, 300));
  const auto k = tile_of(*noise, objects, objects);
  double sum = 0, squares = 0, diagonal = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    diagonal += k[i * 301] * k[i * 301];
    for (std::size_t j = 0; j < i; ++j) {
      ASSERT_EQ(k[i * 300 + j], k[j * 300 + i]);
      sum += k[i * 300 + j];
      squares += k[i * 300 + j] * k[i * 300 + j];
    }
  }
  constexpr double pairs = 300 * 299 / 2;
  EXPECT_NEAR(sum / pairs, 0.0, 4 * 0.5 / std::sqrt(pairs));
  EXPECT_NEAR(squares / pairs, 0.25, 4 * 0.25 * std::sqrt(2 / pairs));
  EXPECT_NEAR(diagonal / 300, 4.0, 4 * 4.0 * std::sqrt(2.0 / 300));
}

TEST(Noise, HasTheMeanAskedFor) {
  const ObjectBlock objects = numbered(numbers(0, 30));
  const auto about_zero = tile_of(*make_noise<double>(3, 0.5, 2.0), objects, objects);
  const auto about_one = tile_of(*make_noise<double>(3, 0.5, 2.0, 1.0), objects, objects);
  for (std::size_t k = 0; k < about_one.size(); ++k) EXPECT_EQ(about_one[k], 1.0 + about_zero[k]);
}

TEST(Noise, DependsOnTheSeedAndTheObjectsAlone) {
  const ObjectBlock all = numbered(numbers(0, 20)), some = numbered({17, 3});
  const auto whole = tile_of(*make_noise<double>(3, 1, 1), all, all);
  const auto part = tile_of(*make_noise<double>(3, 1, 1), some, all);
  const auto other = tile_of(*make_noise<double>(4, 1, 1), all, all);
  for (std::size_t b = 0; b < 20; ++b) {
    EXPECT_EQ(part[b], whole[17 * 20 + b]);
    EXPECT_EQ(part[20 + b], whole[3 * 20 + b]);
  }
  EXPECT_NE(whole, other);
}

TEST(Noise, IsNotDefinedForUnseenObjects) {
  const auto noise = make_noise<double>(3, 1, 1);
  EXPECT_FALSE(noise->traits().defined_for_unseen);
  EXPECT_THROW(tile_of(*noise, numbered({-1}), numbered({2})), Error);
}

TEST(Composites, AddAndMultiplyEntries) {
  const auto rows = make_block<double>(numbers(0, 30), 4, normal_coordinate);
  const auto columns =
      make_block<double>(numbers(10, 25), 4, [](Index b, Index k) { return normal_coordinate(b + 10, k); });
  const auto a = tile_of(*make_rbf<double>(4, 0.1), *rows, *columns);
  const auto b = tile_of(*make_noise<double>(5, 0.2, 0.3), *rows, *columns);
  const auto sum = make_sum<double>(two(make_rbf<double>(4, 0.1), make_noise<double>(5, 0.2, 0.3)), {2.0, -0.5});
  const auto product = make_product<double>(two(make_rbf<double>(4, 0.1), make_noise<double>(5, 0.2, 0.3)));
  const auto added = tile_of(*sum, *rows, *columns);
  const auto multiplied = tile_of(*product, *rows, *columns);
  for (std::size_t e = 0; e < a.size(); ++e) {
    EXPECT_NEAR(added[e], 2.0 * a[e] - 0.5 * b[e], 1e-15);
    EXPECT_NEAR(multiplied[e], a[e] * b[e], 1e-15);
  }
  std::vector<double> pairs(15);
  const auto first = make_block<double>(numbers(0, 15), 4, normal_coordinate);
  sum->pairs(*first, *columns, pairs);
  for (std::size_t e = 0; e < 15; ++e) EXPECT_NEAR(pairs[e], added[e * 15 + e], 1e-14);
}

TEST(Composites, CountAnEntryOnce) {
  const auto sum = make_sum<double>(two(make_linear<double>(2), make_noise<double>(1, 1, 1)), {1.0, 1.0});
  const auto points = make_block<double>(numbers(0, 6), 2, normal_coordinate);
  tile_of(*sum, *points, *points);
  EXPECT_EQ(sum->evaluations(), 36);
}

TEST(Composites, AreDefinedForUnseenObjectsWhereAllPartsAre) {
  EXPECT_TRUE(make_product<double>(two(make_linear<double>(2), make_linear<double>(2)))->traits().defined_for_unseen);
  EXPECT_FALSE(
      make_product<double>(two(make_linear<double>(2), make_noise<double>(1, 1, 1)))->traits().defined_for_unseen);
}

TEST(Composites, OfADistanceAreDistances) {
  const auto noisy = make_sum<double>(two(make_euclidean<double>(2), make_noise<double>(1, 1, 1)), {1.0, 1.0});
  EXPECT_EQ(noisy->traits().meaning, Meaning::distance);
  const auto sum = make_sum<double>(two(make_linear<double>(2), make_noise<double>(1, 1, 1)), {1.0, 1.0});
  EXPECT_EQ(sum->traits().meaning, Meaning::similarity);
}

TEST(Composites, NameThePairWhoseProductOverflows) {
  const auto large = [](Index a, Index) { return a == 1 ? 1e100 : 1.0; };
  const auto points = make_block<double>({4, 7}, 1, large);
  const auto product = make_product<double>(two(make_linear<double>(1), make_linear<double>(1)));
  try {
    tile_of(*product, *points, *points);
    FAIL() << "an infinite product was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::numeric);
    EXPECT_NE(std::string(error.what()).find("product of object 7 and object 7"), std::string::npos) << error.what();
  }
}

}  // namespace
