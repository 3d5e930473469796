// Kernel ridge regression on K itself against dense systems by elimination.
#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "cairn/data/object_set.hpp"
#include "cairn/data/points/point_set.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/task/regression/conjugate_gradients.hpp"
#include "cairn/task/regression/kernel_decomposition.hpp"
#include "cairn/task/regression/kernel_products.hpp"
#include "expected_errors.hpp"
#include "ridge_cases.hpp"

extern "C" void dsyev_(const char*, const char*, const int*, double*, const int*, double*, double*, const int*, int*);

namespace cairn::full_ridge_test {
namespace {

using namespace test::ridge;
using test::Context;
using test::Dense;
using test::dense;
using test::FunctionSimilarity;
using test::TestPoints;
using test::world;

constexpr double tight = 1e-11;
constexpr const Approximation<double>* no_factors = nullptr;

double rbf_entry(Index i, Index j) {
  static const TestPoints points(n, 3);
  return std::exp(-0.4 * points.squared_distance(i, j));
}
// Two eigenvalues of the size of n: n / 2 and -n / 2.
double indefinite_entry(Index i, Index j) {
  const auto sign = [](Index k) { return k % 2 == 0 ? 1.0 : -1.0; };
  return rbf_entry(i, j) + 0.5 - 0.5 * sign(i) * sign(j);
}

class Numbers final : public NumberedObjects {
 public:
  explicit Numbers(const Communicator& ranks = world())
      : NumberedObjects(RowPartition(n, ranks.size()), ranks.rank()) {}
};

std::vector<Index> own_of(const std::vector<Index>& rows) { return training_set(rows).rows; }

// K(rows, columns).
Dense entries(const test::EntryFunction& entry, const std::vector<Index>& rows, const std::vector<Index>& columns) {
  return dense(std::ssize(rows), std::ssize(columns), [&](Index i, Index j) { return entry(rows[i], columns[j]); });
}

// Columns of right sides: lambda by lambda the targets of `rows`.
ShiftedSystems systems_of(const std::vector<Index>& rows, const std::vector<double>& lambdas) {
  ShiftedSystems systems;
  const TrainingSet set = training_set(rows);
  systems.rows = std::ssize(set.rows);
  for (const double lambda : lambdas) systems.shifts.insert(systems.shifts.end(), q, lambda);
  for (Index i = 0; i < systems.rows; ++i) {
    for (Index c = 0; c < systems.columns(); ++c) systems.right_sides.push_back(set.values[i * q + c % q]);
  }
  return systems;
}

// (K + lambda I)⁻¹ Y for each lambda beside the other.
Dense solution_of(const Dense& k, const std::vector<Index>& rows, const std::vector<double>& lambdas) {
  Dense all = dense(k.rows, q * std::ssize(lambdas), [](Index, Index) { return 0.0; });
  const Dense y = dense(k.rows, q, [&](Index i, Index t) { return target(rows[i], t); });
  for (std::size_t l = 0; l < lambdas.size(); ++l) {
    const Dense system = dense(k.rows, k.rows, [&](Index i, Index j) { return k(i, j) + (i == j ? lambdas[l] : 0.0); });
    const Dense x = test::product(test::inverse(system), y);
    for (Index i = 0; i < k.rows; ++i) {
      for (Index t = 0; t < q; ++t) all(i, static_cast<Index>(l) * q + t) = x(i, t);
    }
  }
  return all;
}

struct Solved {
  bool good = false;
  GradientSolution solution;
  GradientFailure failure;
  Dense x{};  // of all rows
};

// Solves for K given by a function. @param factors  of the preconditioner; null: none
template <class T>
Solved solve(const test::EntryFunction& entry, const std::vector<Index>& rows, const std::vector<double>& lambdas,
             const Approximation<T>* factors, GradientOptions options) {
  Context context;
  const Numbers objects;
  const FunctionSimilarity<T> similarity(entry);
  const KernelMatrix<T> kernel(context.execution, similarity, objects, own_of(rows));
  ShiftedSystems systems = systems_of(rows, lambdas);
  systems.multiply = [&](MatrixView<const double> x, MatrixView<double> y) { kernel.multiply(x, y); };
  std::optional<KernelInverse> inverse;
  if (factors != nullptr) {
    inverse.emplace(context.execution, *factors, own_of(rows));
    systems.precondition = [&](MatrixView<const double> v, std::span<const double> shifts, MatrixView<double> z) {
      inverse->apply(v, shifts, z);
    };
  }
  Solved found;
  found.good = solve_by_gradients(world(), systems, options, found.solution, found.failure);
  if (found.good) found.x = {std::ssize(rows), systems.columns(), world().all_gather(found.solution.x)};
  return found;
}

// V max(Θ, 0) Vᵀ of K = V Θ Vᵀ.
Dense positive_part(const Dense& k) {
  Dense vectors = k;
  std::vector<double> values(static_cast<std::size_t>(k.rows)), work(static_cast<std::size_t>(40 * k.rows));
  const int size = static_cast<int>(k.rows), length = static_cast<int>(work.size());
  int info = 0;
  dsyev_("V", "L", &size, vectors.values.data(), &size, values.data(), work.data(), &length, &info);
  return dense(k.rows, k.rows, [&](Index i, Index j) {  // column e of V is row e here
    double sum = 0.0;
    for (Index e = 0; e < k.rows; ++e) sum += vectors(e, i) * std::max(0.0, values[e]) * vectors(e, j);
    return sum;
  });
}

// Factors whose product is K~ = C A⁻¹ Cᵀ of every fourth row.
Approximation<double> nystrom_factors() {
  Approximation<double> approximation = make(Kind::core_matrix);
  RowBlock<double> columns(RowPartition(n, world().size()), world().rank(), l);
  for (Index i = columns.range().begin; i < columns.range().end; ++i) {
    for (Index k = 0; k < l; ++k) columns.row(i)[k] = rbf_entry(i, 4 * k % n);
  }
  const Dense core = dense(l, l, [](Index a, Index b) { return rbf_entry(4 * a % n, 4 * b % n); });
  const Dense inverse = test::inverse(core);
  approximation.left = std::move(columns);
  BlockCyclicMatrix matrix(std::make_shared<const ProcessGrid>(world()), l, l);
  matrix.fill([&](Index a, Index b) { return (inverse(a, b) + inverse(b, a)) / 2.0; });
  approximation.core_matrix = DenseCore{std::move(matrix)};
  return approximation;
}

TEST(KernelProducts, AreThoseOfTheDenseMatrix) {
  for (const std::vector<Index>& rows : {every(1), every(2, 1), every(40)}) {
    const Dense k = entries(rbf_entry, rows, rows);
    const Dense x = dense(k.rows, 3, dense_entry);
    for (const int threads : {1, 3}) {
      Context context;
      Execution execution{world(), context.phases, context.ledger, threads, 0};
      const Numbers objects;
      const FunctionSimilarity<double> similarity(rbf_entry);
      const KernelMatrix<double> kernel(execution, similarity, objects, own_of(rows));
      EXPECT_EQ(kernel.rows(), rows);
      std::vector<double> y(static_cast<std::size_t>(kernel.own().size() * 3));
      kernel.multiply({x.values.data() + kernel.own().begin * 3, kernel.own().size(), 3},
                      {y.data(), kernel.own().size(), 3});
      EXPECT_LT(test::difference({k.rows, 3, world().all_gather(y)}, test::product(k, x)), 1e-14);
      EXPECT_EQ(world().sum(similarity.evaluations()), kernel.entries_a_product());
    }
  }
}

TEST(KernelProducts, EvaluateHalfOfTheTiles) {
  Context context;
  const Numbers objects;
  const FunctionSimilarity<float> similarity(rbf_entry);
  const KernelMatrix<float> kernel(context.execution, similarity, objects, own_of(every(1)));
  EXPECT_LT(kernel.entries_a_product(), n * n * 6 / 10);
}

TEST(KernelProducts, RefuseWhatIsNoKernel) {
  Context context;
  const Numbers objects;
  const FunctionSimilarity<double> distance(rbf_entry, Meaning::distance);
  test::expect_error([&] { KernelMatrix<double>(context.execution, distance, objects, own_of(every(1))); },
                     ErrorKind::usage, {"needs a kernel: function is a distance"});
}

// Only one rank evaluates the entry.
TEST(KernelProducts, FailOnAllRanksAlike) {
  Context context;
  const Numbers objects;
  const FunctionSimilarity<double> similarity([](Index i, Index j) {
    if (i == 71 && j == 3) throw Error(ErrorKind::numeric, "no such entry");
    return rbf_entry(i, j);
  });
  const KernelMatrix<double> kernel(context.execution, similarity, objects, own_of(every(1)));
  const auto own = kernel.own().size();
  std::vector<double> x(static_cast<std::size_t>(own), 1.0), y(x);
  test::expect_error(
      [&] {
        kernel.multiply({x.data(), own, 1}, {y.data(), own, 1});
      },
      ErrorKind::numeric, {"no such entry"});
}

TEST(KernelProducts, WithCentersServeRowsOfAnyRank) {
  Context context;
  const Numbers objects;
  const FunctionSimilarity<double> similarity(rbf_entry);
  const std::vector<Index> centers = every(3, 1), rows = {0, 1, 2, 5, 70, 88, 89};
  const Dense x = dense(std::ssize(centers), 2, dense_entry);
  const ObjectBlocks blocks = gather_blocks(world(), objects, centers, 16);
  const std::vector<double> mine = multiply_by_centers<double>(context.execution, similarity, objects, own_of(rows),
                                                               blocks, {x.values.data(), x.rows, x.columns});
  EXPECT_LT(test::difference({std::ssize(rows), 2, world().all_gather(mine)},
                             test::product(entries(rbf_entry, rows, centers), x)),
            1e-14);
}

TEST(KernelProducts, OfPointsAreTheSameFromBlocksOfThem) {
  constexpr Index d = 3, count = 50;
  Context context;
  std::vector<double> values;
  for (Index i = 0; i < count * d; ++i) values.push_back(dense_entry(i, 0));
  std::vector<Index> ids(count);
  std::iota(ids.begin(), ids.end(), Index{0});
  const auto all = make_point_block<double>(ids, d, values);
  const ObjectBlocks blocks = blocks_of_points(*all);
  EXPECT_GT(blocks.size(), 2U);
  PointBlock<double> sparse(SetIdentity(), ids);
  sparse.sparse = std::make_unique<const SparsePoints<double>>(all->coordinates);
  const ObjectBlocks sparse_blocks = blocks_of_points(sparse);
  RowBlock<double> own(RowPartition(7, world().size()), world().rank(), d);
  for (Index i = own.range().begin; i < own.range().end; ++i) {
    for (Index c = 0; c < d; ++c) own.row(i)[c] = dense_entry(i, c + 1);
  }
  const PointSet<double> fresh(std::move(own), world().rank(), {});
  const auto similarity =
      make_similarity<double>(context.execution, SimilarityChoice("rbf").set("gamma", "0.3"), fresh);
  std::vector<Index> rows;
  for (Index i = fresh.range().begin; i < fresh.range().end; ++i) rows.push_back(i);
  const Dense x = dense(count, 2, dense_entry);
  const Dense expected = test::product(dense(7, count,
                                             [&](Index i, Index j) {
                                               double squares = 0.0;
                                               for (Index c = 0; c < d; ++c) {
                                                 squares += std::pow(dense_entry(i, c + 1) - values[j * d + c], 2);
                                               }
                                               return std::exp(-0.3 * squares);
                                             }),
                                       x);
  for (const ObjectBlocks* centers : {&blocks, &sparse_blocks}) {
    const auto mine =
        multiply_by_centers<double>(context.execution, *similarity, fresh, rows, *centers, {x.values.data(), count, 2});
    EXPECT_LT(test::difference({7, 2, world().all_gather(mine)}, expected), 1e-13);
  }
}

// (K~₊ + lambda I)⁻¹ of factors of every form: K~ by its eigenvalues, the negative ones taken for 0.
TEST(KernelInverse, IsThatOfThePositivePart) {
  for (const Kind kind : {Kind::identity, Kind::values, Kind::core_matrix, Kind::tiles}) {
    for (const std::vector<Index>& rows : {every(1), every(9)}) {  // more and fewer than landmarks
      Context context;
      const auto approximation = make(kind);
      const KernelInverse inverse(context.execution, approximation, own_of(rows));
      const Dense k = kernel(kind);
      const Dense of_rows = entries([&](Index i, Index j) { return k(i, j); }, rows, rows);
      const std::vector<double> lambdas = {0.3, 20.0};
      const ShiftedSystems systems = systems_of(rows, lambdas);
      std::vector<double> z(systems.right_sides.size());
      inverse.apply({systems.right_sides.data(), systems.rows, systems.columns()}, systems.shifts,
                    {z.data(), systems.rows, systems.columns()});
      const Dense found{std::ssize(rows), systems.columns(), world().all_gather(z)};
      EXPECT_LT(test::difference(found, solution_of(positive_part(of_rows), rows, lambdas)), 1e-8);
      EXPECT_EQ(inverse.negative() > 0, kind != Kind::identity);
      EXPECT_EQ(inverse.smallest() < 0.0, kind != Kind::identity);
    }
  }
}

TEST(FullRidge, SolvesAllTargetsAndLambdasAtOnce) {
  const std::vector<double> lambdas = {1e-3, 0.1, 5.0};
  const auto factors = nystrom_factors();
  for (const std::vector<Index>& rows : {every(1), every(2, 1)}) {
    const Dense expected = solution_of(entries(rbf_entry, rows, rows), rows, lambdas);
    const Solved solved = solve<double>(rbf_entry, rows, lambdas, &factors, {.residual = tight});
    ASSERT_TRUE(solved.good);
    EXPECT_LT(test::difference(solved.x, expected), 1e-7);
    for (const double residual : solved.solution.residuals) EXPECT_LE(residual, tight);
    // K x comes with it.
    const Dense fitted{solved.x.rows, solved.x.columns, world().all_gather(solved.solution.products)};
    EXPECT_LT(test::difference(fitted, test::product(entries(rbf_entry, rows, rows), solved.x)), 1e-12);
    // Residuals are checked at the end, and a system whose residual had drifted goes on for some rounds.
    const Index most = *std::ranges::max_element(solved.solution.iterations);
    EXPECT_GT(solved.solution.rounds, most);
    EXPECT_LT(solved.solution.rounds, most + most / 4);
    EXPECT_LT(solved.solution.multiplied, solved.solution.rounds * solved.x.columns);  // some have left before
  }
}

TEST(FullRidge, AloneIsAsInABlock) {
  const auto factors = nystrom_factors();
  const Solved all = solve<double>(rbf_entry, every(2), {0.01, 1.0}, &factors, {.residual = tight});
  const Solved alone = solve<double>(rbf_entry, every(2), {1.0}, &factors, {.residual = tight});
  for (Index i = 0; i < alone.x.rows; ++i) {
    for (Index t = 0; t < q; ++t) EXPECT_NEAR(alone.x(i, t), all.x(i, q + t), 1e-9);
  }
  EXPECT_EQ(alone.solution.iterations[0], all.solution.iterations[q]);
}

TEST(FullRidge, FactorsSpareIterations) {
  const auto factors = nystrom_factors();
  const Solved with = solve<double>(rbf_entry, every(1), {1e-3}, &factors, {.residual = 1e-6, .iterations = 5000});
  const Solved plain = solve<double>(rbf_entry, every(1), {1e-3}, no_factors, {.residual = 1e-6, .iterations = 5000});
  ASSERT_TRUE(with.good);
  ASSERT_TRUE(plain.good);
  EXPECT_LT(with.solution.rounds, plain.solution.rounds * 7 / 10);
  EXPECT_LT(test::difference(with.x, plain.x), 1e-3);
}

TEST(FullRidge, TakesSinglePrecision) {
  const auto factors = make<float>(Kind::identity);
  const Dense expected = solution_of(entries(rbf_entry, every(1), every(1)), every(1), {2.0});
  const Solved solved = solve<float>(rbf_entry, every(1), {2.0}, &factors, {.residual = 1e-6});
  ASSERT_TRUE(solved.good);
  EXPECT_LT(test::difference(solved.x, expected), 1e-5);
}

// A rank below the number of columns, and eigenvalues of both signs: slower, but as right.
TEST(FullRidge, AnyFactorsLeadToTheSameSolution) {
  const Dense expected = solution_of(entries(rbf_entry, every(1), every(1)), every(1), {2.0});
  for (const Kind kind : {Kind::values, Kind::tiles}) {
    const auto factors = make(kind);
    const Solved solved = solve<double>(rbf_entry, every(1), {2.0}, &factors, {.residual = 1e-9});
    ASSERT_TRUE(solved.good);
    EXPECT_LT(test::difference(solved.x, expected), 1e-7);
  }
  auto deficient = make(Kind::identity);
  RowBlock<double>& left = deficient.left.dense();
  for (Index i = left.range().begin; i < left.range().end; ++i) {
    left.row(i)[3] = left.row(i)[5];
    left.row(i)[7] = 0.0;
  }
  const Solved solved = solve<double>(rbf_entry, every(1), {2.0}, &deficient, {.residual = 1e-9});
  ASSERT_TRUE(solved.good);
  EXPECT_LT(test::difference(solved.x, expected), 1e-7);
}

TEST(FullRidge, TargetsOfZerosHaveTheSolutionZero) {
  ShiftedSystems systems{.rows = 2, .right_sides = {0.0, 1.0, 0.0, -1.0}, .shifts = {1.0, 1.0}};
  systems.multiply = [](MatrixView<const double> x, MatrixView<double> y) {
    for (Index i = 0; i < x.rows; ++i) {
      for (Index c = 0; c < x.columns; ++c) y(i, c) = 3.0 * x(i, c);
    }
  };
  GradientSolution solution;
  GradientFailure failure;
  ASSERT_TRUE(solve_by_gradients(world(), systems, {}, solution, failure));
  EXPECT_THAT(solution.x, testing::Pointwise(testing::DoubleNear(1e-12), {0.0, 0.25, 0.0, -0.25}));
  EXPECT_THAT(solution.iterations, testing::ElementsAre(0, 1));
}

// The first products are those of another matrix: what the recurrence takes for converged is not.
TEST(FullRidge, GoesOnWhereTheResidualIsLargerThanItSeems) {
  const Range own = RowPartition(40, world().size()).range(world().rank());
  ShiftedSystems systems{.rows = own.size(), .shifts = {0.5}};
  for (Index i = own.begin; i < own.end; ++i) systems.right_sides.push_back(dense_entry(i, 0));
  int products = 0;
  systems.multiply = [&](MatrixView<const double> x, MatrixView<double> y) {
    const double wrong = ++products <= 5 ? 1.001 : 1.0;
    for (Index i = 0; i < x.rows; ++i) y(i, 0) = wrong * static_cast<double>((own.begin + i) % 5) * x(i, 0);
  };
  GradientSolution solution;
  GradientFailure failure;
  ASSERT_TRUE(solve_by_gradients(world(), systems, {.residual = 1e-10}, solution, failure));
  EXPECT_GT(solution.iterations[0], 5);  // as many as there are eigenvalues, and again
  for (Index i = own.begin; i < own.end; ++i) {
    EXPECT_NEAR(solution.x[i - own.begin], dense_entry(i, 0) / (static_cast<double>(i % 5) + 0.5), 1e-8);
  }
  EXPECT_LE(solution.residuals[0], 1e-10);
}

TEST(FullRidge, SaysWhatIsNotDefinite) {
  const Solved solved = solve<double>(indefinite_entry, every(1), {1.0, 100.0}, no_factors, {});
  ASSERT_FALSE(solved.good);
  EXPECT_EQ(solved.failure.kind, GradientFailure::Kind::indefinite);
  EXPECT_LT(solved.failure.column, q);  // lambda 1; for 100 it is definite
  const Solved enough = solve<double>(indefinite_entry, every(1), {100.0}, no_factors, {});
  EXPECT_TRUE(enough.good);
}

TEST(FullRidge, EstimatesTheSmallestEigenvalue) {
  const auto multiply = [](MatrixView<const double> x, MatrixView<double> y) {  // diagonal: -7 and 0 .. 28
    const Range own = RowPartition(30, world().size()).range(world().rank());
    for (Index i = 0; i < x.rows; ++i) {
      const Index row = own.begin + i;
      y(i, 0) = (row == 4 ? -7.0 : static_cast<double>(row)) * x(i, 0);
    }
  };
  const auto own = RowPartition(30, world().size()).range(world().rank()).size();
  std::vector<double> start(static_cast<std::size_t>(own), 1.0);
  EXPECT_NEAR(estimated_smallest_eigenvalue(world(), multiply, start, 30), -7.0, 1e-6);
  EXPECT_NEAR(estimated_smallest_eigenvalue(world(), multiply, start, 12), -7.0, 1e-2);
}

TEST(FullRidge, StopsAfterTheMostIterations) {
  std::vector<Index> told;
  GradientOptions options{.residual = 1e-12, .iterations = 3};
  options.tell = [&](const GradientProgress& now) {
    told.push_back(now.iteration);
    EXPECT_GT(now.remaining, 0.0);
    EXPECT_EQ(now.columns, q);
  };
  const Solved solved = solve<double>(rbf_entry, every(1), {1e-3}, no_factors, options);
  ASSERT_FALSE(solved.good);
  EXPECT_EQ(solved.failure.kind, GradientFailure::Kind::slow);
  EXPECT_GT(solved.failure.residual, 1e-12);
  EXPECT_THAT(told, testing::ElementsAre(1, 2, 3));
}

}  // namespace
}  // namespace cairn::full_ridge_test
