// Sketches of powers of inner products: means and variances over draws, hashes that degrees share, files. Suites
// OverDraws take long, and nothing but numbers is new in them: sanitizers leave them out.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <span>

#include "cairn/approximation/random_features/degrees/degree_features.hpp"
#include "cairn/approximation/random_features/given_polynomial.hpp"
#include "cairn/approximation/random_features/poly_tensorsketch.hpp"
#include "cairn/approximation/random_features/product_moments.hpp"
#include "cairn/approximation/random_features/sketch_features.hpp"
#include "cairn/base/error.hpp"
#include "expected_errors.hpp"
#include "method_run.hpp"
#include "similarity/point_objects.hpp"

namespace cairn::sketches_test {
namespace {

using test::world;

const std::vector<double> x = {0.5, -1.0, 0.25, 2.0, 0.0}, y = {1.5, 0.5, -2.0, 1.0, 3.0};

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

std::vector<double> features(const DegreeFeatures& map, const std::vector<double>& point) {
  std::vector<double> row(map.columns());
  map.apply(MatrixView<const double>(point.data(), 1, map.dimension()),
            MatrixView<double>(row.data(), 1, map.columns()));
  return row;
}

// Moments of the pairs (x, x) and (x, y).
ProductMoments moments_of_both(Index degree, const std::vector<Index>& tree_columns = {}) {
  test::Context context(world(), 3);
  const RowPartition partition(2, world().size());
  WeightedPoints both{RowBlock<double>(partition, world().rank(), 5), {}, [](double t) { return t; }};
  for (Index i = both.points.range().begin; i < both.points.range().end; ++i) {
    std::ranges::copy(i == 0 ? x : y, both.points.row(i).begin());
    both.weights.push_back(1);
  }
  return product_moments(context.execution, both, Standing(context.execution, both, {{0}, {1.0}}), degree,
                         tree_columns);
}

// Means of phi(x)·phi(x) and phi(x)·phi(y) over draws are the powers, within five standard errors of what the sum of
// their variances is said to be. Each rank takes a share of the draws. @return that sum as it was found
double variance_over_draws(int draws, Index degree, double expected,
                           const std::function<std::unique_ptr<DegreeFeatures>(const Random&)>& draw) {
  std::array<double, 4> sums{};
  auto& [mean_xx, mean_xy, squares_xx, squares_xy] = sums;
  for (int k = world().rank(); k < draws; k += world().size()) {
    const auto map = draw(Random(static_cast<std::uint64_t>(k), Stream::test));
    const std::vector<double> fx = features(*map, x), fy = features(*map, y);
    const double a = dot(fx, fx), b = dot(fx, fy);
    mean_xx += a / draws, mean_xy += b / draws;
    squares_xx += a * a / draws, squares_xy += b * b / draws;
  }
  world().sum(std::span<double>(sums));
  const double deviation = std::sqrt(expected / draws);
  EXPECT_NEAR(mean_xy, std::pow(dot(x, y), degree), 5 * deviation) << degree;
  EXPECT_NEAR(mean_xx, std::pow(dot(x, x), degree), 5 * deviation) << degree;
  return squares_xx - mean_xx * mean_xx + squares_xy - mean_xy * mean_xy;
}

constexpr int many_draws = 20000;

// The mean and the variance over draws are those that coefficients are chosen by.
TEST(TensorSketchOverDraws, HasTheMeanAndTheVarianceThatAreStated) {
  CAIRN_UP_TO_RANKS(1);
  const ProductMoments moments = moments_of_both(4);
  for (const Index degree : {1, 2, 3}) {
    for (const Index columns : {7, 8}) {
      const double expected = moments.sketch_variance(degree, columns);
      const double variance = variance_over_draws(many_draws, degree, expected, [&](const Random& random) {
        return draw_tensor_sketch(5, degree, columns, random, 0);
      });
      EXPECT_NEAR(variance, expected, 0.1 * expected) << degree << ", " << columns;
    }
  }
}

// One column pair is as independent rows are; several of one Hadamard matrix may have less variance, hardly more.
TEST(ComplexSketchOverDraws, HasTheMeanAndTheVarianceThatAreStated) {
  CAIRN_UP_TO_RANKS(1);
  const ProductMoments moments = moments_of_both(4);
  for (const Index degree : {1, 2, 3}) {
    for (const Index columns : {2, 16, 24}) {  // a part of a block, a block, and one and a half
      const double expected = moments.complex_variance(degree, columns);
      const double variance = variance_over_draws(many_draws, degree, expected, [&](const Random& random) {
        return draw_complex_sketch(5, degree, columns, random, 0);
      });
      EXPECT_LT(variance, 1.1 * expected) << degree << ", " << columns;
      if (columns == 2) {
        EXPECT_GT(variance, 0.9 * expected) << degree;
      }
    }
  }
}

TEST(TreeSketchOverDraws, HasTheMeanAndTheVarianceThatAreStated) {
  CAIRN_UP_TO_RANKS(1);
  const ProductMoments moments = moments_of_both(5, {7, 8});
  for (const Index degree : {1, 2, 3, 4, 5}) {
    for (const Index columns : {7, 8}) {
      const double expected = moments.tree_variance(degree, columns);
      const int draws = degree < 4 ? many_draws : 3 * many_draws;  // high powers have long tails
      const double variance = variance_over_draws(draws, degree, expected, [&](const Random& random) {
        return draw_tree_sketch(5, degree, columns, random, 0);
      });
      EXPECT_NEAR(variance, expected, (degree < 4 ? 0.1 : 0.25) * expected) << degree << ", " << columns;
      if (degree <= 2) {
        EXPECT_NEAR(expected, moments.sketch_variance(degree, columns), 1e-9 * expected) << "it is a TensorSketch";
      }
    }
  }
}

// Between numbers of columns the variance is interpolated: a little too large, never less.
TEST(TreeSketch, TheVarianceIsInterpolated) {
  const ProductMoments some = moments_of_both(10, {4, 16, 64, 256, 1024, 4096});
  for (const Index columns : {2, 10, 100, 1000, 10000}) {
    const ProductMoments exact = moments_of_both(10, {columns});
    for (const Index degree : {1, 3, 10}) {
      const double ratio = some.tree_variance(degree, columns) / exact.tree_variance(degree, columns);
      if (columns == 2) continue;  // below the first: a guess
      EXPECT_GT(ratio, 0.97) << degree << ", " << columns;
      EXPECT_LT(ratio, 1.5) << degree << ", " << columns;
    }
  }
}

// High powers of points that are not far from parallel: the root mean square error over draws. By the stated variances
// .63 and .22 of that of tensor sketches; theirs has a long tail, of which draws see little.
TEST(TreeSketchOverDraws, HaveLessErrorThanTensorSketchesOfHighDegree) {
  CAIRN_UP_TO_RANKS(1);
  constexpr Index columns = 1000, d = 30;
  std::vector<double> one, near;
  for (Index k = 0; k < d; ++k) {
    one.push_back(test::normal_coordinate(0, k));
    near.push_back(one.back() + 0.3 * test::normal_coordinate(1, k));
  }
  for (const Index degree : {6, 10}) {
    const auto error = [&](auto draw) {
      constexpr int draws = 500;
      double sum = 0;
      for (int k = 0; k < draws; ++k) {
        const auto map = draw(d, degree, columns, Random(static_cast<std::uint64_t>(k), Stream::test), 0);
        const double off = dot(features(*map, one), features(*map, near)) / std::pow(dot(one, near), degree) - 1;
        sum += off * off;
      }
      return std::sqrt(sum / draws);
    };
    const double tree = error(draw_tree_sketch), tensor = error(draw_tensor_sketch);
    EXPECT_LT(tree, (degree == 6 ? 0.85 : 0.6) * tensor) << degree;
  }
}

TEST(GivenPolynomial, NeedsDerivativesForTaylor) {
  test::Context context(world(), 3);
  const Values values(poly_tensorsketch_method().parameters, {{"coefficients", "taylor"}, {"degree", "3"}});
  PreparedPoints prepared;
  prepared.rows.change.scale = 0.5;  // products were up to 4
  const auto given = [&] { return given_polynomial(context.execution, prepared, values); };
  test::expect_error([&] { static_cast<void>(given()); }, ErrorKind::usage, {"coefficients", "are not known"});
  prepared.function.taylor = [](Index) { return std::vector<double>(); };
  test::expect_error([&] { static_cast<void>(given()); }, ErrorKind::usage, {"coefficients", "has not"});
  prepared.function.taylor = [](Index degree) { return std::vector<double>(static_cast<std::size_t>(degree) + 1, 1); };
  EXPECT_EQ(given(), (std::vector<double>{1, 4, 16, 64}));
}

// Sketches whose hashes begin alike are computed together, with the same result to the last bit.
TEST(SketchFeatures, SharedHashesAreCountedOnce) {
  const Random random(5, Stream::test);
  const std::vector<double> coefficients(6, 1.0);
  const auto parts = [&](Index step) {
    std::vector<std::shared_ptr<const DegreeFeatures>> all;
    for (Index p = 1; p <= 5; ++p) all.push_back(draw_tensor_sketch(5, p, 24, random, step * p));
    return all;
  };
  for (const Index step : {0, 7}) {  // shared, independent
    const SketchFeatures map(5, {}, 0, parts(step), coefficients);
    std::vector<double> row(map.columns());
    map.apply(MatrixView<const double>(x.data(), 1, 5), MatrixView<double>(row.data(), 1, map.columns()));
    std::vector<double> expected{1};
    for (const auto& part : parts(step)) {
      const std::vector<double> own = features(*part, x);
      expected.insert(expected.end(), own.begin(), own.end());
    }
    EXPECT_EQ(row, expected) << step;
  }
}

// More rows than a block has, with weights: sums over all pairs, whatever the ranks.
TEST(ProductMoments, AreSumsOverAllPairsBlockByBlock) {
  constexpr Index n = Standing::rows_of_block + 150, d = 3;
  test::Context context(world(), 3);
  const Random random(4, Stream::test);
  std::vector<double> points(n * d), weights(n);
  for (std::size_t k = 0; k < points.size(); ++k) points[k] = random.uniform(k, 0) - 0.5;
  for (std::size_t k = 0; k < weights.size(); ++k) weights[k] = random.uniform(k, 1);
  const auto value = [](double t) { return std::exp(t); };
  WeightedPoints all{RowBlock<double>(RowPartition(n, world().size()), world().rank(), d), {}, value};
  for (Index i = all.points.range().begin; i < all.points.range().end; ++i) {
    std::copy_n(points.begin() + i * d, d, all.points.row(i).begin());
    all.weights.push_back(weights[i]);
  }
  const ProductMoments moments = product_moments(context.execution, all, {context.execution, all, all_rows(n)}, 1);
  double pairs = 0, products = 0, right = 0, squares = 0;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      double product = 0;
      for (Index k = 0; k < d; ++k) {
        product += points[i * d + k] * points[j * d + k];
      }
      const double both = weights[i] * weights[j];
      pairs += both * both;
      products += both * both * product;
      right += both * both * product * value(product);
      squares += both * both * value(product) * value(product);
    }
  }
  EXPECT_NEAR(moments.gram[0], pairs, 1e-11 * pairs);
  EXPECT_NEAR(moments.gram[1], products, 1e-11 * pairs);
  EXPECT_NEAR(moments.right[1], right, 1e-11 * pairs);
  EXPECT_NEAR(moments.squares, squares, 1e-11 * squares);
}

// More points than are sketched at once, and not a multiple of them; of 70 numbers, so that rows are not aligned.
TEST(Sketches, AreTheSameForOnePointAndForManyAndInSinglePrecision) {
  constexpr Index d = 13, points = 37;
  const Random random(9, Stream::test);
  std::vector<double> values(points * d);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = random.uniform(k, 0) - 0.4;
  const std::vector<float> single(values.begin(), values.end());
  std::vector<std::unique_ptr<DegreeFeatures>> maps;
  for (const Index degree : {1, 2, 3, 5}) {
    maps.push_back(draw_tensor_sketch(d, degree, 70, random, 0));
    maps.push_back(draw_complex_sketch(d, degree, 70, random, 0));
    maps.push_back(draw_tree_sketch(d, degree, 70, random, 0));
  }
  maps.push_back(make_monomials(d, 2));
  Buffer<double> basis(d * 4);
  for (Index k = 0; k < basis.size(); ++k) basis[k] = random.uniform(static_cast<std::size_t>(k), 1);
  maps.push_back(make_projection(d, std::move(basis)));
  for (const auto& map : maps) {
    const Index columns = map->columns();
    std::vector<double> together(points * columns);
    std::vector<float> rounded(together.size());
    map->apply(MatrixView<const double>(values.data(), points, d),
               MatrixView<double>(together.data(), points, columns));
    map->apply(MatrixView<const float>(single.data(), points, d), MatrixView<float>(rounded.data(), points, columns));
    double largest = 0;
    for (const double value : together) largest = std::max(largest, std::abs(value));
    for (Index a = 0; a < points; ++a) {
      const std::vector<double> alone = features(*map, {values.begin() + a * d, values.begin() + (a + 1) * d});
      for (Index k = 0; k < columns; ++k) {
        const auto at = static_cast<std::size_t>(a * columns + k);
        EXPECT_NEAR(together[at], alone[k], 1e-13 * largest) << map->kind();
        EXPECT_NEAR(static_cast<double>(rounded[at]), together[at], 2e-6 * largest) << map->kind() << map->degree();
      }
    }
  }
}

}  // namespace
}  // namespace cairn::sketches_test
