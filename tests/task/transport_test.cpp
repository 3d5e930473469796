// Plans of transport against plain loops in double precision over the whole matrix.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "cairn/base/random.hpp"
#include "cairn/task/transport/exact_coupling.hpp"
#include "cairn/task/transport/factor_coupling.hpp"
#include "cairn/task/transport/positive_coupling.hpp"
#include "cairn/task/transport/transport_plan.hpp"
#include "expected_errors.hpp"
#include "test_communicator.hpp"

namespace cairn {
namespace {

using test::Context;
using test::world;

constexpr Index sources = 90, targets = 61, dimension = 2;

double coordinate(Side side, Index i, Index k) {
  const auto row = static_cast<std::uint64_t>(i) + (side == Side::source ? 0 : 1000);
  return Random(4, Stream::test).uniform(row, static_cast<std::uint64_t>(k)) + (side == Side::target ? 0.2 : 0.0);
}

double weight(Side side, Index i) {
  const Index n = side == Side::source ? sources : targets;
  const double share = side == Side::source ? 0.5 : 1.5;  // from equal weights
  return (1 + share * (static_cast<double>(2 * i + 1) / static_cast<double>(n) - 1) / 2) / static_cast<double>(n);
}

template <class T>
Measure<T> measure(const InterleavedRows& rows, Side side) {
  Measure<T> own;
  own.size = side == Side::source ? sources : targets;
  own.own = rows.range(side, world().rank());
  own.dimension = dimension;
  for (Index i = own.own.begin; i < own.own.end; ++i) {
    own.weights.push_back(weight(side, i));
    for (Index k = 0; k < dimension; ++k) own.coordinates.push_back(static_cast<T>(coordinate(side, i, k)));
  }
  return own;
}

// Both sides, dealt.
template <class T>
struct Sides {
  Context context;
  InterleavedRows rows{sources, targets, world().size()};
  Measure<T> source = measure<T>(rows, Side::source), target = measure<T>(rows, Side::target);

  // The values of a side on all ranks.
  [[nodiscard]] static std::vector<double> whole(const std::vector<double>& own) { return world().all_gather(own); }
};

double distance_of(const std::string& cost, Index i, Index j) {
  double squares = 0, absolute = 0;
  for (Index k = 0; k < dimension; ++k) {
    const double difference = coordinate(Side::source, i, k) - coordinate(Side::target, j, k);
    squares += difference * difference;
    absolute += std::abs(difference);
  }
  return cost == "manhattan" ? absolute : cost == "euclidean" ? std::sqrt(squares) : squares;
}

using Matrix = std::vector<std::vector<double>>;

template <class Entry>
Matrix matrix_of(Entry entry) {
  Matrix matrix(sources, std::vector<double>(targets));
  for (Index i = 0; i < sources; ++i) {
    for (Index j = 0; j < targets; ++j) matrix[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = entry(i, j);
  }
  return matrix;
}

Matrix distances(const std::string& cost) {
  return matrix_of([&](Index i, Index j) { return distance_of(cost, i, j); });
}

double log_sum(const std::vector<double>& terms) {
  const double largest = *std::ranges::max_element(terms);
  double sum = 0;
  for (const double term : terms) sum += std::exp(term - largest);
  return largest + std::log(sum);
}

// Sinkhorn's iteration on log K.
struct Plain {
  Matrix log_kernel;
  std::vector<double> log_u, log_v;

  explicit Plain(Matrix kernel) : log_kernel(std::move(kernel)) {
    for (Index i = 0; i < sources; ++i) log_u.push_back(std::log(weight(Side::source, i)));
    for (Index j = 0; j < targets; ++j) log_v.push_back(std::log(weight(Side::target, j)));
  }
  void iterate(int times) {
    for (int t = 0; t < times; ++t) {
      for (std::size_t i = 0; i < log_u.size(); ++i) {
        std::vector<double> terms;
        for (std::size_t j = 0; j < log_v.size(); ++j) terms.push_back(log_kernel[i][j] + log_v[j]);
        log_u[i] = std::log(weight(Side::source, static_cast<Index>(i))) - log_sum(terms);
      }
      for (std::size_t j = 0; j < log_v.size(); ++j) {
        std::vector<double> terms;
        for (std::size_t i = 0; i < log_u.size(); ++i) terms.push_back(log_kernel[i][j] + log_u[i]);
        log_v[j] = std::log(weight(Side::target, static_cast<Index>(j))) - log_sum(terms);
      }
    }
  }
  [[nodiscard]] double plan(std::size_t i, std::size_t j) const {
    return std::exp(log_u[i] + log_kernel[i][j] + log_v[j]);
  }
};

Plain plain_of(const std::string& cost, double epsilon) {
  Matrix logs = distances(cost);
  for (auto& row : logs) {
    for (double& value : row) value = -value / epsilon;
  }
  return Plain(std::move(logs));
}

template <class T>
void iterate(Coupling<T>& coupling, int times) {
  for (int t = 1; t <= times; ++t) {
    coupling.scale(Side::source, t);
    coupling.scale(Side::target, t);
  }
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], tolerance) << i;
}

// --- both sides in one list

TEST(InterleavedRows, HaveEachPointOnceAndShareBothSides) {
  for (const auto& [n, m] : {std::pair<Index, Index>{90, 61}, {1, 1}, {1, 5000}, {5000, 1}, {38392, 112214}}) {
    for (const int ranks : {1, 2, 3, 7}) {
      const InterleavedRows rows(n, m, ranks);
      std::vector<char> taken(static_cast<std::size_t>(n + m));
      for (const auto& [side, count] : {std::pair{Side::source, n}, std::pair{Side::target, m}}) {
        Index before = -1, end = 0;
        for (Index i = 0; i < count; ++i) {
          const Index row = rows.row(side, i);
          ASSERT_TRUE(row > before && row < n + m);
          before = row;
          ASSERT_EQ(taken[static_cast<std::size_t>(row)]++, 0);
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
      EXPECT_EQ(points[static_cast<std::size_t>(2 * number)], point[0]);
      EXPECT_EQ(points[static_cast<std::size_t>(2 * number + 1)], point[1]);
    }
  }
}

// --- kernels

TEST(ExactCoupling, IsSinkhornsIterationForEveryCostAndEpsilon) {
  for (const char* name : {"squared-euclidean", "euclidean", "manhattan"}) {
    for (const double epsilon : {1.0, 0.05, 0.0005}) {  // the last: every sum underflows without a shift
      Sides<double> sides;
      const TransportCost<double> cost(name, dimension);
      ExactCoupling<double> coupling(sides.context.execution, sides.source, sides.target, cost, epsilon);
      iterate(coupling, 5);
      Plain plain = plain_of(name, epsilon);
      plain.iterate(5);
      expect_near(Sides<double>::whole(coupling.logs(Side::source)), plain.log_u, 1e-10 / epsilon);
      expect_near(Sides<double>::whole(coupling.logs(Side::target)), plain.log_v, 1e-10 / epsilon);
    }
  }
}

TEST(ExactCoupling, InSinglePrecisionIsNear) {
  for (const double epsilon : {1.0, 0.05, 0.002}) {
    Sides<float> sides;
    const TransportCost<float> cost("squared-euclidean", dimension);
    ExactCoupling<float> coupling(sides.context.execution, sides.source, sides.target, cost, epsilon);
    iterate(coupling, 5);
    Plain plain = plain_of("squared-euclidean", epsilon);
    plain.iterate(5);
    expect_near(Sides<float>::whole(coupling.logs(Side::source)), plain.log_u, 3e-6 / epsilon + 1e-5);
  }
}

TEST(ExactCoupling, TellsHowFarAMarginalWasOff) {
  Sides<double> sides;
  const TransportCost<double> cost("squared-euclidean", dimension);
  ExactCoupling<double> coupling(sides.context.execution, sides.source, sides.target, cost, 0.1);
  Plain plain = plain_of("squared-euclidean", 0.1);
  for (int iteration = 1; iteration < 4; ++iteration) {
    double expected = 0;
    for (std::size_t i = 0; i < sources; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < targets; ++j) sum += plain.plan(i, j);
      expected += std::abs(sum - weight(Side::source, static_cast<Index>(i)));
    }
    EXPECT_NEAR(coupling.scale(Side::source, iteration), expected, 1e-13);
    coupling.scale(Side::target, iteration);
    plain.iterate(1);
  }
}

// Factors of both sides: `columns` numbers of any sign, the first of which keeps the kernel above 0.
double feature(Side side, Index i, Index k) {
  const auto row = static_cast<std::uint64_t>(i) + (side == Side::source ? 0 : 1000);
  return k == 0 ? 2.0 : Random(9, Stream::test).uniform(row, static_cast<std::uint64_t>(k)) - 0.5;
}
constexpr Index columns = 9;
const std::vector<double> diagonal = {1.0, -0.5, 0.3, 1.2, -0.2, 0.7, 0.1, 0.9, -0.4};

template <class T>
Approximation<T> factors(const InterleavedRows& rows, double first = 1.0) {
  RowBlock<T> left(rows.partition(), world().rank(), columns);
  for (const Side side : {Side::source, Side::target}) {
    const Range own = rows.range(side, world().rank());
    for (Index i = own.begin; i < own.end; ++i) {
      for (Index k = 0; k < columns; ++k) {
        left.row(rows.row(side, i))[static_cast<std::size_t>(k)] =
            static_cast<T>(feature(side, i, k) * (k == 0 ? first : 1.0));
      }
    }
  }
  Approximation<T> result;
  result.left = std::move(left);
  result.joining = DiagonalJoining{diagonal};
  return result;
}

double factor_entry(Side left, Index i, Side right, Index j) {
  double sum = 0;
  for (Index k = 0; k < columns; ++k) {
    sum += feature(left, i, k) * diagonal[static_cast<std::size_t>(k)] * feature(right, j, k);
  }
  return sum;
}

template <class T>
void expect_sinkhorn_of_factors(double tolerance, int threads) {
  Sides<T> sides;
  sides.context.execution.threads = threads;
  const Approximation<T> approximation = factors<T>(sides.rows);
  FactorCoupling<T> coupling(sides.context.execution, sides.source, sides.target, approximation, sides.rows);
  iterate(coupling, 4);
  Plain plain(matrix_of([](Index i, Index j) { return std::log(factor_entry(Side::source, i, Side::target, j)); }));
  plain.iterate(4);
  expect_near(Sides<T>::whole(coupling.logs(Side::source)), plain.log_u, tolerance);
  expect_near(Sides<T>::whole(coupling.logs(Side::target)), plain.log_v, tolerance);

  // Products with the plan, and scalings that are set.
  FactorCoupling<T> other(sides.context.execution, sides.source, sides.target, approximation, sides.rows);
  other.set_logs(Side::source, coupling.logs(Side::source));
  other.set_logs(Side::target, coupling.logs(Side::target));
  std::vector<double> z;
  for (Index j = sides.target.own.begin; j < sides.target.own.end; ++j) {
    z.push_back(1.0);
    z.push_back(static_cast<double>(j));
  }
  const std::vector<double> found = Sides<T>::whole(other.sums(Side::source, z, 2));
  for (std::size_t i = 0; i < sources; ++i) {
    double sum = 0, weighted = 0;
    for (std::size_t j = 0; j < targets; ++j) {
      sum += plain.plan(i, j);
      weighted += plain.plan(i, j) * static_cast<double>(j);
    }
    EXPECT_NEAR(found[2 * i], sum, tolerance);
    EXPECT_NEAR(found[2 * i + 1], weighted, 50 * tolerance);
  }
}

TEST(FactorCoupling, IsSinkhornsIterationOnTheProduct) {
  for (const int threads : {1, 3}) {
    expect_sinkhorn_of_factors<double>(1e-12, threads);
    expect_sinkhorn_of_factors<float>(1e-6, threads);
  }
}

TEST(FactorCoupling, RefusesASumThatIsNotAboveZero) {
  Sides<double> sides;
  const Approximation<double> approximation = factors<double>(sides.rows, 0.001);
  FactorCoupling<double> coupling(sides.context.execution, sides.source, sides.target, approximation, sides.rows);
  test::expect_error([&] { iterate(coupling, 3); }, ErrorKind::numeric,
                     {"iteration 1", "source point", "not above 0", "exact kernel"});
}

TEST(FactorCoupling, TakesOneSideTwice) {
  Sides<double> sides;
  const Approximation<double> approximation = factors<double>(sides.rows);
  FactorCoupling<double> coupling(sides.context.execution, sides.target, sides.target, approximation, sides.rows,
                                  Side::target, Side::target);
  coupling.scale(Side::source, 1);
  const std::vector<double> logs = Sides<double>::whole(coupling.logs(Side::source));
  for (Index i = 0; i < targets; ++i) {
    double sum = 0;
    for (Index j = 0; j < targets; ++j) sum += factor_entry(Side::target, i, Side::target, j) * weight(Side::target, j);
    EXPECT_NEAR(logs[static_cast<std::size_t>(i)], std::log(weight(Side::target, i) / sum), 1e-12);
  }
}

TEST(PositiveCoupling, IsAboveZeroAndNearTheKernel) {
  constexpr double epsilon = 0.5;
  constexpr Index features = 4000;
  Sides<double> sides;
  PositiveCoupling<double> coupling(sides.context.execution, sides.source, sides.target, epsilon, features);
  // Column j of K~ from the sums of the plan u K~ v with u and v the weights.
  Matrix logs(sources, std::vector<double>(targets));
  for (Index j = 0; j < targets; ++j) {
    std::vector<double> unit(sides.target.weights.size());
    if (sides.target.own.contains(j)) unit[static_cast<std::size_t>(j - sides.target.own.begin)] = 1;
    const std::vector<double> column = Sides<double>::whole(coupling.sums(Side::source, unit, 1));
    for (Index i = 0; i < sources; ++i) {
      const double entry = column[static_cast<std::size_t>(i)] / weight(Side::source, i) / weight(Side::target, j);
      EXPECT_NEAR(entry, std::exp(-distance_of("squared-euclidean", i, j) / epsilon), 0.12) << i << " " << j;
      logs[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = std::log(entry);
    }
  }
  iterate(coupling, 3);
  Plain plain(logs);
  plain.iterate(3);
  expect_near(Sides<double>::whole(coupling.logs(Side::source)), plain.log_u, 1e-11);
  expect_near(Sides<double>::whole(coupling.logs(Side::target)), plain.log_v, 1e-11);
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
}  // namespace cairn
