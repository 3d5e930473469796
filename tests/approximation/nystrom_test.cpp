#include "cairn/approximation/column_sampling/nystrom.hpp"

#include <gmock/gmock.h>

#include "cairn/approximation/column_sampling/sms_nystrom.hpp"
#include "cairn/approximation/extend.hpp"
#include "cairn/approximation/symmetric_core.hpp"
#include "cairn/base/error.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "method_run.hpp"

namespace cairn::nystrom_test {
namespace {

using test::Dense;
using test::dense;
using test::difference;
using test::method;
using test::MethodChoice;
using test::run;
using test::TestPoints;
using test::world;

constexpr Index n = 150;

test::EntryFunction kernel() { return test::rbf(TestPoints(n, 4), 0.4); }

// Few positive eigenvalues, one large negative one.
test::EntryFunction distances() {
  return [points = TestPoints(n, 3)](Index i, Index j) { return std::sqrt(points.squared_distance(i, j)); };
}

// Symmetric noise of the given size.
test::EntryFunction noisy(double size) {
  const Random random(11, Stream::test);
  return [random, size, rbf = test::rbf(TestPoints(n, 3), 0.05)](Index i, Index j) {
    return rbf(i, j) + size * random.normal(static_cast<std::uint64_t>(std::min(i, j) + 5000),
                                            static_cast<std::uint64_t>(std::max(i, j)));
  };
}

Dense columns_of(const test::EntryFunction& entry, const std::vector<Index>& picks) {
  return dense(n, static_cast<Index>(picks.size()), [&](Index i, Index j) { return entry(i, picks[j]); });
}

Dense block_of(const test::EntryFunction& entry, const std::vector<Index>& picks) {
  const auto at = [&](Index i) { return picks[i]; };
  const auto s = static_cast<Index>(picks.size());
  return dense(s, s, [&](Index i, Index j) { return entry(at(i), at(j)); });
}

Dense plus_diagonal(Dense a, double shift) {
  for (Index i = 0; i < a.rows; ++i) a(i, i) += shift;
  return a;
}

Dense sandwich(const Dense& c, const Dense& middle) {
  return test::product(test::product(c, middle), test::transposed(c));
}

// The smallest eigenvalue of a symmetric matrix by power iteration on |A|_F I - A.
double smallest_eigenvalue_of(const Dense& a) {
  double norm = 0.0;
  for (const double value : a.values) norm += value * value;
  norm = std::sqrt(norm);
  std::vector<double> x(a.rows, 1.0), y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += 0.3 * static_cast<double>(i % 7);
  double value = 0.0;
  for (int step = 0; step < 20000; ++step) {
    double length = 0.0;
    for (Index i = 0; i < a.rows; ++i) {
      double sum = norm * x[i];
      for (Index j = 0; j < a.rows; ++j) sum -= a(i, j) * x[j];
      y[i] = sum;
      length += sum * sum;
    }
    length = std::sqrt(length);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = y[i] / length;
    if (std::abs(norm - length - value) < 1e-15 * norm) break;
    value = norm - length;
  }
  return value;
}

TEST(Nystrom, IsTheFormulaOfWilliamsAndSeeger) {
  const auto outcome = run({kernel(), n, 20}, method("nystrom"));
  const Dense expected =
      sandwich(columns_of(kernel(), outcome.landmarks), test::inverse(block_of(kernel(), outcome.landmarks)));
  EXPECT_LT(difference(outcome.matrix, expected), 1e-11);
  EXPECT_EQ(outcome.approximation.report.rank, 20);
  EXPECT_EQ(outcome.evaluations, n * 20);
}

TEST(PseudoInverse, IsTheInverse) {
  constexpr Index size = 90;
  const auto grid = std::make_shared<const ProcessGrid>(world());
  const auto entry = [](Index i, Index j) { return i == j ? 2.0 : 1.0 / static_cast<double>(3 + std::abs(i - j)); };
  const Dense expected = test::inverse(dense(size, size, entry));
  BlockCyclicMatrix matrix(grid, size, size);
  matrix.fill(entry);
  MethodReport report;
  const SymmetricRoot root = pseudo_inverse_root(matrix.copy(), SpectrumRule{}, report);
  ASSERT_TRUE(root.factor.has_value());
  const auto expect_inverse = [&](const BlockCyclicMatrix& inverse) {
    EXPECT_EQ(size, report.rank);
    EXPECT_TRUE(report.spectrum.empty());  // no eigenvalues were computed
    const auto values = replicate_columns(inverse, {0, size});
    const Dense actual = dense(size, size, [&](Index i, Index j) { return values[i * size + j]; });
    EXPECT_LT(difference(actual, expected), 1e-12);
  };
  expect_inverse(expand(root));
  expect_inverse(pseudo_inverse(matrix.copy(), SpectrumRule{}, report));
}

// Ill conditioned: both forms leave out the same eigenvalues.
TEST(PseudoInverse, HasTheEigenvaluesAboveTheTolerance) {
  constexpr Index size = 70;
  const auto grid = std::make_shared<const ProcessGrid>(world());
  BlockCyclicMatrix matrix(grid, size, size);
  matrix.fill([](Index i, Index j) { return std::exp(-0.001 * static_cast<double>((i - j) * (i - j))); });
  MethodReport first, second;
  const BlockCyclicMatrix one = expand(pseudo_inverse_root(matrix.copy(), SpectrumRule{}, first));
  const BlockCyclicMatrix other = pseudo_inverse(matrix.copy(), SpectrumRule{}, second);
  EXPECT_LT(first.rank, size);
  EXPECT_EQ(first.rank, second.rank);
  EXPECT_EQ(first.spectrum, second.spectrum);
  const Buffer<double> values = replicate_columns(one, {0, size}), others = replicate_columns(other, {0, size});
  EXPECT_TRUE(std::ranges::equal(values.span(), others.span()));
}

TEST(Nystrom, IsTheFormulaWhereTheSimilarityIsIndefinite) {
  MethodChoice parameters = method("nystrom");
  parameters.set("tolerance", 1e-10);
  for (const bool embedding : {false, true}) {
    parameters.set("embedding", embedding);
    const auto outcome = run({distances(), n, 20}, parameters);
    const Dense expected =
        sandwich(columns_of(distances(), outcome.landmarks), test::inverse(block_of(distances(), outcome.landmarks)));
    EXPECT_LT(difference(outcome.matrix, expected), 1e-10);
    EXPECT_EQ(outcome.approximation.report.negative_eigenvalues, 19);
    EXPECT_STREQ(core_layout(outcome.approximation.core_matrix), embedding ? "diagonal" : "dense");
  }
}

TEST(Nystrom, CountsDroppedAndNegativeEigenvalues) {
  MethodChoice parameters = method("nystrom");
  parameters.set("tolerance", 0.05);
  const auto outcome = run({distances(), n, 40}, parameters);
  const MethodReport& report = outcome.approximation.report;
  ASSERT_EQ(report.spectrum.size(), 40U);
  const double largest = std::max(std::abs(report.spectrum.front()), std::abs(report.spectrum.back()));
  Index dropped = 0, negative = 0;
  for (const double value : report.spectrum) {
    if (std::abs(value) <= 0.05 * largest) ++dropped;
    if (value < -0.05 * largest) ++negative;
  }
  EXPECT_GT(dropped, 0);
  EXPECT_GT(negative, 0);
  EXPECT_EQ(report.dropped_eigenvalues, dropped);
  EXPECT_EQ(report.negative_eigenvalues, negative);
  EXPECT_EQ(report.rank, 40 - dropped);
}

TEST(Nystrom, KeepsThePositivePartOnRequest) {
  MethodChoice parameters = method("nystrom");
  parameters.set("tolerance", 1e-6);
  parameters.set("spectrum", "positive");
  const auto plain = run({distances(), n, 40}, parameters);
  const MethodReport& report = plain.approximation.report;
  EXPECT_EQ(report.rank + report.dropped_eigenvalues + report.negative_eigenvalues, 40);
  for (Index i = 0; i < n; ++i) EXPECT_GE(plain.matrix(i, i), -1e-9);
  parameters.set("embedding", true);
  const auto embedding = run({distances(), n, 40}, parameters);
  EXPECT_STREQ(core_layout(embedding.approximation.core_matrix), "identity");
  EXPECT_LT(difference(embedding.matrix, plain.matrix), 1e-9);
}

TEST(Nystrom, GivesTheSameByCholeskyAndByEigenvalues) {
  MethodChoice parameters = method("nystrom");
  const auto cholesky = run({kernel(), n, 30}, parameters);
  EXPECT_TRUE(cholesky.approximation.report.spectrum.empty());
  // Nothing is dropped here either, but the Cholesky factor does not show it.
  const double smallest = [&] {
    const Dense block = block_of(kernel(), cholesky.landmarks);
    return smallest_eigenvalue_of(block) /
           -smallest_eigenvalue_of(dense(30, 30, [&](Index i, Index j) { return -block(i, j); }));
  }();
  parameters.set("tolerance", 0.5 * smallest);
  const auto eigenvalues = run({kernel(), n, 30}, parameters);
  EXPECT_EQ(eigenvalues.approximation.report.spectrum.size(), 30U);
  EXPECT_EQ(eigenvalues.approximation.report.dropped_eigenvalues, 0);
  EXPECT_LT(difference(eigenvalues.matrix, cholesky.matrix), 1e-11);
}

TEST(Nystrom, DropsByDefaultWhatTheNegativeEigenvaluesShowToBeNoise) {
  EXPECT_DOUBLE_EQ(default_tolerance({0.1, 1.0, 2.0}, false), 1e-10);
  EXPECT_DOUBLE_EQ(default_tolerance({-1e-4, 1.0, 2.0}, false), 5e-5);
  EXPECT_DOUBLE_EQ(default_tolerance({-1.0, 1.0, 2.0}, false), 1e-3);
  EXPECT_DOUBLE_EQ(default_tolerance({-3.0, 1.0, 2.0}, false), 1e-3);
  EXPECT_DOUBLE_EQ(default_tolerance({0.1, 1.0, 2.0}, true), 1e-6);
  MethodChoice parameters = method("nystrom");
  const Dense exact = dense(n, n, noisy(1e-4));
  const double by_default = difference(run({noisy(1e-4), n, 60}, parameters).matrix, exact);
  parameters.set("tolerance", 1e-12);
  const double plain = difference(run({noisy(1e-4), n, 60}, parameters).matrix, exact);
  parameters.set("tolerance", 1e-3);
  const double truncated = difference(run({noisy(1e-4), n, 60}, parameters).matrix, exact);
  EXPECT_LT(by_default, plain);
  EXPECT_LT(by_default, truncated);
}

// The factor of rpcholesky is L of an embedding; with the same map for new objects, and of the same K~.
TEST(Nystrom, TakesTheFactorOfTheLandmarks) {
  for (const double gamma : {0.4, 1e-4}) {  // well conditioned; and so that eigenvalues are dropped
    const auto entry = test::rbf(TestPoints(n, 4), gamma);
    constexpr Index s = 40;
    test::Context context(world(), 3);
    const test::FunctionSimilarity<double> similarity(entry);
    const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
    const auto with = [&](bool embedding, bool factor) {
      Landmarks<double> landmarks = select_rpcholesky<double>(context.execution, similarity, objects, s);
      EXPECT_TRUE(landmarks.factor && landmarks.trace_of_error);
      if (!factor) landmarks.factor.reset();
      MethodChoice choice = method("nystrom");
      choice.set("embedding", embedding);
      return approximate<double>(choice, context.execution, similarity, objects, std::move(landmarks), s);
    };
    const auto plain = with(false, false), taken = with(true, true), multiplied = with(true, false);
    const Dense matrix = test::reconstruct(context.execution, plain);
    const bool dropped = plain.report.dropped_eigenvalues > 0;
    EXPECT_EQ(dropped, gamma == 1e-4);
    EXPECT_LT(difference(test::reconstruct(context.execution, taken), matrix), dropped ? 1e-8 : 1e-11);
    EXPECT_LT(difference(test::gathered(world(), taken.left.dense()), test::gathered(world(), multiplied.left.dense())),
              dropped ? 1e-4 : 1e-8);
    if (dropped) {
      EXPECT_TRUE(plain.report.metrics.empty());
      continue;
    }
    double whole = 0.0, left = 0.0;
    for (Index i = 0; i < n; ++i) {
      whole += entry(i, i);
      left += entry(i, i) - matrix(i, i);
    }
    for (const auto* one : {&plain, &taken}) {
      ASSERT_EQ(one->report.metrics.size(), 1U);
      EXPECT_EQ(one->report.metrics.front().first, "trace_of_error");
      EXPECT_NEAR(one->report.metrics.front().second, left / whole, 1e-10);
    }
  }
}

TEST(Nystrom, ApproximatesZeroByZero) {
  const auto zero = [](Index, Index) { return 0.0; };
  const auto outcome = run({zero, n, 5}, method("nystrom"));
  EXPECT_THAT(outcome.matrix.values, testing::Each(0.0));
  EXPECT_EQ(5, outcome.approximation.report.dropped_eigenvalues);
}

TEST(Nystrom, SaysThatNoEigenvalueIsLeft) {
  const auto negative = [](Index, Index) { return -1.0; };
  MethodChoice parameters = method("nystrom");
  parameters.set("spectrum", "positive");
  try {
    (void)run({negative, n, 5}, parameters);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::numeric);
    EXPECT_THAT(error.what(), testing::HasSubstr("no positive eigenvalue"));
  }
}

class SmsNystrom : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Shifts, SmsNystrom, testing::Values("joining", "both"));

// A row of S2 beside the landmarks is drawn as the method draws it; e is checked on their submatrix of K.
TEST_P(SmsNystrom, IsAlgorithmOne) {
  const auto entry = noisy(0.02);
  MethodChoice parameters = method("sms-nystrom");
  parameters.set("shift", GetParam());
  parameters.set("s2", 35);
  const auto outcome = run({entry, n, 20}, parameters);
  const MethodReport& report = outcome.approximation.report;
  EXPECT_EQ(report.s1, 20);
  EXPECT_EQ(report.s2, 35);
  EXPECT_EQ(outcome.evaluations, n * 20 + 15 * 15);
  std::vector<Index> sample = outcome.landmarks;
  for (const Index i : sample_without_replacement(n, n, Random(3, Stream::second_sample))) {
    if (sample.size() < 35 && std::find(sample.begin(), sample.end(), i) == sample.end()) sample.push_back(i);
  }
  const double smallest = smallest_eigenvalue_of(block_of(entry, sample));
  ASSERT_LT(smallest, 0.0);
  EXPECT_NEAR(report.shift, -1.5 * smallest, 1e-6);
  Dense columns = columns_of(entry, outcome.landmarks);
  if (GetParam() == std::string("both")) {
    for (Index j = 0; j < 20; ++j) columns(outcome.landmarks[j], j) += report.shift;
  }
  const Dense block = plus_diagonal(block_of(entry, outcome.landmarks), report.shift);
  EXPECT_LT(difference(outcome.matrix, sandwich(columns, test::inverse(block))), 1e-9);
}

TEST_P(SmsNystrom, RescalesTheCoreMatrix) {
  MethodChoice parameters = method("sms-nystrom");
  parameters.set("shift", GetParam());
  const auto plain = run({noisy(0.02), n, 20}, parameters);
  parameters.set("rescale", true);
  const auto rescaled = run({noisy(0.02), n, 20}, parameters);
  const double beta = rescaled.approximation.report.rescale;
  const Dense block = block_of(noisy(0.02), plain.landmarks);
  const auto largest = [](const Dense& a) {
    return -smallest_eigenvalue_of(dense(a.rows, a.rows, [&](Index i, Index j) { return -a(i, j); }));
  };
  EXPECT_NEAR(beta, largest(block) / largest(plus_diagonal(block, plain.approximation.report.shift)), 1e-6);
  EXPECT_LT(beta, 1.0);
  Dense expected = plain.matrix;
  for (double& value : expected.values) value /= beta;
  EXPECT_LT(difference(rescaled.matrix, expected), 1e-10);
}

TEST(SmsNystrom, ShiftsNothingWhereTheSampleIsPositiveDefinite) {
  const auto shifted = run({kernel(), n, 20}, method("sms-nystrom"));
  const auto plain = run({kernel(), n, 20}, method("nystrom"));
  EXPECT_EQ(shifted.approximation.report.shift, 0.0);
  EXPECT_TRUE(shifted.approximation.report.warnings.empty());
  EXPECT_LT(difference(shifted.matrix, plain.matrix), 1e-13);
}

TEST(SmsNystrom, WarnsWhereTheShiftIsLargeAgainstTheSpectrum) {
  EXPECT_TRUE(run({noisy(0.01), n, 40}, method("sms-nystrom")).approximation.report.warnings.empty());
  const auto far = run({distances(), n, 40}, method("sms-nystrom"));
  ASSERT_EQ(far.approximation.report.warnings.size(), 1U);
  EXPECT_THAT(far.approximation.report.warnings.front(), testing::HasSubstr("shift"));
}

}  // namespace
}  // namespace cairn::nystrom_test
