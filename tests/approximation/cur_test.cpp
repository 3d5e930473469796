#include "cairn/approximation/column_sampling/cur.hpp"

#include <gmock/gmock.h>

#include "cairn/approximation/column_sampling/stacur.hpp"
#include "cairn/approximation/extend.hpp"
#include "method_run.hpp"

namespace cairn::cur_test {
namespace {

using test::Dense;
using test::dense;
using test::difference;
using test::method;
using test::MethodChoice;
using test::run;
using test::TestPoints;
using test::world;

constexpr Index n = 120;

test::EntryFunction kernel() { return test::rbf(TestPoints(n, 4), 0.5); }

Dense block_of(const std::vector<Index>& rows, const std::vector<Index>& columns) {
  const auto entry = kernel();
  return dense(static_cast<Index>(rows.size()), static_cast<Index>(columns.size()),
               [&](Index i, Index j) { return entry(rows[i], columns[j]); });
}

std::vector<Index> all_rows() {
  std::vector<Index> all(n);
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

// (K S1) U (K S2)ᵀ
Dense cur(const std::vector<Index>& s1, const Dense& core_matrix, const std::vector<Index>& s2) {
  return test::product(test::product(block_of(all_rows(), s1), core_matrix), block_of(s2, all_rows()));
}

const std::vector<Index>& second_sample(const Approximation<double>& approximation) {
  return approximation.right_origin->indices;
}

TEST(Skeleton, IsTheFormula) {
  MethodChoice parameters = method("skeleton");
  parameters.set("tolerance", 1e-12);
  const auto outcome = run({kernel(), n, 20}, parameters);
  const auto& s2 = second_sample(outcome.approximation);
  ASSERT_EQ(s2.size(), 20U);
  EXPECT_NE(s2, outcome.landmarks);
  EXPECT_LT(difference(outcome.matrix, cur(outcome.landmarks, test::inverse(block_of(s2, outcome.landmarks)), s2)),
            1e-7);
}

TEST(Sicur, IsTheFormulaAndEvaluatesEachColumnOnce) {
  const auto outcome = run({kernel(), n, 15}, method("sicur"));
  const auto& s2 = second_sample(outcome.approximation);
  ASSERT_EQ(s2.size(), 30U);
  EXPECT_EQ(std::vector<Index>(s2.begin(), s2.begin() + 15), outcome.landmarks);
  EXPECT_EQ(outcome.evaluations, n * 30);
  // W⁺ = (WᵀW)⁻¹ Wᵀ
  const Dense w = block_of(s2, outcome.landmarks), wt = test::transposed(w);
  const Dense core_matrix = test::product(test::inverse(test::product(wt, w)), wt);
  EXPECT_LT(difference(outcome.matrix, cur(outcome.landmarks, core_matrix, s2)), 1e-9);
}

class Stacur : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Samples, Stacur, testing::Values("same", "different"));

TEST_P(Stacur, IsTheFormulaEntryByEntry) {
  MethodChoice parameters = method("stacur");
  parameters.set("samples", GetParam());
  const auto outcome = run({kernel(), n, 20}, parameters);
  const bool same = parameters.text("samples") == "same";
  ASSERT_EQ(outcome.approximation.right.has_value(), !same);
  const std::vector<Index> s2 = same ? outcome.landmarks : second_sample(outcome.approximation);
  const Dense c = block_of(all_rows(), outcome.landmarks);
  Dense core_matrix =
      test::product(test::inverse(test::product(test::transposed(c), c)), block_of(outcome.landmarks, s2));
  for (double& value : core_matrix.values) value *= static_cast<double>(n) / 20.0;
  const Dense expected = cur(outcome.landmarks, core_matrix, s2);
  double largest = 0.0;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) largest = std::max(largest, std::abs(outcome.matrix(i, j) - expected(i, j)));
  EXPECT_LT(largest, 1e-8);
}

TEST_P(Stacur, TakesTheEvaluationsOfItsSamples) {
  MethodChoice parameters = method("stacur");
  parameters.set("samples", GetParam());
  const auto outcome = run({kernel(), n, 20}, parameters);
  if (parameters.text("samples") == "same") {
    EXPECT_EQ(outcome.evaluations, n * 20);
  } else {
    Index shared = 0;
    for (const Index i : second_sample(outcome.approximation)) {
      shared += std::count(outcome.landmarks.begin(), outcome.landmarks.end(), i);
    }
    EXPECT_EQ(outcome.evaluations, n * (40 - shared));
  }
}

// For every method: the objects of the data set themselves, taken for unseen ones, have the rows of the factors.
class Extension : public testing::TestWithParam<std::tuple<const char*, bool>> {};
INSTANTIATE_TEST_SUITE_P(Methods, Extension,
                         testing::Combine(testing::Values("nystrom", "sms-nystrom", "skeleton", "sicur", "stacur"),
                                          testing::Bool()));

TEST_P(Extension, OfTheDataThemselvesGivesTheRowsOfTheFactors) {
  MethodChoice parameters = method(std::get<0>(GetParam()));
  parameters.set("embedding", std::get<1>(GetParam()));
  const auto outcome = run({kernel(), n, 25}, parameters);
  const Approximation<double>& approximation = outcome.approximation;
  test::Context context;
  const test::FunctionSimilarity<double> similarity(kernel());
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  const auto extended = [&](const FactorOrigin& origin) {
    return test::gathered(world(), extend_factor(context.execution, similarity, objects, origin));
  };
  EXPECT_LT(difference(extended(*approximation.left_origin), test::gathered(world(), approximation.left.dense())),
            1e-9);
  EXPECT_EQ(approximation.right_origin.has_value(), approximation.right.has_value());
  if (approximation.right) {
    EXPECT_LT(difference(extended(*approximation.right_origin), test::gathered(world(), approximation.right->dense())),
              1e-9);
  }
}

FactorOrigin origin_of(const std::vector<Index>& ids) {
  ObjectBlock block;
  block.ids = ids;
  return {ids, std::make_shared<const ObjectBlock>(block), nullptr};
}

// Landmarks of the left factor that are among those of the right one, in another order, are evaluated with these.
TEST(ExtendedFactors, EvaluateALandmarkOfBothFactorsOnce) {
  const test::FunctionSimilarity<double> similarity(kernel());
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  const std::vector<Index> right{5, 2, 9, 7};
  for (const auto& [left, columns] : {std::pair{std::vector<Index>{7, 2}, 4}, {std::vector<Index>{7, 3}, 6}}) {
    test::Context context;
    Approximation<double> approximation;
    approximation.left_origin = origin_of(left);
    approximation.right_origin = origin_of(right);
    approximation.right = RowBlock<double>(objects.partition(), world().rank(), 4);
    const Index before = world().sum(similarity.evaluations());
    extend_factors(context.execution, similarity, objects, approximation);
    EXPECT_EQ(world().sum(similarity.evaluations()) - before, n * columns);
    for (const auto& [factor, ids] : {std::pair{&approximation.left, left}, {&*approximation.right, right}}) {
      const RowBlock<double>& rows = factor->dense();
      ASSERT_EQ(rows.columns(), static_cast<Index>(ids.size()));
      for (Index i = rows.range().begin; i < rows.range().end; ++i) {
        for (std::size_t k = 0; k < ids.size(); ++k) EXPECT_NEAR(rows.row(i)[k], kernel()(i, ids[k]), 1e-15);
      }
    }
  }
}

}  // namespace
}  // namespace cairn::cur_test
