// Points that a program lends, and rows of all ranks on their way to their owners.
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "cairn/data/points/point_set.hpp"
#include "handed_points.hpp"

namespace cairn::test::lent_points_test {
namespace {

constexpr Index n = 60;

// The rows that this rank owns, in memory of the test.
std::shared_ptr<std::vector<double>> owned_rows(const Session& session, Index count) {
  const Range range = own_rows(session, count);
  return std::make_shared<std::vector<double>>(rows_between(range.begin, range.end));
}

Objects<> lend(const Session& session, const std::shared_ptr<std::vector<double>>& rows,
               const std::string& scaling = "none") {
  return lend_points(session, std::span<const double>(*rows), dimension, rows, {}, scaling);
}

TEST(LentPoints, AreTheMemoryOfTheProgram) {
  const Session session = session_on_all_ranks();
  std::shared_ptr<std::vector<double>> rows = owned_rows(session, n);
  const Index users = rows.use_count();
  const auto points = lend(session, rows);
  EXPECT_TRUE(points.state().lent);
  const auto& block = dynamic_cast<const PointSet<double>&>(*points.data().objects).coordinates();
  EXPECT_EQ(std::as_const(block).local().data, rows->data());
  EXPECT_EQ(rows.use_count(), users + 1);
  const auto copied = distribute_points(session, own_rows(n), dimension);
  EXPECT_FALSE(copied.state().lent);
  EXPECT_EQ(points.data().digest, copied.data().digest);
  EXPECT_FALSE(lend(session, rows, "standard").state().lent);
  EXPECT_EQ(*rows, *owned_rows(session, n)) << "scaled";
  const auto uneven = std::make_shared<std::vector<double>>(own_rows(n));
  EXPECT_EQ(lend(session, uneven).state().lent, world().size() == 1);
  EXPECT_EQ(lend(session, uneven).data().digest, copied.data().digest);
}

TEST(LentPoints, AreRefusedOnAllRanksAfterAChangeOnOne) {
  const Session session = session_on_all_ranks();
  const std::shared_ptr<std::vector<double>> rows = owned_rows(session, n);
  const auto points = lend(session, rows);
  require_unchanged(session, points);
  if (world().rank() == world().size() - 1 && !rows->empty()) rows->back() += 1e-9;
  const bool changed = world().sum(Index{world().rank() == world().size() - 1 && !rows->empty()}) > 0;
  EXPECT_TRUE(changed);
  try {
    require_unchanged(session, points);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
  }
}

// More bytes than one message of a rank has: 16 MB.
TEST(HandedPoints, OfOneRankReachTheirOwnersInRounds) {
  const Session session = session_on_all_ranks();
  constexpr Index many = 30'000, width = 100;
  std::vector<float> rows;
  for (Index e = 0; world().is_root() && e < many * width; ++e) rows.push_back(static_cast<float>(e % 8191));
  const auto points = distribute_points(session, rows, width);
  const auto& block = dynamic_cast<const PointSet<float>&>(*points.data().objects).coordinates();
  Index wrong = 0;
  for (Index i = points.range().begin; i < points.range().end; ++i) {
    for (Index k = 0; k < width; ++k) wrong += block.row(i)[k] != static_cast<float>((i * width + k) % 8191) ? 1 : 0;
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace cairn::test::lent_points_test
