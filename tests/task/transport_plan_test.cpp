// What a plan of transport says, against its definition; and the points that it is of.
#include "cairn/task/transport/transport_plan.hpp"

#include <gmock/gmock.h>

#include <map>

#include "cairn/task/transport/exact_coupling.hpp"
#include "expected_errors.hpp"
#include "transport_sides.hpp"

namespace cairn::transport_plan_test {
namespace {

using namespace test;

// --- both sides in one list

TEST(InterleavedRows, HaveEachPointOnceAndShareBothSides) {
  for (const auto& [n, m] : {std::pair<Index, Index>{90, 61}, {1, 1}, {1, 5000}, {5000, 1}, {38392, 112214}}) {
    for (const int ranks : {1, 2, 3, 7}) {
      const InterleavedRows rows(n, m, ranks);
      std::vector<char> taken(n + m);
      for (const auto& [side, count] : {std::pair{Side::source, n}, std::pair{Side::target, m}}) {
        Index before = -1, end = 0;
        for (Index i = 0; i < count; ++i) {
          const Index row = rows.row(side, i);
          ASSERT_TRUE(row > before && row < n + m);
          before = row;
          ASSERT_EQ(taken[row]++, 0);
        }
        for (int rank = 0; rank < ranks; ++rank) {
          const Range own = rows.range(side, rank);
          EXPECT_EQ(own.begin, end);
          end = own.end;
          for (Index i = own.begin; i < own.end; i += std::max<Index>(1, own.size() / 3)) {
            EXPECT_EQ(rows.owner(side, i), rank);
          }
          const double share = static_cast<double>(rows.partition().range(rank).size()) / static_cast<double>(n + m);
          EXPECT_NEAR(static_cast<double>(own.size()), share * static_cast<double>(count), 1.0);
        }
        EXPECT_EQ(end, count);
      }
    }
  }
}

// --- equal points

// Row i of a set in which points come again, one of them as -0 and one with weight 0.
std::vector<double> repeated_point(Index i) {
  if (i % 7 == 3) return {0.0, i % 2 == 0 ? -0.0 : 0.0};
  return {static_cast<double>(i % 11), static_cast<double>(i % 5)};
}
double repeated_weight(Index i) { return i % 11 == 4 && i % 7 != 3 ? 0.0 : 1.0 + static_cast<double>(i % 3); }

TEST(EqualPoints, BecomeOneInTheOrderOfTheirFirstRows) {
  constexpr Index n = 200;
  for (const bool weighted : {false, true}) {
    std::map<std::vector<double>, Index> numbers;
    std::vector<double> expected;
    std::vector<Index> groups;
    double total = 0;
    std::map<std::vector<double>, double> sums;
    for (Index i = 0; i < n; ++i) sums[repeated_point(i)] += weighted ? repeated_weight(i) : 1.0;
    for (Index i = 0; i < n; ++i) {
      const std::vector<double> point = repeated_point(i);
      if (sums[point] > 0 && !numbers.contains(point)) {
        numbers.emplace(point, static_cast<Index>(expected.size()));
        expected.push_back(sums[point]);
        total += sums[point];
      }
      groups.push_back(sums[point] > 0 ? numbers[point] : -1);
    }
    for (double& one : expected) one /= total;

    RowBlock<double> rows(RowPartition(n, world().size()), world().rank(), 2);
    std::vector<double> weights;
    for (Index i = rows.range().begin; i < rows.range().end; ++i) {
      std::ranges::copy(repeated_point(i), rows.row(i).begin());
      if (weighted) weights.push_back(repeated_weight(i));
    }
    const MergedPoints<double> merged = merge_points(world(), rows, weights);
    EXPECT_EQ(merged.size, std::ssize(expected));
    EXPECT_EQ(world().all_gather(merged.groups), groups);
    EXPECT_EQ(merged.dropped, std::ranges::count(groups, Index{-1}));
    const InterleavedRows dealt(merged.size, 40, world().size());
    const Measure<double> own = deal_points(world(), merged, dealt, Side::source, 2);
    expect_near(world().all_gather(own.weights), expected, 1e-15);
    const std::vector<double> points = world().all_gather(own.coordinates);
    for (const auto& [point, number] : numbers) {
      EXPECT_EQ(points[2 * number], point[0]);
      EXPECT_EQ(points[2 * number + 1], point[1]);
    }
  }
}

// --- what a plan says

TEST(APlan, HasTheCostsOfItsDefinition) {
  for (const std::string name : {"squared-euclidean", "euclidean", "manhattan"}) {
    constexpr double epsilon = 0.08;
    Sides<double> sides;
    const TransportCost<double> cost(name, dimension);
    ExactCoupling<double> coupling(sides.context.execution, sides.source, sides.target, cost, epsilon);
    iterate(coupling, 3);  // far from the end: the marginals of sources are off
    const TransportPlan<double> plan = describe_plan(sides.context.execution, coupling, epsilon);
    Plain plain = plain_of(name, epsilon);
    plain.iterate(3);
    const Matrix d = distances(name);
    std::vector<double> rows(sources), columns_of(targets);
    double mass = 0, total = 0, divergence = 0;
    std::vector<double> barycentres(sources * dimension);
    for (std::size_t i = 0; i < sources; ++i) {
      for (std::size_t j = 0; j < targets; ++j) {
        const double p = plain.plan(i, j);
        const double independent =
            weight(Side::source, static_cast<Index>(i)) * weight(Side::target, static_cast<Index>(j));
        rows[i] += p, columns_of[j] += p, mass += p, total += p * d[i][j];
        divergence += p * std::log(p / independent) - p + independent;
        for (Index k = 0; k < dimension; ++k) {
          barycentres[i * dimension + static_cast<std::size_t>(k)] +=
              p * coordinate(Side::target, static_cast<Index>(j), k);
        }
      }
    }
    double dual = 0;
    for (std::size_t j = 0; j < targets; ++j) {
      const double own = weight(Side::target, static_cast<Index>(j));
      dual += epsilon * own * (plain.log_v[j] - std::log(own));
    }
    double off = 0;
    for (std::size_t i = 0; i < sources; ++i) {
      const double own = weight(Side::source, static_cast<Index>(i));
      dual += epsilon * own * (plain.log_u[i] - std::log(own));
      off += std::abs(rows[i] - weight(Side::source, static_cast<Index>(i)));
      for (std::size_t k = 0; k < dimension; ++k) barycentres[i * dimension + k] /= rows[i];
    }
    EXPECT_NEAR(plan.values.mass, mass, 1e-12);
    EXPECT_NEAR(plan.values.cost, total, 1e-12);
    EXPECT_NEAR(plan.values.entropic, total + epsilon * divergence, 1e-12);
    EXPECT_NEAR(plan.values.violation_source, off, 1e-12);
    EXPECT_GT(off, 1e-6);
    EXPECT_NEAR(plan.values.dual, dual - epsilon * (mass - 1), 1e-12);
    expect_near(Sides<double>::whole(plan.barycentres), barycentres, 1e-12);

    // Rounded: rows, then columns, then the rest as a product.
    std::vector<double> x(sources), y(targets), p(sources), q(targets);
    for (std::size_t i = 0; i < sources; ++i)
      x[i] = std::min(1.0, weight(Side::source, static_cast<Index>(i)) / rows[i]);
    for (std::size_t j = 0; j < targets; ++j) {
      double sum = 0;
      for (std::size_t i = 0; i < sources; ++i) sum += x[i] * plain.plan(i, j);
      y[j] = std::min(1.0, weight(Side::target, static_cast<Index>(j)) / sum);
      q[j] = weight(Side::target, static_cast<Index>(j)) - y[j] * sum;
    }
    double missing = 0, rounded = 0, added = 0;
    for (std::size_t i = 0; i < sources; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < targets; ++j) {
        sum += x[i] * plain.plan(i, j) * y[j];
        rounded += x[i] * plain.plan(i, j) * y[j] * d[i][j];
      }
      p[i] = weight(Side::source, static_cast<Index>(i)) - sum;
      missing += p[i];
      for (std::size_t j = 0; j < targets; ++j) added += p[i] * q[j] * d[i][j];
    }
    EXPECT_NEAR(plan.values.rounded_cost, rounded + added / missing, 1e-11);
  }
}

TEST(APlan, MapsItsOwnSourcesToTheirBarycentres) {
  Sides<double> sides;
  const TransportCost<double> cost("euclidean", dimension);
  ExactCoupling<double> coupling(sides.context.execution, sides.source, sides.target, cost, 0.02);
  iterate(coupling, 4);
  const TransportPlan<double> plan = describe_plan(sides.context.execution, coupling, 0.02);
  expect_near(map_points(sides.context.execution, coupling, cost, 0.02, sides.source.points()), plan.barycentres,
              1e-12);
  // Far from everything: the nearest target alone counts.
  const std::vector<double> far = {50.0, -80.0};
  const MatrixView<const double> one(far.data(), world().is_root() ? 1 : 0, dimension);
  const std::vector<double> mapped = map_points(sides.context.execution, coupling, cost, 0.02, one);
  for (const double value : mapped) EXPECT_TRUE(value > -0.01 && value < 1.21) << value;
  EXPECT_EQ(mapped.size(), world().is_root() ? 2U : 0U);
}

TEST(TheViolation, OfAllPointsIsThatOfThePlan) {
  Sides<double> sides;
  const TransportCost<double> cost("squared-euclidean", dimension);
  ExactCoupling<double> coupling(sides.context.execution, sides.source, sides.target, cost, 0.1);
  iterate(coupling, 2);
  const TransportPlan<double> plan = describe_plan(sides.context.execution, coupling, 0.1);
  const SampledViolation all = sampled_violation(sides.context.execution, coupling, Side::source, cost, 0.1, 1000);
  EXPECT_EQ(all.points, sources);
  EXPECT_NEAR(all.value, plan.values.violation_source, 1e-12);
  EXPECT_EQ(all.standard_error, 0.0);
  const SampledViolation some = sampled_violation(sides.context.execution, coupling, Side::source, cost, 0.1, 45);
  EXPECT_EQ(some.points, 45);
  EXPECT_GT(some.standard_error, 0.0);
  EXPECT_NEAR(some.value, all.value, 4 * some.standard_error);
}

TEST(SinkhornsIteration, EndsByItsTolerance) {
  Sides<double> sides;
  const TransportCost<double> cost("squared-euclidean", dimension);
  const auto run = [&](double tolerance, Index iterations) {
    ExactCoupling<double> coupling(sides.context.execution, sides.source, sides.target, cost, 0.1);
    return sinkhorn(sides.context.execution, sides.rows, coupling,
                    {.iterations = iterations, .tolerance = tolerance, .name = "test"});
  };
  const SinkhornOutcome coarse = run(1e-3, 1000), fine = run(1e-9, 1000), cut = run(1e-9, 2), all = run(0, 7);
  EXPECT_TRUE(coarse.converged && fine.converged);
  EXPECT_LT(coarse.iterations, fine.iterations);
  EXPECT_LE(fine.violation, 1e-9);
  EXPECT_FALSE(cut.converged);
  EXPECT_EQ(cut.iterations, 2);
  EXPECT_EQ(all.iterations, 7);
}

TEST(TransportCosts, AreKnownByName) {
  test::expect_error([] { static_cast<void>(TransportCost<double>("cosine", 2)); }, ErrorKind::usage,
                     {"cosine", "manhattan"});
}

}  // namespace
}  // namespace cairn::transport_plan_test
