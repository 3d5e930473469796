// The digest of data: one number for the same data on any ranks, another for any other data.
#include "cairn/data/digest.hpp"

#include "written_files.hpp"

namespace cairn::test::digest_test {
namespace {

std::uint64_t digest_of(const std::vector<double>& values, Index d, const Communicator& communicator = world()) {
  const Index n = static_cast<Index>(values.size()) / d;
  RowBlock<double> points(RowPartition(n, communicator.size()), communicator.rank(), d);
  for (Index i = points.range().begin; i < points.range().end; ++i) {
    for (Index j = 0; j < d; ++j) points.row(i)[j] = values[i * d + j];
  }
  return data_digest(communicator, PointSet<double>(std::move(points), communicator.rank(), {}));
}

std::vector<double> sample() {
  std::vector<double> values;
  for (int k = 0; k < 600; ++k) values.push_back(0.25 * k);
  return values;
}

TEST(DataDigest, IsTheSameOnAnyNumberOfRanks) {
  const Communicator alone(MPI_COMM_SELF);
  EXPECT_EQ(digest_of(sample(), 3), digest_of(sample(), 3, alone));
  EXPECT_EQ(data_digest(world(), NumberedObjects(RowPartition(99, world().size()), world().rank())),
            data_digest(alone, NumberedObjects(RowPartition(99, 1), 0)));
}

TEST(DataDigest, TellsWhatIsOnlySimilar) {
  const std::uint64_t original = digest_of(sample(), 3);
  auto changed = sample();
  changed[599] += 1e-13;
  EXPECT_NE(digest_of(changed, 3), original) << "a last bit";
  changed = sample();
  std::swap_ranges(changed.begin(), changed.begin() + 3, changed.begin() + 300);
  EXPECT_NE(digest_of(changed, 3), original) << "two points in two units swapped";
  changed = sample();
  std::swap_ranges(changed.begin(), changed.begin() + 3, changed.begin() + 3);
  EXPECT_NE(digest_of(changed, 3), original) << "two points in one unit swapped";
  changed = sample();
  std::swap_ranges(changed.begin(), changed.begin() + 48, changed.begin() + 48);
  EXPECT_NE(digest_of(changed, 3), original) << "two units of 16 points swapped";
  changed = sample();
  changed.resize(597);
  EXPECT_NE(digest_of(changed, 3), original) << "a point less";
  EXPECT_NE(digest_of(sample(), 4), original) << "another dimension";
}

TEST(DataDigest, OfNumberedObjectsTellsTheirNumber) {
  const auto digest = [](Index count) {
    return data_digest(world(), NumberedObjects(RowPartition(count, world().size()), world().rank()));
  };
  EXPECT_NE(digest(100), digest(101));
}

}  // namespace
}  // namespace cairn::test::digest_test
