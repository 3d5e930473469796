// Mistakes of a program: the same Error on every rank, in words that name what is to be changed.
#include <cmath>
#include <limits>

#include "expected_errors.hpp"
#include "handed_points.hpp"
#include "store/sample_result.hpp"

namespace cairn::test::errors_test {
namespace {

constexpr Index n = 40;

struct Setting {
  Session session = session_on_all_ranks();
  Objects<> points = distribute_points(session, own_rows(n), dimension);
  SimilarityMatrix<> matrix = similarity(session, "rbf", {{"gamma", 0.3}}, points);

  [[nodiscard]] auto approximation(const std::string& method, const GivenValues& given) const {
    return [this, method, given] { (void)approximate(session, matrix, method, given); };
  }
};

TEST(AParameter, ThatNobodyHasIsNamedWithTheNearest) {
  const Setting setting;
  expect_error(setting.approximation("sms-nystrom", {{"landmarks.count", 9}, {"alhpa", 1}}), ErrorKind::usage,
               {"no parameter is called 'alhpa'", "alpha"});
  expect_error(setting.approximation("nystrom", {{"landmark.count", 9}}), ErrorKind::usage, {"landmarks.count"});
  expect_error(
      [&] {
        (void)similarity(setting.session, "rbf", {{"gama", 1}}, setting.points);
      },
      ErrorKind::usage, {"no parameter is called 'gama'", "gamma"});
}

TEST(AParameter, ThatOneRankGivesAnotherValueIsRefusedOnAll) {
  if (world().size() == 1) return;
  const Setting setting;
  const int rank = world().rank();
  expect_error(setting.approximation("nystrom", {{"landmarks.count", rank == 0 ? 9 : 10}}), ErrorKind::usage,
               {"all ranks must call approximate() with the same arguments", "rank 1 on",
                "has 'landmarks.count = 10' where rank 0 has 'landmarks.count = 9'"});
  expect_error(setting.approximation(rank == 0 ? "nystrom" : "sms-nystrom", {{"landmarks.count", 9}}), ErrorKind::usage,
               {"has 'sms-nystrom' where rank 0 has 'nystrom'"});
  expect_error(
      [&] {
        (void)similarity(setting.session, "rbf", {{"gamma", 0.1 * (1 + rank)}}, setting.points);
      },
      ErrorKind::usage, {"similarity()", "where rank 0 has 'gamma = 0.1'"});
  expect_error(
      [&] {
        (void)similarity(setting.session, SimilarityChoice("rbf").set("gamma", rank == 0 ? "1" : "2"), setting.points);
      },
      ErrorKind::usage, {"similarity()", "has 'gamma = 2' where rank 0 has 'gamma = 1'"});
  expect_error([&] { const Session other(world().handle(), {.memory = Index{1} << (30 + rank)}); }, ErrorKind::usage,
               {"Session()", "'memory 2147483648' where rank 0 has 'memory 1073741824'"});
  expect_error([&] { (void)read_points(setting.session, "p" + std::to_string(rank) + ".csv"); }, ErrorKind::usage,
               {"read_objects()", "where rank 0 has 'path = p0.csv'"});
  expect_error([&] { (void)load<double>(setting.session, "r" + std::to_string(rank) + ".h5"); }, ErrorKind::usage,
               {"load()", "'r1.h5'"});
  expect_error([&] { const Session other(world().handle(), {.seed = static_cast<std::uint64_t>(1 + rank)}); },
               ErrorKind::usage, {"Session()", "where rank 0 has 'seed 1'"});
}

TEST(AParameter, OutOfRangeIsNamedWithItsValue) {
  const Setting setting;
  expect_error(setting.approximation("sms-nystrom", {{"landmarks.count", 9}, {"alpha", -1}}), ErrorKind::usage,
               {"parameter alpha = -1"});
  expect_error(setting.approximation("nystrom", {{"landmarks.count", "many"}}), ErrorKind::usage,
               {"parameter landmarks.count = many", "integer"});
  expect_error(setting.approximation("nystrom", {{"landmarks.count", n + 1}}), ErrorKind::usage,
               {"landmarks.count", "40"});
  expect_error(setting.approximation("nystrom", {}), ErrorKind::usage, {"parameter landmarks.count is missing"});
  expect_error(
      [&] {
        (void)similarity(setting.session, "rbf", {{"gamma", -2}}, setting.points);
      },
      ErrorKind::usage, {"parameter gamma"});
}

TEST(AParameter, ThatIsGivenTwiceOrDoesNothingIsRefused) {
  const Setting setting;
  expect_error(setting.approximation("nystrom", {{"landmarks.count", 9}, {"landmarks.count", 8}}), ErrorKind::usage,
               {"parameter landmarks.count is given twice"});
  expect_error(setting.approximation("nystrom", {{"landmarks.count", 9}, {"landmarks.fraction", 0.5}}),
               ErrorKind::usage, {"landmarks.fraction has no effect"});
  expect_error(setting.approximation("nystrom", {{"landmarks.count", 9}, {"landmarks.path", "a.txt"}}),
               ErrorKind::usage, {"landmarks.path has no effect"});
  expect_error(setting.approximation("biharmonic", {{"landmarks.count", 9}, {"operator-path", "a.h5"}}),
               ErrorKind::usage, {"operator-path has no effect"});
}

TEST(AName, ThatIsNotKnownIsRefused) {
  const Setting setting;
  expect_error(setting.approximation("nystrm", {{"landmarks.count", 9}}), ErrorKind::usage, {"nystrm", "nystrom"});
  expect_error([&] { (void)similarity(setting.session, "rfb", {}, setting.points); }, ErrorKind::usage, {"rfb"});
  expect_error([&] { (void)similarity(setting.session, "geodesic", {}, setting.points); }, ErrorKind::usage,
               {"geodesic", "points"});
  expect_error([&] { (void)read_points(setting.session, "there-is-no-such-file.csv"); }, ErrorKind::input,
               {"there-is-no-such-file.csv"});
}

TEST(RowsOfPoints, OfAWrongShapeAreRefusedOnAllRanks) {
  const Session session = session_on_all_ranks();
  const bool last = world().rank() == world().size() - 1;
  const auto distribute = [&](std::vector<double> rows, Index own_dimension, std::vector<std::string> labels = {}) {
    return [&session, rows, own_dimension, labels] { (void)distribute_points(session, rows, own_dimension, labels); };
  };
  const std::vector<double> right = {1, 2, 3, 4, 5, 6};
  expect_error(distribute(last ? std::vector<double>{1, 2, 3, 4} : right, 3), ErrorKind::usage,
               {"4 values are not whole rows of 3"});
  expect_error(distribute({}, 3), ErrorKind::usage, {"no rank has an object"});
  expect_error(distribute(right, 3, {"one"}), ErrorKind::usage, {"1 labels for 2 objects"});
  std::vector<double> infinite = right;
  if (last) infinite[4] = std::numeric_limits<double>::infinity();
  expect_error(distribute(infinite, 3), ErrorKind::input, {"value inf in column 1"});
  if (world().size() == 1) return;
  expect_error(distribute(right, last ? 2 : 3), ErrorKind::usage, {"coordinates"});
}

TEST(Pairs, ThatAreNoneAreRefused) {
  const Setting setting;
  const auto result = approximate(setting.session, setting.matrix, "nystrom", {{"landmarks.count", 9}});
  const std::vector<Index> two = {1, 2}, one = {1}, outside = {1, n};
  expect_error([&] { (void)entries(setting.session, result, two, one); }, ErrorKind::usage, {"2 rows and 1 columns"});
  expect_error([&] { (void)entries(setting.session, result, two, outside); }, ErrorKind::usage, {"no object 40"});
  expect_error([&] { (void)exact_entries(setting.session, setting.matrix, outside, two); }, ErrorKind::usage,
               {"no object 40"});
}

TEST(AnExtension, ThatHasNoMeaningIsRefused) {
  const Setting setting;
  const auto result = approximate(setting.session, setting.matrix, "nystrom", {{"landmarks.count", 9}});
  const auto best = approximate(setting.session, setting.matrix, "optimal", {{"landmarks.count", 9}});
  const auto flat = distribute_points(setting.session, own_rows(n), 1);
  const auto other = similarity(setting.session, "rbf", {{"gamma", 7}}, setting.points);
  const auto refused = [&](const auto& base, const auto& unseen, std::initializer_list<const char*> parts) {
    expect_error([&] { (void)extend(setting.session, base, unseen); }, ErrorKind::usage, parts);
  };
  refused(best, setting.points, {"optimal", "cannot be extended"});
  refused(result, flat, {"1 coordinates", "3"});
  refused(result, other, {"rbf", "other parameters"});
}

TEST(AFile, InAnotherPrecisionIsRefused) {
  const TemporaryFolder folder;
  const Setting setting;
  save(setting.session, folder.file("double.h5"),
       approximate(setting.session, setting.matrix, "nystrom", {{"landmarks.count", 9}}));
  expect_error([&] { (void)load<float>(setting.session, folder.file("double.h5")); }, ErrorKind::usage,
               {"double precision", "load<double>"});
}

TEST(AFunction, ThatThrowsOrGivesNoNumberEndsOnAllRanks) {
  const Setting setting;
  const auto nan = similarity(
      setting.session,
      [](MatrixView<const double>, MatrixView<const double>, MatrixView<double> tile) { tile(0, 0) = std::nan(""); },
      setting.points, {.name = "broken"});
  expect_error(
      [&] {
        (void)approximate(setting.session, nan, "nystrom", {{"landmarks.count", 9}});
      },
      ErrorKind::numeric, {"broken"});
  const auto throwing = similarity(
      setting.session,
      [](MatrixView<const double>, MatrixView<const double>, MatrixView<double>) {
        throw Error(ErrorKind::input, "no such thing");
      },
      setting.points);
  expect_error(
      [&] {
        (void)approximate(setting.session, throwing, "nystrom", {{"landmarks.count", 9}});
      },
      ErrorKind::input, {"no such thing"});
}

TEST(ASession, NeedsAThread) {
  expect_error([] { const Session session(world().handle(), {.threads = 0}); }, ErrorKind::usage, {"0 threads"});
}

}  // namespace
}  // namespace cairn::test::errors_test
