// Factor rows of points that are in no data set of a result, against similarities computed one by one.
#include "cairn/approximation/extend.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include "cairn/linalg/dense/block_cyclic_matrix.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "method_run.hpp"
#include "similarity/point_objects.hpp"

namespace cairn::extend_test {
namespace {

using test::Dense;
using test::world;

constexpr Index n = 60, unseen = 47, d = 3, landmarks = 18;

// Old and new points differ in every row.
double old_coordinate(Index i, Index k) { return test::normal_coordinate(i, k); }
double new_coordinate(Index i, Index k) { return 0.9 * test::normal_coordinate(i + 1000, k) + 0.1; }

SimilarityChoice part(const std::string& kind) {
  SimilarityChoice choice(kind);
  for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
           {"gamma", "0.3"}, {"degree", "2"}, {"coef0", "0.5"}, {"length-scale", "1.7"}}) {
    const auto& own = choice.descriptor->parameters;
    if (std::ranges::find(own, name, &Parameter::name) != own.end()) choice.set(name, value);
  }
  return choice;
}

const std::vector<double> weights = {0.25, 2.0};

SimilarityChoice choice_of(const std::string& name) {
  if (name == "matern-1/2" || name == "matern-5/2")
    return part("matern").set("nu", name == "matern-1/2" ? "0.5" : "2.5");
  SimilarityChoice choice = part(name);
  if (name == "sum") {
    choice.set("weights", "0.25,2");
    choice.parts = {part("rbf"), part("laplacian")};
  }
  if (name == "product") choice.parts = {part("matern"), part("polynomial")};
  return choice;
}

// The definitions, term by term.
double similarity_of(const SimilarityChoice& choice, const std::vector<double>& x, const std::vector<double>& y) {
  double dot = 0, xx = 0, yy = 0, squares = 0, absolute = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    dot += x[k] * y[k], xx += x[k] * x[k], yy += y[k] * y[k];
    squares += (x[k] - y[k]) * (x[k] - y[k]), absolute += std::abs(x[k] - y[k]);
  }
  const auto number = [&](const char* name) { return choice.values.number(name); };
  const std::string& kind = choice.name();
  if (kind == "rbf") return std::exp(-number("gamma") * squares);
  if (kind == "laplacian") return std::exp(-number("gamma") * absolute);
  if (kind == "polynomial") return std::pow(number("gamma") * dot + number("coef0"), number("degree"));
  if (kind == "linear") return dot;
  if (kind == "cosine") return dot / std::sqrt(xx * yy);
  if (kind == "sigmoid") return std::tanh(number("gamma") * dot + number("coef0"));
  if (kind == "euclidean") return std::sqrt(squares);
  if (kind == "matern") {
    const double nu = number("nu"), t = std::sqrt(2 * nu * squares) / number("length-scale");
    return std::exp(-t) * (nu == 0.5 ? 1 : nu == 1.5 ? 1 + t : 1 + t + t * t / 3);
  }
  double sum = 0, product = 1;
  for (std::size_t p = 0; p < choice.parts.size(); ++p) {
    const double value = similarity_of(choice.parts[p], x, y);
    if (kind == "sum") sum += weights[p] * value;
    product *= value;
  }
  return kind == "sum" ? sum : product;
}

// Coordinates as the precision holds them.
template <class T, class Coordinate>
std::vector<double> point(const Coordinate& coordinate, Index i) {
  std::vector<double> x;
  for (Index k = 0; k < d; ++k) x.push_back(static_cast<double>(static_cast<T>(coordinate(i, k))));
  return x;
}

// K(new points, landmarks) times the map, by loops.
template <class T>
Dense expected_rows(const SimilarityChoice& parameters, const FactorOrigin& origin) {
  const Dense columns = test::dense(unseen, static_cast<Index>(origin.indices.size()), [&](Index i, Index j) {
    return similarity_of(parameters, point<T>(new_coordinate, i), point<T>(old_coordinate, origin.indices[j]));
  });
  if (!origin.map) return columns;
  const Index rows = origin.map->rows(), width = origin.map->columns();
  const Buffer<double> map = replicate_columns(*origin.map, {0, width});
  return test::product(columns, test::dense(rows, width, [&](Index i, Index j) { return map[i * width + j]; }));
}

template <class T>
void expect_extension(const std::string& similarity_name, const std::string& method, bool embedding) {
  test::Context context(world(), 5);
  const auto old_points = test::make_points<T>(n, d, old_coordinate);
  const SimilarityChoice parameters = choice_of(similarity_name);
  const auto similarity = make_similarity<T>(context.execution, parameters, old_points);
  test::MethodChoice how = test::method(method);
  how.set("embedding", embedding);
  Approximation<T> approximation = test::approximate<T>(how, context.execution, *similarity, old_points,
                                                        select_uniform<T>(context.execution, old_points, landmarks));
  const auto new_points = test::make_points<T>(unseen, d, new_coordinate);
  extend_factors(context.execution, *similarity, new_points, approximation);
  const double tolerance = std::is_same_v<T, double> ? 1e-9 : 2e-4;
  EXPECT_LT(test::difference(test::gathered(world(), approximation.left.dense()),
                             expected_rows<T>(parameters, *approximation.left_origin)),
            tolerance);
  ASSERT_EQ(approximation.right.has_value(), approximation.right_origin.has_value());
  if (!approximation.right) return;
  EXPECT_LT(test::difference(test::gathered(world(), approximation.right->dense()),
                             expected_rows<T>(parameters, *approximation.right_origin)),
            tolerance);
}

class NewPoints : public testing::TestWithParam<std::tuple<const char*, const char*, bool>> {};
INSTANTIATE_TEST_SUITE_P(Similarities, NewPoints,
                         testing::Combine(testing::Values("rbf", "laplacian", "polynomial", "linear", "cosine",
                                                          "sigmoid", "matern", "matern-1/2", "matern-5/2", "euclidean",
                                                          "sum", "product"),
                                          testing::Values("nystrom", "sms-nystrom", "skeleton", "sicur", "stacur"),
                                          testing::Bool()));

TEST_P(NewPoints, HaveTheRowsThatTheirSimilaritiesWithTheLandmarksGive) {
  const auto& [similarity, method, embedding] = GetParam();
  expect_extension<double>(similarity, method, embedding);
}

TEST_P(NewPoints, HaveTheSameRowsInSinglePrecision) {
  const auto& [similarity, method, embedding] = GetParam();
  expect_extension<float>(similarity, method, embedding);
}

// A point that is in the old data, under another number in the new ones, is still at distance 0 of itself.
TEST(NewPoints, ThatEqualALandmarkHaveItsSimilarity) {
  test::Context context;
  const auto old_points = test::make_points<double>(n, d, old_coordinate);
  const auto turned = test::make_points<double>(n, d, [](Index i, Index k) { return old_coordinate(n - 1 - i, k); });
  const auto similarity = make_similarity<double>(context.execution, choice_of("matern"), old_points);
  const std::vector<Index> chosen{3, 40, 12};
  const FactorOrigin origin{chosen, old_points.gather(world(), chosen), nullptr};
  const Dense rows = test::gathered(world(), extend_factor(context.execution, *similarity, turned, origin));
  for (Index k = 0; k < 3; ++k) EXPECT_DOUBLE_EQ(rows(n - 1 - chosen[k], k), 1.0);
}

// Numbers mean objects of one set only: what is defined by numbers refuses those of another set.
TEST(NewPoints, AreRefusedByASimilarityOfNumbers) {
  test::Context context;
  const auto old_points = test::make_points<double>(n, d, old_coordinate);
  const auto new_points = test::make_points<double>(unseen, d, new_coordinate);
  const auto similarity = make_similarity<double>(context.execution, SimilarityChoice("noise"), old_points);
  const FactorOrigin origin{{3, 4}, old_points.gather(world(), std::vector<Index>{3, 4}), nullptr};
  EXPECT_THROW((void)extend_factor(context.execution, *similarity, new_points, origin), Error);
  EXPECT_NO_THROW((void)extend_factor(context.execution, *similarity, old_points, origin));
}

}  // namespace
}  // namespace cairn::extend_test
