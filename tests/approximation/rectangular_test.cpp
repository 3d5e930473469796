// A K whose columns stand for other points than its rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "cairn/approximation/approximate_row.hpp"
#include "cairn/approximation/error/probe.hpp"
#include "cairn/approximation/extend.hpp"
#include "cairn/base/error.hpp"
#include "cairn/linalg/dense/local_eigen.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "method_run.hpp"
#include "similarity/point_objects.hpp"

namespace cairn::rectangular_test {
namespace {

using test::Dense;
using test::difference;
using test::method;
using test::world;

constexpr Index rows = 90, columns = 70, d = 5;

double u(Index i, Index k) { return 0.3 * test::normal_coordinate(i, k); }
// Longer rows in other directions, some of which are those of U with the same numbers.
double v(Index j, Index k) {
  if (j < 10) return u(j, k);
  return (k < 2 ? 2.0 : 0.2) * test::normal_coordinate(1000 + j, k) + 0.1;
}

double product(Index i, Index j) {
  double sum = 0;
  for (Index k = 0; k < d; ++k) sum += u(i, k) * v(j, k);
  return sum;
}
double squared_distance(Index i, Index j) {
  double sum = 0;
  for (Index k = 0; k < d; ++k) sum += (u(i, k) - v(j, k)) * (u(i, k) - v(j, k));
  return sum;
}

SimilarityChoice of(const std::string& name, const std::vector<std::pair<std::string, std::string>>& values = {}) {
  SimilarityChoice choice(name);
  for (const auto& [key, value] : values) choice.set(key, value);
  return choice;
}

// U, V and a function of both, on all ranks.
struct Sides {
  test::Context context{world(), 3};
  PointSet<double> left = test::make_points<double>(rows, d, u), right = test::make_points<double>(columns, d, v);
  std::unique_ptr<Similarity<double>> similarity;

  explicit Sides(const SimilarityChoice& choice)
      : similarity(make_similarity<double>(context.execution, choice, left)) {}

  Approximation<double> approximated(const test::MethodChoice& choice) {
    return cairn::approximate(choice.descriptor(), Problem<double>{.execution = context.execution,
                                                                   .similarity = *similarity,
                                                                   .objects = left,
                                                                   .parameters = choice.values(),
                                                                   .right = &right});
  }
  Dense matrix(const Approximation<double>& approximation) {
    std::vector<Index> all(approximation.right_factor().rows());
    std::iota(all.begin(), all.end(), Index{0});
    return test::gathered(world(), approximate_columns(context.execution, approximation, all));
  }
};

double predicted_error(const Approximation<double>& approximation) {
  for (const auto& [name, value] : approximation.report.metrics) {
    if (name == "predicted_error") return value;
  }
  return -1;
}

TEST(Rectangular, PolynomialsAreExactIfTheirMonomialsFit) {
  Sides sides(of("function", {{"function", "series"}, {"coefficients", "1,2,0,-0.5"}}));
  const Dense exact = test::dense(rows, columns, [](Index i, Index j) {
    const double t = product(i, j);
    return 1 + 2 * t - 0.5 * t * t * t;
  });
  const auto approximation = sides.approximated(method("poly-tensorsketch").set("features", 60).set("degree", 3));
  EXPECT_TRUE(approximation.rectangular);
  EXPECT_FALSE(approximation.symmetric);
  EXPECT_EQ(approximation.left.rows(), rows);
  EXPECT_EQ(approximation.right->rows(), columns);
  EXPECT_LT(difference(sides.matrix(approximation), exact), 1e-12);
}

// Columns that are too few are those of the singular value decomposition of U Vᵀ.
TEST(Rectangular, ProductsAreCutToTheirLargestSingularValues) {
  Sides sides(of("linear"));
  const Dense exact = test::dense(rows, columns, product);
  Dense gram = test::product(test::transposed(exact), exact);
  std::vector<double> squares = eigenvalues_in_place(columns, gram.values.data());
  double all = 0, least = 0, with_constant = 0;  // of the best of rank 2 and of rank 3
  for (std::size_t k = 0; k < squares.size(); ++k) {
    all += squares[k];
    if (k + 2 < squares.size()) least += squares[k];
    if (k + 3 < squares.size()) with_constant += squares[k];
  }
  const auto approximation =
      sides.approximated(method("poly-tensorsketch").set("features", 3).set("degree", 1).set("coefficients", "all"));
  const double error = difference(sides.matrix(approximation), exact);
  EXPECT_LT(error, std::sqrt(least / all) * (1 + 1e-9));
  EXPECT_GT(error, std::sqrt(with_constant / all) * (1 - 1e-9));
  EXPECT_GT(least, 0.01 * all);
}

TEST(Rectangular, OtherFunctionsAreNearAndTheErrorIsThePredictedOne) {
  const auto logistic = [](double t) { return 1 / (1 + std::exp(-t)); };
  const auto gaussian = [](double squares) { return std::exp(-0.3 * squares); };
  const std::vector<std::pair<SimilarityChoice, Dense>> cases = {
      {of("function", {{"function", "logistic"}}),
       test::dense(rows, columns, [&](Index i, Index j) { return logistic(product(i, j)); })},
      {of("rbf", {{"gamma", "0.3"}}),
       test::dense(rows, columns, [&](Index i, Index j) { return gaussian(squared_distance(i, j)); })}};
  for (const auto& [similarity, exact] : cases) {
    Sides sides(similarity);
    double before = 1;
    for (const int features : {10, 40, 160}) {
      const auto approximation =
          sides.approximated(method("poly-tensorsketch").set("features", features).set("coefficients", "all"));
      const double error = difference(sides.matrix(approximation), exact);
      const double predicted = predicted_error(approximation);
      EXPECT_NEAR(error, predicted, 0.5 * predicted + 1e-12) << similarity.name() << ", " << features;
      EXPECT_LT(error, 0.6 * before) << similarity.name() << ", " << features;
      before = error;
    }
  }
  Sides sides(cases[1].first);
  EXPECT_LT(difference(sides.matrix(sides.approximated(method("rff").set("features", 20000))), cases[1].second), 0.05);
}

// As many sketched columns for each degree: with the paper's penalties, too.
TEST(Rectangular, SketchesOfBothSidesAreTheSame) {
  Sides sides(of("function", {{"function", "exp"}, {"scale", "0.3"}}));
  const Dense exact = test::dense(rows, columns, [](Index i, Index j) { return std::exp(0.3 * product(i, j)); });
  for (const char* penalty : {"exact", "degree", "printed"}) {
    for (const char* sketch : {"tensor", "complex"}) {
      const auto approximation = sides.approximated(method("poly-tensorsketch")
                                                        .set("allocation", "equal")
                                                        .set("degree", 6)
                                                        .set("sketch-columns", 2000)
                                                        .set("penalty", penalty)
                                                        .set("sketch", sketch));
      const double error = difference(sides.matrix(approximation), exact), predicted = predicted_error(approximation);
      EXPECT_LT(error, 1.5 * predicted) << penalty << ", " << sketch;
      EXPECT_LT(predicted, penalty == std::string("printed") ? 0.2 : 0.05) << penalty << ", " << sketch;
    }
  }
}

// Ten rows a hundred times are a coreset of themselves, on whichever side they are.
TEST(Rectangular, TheCoresetIsOfTheSideThatItStandsForBetter) {
  constexpr Index many = 1000, different = 10;
  test::Context context(world(), 3);
  const auto repeated = test::make_points<double>(many, d, [](Index j, Index k) { return v(j % different + 20, k); });
  const auto others = test::make_points<double>(many, d, u);
  const auto similarity = make_similarity<double>(context.execution, of("function"), repeated);
  const std::vector<Index> picks{0, 7, 500, 999};
  for (const bool swapped : {false, true}) {
    const PointSet<double>&left = swapped ? repeated : others, &right = swapped ? others : repeated;
    for (const char* allocation : {"equal", "optimal"}) {
      const auto columns_by = [&](const char* coefficients) {
        test::MethodChoice choice = method("poly-tensorsketch").set("features", 41).set("coefficients", coefficients);
        if (coefficients == std::string("coreset")) choice.set("sample-rows", different);
        if (allocation == std::string("equal")) choice.set("allocation", allocation).set("degree", 4);
        const auto approximation =
            cairn::approximate(choice.descriptor(), Problem<double>{.execution = context.execution,
                                                                    .similarity = *similarity,
                                                                    .objects = left,
                                                                    .parameters = choice.values(),
                                                                    .right = &right});
        return test::gathered(world(), approximate_columns(context.execution, approximation, picks));
      };
      EXPECT_LT(difference(columns_by("coreset"), columns_by("all")), 1e-11) << allocation << ", " << swapped;
    }
  }
}

TEST(Rectangular, RowsEntriesAndTheProbeAreOfBothSides) {
  Sides sides(of("function", {{"function", "tanh"}}));
  const auto approximation = sides.approximated(method("poly-tensorsketch").set("features", 20));
  const Dense whole = sides.matrix(approximation);
  const Dense exact = test::dense(rows, columns, [](Index i, Index j) { return std::tanh(product(i, j)); });
  const std::vector<double> own = approximate_row(sides.context.execution, approximation, 83);
  const std::vector<double> row = world().all_gather(own);
  ASSERT_EQ(std::ssize(row), columns);
  for (Index j = 0; j < columns; ++j) EXPECT_NEAR(row[j], whole(83, j), 1e-12);
  const ErrorEstimate all = probe_error(sides.context.execution, approximation, *sides.similarity, sides.left,
                                        sides.right, {.precision = 1e-9});
  EXPECT_EQ(all.pairs, rows * columns);
  EXPECT_EQ(all.stopped_by, StoppedBy::all);
  EXPECT_EQ(all.relative_error_standard_error, 0);
  EXPECT_NEAR(all.relative_error, difference(whole, exact), 1e-10);
  const ErrorEstimate some =
      probe_error(sides.context.execution, approximation, *sides.similarity, sides.left, sides.right, {.count = 2000});
  EXPECT_EQ(some.pairs, 2000);
  EXPECT_NEAR(some.relative_error, all.relative_error, 5 * some.relative_error_standard_error);
  EXPECT_GT(some.relative_error_standard_error, 0);
}

TEST(Rectangular, NewRowsOfEitherSideNeedTheMapAlone) {
  Sides sides(of("function", {{"function", "logistic"}}));
  for (const char* name : {"monomials", "sketches"}) {
    test::MethodChoice choice = method("poly-tensorsketch").set("features", 31);
    if (name == std::string("sketches")) choice.set("allocation", "equal").set("degree", 3);
    const Dense whole = sides.matrix(sides.approximated(choice));
    // The new rows are others, and the old ones in reverse order.
    const auto new_left = test::make_points<double>(rows + 5, d, [](Index i, Index k) {
      return i < 5 ? 0.1 * test::normal_coordinate(500 + i, k) : u(rows + 4 - i, k);
    });
    const auto new_right =
        test::make_points<double>(columns, d, [](Index j, Index k) { return v(columns - 1 - j, k); });
    Approximation<double> left = sides.approximated(choice), right = sides.approximated(choice);
    extend_factors(sides.context.execution, *sides.similarity, new_left, left);
    extend_factors(sides.context.execution, *sides.similarity, new_right, right, true);
    const Dense of_left = sides.matrix(left), of_right = sides.matrix(right);
    ASSERT_EQ(of_left.rows, rows + 5);
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) {
        EXPECT_NEAR(of_left(rows + 4 - i, j), whole(i, j), 1e-12) << name;
        EXPECT_NEAR(of_right(i, columns - 1 - j), whole(i, j), 1e-12) << name;
      }
    }
  }
}

TEST(Rectangular, MethodsWithLandmarksSayThatTheyTakeNoOtherColumns) {
  Sides sides(of("rbf"));
  try {
    static_cast<void>(sides.approximated(method("nystrom")));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.what(), testing::HasSubstr("methods for it: rff, poly-tensorsketch"));
  }
}

}  // namespace
}  // namespace cairn::rectangular_test
