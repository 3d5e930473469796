#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/linalg/dense/dense_limits.hpp"
#include "cairn/linalg/dense/local_eigen.hpp"
#include "cairn/linalg/dense/small_on_root.hpp"
#include "replicated.hpp"

namespace cairn::eigen_test {
namespace {

using test::Replicated;
using test::replicated;
using test::world;

/// Q diag(values) Qᵀ, Q the product of two reflections: a symmetric matrix with a known spectrum.
Replicated with_spectrum(const std::vector<double>& values) {
  const auto n = static_cast<Index>(values.size());
  Replicated q = test::identity(n);
  for (const std::uint64_t seed : {21, 22}) {
    const Replicated v = test::random_matrix(n, 1, seed);
    const double square = product(transposed(v), v)(0, 0);
    Replicated reflection = test::identity(n);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) reflection(i, j) -= 2.0 * v(i, 0) * v(j, 0) / square;
    q = product(q, reflection);
  }
  Replicated a = product(with_scaled_columns(q, values), transposed(q));
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j) a(i, j) = a(j, i);
  return a;
}

TEST(Eigen, AnOrderBeyondTheLibrarysIntegersIsKnownBeforeThereIsAMatrix) {
  using enum DenseUse;
  struct Limit {
    DenseUse use;
    Index rows, columns, ranks;
    bool fits;
  };
  // n² < 2^31 on one rank up to 46,340; 2 n² up to 32,766; 4 n² up to 23,168; on four ranks twice as many each way.
  for (const auto& [use, rows, columns, ranks, fits] :
       std::initializer_list<Limit>{{stored, 46'340, 46'340, 1, true},
                                    {stored, 46'350, 46'350, 1, false},
                                    {stored, 92'000, 92'000, 4, true},
                                    {stored, 93'000, 93'000, 4, false},
                                    {stored, 3'000'000'000, 10, 4, false},
                                    {eigen, 32'760, 32'760, 1, true},
                                    {eigen, 32'780, 32'780, 1, false},
                                    {eigen, 60'000, 60'000, 4, true},
                                    {eigen, 80'000, 80'000, 4, false},
                                    {eigen, 3'000'000'000, 3'000'000'000, 4, false},
                                    {singular, 40'000, 23'160, 1, true},
                                    {singular, 40'000, 23'175, 1, false},
                                    {singular, 60'000, 60'000, 16, true}}) {
    try {
      require_countable({rows, columns, use}, static_cast<int>(ranks));
      EXPECT_TRUE(fits) << rows << " x " << columns;
    } catch (const Error& error) {
      EXPECT_FALSE(fits) << rows << " x " << columns << ": " << error.what();
      EXPECT_EQ(error.kind(), ErrorKind::resource);
      EXPECT_NE(std::string(error.what()).find("32-bit"), std::string::npos) << error.what();
    }
  }
}

using Solver = SymmetricEigen (*)(BlockCyclicMatrix);

/// On one rank, on the grid, and whichever of them Cairn chooses.
class EigenSolvers : public testing::TestWithParam<Solver> {
 protected:
  static void expect_decomposition(const Replicated& a, const SymmetricEigen& eigen, double norm) {
    const Replicated v = replicated(eigen.vectors);
    const double bound = 1e-13 * norm * std::sqrt(static_cast<double>(a.rows));
    EXPECT_LE(largest_difference(product(a, v), with_scaled_columns(v, eigen.values)), bound);
    EXPECT_LE(largest_difference(product(transposed(v), v), test::identity(a.rows)), 1e-12);
    EXPECT_TRUE(std::ranges::is_sorted(eigen.values));
  }
};

INSTANTIATE_TEST_SUITE_P(Both, EigenSolvers,
                         testing::Values(&detail::eigen_symmetric_on_root, &detail::eigen_symmetric_on_grid,
                                         &eigen_symmetric));

TEST_P(EigenSolvers, FindAKnownSpectrumAtAnySize) {
  for (const Index n : {1, 2, 5, 64, 65, 129, 200}) {
    std::vector<double> values;
    for (Index i = 0; i < n; ++i) values.push_back(static_cast<double>(i) - 0.4 * static_cast<double>(n));
    const Replicated a = with_spectrum(values);
    const SymmetricEigen eigen = GetParam()(distributed(test::world_grid(), a));
    expect_decomposition(a, eigen, static_cast<double>(n));
    ASSERT_EQ(eigen.values.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(eigen.values[i], values[i], 1e-13 * static_cast<double>(n) * 10.0);
  }
}

TEST_P(EigenSolvers, KeepVectorsOrthogonalWhereEigenvaluesRepeat) {
  std::vector<double> values(150, 2.0);
  std::fill_n(values.begin(), 60, -1.0);
  values.back() = 5.0;
  const Replicated a = with_spectrum(values);
  const SymmetricEigen eigen = GetParam()(distributed(test::world_grid(), a));
  expect_decomposition(a, eigen, 5.0);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(eigen.values[i], values[i], 1e-12);
}

TEST_P(EigenSolvers, SolveZeroAndIdentity) {
  for (const double diagonal : {0.0, 1.0}) {
    Replicated a = test::identity(70);
    for (double& value : a.values) value *= diagonal;
    const SymmetricEigen eigen = GetParam()(distributed(test::world_grid(), a));
    expect_decomposition(a, eigen, 1.0);
    for (const double value : eigen.values) EXPECT_NEAR(value, diagonal, 1e-14);
  }
}

TEST_P(EigenSolvers, ReadTheLowerTriangle) {
  Replicated a = test::random_gram(90, 90, 0.0, 23);
  const Replicated whole = a;
  for (Index i = 0; i < 90; ++i)
    for (Index j = i + 1; j < 90; ++j) a(i, j) = 1e6;
  const SymmetricEigen eigen = GetParam()(distributed(test::world_grid(), a));
  expect_decomposition(whole, eigen, 400.0);
}

TEST(EigenSymmetric, SolvesTheEmptyMatrix) {
  EXPECT_TRUE(eigen_symmetric(BlockCyclicMatrix(test::world_grid(), 0, 0)).values.empty());
}

TEST(EigenSymmetric, RefusesMatricesThatAreNotSquare) {
  EXPECT_THROW(static_cast<void>(eigen_symmetric(BlockCyclicMatrix(test::world_grid(), 3, 2))), Error);
}

TEST(EigenSymmetric, AgreesBetweenLapackAndScalapack) {
  const Replicated a = test::random_gram(180, 60, 0.1, 24);
  const auto grid = test::world_grid();
  const auto serial = detail::eigen_symmetric_on_root(distributed(grid, a));
  const auto parallel = detail::eigen_symmetric_on_grid(distributed(grid, a));
  for (std::size_t i = 0; i < serial.values.size(); ++i)
    EXPECT_NEAR(serial.values[i], parallel.values[i], 1e-11) << "at " << i;
}

TEST(SmallestEigenvalue, OfLanczosIsThatOfTheFullSpectrum) {
  const auto grid = test::world_grid();
  for (const Index n : {3, 40, 130, 260}) {
    // Indefinite, as a similarity matrix with noise is.
    Replicated a = test::random_gram(n, std::max<Index>(n / 4, 1), 0.0, 25);
    const Replicated noise = test::random_matrix(n, n, 26);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) a(i, j) += noise(i, j) + noise(j, i);
    const BlockCyclicMatrix matrix = distributed(grid, a);
    const double full = detail::eigenvalues_on_root(matrix).front();
    EXPECT_LT(full, 0.0);
    EXPECT_NEAR(smallest_eigenvalue_lanczos(matrix, 1), full, 1e-9 * one_norm(matrix)) << n << " rows";
    EXPECT_NEAR(smallest_eigenvalue(matrix.copy(), 1), full, 1e-12 * one_norm(matrix));
  }
}

TEST(SmallestEigenvalue, IsFoundAmongManyThatAreCloseToIt) {
  std::vector<double> values(230);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0 + 1e-3 * static_cast<double>(i);
  const BlockCyclicMatrix matrix = distributed(test::world_grid(), with_spectrum(values));
  EXPECT_THROW(static_cast<void>(smallest_eigenvalue_lanczos(matrix, 1, 2)), Error);
  EXPECT_NEAR(detail::smallest_eigenvalue_on_grid(matrix.copy()), 1.0, 1e-9);
  EXPECT_NEAR(detail::smallest_eigenvalue_on_grid(distributed(test::world_grid(), with_spectrum({-3.0, 2.0, 5.0}))),
              -3.0, 1e-12);
}

TEST(SmallestEigenvalue, OfASingularMatrixIsZeroToRounding) {
  const BlockCyclicMatrix matrix = distributed(test::world_grid(), test::random_gram(150, 30, 0.0, 27));
  EXPECT_NEAR(smallest_eigenvalue_lanczos(matrix, 3), 0.0, 1e-9 * one_norm(matrix));
}

TEST(SmallestEigenvalue, OfZeroIsZero) {
  EXPECT_EQ(smallest_eigenvalue_lanczos(distributed(test::world_grid(), Replicated(20, 20)), 1), 0.0);
}

TEST(SmallestEigenvalue, DoesNotDependOnTheSeed) {
  std::vector<double> values(120);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = -3.0 + static_cast<double>(i);
  const BlockCyclicMatrix matrix = distributed(test::world_grid(), with_spectrum(values));
  EXPECT_NEAR(smallest_eigenvalue_lanczos(matrix, 1), -3.0, 1e-9);
  EXPECT_NEAR(smallest_eigenvalue_lanczos(matrix, 99), -3.0, 1e-9);
}

// Against all of them, by another routine.
TEST(LocalEigen, TheLargestAreThoseOfAll) {
  constexpr Index n = 60, count = 9;
  const Random random(5, Stream::test);
  Buffer<double> all(n * n), some(n * n), vectors(n * count);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) {
      all[j * n + i] =
          random.normal(static_cast<std::uint64_t>(std::min(i, j)), static_cast<std::uint64_t>(std::max(i, j)));
    }
  }
  std::copy_n(all.data(), n * n, some.data());
  const std::vector<double> expected = eigen_in_place(n, all.data());
  const std::vector<double> values = largest_eigen_in_place(n, count, some.data(), vectors.data());
  ASSERT_EQ(std::ssize(values), count);
  for (Index k = 0; k < count; ++k) {
    EXPECT_NEAR(values[k], expected[n - count + k], 1e-12);
    double product = 0;
    for (Index i = 0; i < n; ++i) product += vectors[k * n + i] * all[(n - count + k) * n + i];
    EXPECT_NEAR(std::abs(product), 1.0, 1e-10);
  }
}

}  // namespace
}  // namespace cairn::eigen_test
