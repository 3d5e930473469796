#include "linalg/krylov_schur.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>
#include <string>

#include "base/error.hpp"
#include "replicated.hpp"

namespace cairn {
namespace {

using test::Replicated;
using test::world;

// The Laplacian of a path of n vertices: 2 on the diagonal, -1 beside it. Eigenvalue k is 2 - 2 cos(pi k / (n + 1)), its
// vector sin(pi k (i + 1) / (n + 1)).
SymmetricOperator path(Index n) {
  const RowPartition partition(n, world().size());
  return {partition, [n, own = partition.range(world().rank())](const double* x, double* y) {
            const std::vector<double> all = world().all_gather(std::span<const double>(x, static_cast<std::size_t>(own.size())));
            const auto at = [&](Index i) { return i < 0 || i >= n ? 0.0 : all[static_cast<std::size_t>(i)]; };
            for (Index i = own.begin; i < own.end; ++i) y[i - own.begin] = 2.0 * at(i) - at(i - 1) - at(i + 1);
          }};
}

double known_value(Index n, Index k) {
  return 2.0 - 2.0 * std::cos(std::numbers::pi * static_cast<double>(k) / static_cast<double>(n + 1));
}

TEST(KrylovSchur, RefusesASearchSpaceBeyondTheLibrarysIntegers) {
  try {
    static_cast<void>(extreme_eigenpairs(world(), path(2'000'000'000), {.count = 1, .scale = 4.0}));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::resource);
    EXPECT_NE(std::string(error.what()).find("search space on a rank"), std::string::npos) << error.what();
  }
}

TEST(KrylovSchur, FindsBothEndsOfAKnownSpectrumAndItsVectors) {
  for (const Index n : {5, 40, 300}) {
    const Index count = std::min<Index>(n, 4);
    const EigenPairs largest = extreme_eigenpairs(world(), path(n), {.count = count, .tolerance = 1e-12, .scale = 4.0});
    const EigenPairs smallest = extreme_eigenpairs(
        world(), path(n), {.end = EigenRequest::End::smallest, .count = 1, .tolerance = 1e-12, .scale = 4.0});
    EXPECT_NEAR(smallest.values.front(), known_value(n, 1), 1e-11);
    const Replicated vectors = test::replicated(largest.vectors);
    for (Index j = 0; j < count; ++j) {
      EXPECT_NEAR(largest.values[static_cast<std::size_t>(j)], known_value(n, n - j), 1e-11);
      EXPECT_LT(largest.residuals[static_cast<std::size_t>(j)], 1e-10);
      double dot = 0.0, square = 0.0, largest_entry = 0.0, first = 0.0;
      for (Index i = 0; i < n; ++i) {
        const double angle = std::numbers::pi * static_cast<double>(n - j) / static_cast<double>(n + 1);
        const double expected = std::sqrt(2.0 / static_cast<double>(n + 1)) * std::sin(angle * static_cast<double>(i + 1));
        dot += vectors(i, j) * expected, square += vectors(i, j) * vectors(i, j);
        largest_entry = std::max(largest_entry, std::abs(vectors(i, j)));
      }
      // The vectors of a path are symmetric or antisymmetric: entries come in pairs of equal magnitude.
      for (Index i = n - 1; i >= 0; --i)
        if (std::abs(vectors(i, j)) > (1.0 - 1e-6) * largest_entry) first = vectors(i, j);
      EXPECT_NEAR(std::abs(dot), 1.0, 1e-7);
      EXPECT_NEAR(square, 1.0, 1e-12);
      EXPECT_GT(first, 0.0);
    }
    EXPECT_GE(largest.products, count);
    EXPECT_EQ(largest.basis, std::min<Index>(n, count + 15));
  }
}

TEST(KrylovSchur, IsTheSameOnAnyNumberOfRanks) {
  const EigenPairs together = extreme_eigenpairs(world(), path(100), {.count = 2, .tolerance = 1e-12, .scale = 4.0});
  const Communicator alone(MPI_COMM_SELF);
  const SymmetricOperator whole{RowPartition(100, 1), [](const double* x, double* y) {
                                  for (Index i = 0; i < 100; ++i)
                                    y[i] = 2.0 * x[i] - (i > 0 ? x[i - 1] : 0.0) - (i < 99 ? x[i + 1] : 0.0);
                                }};
  const EigenPairs single = extreme_eigenpairs(alone, whole, {.count = 2, .tolerance = 1e-12, .scale = 4.0});
  const Replicated vectors = test::replicated(together.vectors);
  for (Index i = 0; i < 100; ++i)
    for (Index j = 0; j < 2; ++j) EXPECT_NEAR(vectors(i, j), single.vectors.local()(i, j), 1e-8);
}

TEST(KrylovSchur, PassesOnWhatTheProductThrows) {
  const SymmetricOperator failing{RowPartition(20, world().size()),
                                  [](const double*, double*) { throw Error(ErrorKind::numeric, "no product"); }};
  try {
    static_cast<void>(extreme_eigenpairs(world(), failing, {}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "no product");
    EXPECT_EQ(error.kind(), ErrorKind::numeric);
  }
}

TEST(KrylovSchur, RefusesWhatCannotBeAsked) {
  EXPECT_THROW(static_cast<void>(extreme_eigenpairs(world(), path(5), {.count = 6})), Error);
  EXPECT_THROW(static_cast<void>(extreme_eigenpairs(world(), path(5), {.count = 0})), Error);
  EXPECT_THROW(static_cast<void>(extreme_eigenpairs(world(), path(5), {.scale = 0.0})), Error);
}

}  // namespace
}  // namespace cairn
