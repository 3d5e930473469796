// Kernel ridge regression with an intercept against systems with centred targets, by elimination.
#include <gmock/gmock.h>

#include <cmath>

#include "ridge_cases.hpp"

namespace cairn::ridge_intercept_test {
namespace {

using namespace test::ridge;
using test::Dense;
using test::dense;

class RidgeIntercept : public testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, RidgeIntercept,
                         testing::Values(Kind::identity, Kind::signs, Kind::values, Kind::core_matrix, Kind::tiles));

// (lambda I + K~)⁻¹ on targets less their means over the rows, which are added again.
Dense reference_with_intercept(const Dense& k, const std::vector<Index>& rows, double lambda) {
  const auto m = static_cast<Index>(rows.size());
  std::vector<double> means(q, 0.0);
  for (const Index i : rows) {
    for (Index t = 0; t < q; ++t) means[t] += target(i, t) / static_cast<double>(m);
  }
  const auto at = [&](Index i) { return rows[i]; };
  const auto mean = [&](Index t) { return means[t]; };
  const Dense system = dense(m, m, [&](Index i, Index j) { return k(at(i), at(j)) + (i == j ? lambda : 0.0); });
  const Dense y = dense(m, q, [&](Index i, Index t) { return target(at(i), t) - mean(t); });
  const Dense across = dense(n, m, [&](Index i, Index j) { return k(i, at(j)); });
  const Dense values = test::product(across, test::product(test::inverse(system), y));
  return dense(n, q, [&](Index i, Index t) { return values(i, t) + mean(t); });
}

TEST_P(RidgeIntercept, CentresTargetsOnTheRowsThatItIsTrainedOn) {
  const auto approximation = make(GetParam());
  const Dense k = kernel(GetParam());
  for (const std::vector<Index>& rows : {every(1), every(2, 1), every(9)}) {
    const RidgeModel model = train(approximation, rows, {.lambdas = {0.7}, .intercept = true});
    ASSERT_EQ(model.intercepts.size(), static_cast<std::size_t>(q));
    EXPECT_LT(test::difference(predicted(approximation, model), reference_with_intercept(k, rows, 0.7)), 1e-10);
  }
  const std::vector<Index> rows = every(3, 1);
  const RidgeModel model = train(approximation, rows, {.lambdas = {0.3, 3.0}, .intercept = true});
  EXPECT_LT(test::difference(predicted(approximation, model), reference_with_intercept(k, rows, model.lambda)), 1e-10);
  for (const RidgeCandidate& candidate : model.candidates) {
    std::vector<double> squares(q, 0.0);
    for (const Index left_out : rows) {
      std::vector<Index> others = rows;
      std::erase(others, left_out);
      const Dense values = reference_with_intercept(k, others, candidate.lambda);
      for (Index t = 0; t < q; ++t) {
        squares[t] += std::pow(values(left_out, t) - target(left_out, t), 2);
      }
    }
    ASSERT_EQ(candidate.leave_one_out.size(), squares.size());
    for (std::size_t t = 0; t < squares.size(); ++t) {
      EXPECT_NEAR(candidate.leave_one_out[t].squared_error / squares[t], 1.0, 1e-8) << candidate.lambda;
    }
  }
}

TEST(RidgeInterceptOfOneRow, HasNoLeaveOneOut) {
  const RidgeModel model =
      train(make(Kind::identity), {3}, {.lambdas = {0.7}, .leave_one_out = true, .intercept = true});
  EXPECT_TRUE(model.candidates.front().leave_one_out.empty());
}

}  // namespace
}  // namespace cairn::ridge_intercept_test
