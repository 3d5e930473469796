// The example of docs/architecture.md, line by line, and a function of one's own.
#include <gtest/gtest.h>

#include <fstream>

#include "handed_points.hpp"
#include "store/sample_result.hpp"

namespace {

using cairn::test::coordinate;
using cairn::test::world;

void write_csv(const std::string& path, cairn::Index begin, cairn::Index end) {
  if (world().is_root()) {
    std::ofstream file(path);
    for (cairn::Index i = begin; i < end; ++i) file << coordinate(i, 0) << "," << coordinate(i, 1) << "\n";
  }
  world().barrier();
}

TEST(TheExampleOfTheDocumentation, Runs) {
  const cairn::test::TemporaryFolder folder;
  const std::string old_file = folder.file("points.csv"), new_file = folder.file("new.csv");
  const std::string file = folder.file("result.h5");
  write_csv(old_file, 0, 600);
  write_csv(new_file, 600, 650);

  const cairn::Session session(world().handle());
  const auto points = cairn::read_points(session, old_file, {{"scaling", "standard"}});
  const auto rbf = cairn::similarity(session, "rbf", {{"gamma", "median"}}, points);
  auto result = cairn::approximate(session, rbf, "sms-nystrom", {{"landmarks.count", 50}, {"alpha", 1.5}});
  const double error = cairn::probe_error(session, result, rbf).relative_error;
  cairn::save(session, file, result);
  const auto again = cairn::load(session, file);
  const auto unseen = cairn::extend(session, again, {{"path", new_file}});
  const std::vector<cairn::Index> rows = {0, 7}, columns = {3, 9};
  const std::vector<double> values = cairn::entries(session, result, rows, columns);

  EXPECT_LT(error, 0.1);
  EXPECT_EQ(unseen.size(), 50);
  const std::vector<double> exact = cairn::exact_entries(session, rbf, rows, columns);
  for (std::size_t e = 0; e < 2; ++e) EXPECT_NEAR(values[e], exact[e], 0.2);
}

TEST(TheExampleOfTheDocumentation, HasAFunctionOfOnesOwn) {
  const cairn::Session session(world().handle(), {.threads = 2, .seed = 7, .stall_timeout = std::chrono::minutes(10)});
  const auto points = cairn::distribute_points(session, cairn::test::own_rows(50), 3);
  const auto first = cairn::similarity(
      session,
      [](auto left, auto right, auto tile) {
        for (cairn::Index a = 0; a < tile.rows; ++a) {
          for (cairn::Index b = 0; b < tile.columns; ++b) tile(a, b) = left(a, 0) * right(b, 0);
        }
      },
      points);
  auto result = cairn::approximate(session, first, "nystrom", {{"landmarks.count", 5}});
  EXPECT_LT(cairn::probe_error(session, result, first).relative_error, 1e-9);
  EXPECT_EQ(result.report().rank, 1);
}

}  // namespace
