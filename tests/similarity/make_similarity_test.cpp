#include "similarity/make_similarity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "point_objects.hpp"
#include "random_documents.hpp"
#include "similarity/bandwidth.hpp"

namespace {

using namespace cairn;
using cairn::test::make_points;
using cairn::test::normal_coordinate;
using cairn::test::numbers;
using cairn::test::world;

constexpr Index n = 50, d = 3;

SimilarityParameters of_kind(const std::string& kind) { return {.kind = kind}; }

// The error that making it gives; every rank must get the same.
void expect_refused(const SimilarityParameters& parameters, ErrorKind kind, const std::string& text) {
  test::Context context;
  const auto points = make_points<double>(n, d, normal_coordinate);
  try {
    (void)make_similarity<double>(context.execution, parameters, points);
    ADD_FAILURE() << "accepted, where an error about " << text << " was due";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

TEST(MakeSimilarity, NamesTheKeyOfABadParameter) {
  auto with = [](const std::string& kind, auto change) {
    SimilarityParameters parameters = of_kind(kind);
    change(parameters);
    return parameters;
  };
  const double nan = std::nan("");
  for (const char* gamma : {"-1", "nan", "inf", "wide", "1x", ""}) {
    expect_refused(with("rbf", [&](auto& p) { p.gamma = gamma; }), ErrorKind::usage, "similarity.gamma");
  }
  expect_refused(with("polynomial", [](auto& p) { p.degree = -1; }), ErrorKind::usage, "similarity.degree");
  expect_refused(with("polynomial", [&](auto& p) { p.degree = nan; }), ErrorKind::usage, "similarity.degree");
  expect_refused(with("sigmoid", [&](auto& p) { p.coef0 = nan; }), ErrorKind::usage, "similarity.coef0");
  expect_refused(with("matern", [](auto& p) { p.nu = 1; }), ErrorKind::usage, "similarity.nu");
  expect_refused(with("matern", [](auto& p) { p.length_scale = 0; }), ErrorKind::usage, "similarity.length-scale");
  expect_refused(with("noise", [](auto& p) { p.sigma = -1; }), ErrorKind::usage, "similarity.sigma");
  expect_refused(with("noise", [&](auto& p) { p.sigma_diagonal = nan; }), ErrorKind::usage,
                 "similarity.sigma-diagonal");
  expect_refused(of_kind("matrix"), ErrorKind::usage, "similarity.path");
  expect_refused(of_kind("sum"), ErrorKind::usage, "at least one part");
  expect_refused(with("sum",
                      [](auto& p) {
                        p.parts = {of_kind("linear")};
                        p.weights = {1, 2};
                      }),
                 ErrorKind::usage, "similarity.weights");
  expect_refused(with("product",
                      [](auto& p) {
                        p.parts = {of_kind("linear")};
                        p.weights = {1};
                      }),
                 ErrorKind::usage, "similarity.weights");
}

TEST(MakeSimilarity, ListsTheKindsItKnows) {
  expect_refused(of_kind("rbff"), ErrorKind::usage, "'rbff' is unknown; known are rbf, laplacian");
}

TEST(MakeSimilarity, RefusesPointKindsForNumberedObjects) {
  test::Context context;
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  EXPECT_THROW((void)make_similarity<double>(context.execution, of_kind("rbf"), objects), Error);
  EXPECT_NO_THROW((void)make_similarity<double>(context.execution, of_kind("noise"), objects));
}

TEST(MakeSimilarity, RefusesAFileThatIsNotThere) {
  auto parameters = of_kind("matrix");
  parameters.path = "no-such-file.npy";
  expect_refused(parameters, ErrorKind::input, "no-such-file.npy");
}

// gamma as parameters() of the similarity tells it.
double gamma_of(const std::string& kind, const std::string& word, const PointSet<double>& points) {
  test::Context context;
  auto parameters = of_kind(kind);
  parameters.gamma = word;
  const auto resolved = make_similarity<double>(context.execution, parameters, points)->parameters();
  EXPECT_EQ(resolved.front().first, "gamma");
  return std::stod(resolved.front().second);
}

double straightforward_median(Index count, bool manhattan) {
  std::vector<double> distances;
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < i; ++j) {
      double distance = 0;
      for (Index k = 0; k < d; ++k) {
        const double difference = std::abs(normal_coordinate(i, k) - normal_coordinate(j, k));
        distance += manhattan ? difference : difference * difference;
      }
      distances.push_back(distance);
    }
  }
  std::sort(distances.begin(), distances.end());
  const std::size_t m = distances.size();
  return m % 2 == 1 ? distances[m / 2] : (distances[m / 2 - 1] + distances[m / 2]) / 2;
}

TEST(Gamma, MedianIsTheInverseOfTheMedianDistance) {
  for (const Index count : {49, 50, 51}) {  // an even and an odd number of pairs
    const auto points = make_points<double>(count, d, normal_coordinate);
    EXPECT_NEAR(gamma_of("rbf", "median", points) * straightforward_median(count, false), 1.0, 1e-13);
    EXPECT_NEAR(gamma_of("laplacian", "median", points) * straightforward_median(count, true), 1.0, 1e-13);
  }
}

TEST(Gamma, MedianOfManyPointsIsThatOfASample) {
  const auto points = make_points<double>(3000, 2, normal_coordinate);
  const double squared = 1 / gamma_of("rbf", "median", points);
  EXPECT_NEAR(squared, 4 * std::log(2.0),
              0.25);  // |x - y|^2 / 2 has the distribution of chi^2 with 2 degrees of freedom
}

TEST(Gamma, ScaleIsThatOfScikitLearn) {
  const auto shifted = [](Index i, Index k) { return 3.0 + normal_coordinate(i, k); };
  const auto points = make_points<double>(n, d, shifted);
  double mean = 0, squares = 0;
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < d; ++k) mean += shifted(i, k) / (n * d);
  }
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < d; ++k) squares += (shifted(i, k) - mean) * (shifted(i, k) - mean);
  }
  EXPECT_NEAR(gamma_of("rbf", "scale", points), 1 / (d * (squares / (n * d))), 1e-13);
}

// Sums by unit of 16 rows in global order, written out for one rank.
TEST(Gamma, ScaleIsTheSameToTheLastBitOnAnyNumberOfRanks) {
  constexpr Index many = 5000;
  const auto points = make_points<double>(many, d, normal_coordinate);
  const auto sum = [&](auto f) {
    double total = 0;
    for (Index begin = 0; begin < many; begin += RowPartition::unit(many)) {
      double part = 0;
      for (Index i = begin; i < std::min(begin + RowPartition::unit(many), many); ++i) {
        for (Index k = 0; k < d; ++k) part += f(normal_coordinate(i, k));
      }
      total += part;
    }
    return total;
  };
  const double mean = sum([](double x) { return x; }) / static_cast<double>(many * d);
  const double squares = sum([=](double x) { return (x - mean) * (x - mean); });
  const double expected = 1.0 / (d * squares / static_cast<double>(many * d));
  EXPECT_NEAR(gamma_of("rbf", "scale", points), expected, 4e-16 * expected);
  const double mine = gamma_of("rbf", "scale", points);
  EXPECT_EQ(world().minimum(mine), world().maximum(mine));
}

TEST(Gamma, OfIdenticalPointsIsAnError) {
  test::Context context;
  const auto points = make_points<double>(20, d, [](Index, Index) { return 1.0; });
  for (const char* word : {"median", "scale"}) {
    auto parameters = of_kind("rbf");
    parameters.gamma = word;
    EXPECT_THROW((void)make_similarity<double>(context.execution, parameters, points), Error) << word;
  }
}

TEST(FromResolved, MakesTheSameSimilarityAgain) {
  test::Context context;
  context.execution.seed = 11;
  const auto points = make_points<double>(n, d, normal_coordinate);
  SimilarityParameters inner = of_kind("product");
  inner.parts = {of_kind("matern"), of_kind("polynomial")};
  inner.parts[0].length_scale = 1.0 / 3.0;
  SimilarityParameters parameters = of_kind("sum");
  parameters.parts = {of_kind("rbf"), of_kind("noise"), inner};
  parameters.parts[0].gamma = "median";
  parameters.weights = {0.1, 1.0 / 7.0, -2.0};
  const auto made = make_similarity<double>(context.execution, parameters, points);

  test::Context other;
  other.execution.seed = 99;  // what was resolved carries the seed of the noise
  const auto again = make_similarity<double>(other.execution, from_resolved(made->name(), made->parameters()), points);
  EXPECT_EQ(again->parameters(), made->parameters());
  const auto few = points.gather(world(), numbers(0, 9));
  std::vector<double> first(81), second(81);
  made->tile(*few, *few, MatrixView<double>(first.data(), 9, 9));
  again->tile(*few, *few, MatrixView<double>(second.data(), 9, 9));
  EXPECT_EQ(first, second);
}

TEST(FromResolved, RefusesDamagedParameters) {
  EXPECT_THROW((void)from_resolved("rbf", {{"gama", "1"}}), Error);
  EXPECT_THROW((void)from_resolved("matern", {{"nu", "half"}}), Error);
  EXPECT_THROW((void)from_resolved("sum", {{"1.gamma", "1"}}), Error);
  EXPECT_THROW((void)from_resolved("sum", {{"one.kind", "rbf"}}), Error);
}

TEST(NoiseSigma, OnTheDiagonalIsRootTwoTimesLargerUnlessGiven) {
  test::Context context;
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  auto parameters = of_kind("noise");
  parameters.sigma = 0.5;
  const auto resolved = make_similarity<double>(context.execution, parameters, objects)->parameters();
  const auto diagonal =
      std::find_if(resolved.begin(), resolved.end(), [](const auto& p) { return p.first == "sigma-diagonal"; });
  ASSERT_NE(diagonal, resolved.end());
  EXPECT_DOUBLE_EQ(std::stod(diagonal->second), 0.5 * std::sqrt(2.0));
}

// A similarity keeps what it needs of the objects that it was made for (their dimension, the vectors of their words),
// and nothing of the set itself.
TEST(MakeSimilarity, OutlivesTheObjectsThatItWasMadeFor) {
  test::Context context;
  const auto made_of = [&](const SimilarityParameters& parameters, auto make) {
    const auto objects = make();
    return make_similarity<double>(context.execution, parameters, objects);
  };
  const auto expect_same = [&](const SimilarityParameters& parameters, auto make) {
    const auto outliving = made_of(parameters, make);
    const auto objects = make();
    const auto all = objects.gather(world(), numbers(0, n));
    std::vector<double> expected(n * n), found(n * n);
    make_similarity<double>(context.execution, parameters, objects)->tile(*all, *all, {expected.data(), n, n});
    outliving->tile(*all, *all, {found.data(), n, n});
    EXPECT_EQ(found, expected) << parameters.kind;
  };
  const auto points = [] { return make_points<double>(n, d, normal_coordinate); };
  for (const char* kind : {"rbf", "laplacian", "polynomial", "linear", "cosine", "sigmoid", "matern", "euclidean"})
    expect_same(of_kind(kind), points);
  SimilarityParameters sum = of_kind("sum");
  sum.parts = {of_kind("rbf"), of_kind("cosine")};
  expect_same(sum, points);
  const auto documents = [] { return test::make_documents(n, 12, test::make_word_vectors(60, 4)); };
  SimilarityParameters wmd = of_kind("wmd");
  wmd.gamma = "median";
  expect_same(wmd, documents);
  EXPECT_EQ(made_of(of_kind("wmd-distance"), documents)->name(), "wmd-distance");
}

}  // namespace
