// The operator of a point cloud is equation 9 over the graph of nearest neighbors.
#include "cairn/operator/neighbor_operator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"
#include "cairn/data/points/generator.hpp"
#include "cairn/operator/sne_weights.hpp"
#include "test_communicator.hpp"

namespace cairn::test::neighbor_operator_test {
namespace {

double perplexity_of(const std::vector<double>& p) {
  double entropy = 0;
  for (const double value : p)
    if (value > 0) entropy -= value * std::log(value);
  return std::exp(entropy);
}

std::vector<double> random_distances(std::uint64_t seed, Index count) {
  std::vector<double> d;
  for (Index j = 0; j < count; ++j) {
    d.push_back(0.1 + Random(seed, Stream::test).uniform(1, static_cast<std::uint64_t>(j)));
  }
  return d;
}

TEST(EqualizedProbabilities, HaveThePerplexityWhateverTheUnit) {
  for (const double unit : {1e-12, 1.0, 1e12}) {
    for (const double perplexity : {1.001, 2.0, 10.0, 19.0, 24.9999}) {
      std::vector<double> d = random_distances(3, 25);
      for (double& value : d) value *= unit;
      const std::vector<double> p = equalized_probabilities(d, perplexity);
      EXPECT_NEAR(std::log(perplexity_of(p)), std::log(perplexity), 2e-10) << unit;
      double sum = 0;
      for (const double value : p) sum += value;
      EXPECT_NEAR(sum, 1, 1e-14);
    }
  }
}

// log p_j is linear in d_j, with one slope: minus 1 / (2 sigma²).
TEST(EqualizedProbabilities, AreGaussianInTheDistance) {
  const std::vector<double> d = random_distances(4, 30);
  const std::vector<double> p = equalized_probabilities(d, 12);
  const double slope = std::log(p[1] / p[0]) / (d[1] - d[0]);
  EXPECT_LT(slope, 0);
  for (std::size_t j = 2; j < d.size(); ++j) EXPECT_NEAR(std::log(p[j] / p[0]), slope * (d[j] - d[0]), 1e-10);
}

// Two neighbors with p and 1 - p: the perplexity 1.5 by bisection on p.
TEST(EqualizedProbabilities, OfTwoNeighborsAreTheRootOfTheirEntropy) {
  double low = 0.5;
  double high = 1;
  for (int step = 0; step < 60; ++step) {
    const double p = (low + high) / 2;
    (perplexity_of({p, 1 - p}) > 1.5 ? low : high) = p;
  }
  const std::vector<double> p = equalized_probabilities(std::vector<double>{4, 1}, 1.5);
  EXPECT_NEAR(p[1], low, 1e-9);
  EXPECT_NEAR(p[0], 1 - low, 1e-9);
}

TEST(EqualizedProbabilities, TakeTheLimitWhereNoSigmaReachesThePerplexity) {
  EXPECT_THAT(equalized_probabilities(std::vector<double>{1, 2, 3, 4}, 4), testing::Each(0.25));
  EXPECT_THAT(equalized_probabilities(std::vector<double>{1, 2, 3, 4}, 9), testing::Each(0.25));
  EXPECT_THAT(equalized_probabilities(std::vector<double>{7, 7, 7, 7}, 2), testing::Each(0.25));
  EXPECT_THAT(equalized_probabilities(std::vector<double>{5, 0, 0, 8}, 2), testing::ElementsAre(0, 0.5, 0.5, 0));
  EXPECT_THAT(equalized_probabilities(std::vector<double>{5, 0, 0, 8}, 1.5), testing::ElementsAre(0, 0.5, 0.5, 0));
}

TEST(EqualizedProbabilities, ReachAPerplexityJustAboveTheNumberOfTheNearest) {
  const std::vector<double> p = equalized_probabilities(std::vector<double>{0, 0, 1, 1e6, 1e9}, 2.000001);
  EXPECT_NEAR(std::log(perplexity_of(p)), std::log(2.000001), 2e-10);
}

template <class T>
PointSet<T> swiss_roll(Index points, const Communicator& ranks) {
  return PointSet<T>(generate_points<T>("swiss-roll", RowPartition(points, ranks.size()), ranks.rank(), 3, 11),
                     ranks.rank(), {});
}

// A by its definition, from one rank that has all points.
template <class T>
std::map<std::pair<Index, Index>, double> dense_weights(Index n, Index t, double perplexity) {
  const RowBlock<T> x = generate_points<T>("swiss-roll", RowPartition(n, 1), 0, 3, 11);
  const auto squared = [&](Index i, Index j) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double difference = static_cast<double>(x.row(i)[k]) - static_cast<double>(x.row(j)[k]);
      sum += difference * difference;
    }
    return sum;
  };
  std::map<std::pair<Index, Index>, double> p;  // the graph, then p_j|i
  for (Index i = 0; i < n; ++i) {
    std::vector<std::pair<double, Index>> all;
    for (Index j = 0; j < n; ++j)
      if (j != i) all.emplace_back(squared(i, j), j);
    std::sort(all.begin(), all.end());
    for (Index k = 0; k < t; ++k) p[{i, all[k].second}] = 0;
    for (Index k = 0; k < t; ++k) p[{all[k].second, i}] = 0;
  }
  for (Index i = 0; i < n; ++i) {
    // Bisection on sigma, as the paper has it.
    double low = 1e-6;
    double high = 1e6;
    const auto begin = p.lower_bound({i, 0});
    const auto end = p.lower_bound({i + 1, 0});
    for (int step = 0; step < 200; ++step) {
      const double sigma = std::sqrt(low * high);
      double sum = 0;
      for (auto entry = begin; entry != end; ++entry) {
        entry->second = std::exp(-squared(i, entry->first.second) / (2 * sigma * sigma));
        sum += entry->second;
      }
      std::vector<double> values;
      for (auto entry = begin; entry != end; ++entry) values.push_back(entry->second /= sum);
      (sum > 0 && perplexity_of(values) > perplexity ? high : low) = sigma;
    }
  }
  std::map<std::pair<Index, Index>, double> a;
  for (const auto& [ij, value] : p) a[ij] = (value + p.at({ij.second, ij.first})) / 2;
  return a;
}

template <class T>
void expect_equation_9(Index n, const NeighborParameters& parameters, double tolerance) {
  const Context context;
  const BiharmonicOperator op = neighbor_operator(context.execution, swiss_roll<T>(n, world()), parameters);
  const auto expected = dense_weights<T>(n, parameters.neighbors, parameters.perplexity);
  EXPECT_EQ(op.kind, "neighbours");
  EXPECT_TRUE(op.inverse_mass.empty());
  ASSERT_EQ(op.size(), n);
  ASSERT_EQ(op.starts[n], static_cast<Index>(expected.size()));
  auto entry = expected.begin();
  for (Index i = 0; i < n; ++i) {
    double degree = 0;
    for (Index k = op.starts[i]; k < op.starts[i + 1]; ++k, ++entry) {
      ASSERT_EQ(entry->first, (std::pair<Index, Index>(i, op.neighbors[k])));
      ASSERT_NEAR(op.weights[k], entry->second, tolerance);
      degree += entry->second;
    }
    EXPECT_NEAR(op.degrees[i], degree, 10 * tolerance);
  }
}

TEST(NeighborOperator, IsEquation9) {
  expect_equation_9<double>(300, {.neighbors = 10, .perplexity = 6}, 1e-9);
  expect_equation_9<float>(300, {.neighbors = 10, .perplexity = 6}, 1e-9);
}

TEST(NeighborOperator, IsEquation9WithProducts) {
  expect_equation_9<double>(200, {.neighbors = 12, .perplexity = 9, .search = NeighborSearch::products}, 1e-9);
}

// Twice as large as the number of neighbors, which is counted before it is made symmetric: the paper's section 4.2.
TEST(NeighborOperator, IsEquation9WithAPerplexityAboveTheNumberOfNeighbors) {
  expect_equation_9<double>(300, {.neighbors = 10, .perplexity = 12}, 1e-9);
  expect_equation_9<double>(300, {.neighbors = 10, .perplexity = 20}, 1e-9);
  expect_equation_9<double>(100, {.neighbors = 4, .perplexity = 1000}, 1e-9);
}

TEST(NeighborOperator, WorksWithFewerPointsThanRanksHaveRows) {
  expect_equation_9<double>(5, {.neighbors = 3, .perplexity = 2}, 1e-9);
}

TEST(NeighborOperator, IsExactlySymmetricAndTheSameOnOneRank) {
  const Context context;
  const BiharmonicOperator op = neighbor_operator(context.execution, swiss_roll<double>(400, world()), {});
  std::map<std::pair<Index, Index>, double> a;
  for (Index i = 0; i < op.size(); ++i)
    for (Index k = op.starts[i]; k < op.starts[i + 1]; ++k) a[{i, op.neighbors[k]}] = op.weights[k];
  for (const auto& [ij, value] : a) ASSERT_EQ(value, a.at({ij.second, ij.first}));

  const Communicator alone(MPI_COMM_SELF);
  const Context own(alone);
  const BiharmonicOperator same = neighbor_operator(own.execution, swiss_roll<double>(400, alone), {});
  EXPECT_TRUE(std::ranges::equal(op.starts.values(), same.starts.values()));
  EXPECT_TRUE(std::ranges::equal(op.neighbors.values(), same.neighbors.values()));
  EXPECT_TRUE(std::ranges::equal(op.weights.values(), same.weights.values()));
  EXPECT_TRUE(std::ranges::equal(op.degrees.values(), same.degrees.values()));
}

// Five points in either of two places, and six neighbors: four in one place have the perplexity alone, and leave
// nothing for the other place. No weight of 0 pretends that the places are joined.
TEST(NeighborOperator, HasNoArcOfWeightZero) {
  RowBlock<double> rows(RowPartition(10, world().size()), world().rank(), 1);
  for (Index i = rows.range().begin; i < rows.range().end; ++i) rows.row(i)[0] = i < 5 ? 0.0 : 1.0;
  const Context context;
  const BiharmonicOperator op = neighbor_operator(
      context.execution, PointSet<double>(std::move(rows), world().rank(), {}), {.neighbors = 6, .perplexity = 4});
  ASSERT_EQ(op.neighbors.size(), 2 * 5 * 4);
  for (Index i = 0; i < 10; ++i) {
    for (Index k = op.starts[i]; k < op.starts[i + 1]; ++k) {
      EXPECT_EQ(op.neighbors[k] < 5, i < 5);
      EXPECT_EQ(op.weights[k], 0.25);
    }
    EXPECT_EQ(op.degrees[i], 1.0);
  }
}

std::string refusal(const NeighborParameters& parameters) {
  const Context context;
  try {
    static_cast<void>(neighbor_operator(context.execution, swiss_roll<double>(50, world()), parameters));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "nothing was thrown";
}

TEST(NeighborOperator, RefusesAPerplexityThatIsNoneAndNamesIt) {
  EXPECT_THAT(refusal({.neighbors = 10, .perplexity = 1}), testing::HasSubstr("perplexity is 1"));
  EXPECT_THAT(refusal({.neighbors = 10, .perplexity = std::nan("")}), testing::HasSubstr("perplexity is nan"));
  EXPECT_THAT(refusal({.neighbors = 50}), testing::HasSubstr("50 neighbors"));
}

}  // namespace
}  // namespace cairn::test::neighbor_operator_test
