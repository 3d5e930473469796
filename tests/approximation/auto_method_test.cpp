#include "cairn/approximation/catalog/auto_method.hpp"

#include <gmock/gmock.h>

#include "method_run.hpp"

namespace cairn::auto_method_test {
namespace {

using test::dense;
using test::difference;
using test::method;
using test::MethodChoice;
using test::run;
using test::TestPoints;

constexpr Index n = 150;

test::EntryFunction noisy() {
  const Random random(11, Stream::test);
  return [random, rbf = test::rbf(TestPoints(n, 3), 0.05)](Index i, Index j) {
    return rbf(i, j) + 0.02 * random.normal(static_cast<std::uint64_t>(std::min(i, j) + 5000),
                                            static_cast<std::uint64_t>(std::max(i, j)));
  };
}

// No worse than the members of the family by more than the probe's error.
TEST(Auto, IsAboutAsGoodAsTheBestOfTheFamily) {
  for (const auto& entry : {noisy(), test::rbf(TestPoints(n, 4), 0.4)}) {
    const auto exact = dense(n, n, entry);
    const double automatic = difference(run({entry, n, 40}, method("auto")).matrix, exact);
    MethodChoice halves = method("sicur");
    halves.set("s2", 40);
    const double best = std::min(difference(run({entry, n, 40}, method("nystrom")).matrix, exact),
                                 difference(run({entry, n, 20}, halves).matrix, exact));
    EXPECT_LT(automatic, 1.1 * best);
  }
}

TEST(Auto, SaysWhatItTriedAndWhy) {
  const auto outcome = run({noisy(), n, 40}, method("auto"));
  ASSERT_EQ(outcome.approximation.report.notes.size(), 1U);
  const std::string& note = outcome.approximation.report.notes.front();
  for (const char* name : {"auto chose", "nystrom", "tolerance 1e-3", "positive", "sms-nystrom", "stacur", "sicur"}) {
    EXPECT_THAT(note, testing::HasSubstr(name));
  }
}

TEST(Auto, EvaluatesTheSharedColumnsAndTheProbeOnce) {
  const auto outcome = run({noisy(), n, 40}, method("auto"));
  const Index shifted = 32;  // n s' + s'² <= 40 n
  EXPECT_LE(n * shifted + shifted * shifted, 40 * n);
  EXPECT_GT(n * (shifted + 1) + (shifted + 1) * (shifted + 1), 40 * n);
  EXPECT_EQ(outcome.evaluations, 40 * n + shifted * shifted + 10'000 + n);
}

TEST(Auto, FollowsItsBudget) {
  for (const Index columns : {20, 60}) {
    MethodChoice parameters = method("auto");
    parameters.set("budget", static_cast<double>(columns * n + 1));
    const auto outcome = run({noisy(), n, 40}, parameters);
    const MethodReport& report = outcome.approximation.report;
    EXPECT_LE(report.s1, columns);
    EXPECT_GE(std::max(report.s1, report.s2), columns / 2);
    const auto& indices = outcome.approximation.left_origin->indices;
    EXPECT_TRUE(std::equal(indices.begin(), indices.begin() + std::min<std::ptrdiff_t>(10, std::ssize(indices)),
                           outcome.landmarks.begin()));
  }
}

TEST(Auto, TakesTheFirstOfErrorsThatRoundingCannotTellApart) {
  const std::optional<double> none;
  EXPECT_EQ(smallest_error({0.3, 0.1, 0.2}), 1U);
  EXPECT_EQ(smallest_error({none, 0.1 * (1.0 + 1e-11), 0.1}), 1U);
  EXPECT_EQ(smallest_error({none, 0.1, 0.1 * (1.0 - 1e-11)}), 1U);
  EXPECT_EQ(smallest_error({0.1 * (1.0 + 1e-7), none, 0.1}), 2U);
  EXPECT_EQ(smallest_error({3e-15, 1e-15, 0.0}), 0U);
  EXPECT_EQ(smallest_error({1e-8, 1e-15, 0.0}), 1U);
  // Every error is compared with the smallest one, not with its neighbor.
  EXPECT_EQ(smallest_error({0.1 * (1.0 + 1.6e-9), 0.1 * (1.0 + 0.8e-9), 0.1}), 1U);
  EXPECT_EQ(smallest_error({none, none}), std::nullopt);
}

TEST(Auto, FinishesWhateverWins) {
  // Distances of points: indefinite; a constant: rank 1; rbf: definite.
  const test::EntryFunction distances = [points = TestPoints(n, 3)](Index i, Index j) {
    return std::sqrt(points.squared_distance(i, j));
  };
  for (const bool embedding : {false, true}) {
    for (const auto& entry : {distances, test::EntryFunction([](Index, Index) { return 2.0; }), noisy()}) {
      MethodChoice parameters = method("auto");
      parameters.set("embedding", embedding);
      const auto outcome = run({entry, n, 30}, parameters);
      EXPECT_LT(difference(outcome.matrix, dense(n, n, entry)), 0.2);
    }
  }
}

}  // namespace
}  // namespace cairn::auto_method_test
