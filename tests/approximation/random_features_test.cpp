// Features of points: of random frequencies, and of powers of inner products.
#include <gtest/gtest.h>

#include <cmath>

#include "cairn/approximation/extend.hpp"
#include "cairn/approximation/feature_map.hpp"
#include "cairn/approximation/random_features/degrees/degree_features.hpp"
#include "cairn/approximation/random_features/monomial_choice.hpp"
#include "cairn/approximation/random_features/random_fourier.hpp"
#include "cairn/base/error.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/similarity/points/point_similarities.hpp"
#include "method_run.hpp"
#include "similarity/point_objects.hpp"

namespace cairn::random_features_test {
namespace {

using test::Dense;
using test::difference;
using test::method;
using test::world;

constexpr Index n = 120, d = 6;

double coordinate(Index i, Index k) { return 0.25 * test::normal_coordinate(i, k); }

double entry_of(const std::function<double(double, double)>& function, Index i, Index j) {
  double product = 0, squares = 0;
  for (Index k = 0; k < d; ++k) {
    product += coordinate(i, k) * coordinate(j, k);
    squares += (coordinate(i, k) - coordinate(j, k)) * (coordinate(i, k) - coordinate(j, k));
  }
  return function(product, squares);
}
Dense exact(const std::function<double(double, double)>& function) {
  return test::dense(n, n, [&](Index i, Index j) { return entry_of(function, i, j); });
}

template <class T = double>
Approximation<T> approximated(const SimilarityChoice& similarity, const test::MethodChoice& choice,
                              std::uint64_t seed = 3) {
  test::Context context(world(), seed);
  const PointSet<T> points = test::make_points<T>(n, d, coordinate);
  const auto made = make_similarity<T>(context.execution, similarity, points);
  return test::approximate<T>(choice, context.execution, *made, points, {});
}

template <class T = double>
Dense matrix_of(const Approximation<T>& approximation) {
  test::Context context(world(), 3);
  return test::reconstruct(context.execution, approximation);
}

SimilarityChoice of(const std::string& name, const std::vector<std::pair<std::string, std::string>>& values = {}) {
  SimilarityChoice choice(name);
  for (const auto& [key, value] : values) choice.set(key, value);
  return choice;
}

// The error of a mean over m frequencies falls as its square root does.
TEST(RandomFourierOverDraws, ApproximatesWhatItsSpectrumIsOf) {
  CAIRN_UP_TO_RANKS(1);
  const auto rbf = [](double, double squares) { return std::exp(-0.7 * squares); };
  const auto matern = [](double, double squares) {
    const double t = std::sqrt(3 * squares) / 0.8;
    return (1 + t) * std::exp(-t);
  };
  const std::vector<std::pair<SimilarityChoice, Dense>> cases = {
      {of("rbf", {{"gamma", "0.7"}}), exact(rbf)},
      {of("matern", {{"nu", "1.5"}, {"length-scale", "0.8"}}), exact(matern)},
      {of("laplacian", {{"gamma", "0.3"}}), test::dense(n, n, [](Index i, Index j) {
         double sum = 0;
         for (Index k = 0; k < d; ++k) sum += std::abs(coordinate(i, k) - coordinate(j, k));
         return std::exp(-0.3 * sum);
       })}};
  for (const auto& [similarity, matrix] : cases) {
    for (const std::string draw : {"pairs", "phase", "orthogonal"}) {
      if (draw == "orthogonal" && similarity.name() == "laplacian") continue;
      const double few = difference(
          matrix_of(approximated(similarity, method("rff").set("features", 100).set("fourier", draw))), matrix);
      const double many = difference(
          matrix_of(approximated(similarity, method("rff").set("features", 40000).set("fourier", draw))), matrix);
      EXPECT_LT(many, 0.02) << similarity.name() << ", " << draw;
      EXPECT_LT(many, 0.2 * few) << similarity.name() << ", " << draw;
    }
  }
}

TEST(RandomFourier, OrthogonalDirectionsHaveLessError) {
  const Dense matrix = exact([](double, double squares) { return std::exp(-0.7 * squares); });
  double pairs = 0, orthogonal = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto error = [&](const char* draw) {
      return difference(matrix_of(approximated(of("rbf", {{"gamma", "0.7"}}),
                                               method("rff").set("features", 4 * d).set("fourier", draw), seed)),
                        matrix);
    };
    pairs += error("pairs");
    orthogonal += error("orthogonal");
  }
  EXPECT_LT(orthogonal, 0.8 * pairs);
}

TEST(RandomFourier, IsOneForAPointAndItself) {
  const Dense matrix = matrix_of(approximated(of("rbf"), method("rff").set("features", 10)));
  for (Index i = 0; i < n; ++i) EXPECT_NEAR(matrix(i, i), 1.0, 1e-12);
}

TEST(RandomFourier, RefusesWhatHasNoSpectrum) {
  EXPECT_THROW(approximated(of("polynomial"), method("rff")), Error);
  EXPECT_THROW(approximated(of("laplacian"), method("rff").set("fourier", "orthogonal")), Error);
  EXPECT_THROW(approximated(of("rbf"), method("rff").set("features", 11)), Error);
}

std::vector<double> features(const DegreeFeatures& map, const std::vector<double>& point) {
  std::vector<double> row(map.columns());
  map.apply(MatrixView<const double>(point.data(), 1, map.dimension()),
            MatrixView<double>(row.data(), 1, map.columns()));
  return row;
}
double dot(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) sum += x[k] * y[k];
  return sum;
}

const std::vector<double> x = {0.5, -1.0, 0.25, 2.0, 0.0}, y = {1.5, 0.5, -2.0, 1.0, 3.0};

TEST(Monomials, AreExact) {
  for (Index degree = 1; degree <= 6; ++degree) {
    const auto map = make_monomials(5, degree);
    EXPECT_EQ(map->columns(), count_monomials(5, degree));
    EXPECT_NEAR(dot(features(*map, x), features(*map, y)), std::pow(dot(x, y), degree),
                1e-11 * std::pow(dot(x, x) * dot(y, y), 0.5 * static_cast<double>(degree)));
  }
  EXPECT_EQ(count_monomials(5, 3), 35);
  EXPECT_EQ(count_monomials(2, 5), 6);
  EXPECT_EQ(count_monomials(1000, 4), most_monomials + 1);
}

// Against all monomials in order of their sizes.
TEST(Monomials, TheLargestAreFound) {
  const std::vector<double> moments = {0.5, 0.3, 0.25, 0.1, 0.02}, coefficients = {1, 2, 1.5, -0.7, 0.4};
  std::vector<double> sizes;
  for (Index degree = 1; degree <= 4; ++degree) {
    std::vector<std::int32_t> own(degree, 0);
    const std::function<void(std::size_t, std::int32_t)> visit = [&](std::size_t at, std::int32_t least) {
      if (at == own.size()) {
        double size = std::abs(coefficients[own.size()]) * count_orders(own);
        for (const std::int32_t i : own) size *= moments[i];
        sizes.push_back(size);
        return;
      }
      for (std::int32_t i = least; i < 5; ++i) own[at] = i, visit(at + 1, i);
    };
    visit(0, 0);
  }
  std::ranges::sort(sizes, std::greater<>());
  for (const Index count : {1, 7, 30, 100, 1000}) {
    std::vector<double> found;
    for (const MonomialList& list : choose_monomials(moments, coefficients, count)) {
      const auto degree = static_cast<std::size_t>(list.degree);
      for (std::size_t first = 0; first < list.factors.size(); first += degree) {
        const auto factors = std::span(list.factors).subspan(first, degree);
        EXPECT_TRUE(std::ranges::is_sorted(factors));
        double size = std::abs(coefficients[degree]) * count_orders(factors);
        for (const std::int32_t i : factors) size *= moments[i];
        found.push_back(size);
      }
    }
    std::ranges::sort(found, std::greater<>());
    ASSERT_EQ(found.size(), std::min(static_cast<std::size_t>(count), sizes.size()));
    for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], sizes[k], 1e-15) << count << ", " << k;
  }
}

TEST(PolyTensorSketch, IsExactIfTheMonomialsFit) {
  const auto choice = method("poly-tensorsketch").set("features", 1 + d + d * (d + 1) / 2);
  EXPECT_LT(difference(matrix_of(approximated(of("polynomial", {{"gamma", "0.3"}, {"degree", "2"}}), choice)),
                       exact([](double product, double) { return std::pow(0.3 * product + 1, 2); })),
            1e-9);
  const auto function = of("function", {{"function", "series"}, {"coefficients", "1,2,-0.5"}, {"scale", "0.5"}});
  EXPECT_LT(difference(matrix_of(approximated(function, choice)), exact([](double product, double) {
                         const double t = 0.5 * product;
                         return 1 + 2 * t - 0.5 * t * t;
                       })),
            1e-9);
}

// exp(-t) has negative coefficients; of those above 0 the best are those of a constant and small.
TEST(PolyTensorSketch, KeepsCoefficientsFromBeingNegative) {
  for (const char* allocation : {"optimal", "equal"}) {
    const auto similarity = of("function", {{"function", "exp"}, {"scale", "-1"}});
    auto choice = method("poly-tensorsketch").set("allocation", allocation).set("features", 85).set("degree", 4);
    const Approximation<double> any = approximated(similarity, choice);
    ASSERT_TRUE(std::holds_alternative<DiagonalCore>(any.core_matrix)) << allocation;
    for (const double sign : std::get<DiagonalCore>(any.core_matrix).values) EXPECT_EQ(std::abs(sign), 1.0);
    const Approximation<double> positive = approximated(similarity, choice.set("signs", "positive"));
    EXPECT_TRUE(std::holds_alternative<IdentityCore>(positive.core_matrix)) << allocation;
    const Dense matrix = exact([](double product, double) { return std::exp(-product); });
    EXPECT_LT(difference(matrix_of(any), matrix), difference(matrix_of(positive), matrix));
    EXPECT_LT(difference(matrix_of(positive), matrix), 0.5);
    // Of exp all are above 0 without being asked: nothing changes.
    const auto rising = of("function", {{"function", "exp"}});
    auto same = method("poly-tensorsketch").set("allocation", "optimal").set("features", 85);
    const Dense before = matrix_of(approximated(rising, same));
    EXPECT_LT(difference(matrix_of(approximated(rising, same.set("signs", "positive"))), before), 1e-6);
  }
}

// Means over draws of the squared error, and what was predicted of it.
TEST(PolyTensorSketchOverDraws, PredictsItsError) {
  CAIRN_UP_TO_RANKS(1);
  const struct {
    SimilarityChoice similarity;
    std::function<double(double, double)> function;
  } cases[] = {{of("rbf", {{"gamma", "0.6"}}), [](double, double squares) { return std::exp(-0.6 * squares); }},
               {of("function", {{"function", "logistic"}, {"shift", "0.3"}}),
                [](double product, double) { return 1 / (1 + std::exp(-product - 0.3)); }},
               {of("sigmoid", {{"gamma", "1"}, {"coef0", "0.5"}}),
                [](double product, double) { return std::tanh(product + 0.5); }}};
  for (const auto& one : cases) {
    const Dense matrix = exact(one.function);
    for (const char* allocation : {"optimal", "equal", "complex"}) {
      const bool complex = std::string_view(allocation) == "complex";
      double measured = 0, predicted = 0;
      constexpr int draws = 40;
      for (int seed = 1; seed <= draws; ++seed) {
        auto choice =
            method("poly-tensorsketch").set("coefficients", "all").set("allocation", complex ? "equal" : allocation);
        choice.set("features", 25).set("degree", 3).set("sketch", complex ? "complex" : "tensor");
        const auto approximation = approximated(one.similarity, choice, static_cast<std::uint64_t>(seed));
        const double error = difference(matrix_of(approximation), matrix);
        measured += error * error / draws;
        for (const auto& [name, value] : approximation.report.metrics) {
          if (name == "predicted_error") predicted = value;
        }
      }
      EXPECT_NEAR(std::sqrt(measured), predicted, 0.15 * predicted) << one.similarity.name() << ", " << allocation;
    }
  }
}

TEST(PolyTensorSketch, TakesCoefficientsFromFewRows) {
  const Dense matrix = exact([](double, double squares) { return std::exp(-0.6 * squares); });
  const auto error = [&](const char* rows, Index count) {
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      auto choice = method("poly-tensorsketch").set("coefficients", rows).set("allocation", "equal");
      choice.set("sketch-columns", 10).set("degree", 4).set("penalty", "printed");
      if (count > 0) choice.set("sample-rows", count);
      sum += difference(matrix_of(approximated(of("rbf", {{"gamma", "0.6"}}), choice, seed)), matrix);
    }
    return sum;
  };
  const double all = error("all", 0);
  EXPECT_LT(error("coreset", 10), 1.2 * all);
  EXPECT_LT(error("uniform", 10), 1.2 * all);
}

template <class T>
void expect_extended(const SimilarityChoice& similarity, const test::MethodChoice& choice) {
  const Approximation<T> approximation = approximated<T>(similarity, choice);
  ASSERT_TRUE(approximation.left_origin && approximation.left_origin->features);
  test::Context context(world(), 3);
  // New objects in another order, some of them old ones.
  const auto place = [](Index i, Index k) { return coordinate(i % 2 == 0 ? n - 1 - i : 1000 + i, k); };
  const PointSet<T> unseen = test::make_points<T>(n, d, place);
  const auto made = make_similarity<T>(context.execution, similarity, unseen);
  const Dense rows =
      test::gathered(world(), extend_factor(context.execution, *made, unseen, *approximation.left_origin));
  const Dense known = test::gathered(world(), approximation.left.dense());
  for (Index i = 0; i < n; i += 2) {
    // The BLAS may add up in another order in another place of a block.
    for (Index k = 0; k < rows.columns; ++k) {
      EXPECT_NEAR(rows(i, k), known(n - 1 - i, k), 8 * std::numeric_limits<T>::epsilon()) << i << ", " << k;
    }
  }
}

TEST(FeatureMaps, ExtendFactors) {
  expect_extended<double>(of("rbf"), method("rff").set("features", 20));
  expect_extended<float>(of("rbf"), method("rff").set("features", 20).set("fourier", "phase"));
  expect_extended<double>(of("rbf"), method("poly-tensorsketch").set("features", 40));
  expect_extended<float>(of("cosine"), method("poly-tensorsketch").set("features", 5).set("degree", 2));
}

// Rows of all ranks together, against those of one rank.
TEST(FeatureMaps, AreTheSameOnAnyNumberOfRanks) {
  const Communicator alone(MPI_COMM_SELF);
  test::Context context(alone, 3);
  const RowPartition partition(n, 1);
  RowBlock<double> rows(partition, 0, d);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < d; ++k) rows.row(i)[k] = coordinate(i, k);
  }
  const PointSet<double> points(std::move(rows), 0, {});
  for (const std::string rows_by : {"uniform", "coreset"}) {
    auto choice = method("poly-tensorsketch").set("features", 30).set("coefficients", rows_by).set("sample-rows", 12);
    const auto similarity = of("rbf", {{"gamma", "0.6"}});
    const auto made = make_similarity<double>(context.execution, similarity, points);
    const auto single = test::approximate<double>(choice, context.execution, *made, points, {});
    const Dense expected = test::reconstruct(context.execution, single);
    EXPECT_LT(difference(matrix_of(approximated(similarity, choice)), expected), 1e-10);
  }
}

TEST(PolyTensorSketch, RefusesWhatItCannotApproximate) {
  EXPECT_THROW(approximated(of("euclidean"), method("poly-tensorsketch")), Error);
  EXPECT_THROW(approximated(of("function", {{"function", "power"}, {"exponent", "0.5"}}), method("poly-tensorsketch")),
               Error);
  auto many = method("poly-tensorsketch").set("coefficients", "coreset").set("sample-rows", n);
  EXPECT_NO_THROW(approximated(of("rbf"), many));
}

}  // namespace
}  // namespace cairn::random_features_test
