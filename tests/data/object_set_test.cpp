// Points and numbered objects: blocks, bytes for other ranks, and gathering from owners.
#include <numeric>

#include "cairn/data/graph/graph.hpp"
#include "written_files.hpp"

namespace cairn::test::object_set_test {
namespace {

constexpr Index n = 75;
constexpr Index d = 3;

double coordinate(Index i, Index j) { return static_cast<double>(10 * i + j); }

PointSet<double> sample_points() {
  RowBlock<double> coordinates(RowPartition(n, world().size()), world().rank(), d);
  for (Index i = coordinates.range().begin; i < coordinates.range().end; ++i) {
    for (Index j = 0; j < d; ++j) coordinates.row(i)[j] = coordinate(i, j);
  }
  return {std::move(coordinates), world().rank(), {}};
}

void expect_points(const ObjectBlock& block, const std::vector<Index>& ids) {
  EXPECT_EQ(block.ids, ids);
  const auto& points = dynamic_cast<const PointBlock<double>&>(block);
  EXPECT_EQ(points.coordinates.rows, static_cast<Index>(ids.size()));
  EXPECT_EQ(points.coordinates.columns, d);
  for (std::size_t a = 0; a < ids.size(); ++a) {
    for (Index j = 0; j < d; ++j)
      EXPECT_EQ(points.coordinates(static_cast<Index>(a), j), coordinate(ids[a], j)) << "point " << ids[a];
  }
}

std::vector<Index> numbers(Range range) {
  std::vector<Index> ids(range.size());
  std::iota(ids.begin(), ids.end(), range.begin);
  return ids;
}

TEST(PointSet, ABlockOfOwnPointsIsAViewOfThem) {
  const auto points = sample_points();
  const Range own = points.range();
  const Range part{own.begin + own.size() / 3, own.end};
  expect_points(*points.block(part), numbers(part));
}

TEST(PointSet, PackedPointsComeBackTheSame) {
  const auto points = sample_points();
  const auto bytes = points.pack(points.range());
  EXPECT_EQ(static_cast<Index>(bytes.size()), points.range().size() * d * 8);
  expect_points(*points.unpack(points.range(), bytes), numbers(points.range()));
}

TEST(PointSet, GathersAnyPointsInTheOrderAskedForOnEveryRank) {
  const auto points = sample_points();
  std::vector<Index> ids{n - 1, 0, 40, 40, world().rank(), 17};
  for (int k = 0; k < world().rank(); ++k) ids.push_back(n / 2 - k);  // another list on every rank
  expect_points(*points.gather(world(), ids), ids);
}

TEST(PointSet, GathersTheSamePointsOnAllRanks) {
  const auto points = sample_points();
  const std::vector<Index> ids{n - 1, 0, 40, 40, 3, n / 2, 17};
  expect_points(*points.gather(world(), ids), ids);
}

TEST(PointSet, ARankMayGatherNothing) {
  const auto points = sample_points();
  const std::vector<Index> ids = world().is_root() ? std::vector<Index>{} : std::vector<Index>{5};
  expect_points(*points.gather(world(), ids), ids);
}

TEST(PointSet, ABlockMadeOfValuesOwnsACopy) {
  std::vector<double> values{1, 2, 3, 4};
  const auto block = make_point_block<double>({7, -1}, 2, values);
  values[3] = 0;
  EXPECT_EQ(block->ids, (std::vector<Index>{7, -1}));
  EXPECT_EQ(block->coordinates(1, 1), 4.0);
  expect_error([&] { (void)make_point_block<double>({7}, 3, values); }, ErrorKind::internal, {"another shape"});
}

TEST(ObjectSet, BlocksOfOneSetShareItsIdentityAndThoseOfAnotherDoNot) {
  const auto points = sample_points(), same_values = sample_points();
  const auto block = points.block({points.range().begin, points.range().begin});
  EXPECT_EQ(block->set, points.identity());
  EXPECT_EQ(points.unpack(points.range(), points.pack(points.range()))->set, points.identity());
  EXPECT_EQ(points.gather(world(), std::vector<Index>{3})->set, points.identity());
  EXPECT_NE(same_values.identity(), points.identity());
  EXPECT_NE(make_point_block<double>({0}, 1, std::vector<double>{1})->set, points.identity());
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  EXPECT_EQ(objects.gather(world(), std::vector<Index>{3})->set, objects.block(objects.range())->set);
  const Graph graph(
      RowPartition(1, world().size()), world().rank(),
      std::vector<Index>(static_cast<std::size_t>(RowPartition(1, world().size()).range(world().rank()).size()) + 1, 0),
      {}, {});
  EXPECT_EQ(graph.gather(world(), std::vector<Index>{0})->set, graph.identity());
  EXPECT_NE(ObjectBlock().set, ObjectBlock().set);
  const ObjectBlock copied = *block;
  EXPECT_EQ(copied.set, block->set);
}

TEST(NumberedObjects, AreKnownByTheirNumbersAlone) {
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  EXPECT_EQ(objects.block(objects.range())->ids, numbers(objects.range()));
  EXPECT_TRUE(objects.pack(objects.range()).empty());
  EXPECT_EQ(objects.unpack({3, 6}, {})->ids, (std::vector<Index>{3, 4, 5}));
  EXPECT_EQ(objects.gather(world(), std::vector<Index>{9, 2, 2})->ids, (std::vector<Index>{9, 2, 2}));
}

}  // namespace
}  // namespace cairn::test::object_set_test
