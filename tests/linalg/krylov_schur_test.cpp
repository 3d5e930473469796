#include "cairn/linalg/krylov/krylov_schur.hpp"

#include <gmock/gmock.h>
#include <slepceps.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <string>

#include "cairn/base/error.hpp"
#include "cairn/linalg/sparse/slepc_session.hpp"
#include "replicated.hpp"

SLEPC_EXTERN PetscErrorCode EPSCreate_KrylovSchur(EPS solver);

namespace cairn::krylov_schur_test {
namespace {

using test::Replicated;
using test::world;

// The Laplacian of a path of n vertices: 2 on the diagonal, -1 beside it. Eigenvalue k is 2 - 2 cos(pi k / (n + 1)),
// its vector sin(pi k (i + 1) / (n + 1)).
SymmetricOperator path(Index n) {
  const RowPartition partition(n, world().size());
  return {partition, [n, own = partition.range(world().rank())](const double* x, double* y) {
            const std::vector<double> all =
                world().all_gather(std::span<const double>(x, static_cast<std::size_t>(own.size())));
            const auto at = [&](Index i) { return i < 0 || i >= n ? 0.0 : all[i]; };
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
      EXPECT_NEAR(largest.values[j], known_value(n, n - j), 1e-11);
      EXPECT_LT(largest.residuals[j], 1e-10);
      double dot = 0.0, square = 0.0, largest_entry = 0.0, first = 0.0;
      for (Index i = 0; i < n; ++i) {
        const double angle = std::numbers::pi * static_cast<double>(n - j) / static_cast<double>(n + 1);
        const double expected =
            std::sqrt(2.0 / static_cast<double>(n + 1)) * std::sin(angle * static_cast<double>(i + 1));
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

// A cycle of `size` vertices by circulant weights: entry (i, j) is weight(|i - j|) with weight even. Its eigenvalues
// are Σ_d weight(d) cos(2 pi k d / size): those of k and size - k are one.
struct Cycle {
  Index size;
  std::vector<double> weights;

  Cycle(Index of_size, const std::function<double(Index)>& weight) : size(of_size) {
    for (Index d = 0; d < size; ++d) weights.push_back(weight(std::min(d, size - d)));
  }
  [[nodiscard]] SymmetricOperator product() const {
    const RowPartition partition(size, world().size());
    return {partition, [this, own = partition.range(world().rank())](const double* x, double* y) {
              const std::vector<double> all =
                  world().all_gather(std::span<const double>(x, static_cast<std::size_t>(own.size())));
              for (Index i = own.begin; i < own.end; ++i) {
                y[i - own.begin] = 0.0;
                for (Index j = 0; j < size; ++j) {
                  y[i - own.begin] += weights[(i - j + size) % size] * all[j];
                }
              }
            }};
  }
  // All, ascending.
  [[nodiscard]] std::vector<double> eigenvalues() const {
    std::vector<double> values;
    for (Index k = 0; k < size; ++k) {
      double value = 0.0;
      for (Index d = 0; d < size; ++d) {
        value += weights[d] *
                 std::cos(2.0 * std::numbers::pi * static_cast<double>(k * d % size) / static_cast<double>(size));
      }
      values.push_back(value);
    }
    std::sort(values.begin(), values.end());
    return values;
  }
};

// The pairs at one end against all eigenvalues of A, ascending; that the vectors are orthonormal, and residuals.
EigenPairs expect_pairs(const SymmetricOperator& product, std::vector<double> all, const EigenRequest& request) {
  if (request.end == EigenRequest::End::largest) std::reverse(all.begin(), all.end());
  EigenPairs pairs = extreme_eigenpairs(world(), product, request);
  const Replicated vectors = test::replicated(pairs.vectors);
  for (Index j = 0; j < request.count; ++j) {
    EXPECT_NEAR(pairs.values[j], all[j], 1e-11 * request.scale)
        << "eigenvalue " << j << " of " << request.count << ", seed " << request.seed;
    EXPECT_LT(pairs.residuals[j], 4.0 * request.tolerance * request.scale);
    for (Index k = 0; k <= j; ++k) {
      double dot = 0.0;
      for (Index i = 0; i < product.partition.rows(); ++i) dot += vectors(i, j) * vectors(i, k);
      EXPECT_NEAR(dot, j == k ? 1.0 : 0.0, 1e-10);
    }
  }
  return pairs;
}

TEST(KrylovSchur, FindsEveryCopyOfARepeatedEigenvalue) {
  // The centred squares of the distances along a cycle: its eigenvalues fall fast, and come in pairs.
  constexpr Index size = 200;
  double mean = 0.0;
  for (Index d = 0; d < size; ++d) mean += std::pow(std::min(d, size - d), 2) / static_cast<double>(size);
  const Cycle squares(size, [&](Index d) { return -0.5 * (static_cast<double>(d * d) - mean); });
  const Cycle laplacian(60, [](Index d) { return d == 0 ? 2.0 : d == 1 ? -1.0 : 0.0; });
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    for (const Index count : {2, 3, 6}) {
      expect_pairs(squares.product(), squares.eigenvalues(),
                   {.count = count, .tolerance = 1e-12, .scale = squares.eigenvalues().back(), .seed = seed});
    }
    for (const auto end : {EigenRequest::End::smallest, EigenRequest::End::largest}) {
      expect_pairs(laplacian.product(), laplacian.eigenvalues(),
                   {.end = end, .count = 5, .tolerance = 1e-12, .scale = 4.0, .seed = seed});
    }
  }
}

TEST(KrylovSchur, FindsEigenvaluesOfHighMultiplicity) {
  constexpr Index size = 40;
  const RowPartition partition(size, world().size());
  std::vector<double> all;  // 1 four times, 1/2 six times, 1/3 eight times, ...
  for (Index copies = 4, value = 1; static_cast<Index>(all.size()) < size; copies += 2, ++value) {
    for (Index i = 0; i < copies; ++i) all.push_back(1.0 / static_cast<double>(value));
  }
  all.resize(size);
  std::reverse(all.begin(), all.end());
  const SymmetricOperator diagonal{partition, [&](const double* x, double* y) {
                                     const Range own = partition.range(world().rank());
                                     for (Index i = own.begin; i < own.end; ++i) {
                                       y[i - own.begin] = all[i] * x[i - own.begin];
                                     }
                                   }};
  for (const auto end : {EigenRequest::End::smallest, EigenRequest::End::largest}) {
    for (const Index count : {2, 5, 12, 39, 40}) {
      expect_pairs(diagonal, all, {.end = end, .count = count, .tolerance = 1e-12, .scale = 1.0, .seed = 3});
    }
  }
}

TEST(KrylovSchur, LooksOnceMoreWhereNothingWasMissed) {
  // Eigenvalues 1, 1/2, 1/4, ...: the first search finds them all, and the second ends with its first space.
  constexpr Index size = 50;
  const RowPartition partition(size, world().size());
  const SymmetricOperator powers{partition, [&](const double* x, double* y) {
                                   const Range own = partition.range(world().rank());
                                   for (Index i = own.begin; i < own.end; ++i) {
                                     y[i - own.begin] = std::ldexp(x[i - own.begin], -static_cast<int>(i));
                                   }
                                 }};
  const EigenRequest one{.tolerance = 1e-12};
  EigenRequest two = one;
  two.count = 2;
  const EigenPairs alone = extreme_eigenpairs(world(), powers, one), both = extreme_eigenpairs(world(), powers, two);
  EXPECT_EQ(alone.restarts, 1);
  EXPECT_LE(alone.products, alone.basis + 1);  // and one for the residual
  EXPECT_EQ(both.restarts, 2);
  EXPECT_LE(both.products, both.basis + 2 + 16 + 1);
  EXPECT_GT(both.products, both.basis + 2);
}

TEST(KrylovSchur, PassesOnWhatTheProductThrowsInAnySearch) {
  Index before = 0;
  const RowPartition partition(20, world().size());
  const SymmetricOperator failing{partition, [&](const double* x, double* y) {
                                    if (before-- == 0) throw Error(ErrorKind::numeric, "no product");
                                    const Range own = partition.range(world().rank());
                                    for (Index i = own.begin; i < own.end; ++i) {
                                      y[i - own.begin] = static_cast<double>(i / 2) * x[i - own.begin];
                                    }
                                  }};
  const EigenRequest two{.count = 2, .scale = 10.0};
  before = -1;  // never
  const Index products = extreme_eigenpairs(world(), failing, two).products;
  for (const Index good : {Index{0}, Index{3}, products / 2, products - 3, products - 1}) {
    before = good;
    try {
      static_cast<void>(extreme_eigenpairs(world(), failing, two));
      FAIL() << good << " of " << products;
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "no product");
      EXPECT_EQ(error.kind(), ErrorKind::numeric);
    }
  }
}

PetscErrorCode refuse_to_be_made(EPS /*solver*/) { return PETSC_ERR_USER; }

// By class of PETSc and SLEPc: made and not destroyed.
std::map<std::string, int> living_objects() {
  PetscStageLog log = nullptr;
  EXPECT_EQ(PetscLogGetStageLog(&log), 0);
  const PetscClassPerfLog classes = log->stageInfo[0].classLog;
  std::map<std::string, int> living;
  for (int k = 0; k < classes->numClasses; ++k) {
    const PetscClassPerfInfo& of_class = classes->classInfo[k];
    const int count = of_class.creations - of_class.destructions;
    if (count != 0) living[log->classLog->classInfo[k].name] = count;
  }
  return living;
}

// Matrix, vector and solver are there when its type is refused.
TEST(KrylovSchur, LeavesNoObjectOfASearchThatCouldNotBeMade) {
  start_slepc(world());
  const Communicator alone(MPI_COMM_SELF);  // on several ranks an error of PETSc ends all of them
  const SymmetricOperator identity{RowPartition(20, 1), [](const double* x, double* y) { std::copy_n(x, 20, y); }};
  ASSERT_EQ(PetscLogDefaultBegin(), 0);
  static_cast<void>(extreme_eigenpairs(alone, identity, {}));
  const auto before = living_objects();
  static_cast<void>(extreme_eigenpairs(alone, identity, {}));
  EXPECT_EQ(living_objects(), before);
  ASSERT_EQ(EPSRegister(EPSKRYLOVSCHUR, refuse_to_be_made), 0);
  try {
    static_cast<void>(extreme_eigenpairs(alone, identity, {}));
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("EPSSetType failed"), std::string::npos) << error.what();
  }
  EXPECT_EQ(living_objects(), before);
  ASSERT_EQ(EPSRegister(EPSKRYLOVSCHUR, EPSCreate_KrylovSchur), 0);
  EXPECT_EQ(extreme_eigenpairs(alone, identity, {}).values.size(), 1U);
}

TEST(KrylovSchur, RefusesWhatCannotBeAsked) {
  EXPECT_THROW(static_cast<void>(extreme_eigenpairs(world(), path(5), {.count = 6})), Error);
  EXPECT_THROW(static_cast<void>(extreme_eigenpairs(world(), path(5), {.count = 0})), Error);
  EXPECT_THROW(static_cast<void>(extreme_eigenpairs(world(), path(5), {.scale = 0.0})), Error);
}

}  // namespace
}  // namespace cairn::krylov_schur_test
