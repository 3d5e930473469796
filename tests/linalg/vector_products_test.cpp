#include "cairn/linalg/tall/vector_products.hpp"

#include <gmock/gmock.h>

#include "../landmark/remembering_ledger.hpp"
#include "cairn/base/error.hpp"
#include "replicated.hpp"

namespace cairn::vector_products_test {
namespace {

using test::Replicated;
using test::world;

std::vector<double> draws(Index count) { return test::random_matrix(count, 1, 5).values; }

void expect_near(const std::vector<double>& found, const Replicated& expected, double tolerance) {
  EXPECT_THAT(found, testing::Pointwise(testing::DoubleNear(tolerance), expected.values));
}

Replicated column(std::vector<double> values) {
  Replicated result(static_cast<Index>(values.size()), 1);
  result.values = std::move(values);
  return result;
}

TEST(VectorProducts, OfABlockCyclicMatrixAndItsTranspose) {
  for (const auto [rows, columns] : {std::pair<Index, Index>{1, 1}, {130, 70}, {3, 200}}) {
    const Replicated a = test::random_matrix(rows, columns, 1);
    const BlockCyclicMatrix matrix = distributed(test::world_grid(), a);
    expect_near(multiply_vector(matrix, false, draws(columns)), product(a, column(draws(columns))), 1e-12);
    expect_near(multiply_vector(matrix, true, draws(rows)), product(transposed(a), column(draws(rows))), 1e-12);
  }
  const BlockCyclicMatrix matrix = distributed(test::world_grid(), test::random_matrix(3, 4, 1));
  EXPECT_THROW(static_cast<void>(multiply_vector(matrix, false, draws(3))), Error);
}

// Entries that every number type holds.
Replicated symmetric(Index size) {
  Replicated a(size, size);
  for (Index i = 0; i < size; ++i)
    for (Index j = 0; j < size; ++j)
      a(i, j) = static_cast<double>((std::max(i, j) * 2731 + std::min(i, j) * 911 + 7) % 60000);
  return a;
}

SymmetricTiles in_tiles(const Replicated& a, TileNumber number, const std::shared_ptr<TileLedger>& storage) {
  SymmetricTiles matrix(a.rows, 5, number, world().size(), world().rank(), storage);
  for (Index tile = 0; tile < matrix.tiles(); ++tile) {
    if (!matrix.mine(tile)) continue;
    const auto at = matrix.place(tile);
    std::vector<double> values;
    for (Index i = at.rows.begin; i < at.rows.end; ++i)
      for (Index j = at.columns.begin; j < at.columns.end; ++j) values.push_back(a(i, j));
    matrix.store(tile, {values.data(), at.rows.size(), at.columns.size()});
  }
  return matrix;
}

TEST(VectorProducts, OfSymmetricTilesOfEveryNumberTypeInMemoryAndInALedger) {
  for (const TileNumber number : {TileNumber::uint16, TileNumber::uint32, TileNumber::float32, TileNumber::float64}) {
    for (const Index size : {1, 5, 23}) {
      const Replicated a = symmetric(size), expected = product(a, column(draws(size)));
      for (const bool in_memory : {true, false}) {
        const SymmetricTiles matrix =
            in_tiles(a, number, in_memory ? nullptr : std::make_shared<test::RememberingLedger>());
        for (const int threads : {1, 3}) {
          expect_near(multiply_vector(world(), matrix, draws(size), threads), expected, 1e-8);
        }
        EXPECT_THROW(static_cast<void>(multiply_vector(world(), matrix, draws(size + 1), 1)), Error);
      }
    }
  }
}

// Once it is gone the first tile, which one rank has, cannot be read.
class FailingDisk final : public test::RememberingLedger {
 public:
  bool get(Index tile, std::span<std::byte> bytes) override {
    if (gone && tile == 0) throw Error(ErrorKind::resource, "the disk is gone");
    return test::RememberingLedger::get(tile, bytes);
  }
  bool gone = false;
};

TEST(VectorProducts, OfTilesThatOneRankCannotReadEndOnAllRanks) {
  const auto disk = std::make_shared<FailingDisk>();
  const SymmetricTiles matrix = in_tiles(symmetric(23), TileNumber::float64, disk);
  disk->gone = true;
  EXPECT_THROW(static_cast<void>(multiply_vector(world(), matrix, draws(23), 2)), Error);
}

}  // namespace
}  // namespace cairn::vector_products_test
