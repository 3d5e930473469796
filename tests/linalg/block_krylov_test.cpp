#include "cairn/linalg/krylov/block_krylov.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cairn/base/error.hpp"
#include "replicated.hpp"

namespace cairn::block_krylov_test {
namespace {

using test::Replicated;
using test::world;

// diag(values) turned by the reflection I - 2 u uᵀ, u = (1, 1, ...) / sqrt(n): a dense matrix with known eigenpairs.
template <class T>
BlockOperator<T> reflected(const std::vector<double>& values) {
  const auto n = std::ssize(values);
  const RowPartition partition(n, world().size());
  return {partition, [values, n, own = partition.range(world().rank())](MatrixView<const T> x, MatrixView<T> y) {
            const std::vector<T> all =
                world().all_gather(std::span(x.data, static_cast<std::size_t>(x.rows * x.columns)));
            for (Index c = 0; c < x.columns; ++c) {
              const auto at = [&](Index i) { return static_cast<double>(all[i * x.columns + c]); };
              double mean = 0, weighted = 0;
              for (Index i = 0; i < n; ++i) mean += at(i) / static_cast<double>(n);
              for (Index i = 0; i < n; ++i) {
                weighted += values[i] * (at(i) - 2 * mean) / static_cast<double>(n);
              }
              for (Index i = own.begin; i < own.end; ++i) {
                y(i - own.begin, c) = static_cast<T>(values[i] * (at(i) - 2 * mean) - 2 * weighted);
              }
            }
          }};
}

// A flat spectrum with large eigenvalues below 0, in no order.
std::vector<double> flat_spectrum(Index n) {
  std::vector<double> values;
  for (Index i = 0; i < n; ++i) {
    const double share = static_cast<double>((i * 7919) % n) / static_cast<double>(n);
    values.push_back(100 * std::pow(share, 4) - 60 * std::pow(1 - share, 6));
  }
  return values;
}

template <class T>
void expect_pairs(const std::vector<double>& spectrum, const BlockEigenPairs<T>& pairs, double tolerance) {
  std::vector<double> sorted = spectrum;
  std::ranges::sort(sorted, std::greater<>());
  const auto n = std::ssize(spectrum);
  const Replicated vectors = test::replicated(pairs.vectors);
  const double magnitude = std::max(std::abs(sorted.front()), std::abs(sorted.back()));
  for (std::size_t k = 0; k < pairs.values.size(); ++k) {
    const auto j = static_cast<Index>(k);
    EXPECT_NEAR(pairs.values[k], sorted[k], 2 * tolerance * magnitude) << k;
    EXPECT_LE(pairs.residuals[k], tolerance * magnitude);
    // ‖A v - λ v‖ by the matrix itself, and orthogonality.
    double mean = 0, weighted = 0, residual = 0, dot = 0, square = 0;
    for (Index i = 0; i < n; ++i) mean += vectors(i, j) / static_cast<double>(n);
    for (Index i = 0; i < n; ++i) {
      weighted += spectrum[i] * (vectors(i, j) - 2 * mean) / static_cast<double>(n);
    }
    for (Index i = 0; i < n; ++i) {
      const double r = spectrum[i] * (vectors(i, j) - 2 * mean) - 2 * weighted - pairs.values[k] * vectors(i, j);
      residual += r * r;
      dot += vectors(i, j) * vectors(i, (j + 1) % std::ssize(pairs.values));
      square += vectors(i, j) * vectors(i, j);
    }
    const double unit = std::is_same_v<T, float> ? 1e-5 : 1e-11;
    EXPECT_LE(std::sqrt(residual), 1.5 * tolerance * magnitude + unit * magnitude) << k;
    if (pairs.values.size() > 1) EXPECT_NEAR(dot, 0.0, unit);
    EXPECT_NEAR(square, 1.0, unit);
  }
}

TEST(BlockKrylov, FindsTheAlgebraicEndOfAFlatSpectrum) {
  const std::vector<double> spectrum = flat_spectrum(900);
  const auto wide = largest_eigenpairs(world(), reflected<double>(spectrum),
                                       {.count = 20, .tolerance = 1e-8, .block = 8, .most_basis = 700});
  expect_pairs(spectrum, wide, 1e-8);
  EXPECT_EQ(wide.restarts, 0);
  EXPECT_LT(wide.basis, 900);
  const auto narrow =
      largest_eigenpairs(world(), reflected<float>(spectrum), {.count = 20, .tolerance = 1e-4, .block = 8});
  expect_pairs(spectrum, narrow, 1e-4);
}

TEST(BlockKrylov, RestartsInASmallSearchSpace) {
  const std::vector<double> spectrum = flat_spectrum(900);
  for (const Index most_on_root : {0, 3000}) {  // ScaLAPACK, LAPACK
    const auto pairs = largest_eigenpairs(
        world(), reflected<double>(spectrum),
        {.count = 10, .tolerance = 1e-7, .block = 6, .most_basis = 60, .most_on_root = most_on_root});
    EXPECT_GT(pairs.restarts, 0);
    EXPECT_EQ(pairs.basis, 60);
    EXPECT_NEAR(pairs.magnitude, 100, 1);
    expect_pairs(spectrum, pairs, 1e-7);
  }
}

TEST(BlockKrylov, FindsRepeatedEigenvaluesAndEndsInAnInvariantSpace) {
  std::vector<double> spectrum(800, 1.0);  // three different values: the space of a block is exhausted at once
  for (std::size_t k = 100; k < 105; ++k) spectrum[k] = 9.0;
  spectrum[3] = -40.0;
  const auto pairs =
      largest_eigenpairs(world(), reflected<double>(spectrum), {.count = 5, .tolerance = 1e-7, .block = 8});
  expect_pairs(spectrum, pairs, 1e-7);
  EXPECT_NEAR(pairs.magnitude, 40, 1e-6);  // of the value that is not wanted
}

TEST(BlockKrylov, DecomposesSmallMatrices) {
  const std::vector<double> spectrum = flat_spectrum(40);
  for (const Index count : {1, 7, 40}) {
    const auto pairs = largest_eigenpairs(world(), reflected<double>(spectrum), {.count = count, .tolerance = 1e-9});
    EXPECT_EQ(pairs.basis, 40);
    expect_pairs(spectrum, pairs, 1e-9);
  }
}

TEST(BlockKrylov, HasTheSameSignsOnAnyNumberOfRanks) {
  const std::vector<double> spectrum = flat_spectrum(900);
  const auto pairs =
      largest_eigenpairs(world(), reflected<double>(spectrum), {.count = 6, .tolerance = 1e-10, .block = 8});
  const Replicated vectors = test::replicated(pairs.vectors);
  for (Index j = 0; j < 6; ++j) {
    double largest = 0;
    for (Index i = 0; i < 900; ++i) largest = std::max(largest, std::abs(vectors(i, j)));
    for (Index i = 0; i < 900; ++i) {
      if (std::abs(vectors(i, j)) < (1 - 1e-6) * largest) continue;
      EXPECT_GT(vectors(i, j), 0);
      break;
    }
  }
}

TEST(BlockKrylov, NamesEntriesThatAreNotFinite) {
  std::vector<double> spectrum = flat_spectrum(900);
  spectrum[17] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(static_cast<void>(largest_eigenpairs(world(), reflected<double>(spectrum), {.count = 3, .block = 8})),
               Error);
  EXPECT_THROW(static_cast<void>(largest_eigenpairs(world(), reflected<double>(spectrum), {.count = 901})), Error);
}

}  // namespace
}  // namespace cairn::block_krylov_test
