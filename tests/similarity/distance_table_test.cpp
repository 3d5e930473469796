#include "cairn/similarity/distance_table.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <new>

#include "cairn/base/error.hpp"
#include "cairn/similarity/base_distance.hpp"
#include "cairn/similarity/columns.hpp"
#include "cairn/similarity/points/point_similarities.hpp"
#include "point_objects.hpp"

namespace {

std::atomic<std::size_t> live_bytes = 0, peak_bytes = 0;

}  // namespace

// Counts what containers hold.
void* operator new(std::size_t size) {
  void* const memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  const std::size_t live = live_bytes += malloc_usable_size(memory);
  if (live > peak_bytes) peak_bytes = live;
  return memory;
}
// As std::stable_sort asks for its buffer.
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept {
  live_bytes -= malloc_usable_size(memory);
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept { operator delete(memory); }

namespace {

using namespace cairn;
using cairn::test::make_points;
using cairn::test::normal_coordinate;
using cairn::test::numbers;
using cairn::test::world;

constexpr Index n = 200, d = 20;

// The largest difference over this rank's rows.
double difference(const RowBlock<double>& a, const RowBlock<double>& b) {
  EXPECT_EQ(a.columns(), b.columns());
  double largest = 0;
  for (Index i = a.range().begin; i < a.range().end; ++i) {
    for (std::size_t j = 0; j < static_cast<std::size_t>(a.columns()); ++j) {
      largest = std::max(largest, std::abs(a.row(i)[j] - b.row(i)[j]));
    }
  }
  return largest;
}

RowBlock<double> columns_of(const Similarity<double>& similarity, const PointSet<double>& points,
                            const std::vector<Index>& ids) {
  test::Context context;
  return evaluate_columns(context.execution, similarity, points, *points.gather(world(), ids), "columns", "loop");
}

RowBlock<double> block_of(const Similarity<double>& similarity, const PointSet<double>& points,
                          const std::vector<Index>& sample) {
  test::Context context;
  return evaluate_principal_submatrix(context.execution, similarity, points, sample, "columns", "sample");
}

Index evaluations(const Similarity<double>& similarity) { return world().sum(similarity.evaluations()); }

TEST(DistanceTable, SimilaritiesAreFunctionsOfTheirDistances) {
  const auto points = make_points<double>(n, d, normal_coordinate);
  const auto all = points.gather(world(), numbers(0, n));
  const auto& x = dynamic_cast<const PointBlock<double>&>(*all).coordinates;
  struct Case {
    std::unique_ptr<Similarity<double>> similarity;
    bool manhattan;
    double tolerance;
  };
  std::vector<Case> cases;
  cases.push_back({make_laplacian<double>(d, 0.2), true, 0.0});
  cases.push_back({make_rbf<double>(d, 0.05), false, 1e-13});
  cases.push_back({make_euclidean<double>(d), false, 1e-13});
  for (const double nu : {0.5, 1.5, 2.5}) cases.push_back({make_matern<double>(d, nu, 2.0), false, 1e-13});
  std::vector<double> tile(n * n), base(tile.size()), pairs(static_cast<std::size_t>(n));
  for (const auto& [similarity, manhattan, tolerance] : cases) {
    EXPECT_EQ(similarity->traits().base, manhattan ? "manhattan" : "squared-euclidean");
    similarity->tile(*all, *all, MatrixView<double>(tile.data(), n, n));
    similarity->base_tile(*all, *all, MatrixView<double>(base.data(), n, n));
    EXPECT_EQ(similarity->evaluations(), 2 * n * n);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        double expected = 0;
        for (Index k = 0; k < d; ++k) {
          const double step = std::abs(x(i, k) - x(j, k));
          expected += manhattan ? step : step * step;
        }
        ASSERT_NEAR(base[i * n + j], expected, 1e-12 * (1 + expected));
      }
    }
    ASSERT_TRUE(similarity->base_distance()->from_base(base.data(), n * n));
    for (std::size_t e = 0; e < tile.size(); ++e) ASSERT_NEAR(base[e], tile[e], tolerance * (1 + std::abs(tile[e])));
    similarity->base_pairs(*all, *all, pairs);
    EXPECT_EQ(pairs[7], 0.0);
  }
  EXPECT_EQ(make_linear<double>(d)->traits().base, "");
  EXPECT_EQ(make_linear<double>(d)->base_distance(), nullptr);
  EXPECT_THROW(make_linear<double>(d)->base_tile(*all, *all, MatrixView<double>(base.data(), n, n)), Error);
}

TEST(DistanceTable, AnotherGammaAndFewerColumnsTakeNoEvaluation) {
  const auto points = make_points<double>(n, d, normal_coordinate);
  const std::vector<Index> ids{3, 150, 77, 8, 42};
  const auto first = make_laplacian<double>(d, 0.2);
  const auto table = std::make_shared<DistanceTable<double>>("manhattan");
  first->use_distances(table);
  EXPECT_EQ(difference(columns_of(*first, points, ids), columns_of(*make_laplacian<double>(d, 0.2), points, ids)), 0.0);
  EXPECT_EQ(evaluations(*first), n * 5);
  const auto again = make_laplacian<double>(d, 0.9);
  again->use_distances(std::make_shared<DistanceTable<double>>(table->take(points.partition(), world().rank())));
  for (const auto& some : {ids, std::vector<Index>{42, 3}, std::vector<Index>{150}}) {
    EXPECT_EQ(difference(columns_of(*again, points, some), columns_of(*make_laplacian<double>(d, 0.9), points, some)),
              0.0);
  }
  EXPECT_EQ(evaluations(*again), 0);
  const std::vector<Index> more{42, 9, 3};  // one of them is new
  EXPECT_EQ(difference(columns_of(*again, points, more), columns_of(*make_laplacian<double>(d, 0.9), points, more)),
            0.0);
  EXPECT_EQ(evaluations(*again), n);
  EXPECT_EQ(again->distances()->read_columns(), ids);
}

TEST(DistanceTable, FillsPartsOfAMatrix) {
  const auto points = make_points<double>(n, d, normal_coordinate);
  const auto similarity = make_rbf<double>(d, 0.05);
  similarity->use_distances(std::make_shared<DistanceTable<double>>("squared-euclidean"));
  test::Context context;
  RowBlock<double> out(points.partition(), world().rank(), 3);
  for (Index e = 0; e < out.range().size() * 3; ++e) out.local().data[e] = -1;
  const std::vector<Index> ids{11, 12};
  evaluate_columns_into(context.execution, *similarity, points, *points.gather(world(), ids), out, 1, "c", "l");
  const auto expected = columns_of(*make_rbf<double>(d, 0.05), points, ids);
  for (Index i = out.range().begin; i < out.range().end; ++i) {
    EXPECT_EQ(out.row(i)[0], -1.0);
    EXPECT_NEAR(out.row(i)[1], expected.row(i)[0], 1e-13);
    EXPECT_NEAR(out.row(i)[2], expected.row(i)[1], 1e-13);
  }
}

TEST(DistanceTable, BlocksComeFromColumnsAndBlocks) {
  const auto points = make_points<double>(n, d, normal_coordinate);
  const auto plain = make_laplacian<double>(d, 0.3);
  const auto first = make_laplacian<double>(d, 0.2);
  const auto table = std::make_shared<DistanceTable<double>>("manhattan");
  first->use_distances(table);
  static_cast<void>(columns_of(*first, points, {5, 60, 199}));
  static_cast<void>(block_of(*first, points, {7, 8, 100, 101}));
  EXPECT_EQ(evaluations(*first), 3 * n + 16);
  const auto again = make_laplacian<double>(d, 0.3);
  again->use_distances(std::make_shared<DistanceTable<double>>(table->take(points.partition(), world().rank())));
  using Sample = std::vector<Index>;
  for (const Sample& sample : {Sample{7, 8, 100, 101}, Sample{101, 7}, Sample{199, 5}, Sample{5, 101, 60, 8}}) {
    EXPECT_EQ(difference(block_of(*again, points, sample), block_of(*plain, points, sample)), 0.0);
  }
  EXPECT_EQ(evaluations(*again), 0);
  const Sample other{5, 101, 9};
  EXPECT_EQ(difference(block_of(*again, points, other), block_of(*plain, points, other)), 0.0);
  EXPECT_EQ(evaluations(*again), 9);
}

// What a rank sends of its own rows and what it receives of its own share: not the whole block, which may be large.
// Some objects with others: what is in no column and no block is evaluated, and nothing of it is kept.
TEST(DistanceTable, SubmatricesComeFromColumnsAndBlocks) {
  const auto points = make_points<double>(n, d, normal_coordinate);
  const std::vector<Index> rows{150, 8, 99, 3, 7}, columns{42, 77, 1};
  const auto plain = make_laplacian<double>(d, 0.2), known = make_laplacian<double>(d, 0.2);
  const auto submatrix = [&](const Similarity<double>& similarity) {
    test::Context context;
    return evaluate_submatrix(context.execution, similarity, points, rows, columns, "columns", "submatrix");
  };
  const RowBlock<double> expected = submatrix(*plain);
  EXPECT_EQ(evaluations(*plain), 15);
  std::vector<Index> first, second;
  for (Index a = expected.range().begin; a < expected.range().end; ++a) {
    for (const Index column : columns) first.push_back(rows[a]), second.push_back(column);
  }
  const ObjectPairs pairs = points.gather_pairs(world(), first, second);
  std::vector<double> values(first.size());
  make_laplacian<double>(d, 0.2)->pairs(*pairs.first, *pairs.second, values);
  auto value = values.begin();
  for (Index a = expected.range().begin; a < expected.range().end; ++a) {
    for (const double entry : expected.row(a)) EXPECT_NEAR(entry, *value++, 1e-15);
  }
  known->use_distances(std::make_shared<DistanceTable<double>>("manhattan"));
  EXPECT_EQ(difference(submatrix(*known), expected), 0.0);
  EXPECT_EQ(evaluations(*known), 15);
  EXPECT_EQ(difference(submatrix(*known), expected), 0.0);
  EXPECT_EQ(evaluations(*known), 30) << "nothing is kept";
  std::vector<Index> both = rows;
  both.insert(both.end(), columns.begin(), columns.end());
  (void)columns_of(*known, points, both);
  const Index before = evaluations(*known);
  EXPECT_EQ(difference(submatrix(*known), expected), 0.0);
  EXPECT_EQ(evaluations(*known), before);
}

TEST(DistanceTable, NoRankHoldsABlockWhole) {
  constexpr Index objects = 1200, size = 600;
  const auto value = [](Index i, Index j) { return static_cast<double>(std::min(i, j) * objects + std::max(i, j)); };
  const RowPartition partition(objects, world().size());
  const std::vector<Index> with_columns = numbers(0, objects, 4), kept = numbers(1, objects, 4);
  RowBlock<double> columns(partition, world().rank(), std::ssize(with_columns));
  for (Index i = columns.range().begin; i < columns.range().end; ++i) {
    for (std::size_t k = 0; k < with_columns.size(); ++k) columns.row(i)[k] = value(i, with_columns[k]);
  }
  RowBlock<double> block(RowPartition(std::ssize(kept), world().size()), world().rank(), std::ssize(kept));
  for (Index a = block.range().begin; a < block.range().end; ++a) {
    for (std::size_t k = 0; k < kept.size(); ++k) block.row(a)[k] = value(kept[a], kept[k]);
  }
  DistanceTable<double> table("euclidean");
  table.add_columns(with_columns, std::move(columns));
  table.keep_block(kept, block, world().rank());
  std::vector<Index> sample = with_columns;
  sample.insert(sample.begin() + 100, kept.begin(), kept.end());
  ASSERT_EQ(std::ssize(sample), size);
  RowBlock<double> out(RowPartition(size, world().size()), world().rank(), size);
  Index sent_rows = out.range().size();
  for (const Index id : with_columns) sent_rows += partition.range(world().rank()).contains(id) ? 1 : 0;
  for (const Index id : kept) sent_rows += partition.range(world().rank()).contains(id) ? 1 : 0;
  sent_rows += block.range().size();
  peak_bytes = live_bytes.load();
  const std::size_t before = live_bytes;
  ASSERT_TRUE(table.find_block(world(), sample, out));
  for (Index a = out.range().begin; a < out.range().end; ++a) {
    for (std::size_t b = 0; b < sample.size(); ++b) {
      ASSERT_EQ(out.row(a)[b], value(sample[a], sample[b]));
    }
  }
  constexpr std::size_t lists = 200'000;  // of the sample's objects
  EXPECT_LT(peak_bytes - before, static_cast<std::size_t>(sent_rows * size) * sizeof(double) + lists);
  if (world().size() >= 3) EXPECT_LT(peak_bytes - before, static_cast<std::size_t>(size * size) * sizeof(double));
}

}  // namespace
