#include "cairn/linalg/tiles/symmetric_tiles.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <memory>

#include "../landmark/remembering_ledger.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"
#include "cairn/linalg/tiles/tile_redistribution.hpp"
#include "replicated.hpp"
#include "test_communicator.hpp"

namespace cairn::symmetric_tiles_test {
namespace {

using test::world;

constexpr Index size = 23, order = 5;  // 5 block rows, the last of 3 rows: 15 tiles

// A symmetric matrix of integers below 65,536.
double entry(Index i, Index j) {
  const Index low = std::min(i, j), high = std::max(i, j);
  return static_cast<double>((high * 2731 + low * 911 + 7) % 65536);
}

class Shelf final : public test::RememberingLedger {
 public:
  bool get(Index tile, std::span<std::byte> bytes) override {
    ++reads_;
    return test::RememberingLedger::get(tile, bytes);
  }
  [[nodiscard]] Index reads() const { return reads_; }

 private:
  Index reads_ = 0;
};

SymmetricTiles filled(TileNumber number, Index rows = size, Index tile_order = order,
                      const std::shared_ptr<TileLedger>& storage = nullptr) {
  SymmetricTiles matrix(rows, tile_order, number, world().size(), world().rank(), storage);
  for (Index tile = 0; tile < matrix.tiles(); ++tile) {
    if (!matrix.mine(tile)) continue;
    const auto at = matrix.place(tile);
    std::vector<double> values;
    for (Index i = at.rows.begin; i < at.rows.end; ++i)
      for (Index j = at.columns.begin; j < at.columns.end; ++j) values.push_back(entry(i, j));
    matrix.store(tile, {values.data(), at.rows.size(), at.columns.size()});
  }
  return matrix;
}

class Numbers : public testing::TestWithParam<TileNumber> {};
INSTANTIATE_TEST_SUITE_P(All, Numbers,
                         testing::Values(TileNumber::uint16, TileNumber::uint32, TileNumber::float32,
                                         TileNumber::float64));

TEST(SymmetricTiles, CoverTheLowerTriangleOnce) {
  const SymmetricTiles matrix(size, order, TileNumber::float64, 1, 0);
  ASSERT_EQ(matrix.tiles(), 15);
  std::vector<int> covered(size * size, 0);
  for (Index tile = 0; tile < matrix.tiles(); ++tile) {
    const auto at = matrix.place(tile);
    for (Index i = at.rows.begin; i < at.rows.end; ++i) {
      for (Index j = at.columns.begin; j < at.columns.end; ++j) {
        ++covered[i * size + j];
        EXPECT_EQ(matrix.tile_of(i, j), tile);
        EXPECT_EQ(matrix.tile_of(j, i), tile);
      }
    }
  }
  for (Index i = 0; i < size; ++i) {
    for (Index j = 0; j < size; ++j) {
      const int expected = j / order <= i / order ? 1 : 0;
      EXPECT_EQ(covered[i * size + j], expected);
    }
  }
}

TEST(SymmetricTiles, FindTheLastTileOfAVeryLargeMatrix) {
  const SymmetricTiles matrix(100'000, 1, TileNumber::uint16, 2'000'000'000, 1'999'999'999);
  const Index tile = matrix.tile_of(99'999, 99'999);
  EXPECT_EQ(tile + 1, Index{100'000} * 100'001 / 2);
  EXPECT_EQ(matrix.place(tile).rows.begin, 99'999);
  EXPECT_EQ(matrix.place(tile - 99'999).columns.begin, 0);
  EXPECT_EQ(matrix.place(tile - 100'000).rows.begin, 99'998);
}

TEST(SymmetricTiles, AreAtLeastSixtyFourAndAtMost1024RowsHigh) {
  for (const Index l : {11, 64, 100, 1000, 5000}) {
    EXPECT_GE(SymmetricTiles(l, SymmetricTiles::default_order(l), TileNumber::uint16, 1, 0).tiles(), 64) << l;
  }
  EXPECT_EQ(SymmetricTiles::default_order(100'000), 1024);
  EXPECT_EQ(SymmetricTiles::default_order(1), 1);
}

TEST_P(Numbers, GiveBackWhatWasStored) {
  const SymmetricTiles matrix = filled(GetParam());
  Index held = 0;
  for (Index tile = world().rank(); tile < matrix.tiles(); tile += world().size()) {
    const auto at = matrix.place(tile);
    std::vector<double> values(at.rows.size() * at.columns.size());
    matrix.load(tile, {values.data(), at.rows.size(), at.columns.size()});
    EXPECT_EQ(matrix.read(tile).bytes().size(), values.size() * static_cast<std::size_t>(bytes_of(GetParam())));
    held += static_cast<Index>(values.size());
    for (std::size_t e = 0; e < values.size(); ++e) {
      const auto k = static_cast<Index>(e);
      EXPECT_EQ(values[e], entry(at.rows.begin + k / at.columns.size(), at.columns.begin + k % at.columns.size()));
    }
  }
  EXPECT_EQ(world().sum(held), (size * size + 4 * order * order + 3 * 3) / 2);
}

TEST_P(Numbers, GiveTheEntriesThatEveryRankAsksFor) {
  const SymmetricTiles matrix = filled(GetParam());
  std::vector<Index> rows, columns;
  const Random random(11, Stream::test);
  for (Index e = 0; world().rank() != 1 && e < 200 + world().rank(); ++e) {
    rows.push_back(random.below(size, static_cast<std::uint64_t>(e)));
    columns.push_back(random.below(size, static_cast<std::uint64_t>(e), 1));
  }
  const std::vector<double> values = entries_of(world(), matrix, rows, columns);
  ASSERT_EQ(values.size(), rows.size());
  for (std::size_t e = 0; e < rows.size(); ++e) EXPECT_EQ(values[e], entry(rows[e], columns[e]));
}

// Of six vectors the first is empty, the others have more and more entries: the last has 5 / spread of all.
void expect_products(TileNumber number, double spread) {
  const Index rows = 301;
  const SymmetricTiles matrix = filled(number, rows, 150);  // more columns than one chunk, a last tile of one row
  SparseVectors vectors;
  const Random random(12, Stream::test);
  std::vector<std::vector<double>> dense;
  for (Index v = 0; v < 6; ++v) {
    dense.emplace_back(static_cast<std::size_t>(rows), 0.0);
    for (Index j = 0; j < rows; ++j) {
      const double draw = random.uniform(static_cast<std::uint64_t>(v), static_cast<std::uint64_t>(j));
      if (draw * spread >= static_cast<double>(v)) continue;
      vectors.indices.push_back(j);
      vectors.values.push_back(random.normal(static_cast<std::uint64_t>(100 + v), static_cast<std::uint64_t>(j)));
      dense.back()[j] = vectors.values.back();
    }
    vectors.starts.push_back(static_cast<Index>(vectors.indices.size()));
  }
  for (const int threads : {1, 3}) {
    const Buffer<double> product = multiply(world(), matrix, vectors, threads);
    ASSERT_EQ(product.size(), rows * 6);
    for (Index i = 0; i < rows; ++i) {
      for (Index v = 0; v < 6; ++v) {
        double expected = 0.0;
        for (Index j = 0; j < rows; ++j) expected += entry(i, j) * dense[v][j];
        EXPECT_NEAR(product[i * 6 + v], expected, 1e-7) << i << ' ' << v;
      }
    }
  }
}

TEST_P(Numbers, MultiplySparseVectors) { expect_products(GetParam(), 40); }
TEST_P(Numbers, MultiplyVectorsOfManyEntries) { expect_products(GetParam(), 5); }

TEST_P(Numbers, GiveBilinearFormsOfSparseVectors) {
  const SymmetricTiles matrix = filled(GetParam());
  SparseVectors left, right;
  const auto add = [](SparseVectors& vectors, std::vector<Index> indices) {
    for (const Index at : indices) {
      vectors.indices.push_back(at);
      vectors.values.push_back(0.5 + static_cast<double>(at));
    }
    vectors.starts.push_back(static_cast<Index>(vectors.indices.size()));
  };
  add(left, {0, 1, 7, 22});  // several tiles on both sides of the diagonal
  add(right, {2, 5, 6, 21});
  add(left, {22});
  add(right, {0, 22});
  add(left, {});
  add(right, {3});
  const std::vector<double> forms = bilinear_forms(world(), matrix, left, right, 2);
  ASSERT_EQ(forms.size(), 3U);
  for (std::size_t pair = 0; pair < 3; ++pair) {
    double expected = 0.0;
    for (auto a = left.starts[pair]; a < left.starts[pair + 1]; ++a) {
      for (auto b = right.starts[pair]; b < right.starts[pair + 1]; ++b) {
        const auto x = static_cast<std::size_t>(a), y = static_cast<std::size_t>(b);
        expected += left.values[x] * entry(left.indices[x], right.indices[y]) * right.values[y];
      }
    }
    EXPECT_NEAR(forms[pair], expected, 1e-6);
  }
  add(right, {1});
  EXPECT_THROW((void)bilinear_forms(world(), matrix, left, right, 1), Error);
}

TEST_P(Numbers, GiveTheSameOutOfALedger) {
  const auto shelf = std::make_shared<Shelf>();
  const SymmetricTiles kept = filled(GetParam()), stored = filled(GetParam(), size, order, shelf);
  EXPECT_FALSE(stored.in_memory());
  EXPECT_EQ(stored.own_bytes(), kept.own_bytes());
  SparseVectors vectors;
  vectors.starts = {0, 3, 5};
  vectors.indices = {0, 7, 22, 3, 4};
  vectors.values = {1.5, -2.0, 0.25, 3.0, 1.0};
  const Buffer<double> expected = multiply(world(), kept, vectors, 2), found = multiply(world(), stored, vectors, 2);
  EXPECT_TRUE(std::ranges::equal(expected.span(), found.span()));
  EXPECT_EQ(bilinear_forms(world(), kept, vectors, vectors, 2), bilinear_forms(world(), stored, vectors, vectors, 2));
  const std::vector<Index> rows = {0, 22, 5, 5}, columns = {22, 0, 5, 17};
  EXPECT_EQ(entries_of(world(), kept, rows, columns), entries_of(world(), stored, rows, columns));
}

// What a product does not need is not read: vectors in the first block row alone meet one tile of five rows in a form.
TEST(SymmetricTiles, ReadsATileOnceForAllThatNeedIt) {
  const auto shelf = std::make_shared<Shelf>();
  const SymmetricTiles stored = filled(TileNumber::uint16, size, order, shelf);
  const Index before = shelf->reads();
  SparseVectors vectors;
  vectors.starts = {0, 2, 4};
  vectors.indices = {0, 4, 1, 2};
  vectors.values = {1.0, 1.0, 1.0, 1.0};
  EXPECT_DOUBLE_EQ(bilinear_forms(world(), stored, vectors, vectors, 1)[0],
                   entry(0, 0) + 2 * entry(0, 4) + entry(4, 4));
  EXPECT_EQ(world().sum(shelf->reads() - before), 1);
  static_cast<void>(entries_of(world(), stored, std::vector<Index>{0, 1, 7}, std::vector<Index>{1, 2, 8}));
  EXPECT_EQ(world().sum(shelf->reads() - before), 3);
}

TEST(SymmetricTiles, AreZeroUntilTheyAreStoredAndOpenTilesAddUp) {
  for (const bool on_shelf : {false, true}) {
    const auto shelf = on_shelf ? std::make_shared<Shelf>() : nullptr;
    SymmetricTiles matrix(size, order, TileNumber::uint16, world().size(), world().rank(), shelf);
    for (int round = 1; round <= 2; ++round) {
      OpenTiles open(matrix);
      for (Index tile = world().rank(); tile < matrix.tiles(); tile += world().size()) {
        auto* const values = reinterpret_cast<std::uint16_t*>(open.bytes(tile).data());
        values[0] = static_cast<std::uint16_t>(values[0] + round);
      }
      open.close();
    }
    for (Index tile = world().rank(); tile < matrix.tiles(); tile += world().size()) {
      const TileValues held = matrix.read(tile);
      EXPECT_EQ(held.as<std::uint16_t>(1, 1)(0, 0), 3);
    }
  }
}

TEST(SymmetricTiles, OfOneRowAreASingleNumber) {
  const SymmetricTiles matrix = filled(TileNumber::float64, 1, 1);
  SparseVectors vectors;
  vectors.starts = {0, 1};
  vectors.indices = {0};
  vectors.values = {2.0};
  EXPECT_EQ(multiply(world(), matrix, vectors, 1)[0], 2.0 * entry(0, 0));
}

void expect_refusal(TileNumber number, double value) {
  SymmetricTiles matrix(1, 1, number, 1, 0);
  try {
    matrix.store(0, {&value, 1, 1});
    FAIL() << value << " was kept as " << name_of(number);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::numeric);
    EXPECT_THAT(error.what(), testing::HasSubstr(name_of(number)));
  }
}

TEST(SymmetricTiles, RefuseWhatTheirNumberCannotHold) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  for (const double value : {65536.0, -1.0, 0.5, nan, infinity}) expect_refusal(TileNumber::uint16, value);
  for (const double value : {4294967296.0, -1.0, 1e9 + 0.5, nan}) expect_refusal(TileNumber::uint32, value);
  for (const double value : {1e39, nan, -infinity}) expect_refusal(TileNumber::float32, value);
  for (const double value : {nan, infinity}) expect_refusal(TileNumber::float64, value);
  double largest = 65535.0, out = 0.0;
  SymmetricTiles matrix(1, 1, TileNumber::uint16, 1, 0);
  matrix.store(0, {&largest, 1, 1});
  matrix.load(0, {&out, 1, 1});
  EXPECT_EQ(out, 65535.0);
}

TEST(SymmetricTiles, RefuseAVectorBeyondTheirSizeOnAllRanks) {
  const SymmetricTiles matrix = filled(TileNumber::uint16);
  SparseVectors vectors;
  vectors.starts = {0, 1};
  vectors.indices = {size};
  vectors.values = {1.0};
  EXPECT_THROW((void)multiply(world(), matrix, vectors, 1), Error);
}

// More than one block of ScaLAPACK's, and tiles across their borders; a tile may be much larger than the matrix.
TEST_P(Numbers, BecomeBlockCyclicWithBothTriangles) {
  for (const auto& [rows, tile_order] : {std::pair<Index, Index>{150, 40}, {23, 5}, {1, 1}, {23, Index{1} << 31}}) {
    const test::Replicated whole =
        test::replicated(to_block_cyclic(test::world_grid(), filled(GetParam(), rows, tile_order)));
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < rows; ++j) ASSERT_EQ(whole(i, j), entry(i, j)) << i << ' ' << j;
    }
  }
}

}  // namespace
}  // namespace cairn::symmetric_tiles_test
