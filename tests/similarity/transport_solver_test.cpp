#include "cairn/similarity/word_movers/transport_solver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "lemon_transport.hpp"

namespace {

using cairn::Index;
using cairn::TransportSolver;
using cairn::test::lemon_transport;
using Masses = std::vector<long long>;

struct Problem {
  std::vector<double> costs;
  Masses supply, demand;
};

double solve(TransportSolver& solver, const Problem& problem, double scale = 1.0) {
  const auto rows = static_cast<Index>(problem.supply.size()), columns = static_cast<Index>(problem.demand.size());
  solver.open(rows, columns);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) {
      solver.costs()(i, j) = problem.costs[i * columns + j];
    }
  }
  for (std::size_t i = 0; i < problem.supply.size(); ++i) {
    solver.supply()[i] = scale * static_cast<double>(problem.supply[i]);
  }
  for (std::size_t j = 0; j < problem.demand.size(); ++j) {
    solver.demand()[j] = scale * static_cast<double>(problem.demand[j]);
  }
  return solver.solve() / scale;
}

// CAIRN_TEST_SEED=... repeats a run.
std::mt19937_64 generator() {
  const char* const given = std::getenv("CAIRN_TEST_SEED");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
  testing::Test::RecordProperty("seed", std::to_string(seed));
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  return std::mt19937_64(seed);
}

Index draw(std::mt19937_64& random, Index low, Index high) {
  return std::uniform_int_distribution<Index>(low, high)(random);
}

// Masses of equal sums: those of one side times the sum of the other.
void balance(Problem& problem) {
  const auto sum = [](const Masses& masses) { return std::accumulate(masses.begin(), masses.end(), 0LL); };
  const long long supplied = sum(problem.supply), demanded = sum(problem.demand);
  for (long long& mass : problem.supply) mass *= demanded;
  for (long long& mass : problem.demand) mass *= supplied;
}

enum class Costs { uniform, euclidean, whole, clustered, powers };

double cost(Costs kind, std::mt19937_64& random, const std::vector<double>& x, const std::vector<double>& y) {
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  switch (kind) {
    case Costs::uniform:
      return uniform(random);
    case Costs::whole:
      return static_cast<double>(draw(random, 0, 4));
    case Costs::clustered:
      return std::floor(3.0 * x[0]) == std::floor(3.0 * y[0]) ? 0.0 : 5.0 + 1e-3 * uniform(random);
    case Costs::powers:
      return std::pow(10.0, 12.0 * uniform(random) - 6.0);
    case Costs::euclidean:
      break;
  }
  double square = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) square += (x[k] - y[k]) * (x[k] - y[k]);
  return std::sqrt(square);
}

Problem random_problem(std::mt19937_64& random, Index rows, Index columns, long long largest_mass, Costs kind) {
  Problem problem;
  std::normal_distribution<double> normal;
  const auto points = [&](Index count) {
    std::vector<std::vector<double>> all(count, std::vector<double>(5));
    for (auto& point : all) std::generate(point.begin(), point.end(), [&] { return normal(random); });
    return all;
  };
  const auto x = points(rows), y = points(columns);
  for (const auto& from : x) {
    for (const auto& to : y) problem.costs.push_back(cost(kind, random, from, to));
  }
  for (Index i = 0; i < rows; ++i) problem.supply.push_back(draw(random, 1, largest_mass));
  for (Index j = 0; j < columns; ++j) problem.demand.push_back(draw(random, 1, largest_mass));
  balance(problem);
  return problem;
}

// Costs within 1e-12 of the largest possible sum; for most problems that is 1e-9 of the optimum and less.
void expect_optimal(TransportSolver& solver, const Problem& problem) {
  const double expected = lemon_transport(problem.costs, problem.supply, problem.demand);
  const double mass = static_cast<double>(std::accumulate(problem.supply.begin(), problem.supply.end(), 0LL));
  const double largest = *std::max_element(problem.costs.begin(), problem.costs.end());
  EXPECT_NEAR(solve(solver, problem), expected, 1e-9 * expected + 1e-13 * mass * largest)
      << problem.supply.size() << " x " << problem.demand.size();
}

TEST(TransportSolver, FindsTheOptimumOfAProblemSolvedByHand) {
  // Dantzig's canneries (1963): San Diego has 600 cases, Seattle 350; New York wants 325, Chicago 300, Topeka 275, and
  // 50 are not sent. The least cost is 153.675.
  TransportSolver solver;
  const Problem problem{{0.225, 0.153, 0.162, 0.0, 0.225, 0.162, 0.126, 0.0}, {350, 600}, {325, 300, 275, 50}};
  EXPECT_NEAR(solve(solver, problem), 153.675, 1e-12);
}

TEST(TransportSolver, AgreesWithANetworkSimplexOnRandomProblems) {
  auto random = generator();
  TransportSolver solver;
  for (const Costs kind : {Costs::uniform, Costs::euclidean, Costs::whole, Costs::clustered, Costs::powers}) {
    for (int repeat = 0; repeat < 60; ++repeat) {
      const Index most = repeat % 3 == 0 ? 120 : 24;
      const Index rows = draw(random, 1, most), columns = draw(random, 1, most);
      expect_optimal(solver, random_problem(random, rows, columns, repeat % 2 == 0 ? 1 : 30, kind));
    }
  }
}

TEST(TransportSolver, AgreesWhereEveryBasisIsDegenerate) {
  auto random = generator();
  TransportSolver solver;
  for (const auto& [rows, columns] : {std::pair<Index, Index>{40, 40}, {12, 48}, {48, 12}, {36, 54}, {8, 8}, {7, 64}}) {
    for (const Costs kind : {Costs::euclidean, Costs::whole}) {
      expect_optimal(solver, random_problem(random, rows, columns, 1, kind));
    }
  }
  Problem equal{std::vector<double>(30 * 50, 2.5), Masses(30, 5), Masses(50, 3)};
  EXPECT_NEAR(solve(solver, equal), 2.5 * 150, 1e-10);
}

// Shares that are not integers do not add up to the same sum on both sides.
TEST(TransportSolver, TakesMassesThatAreNoWholeNumbers) {
  auto random = generator();
  TransportSolver solver;
  for (int repeat = 0; repeat < 60; ++repeat) {
    const Problem problem = random_problem(random, draw(random, 1, 60), draw(random, 1, 60), 9, Costs::euclidean);
    const double expected = lemon_transport(problem.costs, problem.supply, problem.demand);
    const double mass = static_cast<double>(std::accumulate(problem.supply.begin(), problem.supply.end(), 0LL));
    for (const double scale : {1.0 / 3.0, 1.0 / mass, 1e-12 / 7.0}) {
      EXPECT_NEAR(solve(solver, problem, scale), expected, 1e-10 * expected);
    }
  }
}

TEST(TransportSolver, KeepsTheScaleOfTheCosts) {
  auto random = generator();
  TransportSolver solver;
  Problem problem = random_problem(random, 30, 35, 9, Costs::euclidean);
  const double expected = solve(solver, problem);
  for (const double factor : {1e-200, 1e-12, 1e12, 1e200}) {
    Problem scaled = problem;
    for (double& value : scaled.costs) value *= factor;
    EXPECT_NEAR(solve(solver, scaled) / factor, expected, 1e-11 * expected) << factor;
  }
  std::fill(problem.costs.begin(), problem.costs.end(), 0.0);
  EXPECT_EQ(solve(solver, problem), 0.0);
}

TEST(TransportSolver, GivesNaNForCostsThatAreNotFinite) {
  auto random = generator();
  TransportSolver solver;
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Problem problem = random_problem(random, 9, 20, 3, Costs::euclidean);
    const double expected = solve(solver, problem);
    Problem broken = problem;
    std::fill(broken.costs.begin() + 20, broken.costs.begin() + 40, bad);
    EXPECT_FALSE(std::isfinite(solve(solver, broken)));
    EXPECT_EQ(solve(solver, problem), expected);  // and is as good as before
  }
}

TEST(TransportSolver, SolvesAProblemOfAThousandMasses) {
  auto random = generator();
  TransportSolver solver;
  expect_optimal(solver, random_problem(random, 400, 600, 30, Costs::euclidean));
}

}  // namespace
