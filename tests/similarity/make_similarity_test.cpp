#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cairn/base/error.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/similarity/points/bandwidth.hpp"
#include "point_objects.hpp"
#include "random_documents.hpp"

namespace {

using namespace cairn;
using cairn::test::make_points;
using cairn::test::normal_coordinate;
using cairn::test::numbers;
using cairn::test::world;

constexpr Index n = 50, d = 3;

using Given = std::vector<std::pair<std::string, std::string>>;

SimilarityChoice of_kind(const std::string& kind, const Given& given = {}) {
  SimilarityChoice choice(kind);
  for (const auto& [name, value] : given) choice.set(name, value);
  return choice;
}

// The error that choosing and making it gives; every rank must get the same.
template <class Choose>
void expect_refused(Choose choose, ErrorKind kind, const std::string& text) {
  test::Context context;
  const auto points = make_points<double>(n, d, normal_coordinate);
  try {
    (void)make_similarity<double>(context.execution, choose(), points);
    ADD_FAILURE() << "accepted, where an error about " << text << " was due";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

TEST(MakeSimilarity, NamesTheParameterOfABadValue) {
  const auto refused = [](const std::string& kind, const Given& given, const std::string& text) {
    expect_refused([&] { return of_kind(kind, given); }, ErrorKind::usage, text);
  };
  for (const char* gamma : {"-1", "nan", "inf", "wide", "1x", ""})
    refused("rbf", {{"gamma", gamma}}, "parameter gamma");
  refused("polynomial", {{"degree", "-1"}}, "parameter degree = -1 is below 0");
  refused("polynomial", {{"degree", "nan"}}, "parameter degree = nan is not a finite number");
  refused("sigmoid", {{"coef0", "nan"}}, "parameter coef0");
  refused("matern", {{"nu", "1"}}, "parameter nu");
  refused("matern", {{"length-scale", "0"}}, "parameter length-scale = 0 is not above 0");
  refused("noise", {{"sigma", "-1"}}, "parameter sigma");
  refused("noise", {{"sigma-diagonal", "nan"}}, "parameter sigma-diagonal");
  refused("matrix", {}, "parameter path is missing");
  refused("sum", {}, "at least one part");
  refused("rbf", {{"nu", "1.5"}}, "no parameter is called 'nu'");
  refused("product", {{"weights", "1"}}, "no parameter is called 'weights'");
  expect_refused(
      [] {
        SimilarityChoice sum = of_kind("sum", {{"weights", "1,2"}});
        sum.parts = {of_kind("linear")};
        return sum;
      },
      ErrorKind::usage, "parameter weights has 2 weights for 1 parts");
}

TEST(MakeSimilarity, SuggestsASimilarityThatItKnows) {
  expect_refused([] { return of_kind("rbff"); }, ErrorKind::usage,
                 "no similarity is called 'rbff'; did you mean 'rbf'?");
}

TEST(MakeSimilarity, RefusesPointKindsForNumberedObjects) {
  test::Context context;
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  EXPECT_THROW((void)make_similarity<double>(context.execution, of_kind("rbf"), objects), Error);
  EXPECT_NO_THROW((void)make_similarity<double>(context.execution, of_kind("noise"), objects));
}

TEST(MakeSimilarity, RefusesAFileThatIsNotThere) {
  expect_refused(
      [] {
        return of_kind("matrix", {{"path", "no-such-file.npy"}});
      },
      ErrorKind::input, "no-such-file.npy");
}

// gamma as parameters() of the similarity tells it.
double gamma_of(const std::string& kind, const std::string& word, const PointSet<double>& points) {
  test::Context context;
  const auto resolved =
      make_similarity<double>(context.execution, of_kind(kind, {{"gamma", word}}), points)->parameters();
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
    EXPECT_THROW((void)make_similarity<double>(context.execution, of_kind("rbf", {{"gamma", word}}), points), Error)
        << word;
  }
}

TEST(FromResolved, MakesTheSameSimilarityAgain) {
  test::Context context;
  context.execution.seed = 11;
  const auto points = make_points<double>(n, d, normal_coordinate);
  SimilarityChoice inner = of_kind("product");
  inner.parts = {of_kind("matern", {{"length-scale", "0.33333333333333331"}}), of_kind("polynomial")};
  SimilarityChoice parameters = of_kind("sum", {{"weights", "0.1,0.14285714285714285,-2"}});
  parameters.parts = {of_kind("rbf", {{"gamma", "median"}}), of_kind("noise"), inner};
  const auto made = make_similarity<double>(context.execution, parameters, points);

  test::Context other;
  other.execution.seed = 99;  // what was resolved carries the seed of the noise
  const auto again =
      make_similarity<double>(other.execution, from_resolved(made->traits().name, made->parameters()), points);
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
  const SimilarityChoice parameters = of_kind("noise", {{"sigma", "0.5"}});
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
  const auto made_of = [&](const SimilarityChoice& parameters, auto make) {
    const auto objects = make();
    return make_similarity<double>(context.execution, parameters, objects);
  };
  const auto expect_same = [&](const SimilarityChoice& parameters, auto make) {
    const auto outliving = made_of(parameters, make);
    const auto objects = make();
    const auto all = objects.gather(world(), numbers(0, n));
    std::vector<double> expected(n * n), found(n * n);
    make_similarity<double>(context.execution, parameters, objects)->tile(*all, *all, {expected.data(), n, n});
    outliving->tile(*all, *all, {found.data(), n, n});
    EXPECT_EQ(found, expected) << parameters.name();
  };
  const auto points = [] { return make_points<double>(n, d, normal_coordinate); };
  for (const char* kind : {"rbf", "laplacian", "polynomial", "linear", "cosine", "sigmoid", "matern", "euclidean"})
    expect_same(of_kind(kind), points);
  SimilarityChoice sum = of_kind("sum");
  sum.parts = {of_kind("rbf"), of_kind("cosine")};
  expect_same(sum, points);
  const auto documents = [] { return test::make_documents(n, 12, test::make_word_vectors(60, 4)); };
  expect_same(of_kind("wmd", {{"gamma", "median"}}), documents);
  EXPECT_EQ(made_of(of_kind("wmd-distance"), documents)->traits().name, "wmd-distance");
}

}  // namespace
