#include "cairn/approximation/catalog/methods.hpp"

#include <gmock/gmock.h>

#include <string>

#include "cairn/base/error.hpp"
#include "method_run.hpp"

namespace cairn::methods_test {
namespace {

using test::Dense;
using test::dense;
using test::difference;
using test::MatrixProblem;
using test::method;
using test::MethodChoice;
using test::run;
using test::TestPoints;

constexpr Index n = 200;

test::EntryFunction linear() {
  return [points = TestPoints(n, 6)](Index i, Index j) { return points.dot(i, j); };
}
test::EntryFunction sigmoid() {
  return [points = TestPoints(n, 4)](Index i, Index j) { return std::tanh(0.5 * points.dot(i, j) - 0.3); };
}
test::EntryFunction smooth() { return test::rbf(TestPoints(n, 3), 0.3); }
// Condition beyond 1e16 for 60 landmarks.
test::EntryFunction ill_conditioned() { return test::rbf(TestPoints(n, 3), 0.01); }

class Family : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Methods, Family,
                         testing::Values("nystrom", "sms-nystrom", "skeleton", "sicur", "stacur", "optimal", "auto"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST_P(Family, IsExactWhereTheRankIsNoLargerThanTheSample) {
  if (GetParam() == std::string("stacur")) return;  // exact at s = n only
  const auto outcome = run({linear(), n, 20}, method(GetParam()));
  EXPECT_LT(difference(outcome.matrix, dense(n, n, linear())), 1e-10);
}

TEST_P(Family, IsExactAtFullRank) {
  const auto outcome = run({smooth(), 40, 40}, method(GetParam()));
  // skeleton drops singular values below 1e-4
  EXPECT_LT(difference(outcome.matrix, dense(40, 40, smooth())), GetParam() == std::string("skeleton") ? 1e-3 : 1e-6);
}

TEST_P(Family, IsTheSameOnAnyNumberOfRanks) {
  const Communicator alone(MPI_COMM_SELF);
  for (const auto& entry : {sigmoid(), smooth()}) {
    MethodChoice parameters = method(GetParam());
    if (parameters.name != "optimal" && parameters.name != "auto") parameters.set("tolerance", 1e-6);
    const auto together = run({entry, n, 30}, parameters);
    const auto serial = run({entry, n, 30}, parameters, alone);
    EXPECT_EQ(together.landmarks, serial.landmarks);
    EXPECT_LT(difference(together.matrix, serial.matrix), 1e-10);
  }
}

TEST_P(Family, AgreesBetweenRanksWithinTheToleranceWhereTheCoreMatrixIsSingular) {
  const Communicator alone(MPI_COMM_SELF);
  const auto together = run({ill_conditioned(), n, 60}, method(GetParam()));
  const auto serial = run({ill_conditioned(), n, 60}, method(GetParam()), alone);
  EXPECT_LT(difference(together.matrix, serial.matrix), 1000 * 2.2e-16 / 1e-10);
  if (GetParam() != std::string("stacur")) {
    EXPECT_LT(difference(together.matrix, dense(n, n, ill_conditioned())), 1e-4);
  }
}

TEST_P(Family, GivesTheSameMatrixAsAnEmbedding) {
  for (const auto& entry : {sigmoid(), smooth()}) {
    MethodChoice parameters = method(GetParam());
    const auto plain = run({entry, n, 30}, parameters);
    parameters.set("embedding", true);
    const auto embedding = run({entry, n, 30}, parameters);
    EXPECT_LT(difference(embedding.matrix, plain.matrix), 1e-7);
    EXPECT_STRNE(core_layout(embedding.approximation.core_matrix), "dense");
  }
}

TEST_P(Family, IsSymmetricWhereItSaysSo) {
  const auto outcome = run({sigmoid(), n, 30}, method(GetParam()));
  const bool is_cur = outcome.approximation.report.method == "skeleton" ||
                      outcome.approximation.report.method == "sicur" || outcome.approximation.report.method == "stacur";
  EXPECT_EQ(outcome.approximation.symmetric, !is_cur);
  const double asymmetry = difference(outcome.matrix, test::transposed(outcome.matrix));
  if (is_cur) {
    EXPECT_GT(asymmetry, 1e-6);
  } else {
    EXPECT_LT(asymmetry, 1e-11);
  }
}

TEST_P(Family, IsSymmetrizedOnRequest) {
  MethodChoice parameters = method(GetParam());
  const auto plain = run({sigmoid(), n, 30}, parameters);
  parameters.set("symmetrize-result", true);
  const auto symmetrized = run({sigmoid(), n, 30}, parameters);
  const Dense mean = dense(n, n, [&](Index i, Index j) { return 0.5 * (plain.matrix(i, j) + plain.matrix(j, i)); });
  if (plain.approximation.report.method == symmetrized.approximation.report.method) {
    EXPECT_LT(difference(symmetrized.matrix, mean), 1e-12);
  }
  EXPECT_LT(difference(symmetrized.matrix, test::transposed(symmetrized.matrix)), 1e-11);
}

TEST_P(Family, WorksInSinglePrecision) {
  MethodChoice parameters = method(GetParam());
  if (parameters.name != "optimal" && parameters.name != "auto") parameters.set("tolerance", 1e-3);
  const auto wide = run<double>({smooth(), n, 30}, parameters);
  const auto narrow = run<float>({smooth(), n, 30}, parameters);
  if (wide.approximation.report.method == narrow.approximation.report.method) {
    EXPECT_LT(difference(narrow.matrix, wide.matrix), 1e-4);
  }
}

TEST_P(Family, NamesThePairThatIsNotSymmetric) {
  const auto crooked = [rbf = smooth()](Index i, Index j) { return rbf(i, j) + (i == 7 && j == 5 ? 0.25 : 0.0); };
  try {
    (void)run({crooked, 40, 40}, method(GetParam()));
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_THAT(error.what(), testing::HasSubstr("K(7, 5)"));
    EXPECT_THAT(error.what(), testing::HasSubstr("K(5, 7)"));
  }
}

TEST_P(Family, WorksWithFewerObjectsThanRanks) {
  const auto outcome = run({smooth(), 3, 3}, method(GetParam()));
  EXPECT_LT(difference(outcome.matrix, dense(3, 3, smooth())), 1e-9);
}

TEST(Methods, RefuseParametersOutOfRange) {
  const auto refused = [](const std::string& name, auto change) {
    MethodChoice parameters = method(name);
    change(parameters);
    try {
      (void)run({smooth(), 50, 10}, parameters);
    } catch (const Error& error) {
      return error.kind() == ErrorKind::usage;
    }
    return false;
  };
  EXPECT_TRUE(refused("nystroem", [](auto&) {}));
  EXPECT_TRUE(refused("nystrom", [](auto& p) { p.set("tolerance", 1.0); }));
  EXPECT_TRUE(refused("nystrom", [](auto& p) { p.set("tolerance", std::nan("")); }));
  EXPECT_TRUE(refused("nystrom", [](auto& p) { p.set("spectrum", "negative"); }));
  EXPECT_TRUE(refused("nystrom", [](auto& p) { p.set("rescale", true); }));
  EXPECT_TRUE(refused("sms-nystrom", [](auto& p) { p.set("s2", 9); }));
  EXPECT_TRUE(refused("sms-nystrom", [](auto& p) { p.set("s2", 51); }));
  EXPECT_TRUE(refused("sms-nystrom", [](auto& p) { p.set("alpha", -0.5); }));
  EXPECT_TRUE(refused("sms-nystrom", [](auto& p) { p.set("shift", "left"); }));
  EXPECT_TRUE(refused("skeleton", [](auto& p) { p.set("s2", -1); }));
  EXPECT_TRUE(refused("stacur", [](auto& p) { p.set("s2", 20); }));
  EXPECT_TRUE(refused("stacur", [](auto& p) { p.set("samples", "both"); }));
  EXPECT_TRUE(refused("sicur", [](auto& p) { p.set("spectrum", "positive"); }));
  EXPECT_TRUE(refused("optimal", [](auto& p) { p.set("rank", 51); }));
  EXPECT_TRUE(refused("optimal", [](auto& p) { p.set("tolerance", 0.1); }));
  EXPECT_TRUE(refused("auto", [](auto& p) { p.set("budget", 49); }));
}

}  // namespace
}  // namespace cairn::methods_test
