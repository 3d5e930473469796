// Kernels of transport against plain loops in double precision over the whole matrix.
#include <gmock/gmock.h>

#include "cairn/task/transport/exact_coupling.hpp"
#include "cairn/task/transport/factor_coupling.hpp"
#include "cairn/task/transport/positive_coupling.hpp"
#include "expected_errors.hpp"
#include "transport_sides.hpp"

namespace cairn::transport_test {
namespace {

using namespace test;

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
        left.row(rows.row(side, i))[k] = static_cast<T>(feature(side, i, k) * (k == 0 ? first : 1.0));
      }
    }
  }
  Approximation<T> result;
  result.left = std::move(left);
  result.core_matrix = DiagonalCore{diagonal};
  return result;
}

double factor_entry(Side left, Index i, Side right, Index j) {
  double sum = 0;
  for (Index k = 0; k < columns; ++k) {
    sum += feature(left, i, k) * diagonal[k] * feature(right, j, k);
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
    EXPECT_NEAR(logs[i], std::log(weight(Side::target, i) / sum), 1e-12);
  }
}

TEST(PositiveCoupling, IsAboveZeroAndNearTheKernel) {
  constexpr double epsilon = 0.5;
  constexpr Index features = 4000;
  Sides<double> sides;
  PositiveCoupling<double> coupling(sides.context.execution, sides.source, sides.target, epsilon, features,
                                    ball_around(world(), sides.source, sides.target));
  // Column j of K~ from the sums of the plan u K~ v with u and v the weights.
  Matrix logs(sources, std::vector<double>(targets));
  for (Index j = 0; j < targets; ++j) {
    std::vector<double> unit(sides.target.weights.size());
    if (sides.target.own.contains(j)) unit[j - sides.target.own.begin] = 1;
    const std::vector<double> column = Sides<double>::whole(coupling.sums(Side::source, unit, 1));
    for (Index i = 0; i < sources; ++i) {
      const double entry = column[i] / weight(Side::source, i) / weight(Side::target, j);
      EXPECT_NEAR(entry, std::exp(-distance_of("squared-euclidean", i, j) / epsilon), 0.12) << i << " " << j;
      logs[i][j] = std::log(entry);
    }
  }
  iterate(coupling, 3);
  Plain plain(logs);
  plain.iterate(3);
  expect_near(Sides<double>::whole(coupling.logs(Side::source)), plain.log_u, 1e-11);
  expect_near(Sides<double>::whole(coupling.logs(Side::target)), plain.log_v, 1e-11);
}

}  // namespace
}  // namespace cairn::transport_test
