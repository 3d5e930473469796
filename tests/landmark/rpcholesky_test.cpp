#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "cairn/base/error.hpp"
#include "cairn/landmark/landmarks.hpp"
#include "landmark/function_similarity.hpp"
#include "test_communicator.hpp"

namespace cairn::rpcholesky_test {
namespace {

using test::EntryFunction;
using test::FunctionSimilarity;
using test::TestPoints;
using test::world;

template <class T>
Landmarks<T> rpcholesky(const Communicator& communicator, const Similarity<T>& similarity, Index n, Index count,
                        std::uint64_t seed) {
  test::Context context(communicator, seed);
  const NumberedObjects objects(RowPartition(n, communicator.size()), communicator.rank());
  return select_rpcholesky(context.execution, similarity, objects, count);
}

EntryFunction linear(const TestPoints& points) {
  return [points](Index i, Index j) { return points.dot(i, j); };
}

std::string error_of(const FunctionSimilarity<double>& similarity, Index n, Index count, ErrorKind kind) {
  try {
    static_cast<void>(rpcholesky<double>(world(), similarity, n, count, 1));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
  return "no error";
}

// Cholesky factorization with pivots as they come from `next`, which is told the residual diagonal; the residual
// diagonal at the end.
template <class Next>
std::vector<double> eliminate(const EntryFunction& entry, Index n, Index steps, Next next) {
  const auto size = static_cast<std::size_t>(n);
  std::vector<std::vector<double>> factor;
  std::vector<double> residual(size);
  for (Index i = 0; i < n; ++i) residual[i] = entry(i, i);
  for (Index step = 0; step < steps; ++step) {
    const Index pivot = next(residual);
    std::vector<double> column(size);
    for (std::size_t i = 0; i < size; ++i) {
      column[i] = entry(static_cast<Index>(i), pivot);
      for (const auto& other : factor) column[i] -= other[i] * other[pivot];
    }
    const double root = std::sqrt(column[pivot]);
    for (std::size_t i = 0; i < size; ++i) {
      column[i] /= root;
      residual[i] = std::max(0.0, residual[i] - column[i] * column[i]);
    }
    residual[pivot] = 0.0;
    factor.push_back(std::move(column));
  }
  return residual;
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

// Trace of K minus its Nystrom approximation from these landmarks.
double residual_trace(const EntryFunction& entry, Index n, const std::vector<Index>& landmarks) {
  auto next = landmarks.begin();
  return sum(eliminate(entry, n, static_cast<Index>(landmarks.size()), [&](const auto&) { return *next++; }));
}

// The algorithm as it is printed: one pivot at a time (Chen et al. 2022, Algorithm 1).
double residual_trace_one_at_a_time(const EntryFunction& entry, Index n, Index count, unsigned seed) {
  std::mt19937 generator(seed);
  return sum(eliminate(entry, n, count, [&](const std::vector<double>& residual) {
    return static_cast<Index>(std::discrete_distribution<int>(residual.begin(), residual.end())(generator));
  }));
}

TEST(RPCholesky, LandmarksDoNotDependOnTheNumberOfRanks) {
  const FunctionSimilarity<double> similarity(test::rbf(TestPoints(700, 3, 6), 0.05));
  const Communicator alone(MPI_COMM_SELF);
  const auto together = rpcholesky<double>(world(), similarity, 700, 60, 5);
  EXPECT_EQ(together.indices, rpcholesky<double>(alone, similarity, 700, 60, 5).indices);
  EXPECT_NE(together.indices, rpcholesky<double>(world(), similarity, 700, 60, 6).indices);
}

TEST(RPCholesky, LandmarksDoNotDependOnTheNumberOfThreads) {
  constexpr Index n = 700;
  const FunctionSimilarity<double> similarity(test::rbf(TestPoints(n, 3, 6), 0.05));
  test::Context context(world(), 5);
  context.execution.threads = 3;
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  EXPECT_EQ(select_rpcholesky<double>(context.execution, similarity, objects, 60).indices,
            rpcholesky<double>(world(), similarity, n, 60, 5).indices);
}

TEST(RPCholesky, TheFirstOfManyLandmarksAreThoseOfASmallerCount) {
  const FunctionSimilarity<double> similarity(test::rbf(TestPoints(700, 3, 6), 0.05));
  const auto many = rpcholesky<double>(world(), similarity, 700, 60, 5);
  const auto few = rpcholesky<double>(world(), similarity, 700, 23, 5);
  EXPECT_TRUE(std::equal(few.indices.begin(), few.indices.end(), many.indices.begin()));
}

TEST(RPCholesky, HandsOnColumnsAndCountsEveryEvaluation) {
  constexpr Index n = 640;
  constexpr Index count = 50;
  constexpr Index block = n / 64;
  const FunctionSimilarity<float> similarity(test::rbf(TestPoints(n, 3), 0.2));
  test::Context context;
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  const auto landmarks = select_rpcholesky<float>(context.execution, similarity, objects, count);
  ASSERT_TRUE(landmarks.columns.has_value());
  EXPECT_EQ(landmarks.objects->ids, landmarks.indices);
  for (Index x = objects.range().begin; x < objects.range().end; ++x) {
    for (std::size_t j = 0; j < landmarks.indices.size(); ++j) {
      EXPECT_EQ(landmarks.columns->row(x)[j], static_cast<float>(similarity.entry(x, landmarks.indices[j])));
    }
  }
  auto sorted = landmarks.indices;
  std::ranges::sort(sorted);
  EXPECT_EQ(std::ranges::adjacent_find(sorted), sorted.end());
  EXPECT_EQ(static_cast<Index>(sorted.size()), count);

  const Index evaluations = world().sum(similarity.evaluations());
  const Index among_proposals = evaluations - n - n * count;
  EXPECT_GE(among_proposals, count / block * block * block);
  EXPECT_EQ(among_proposals % (block * block), 0);
  EXPECT_LE(among_proposals, n * count / 10);
  Index counted = 0;
  for (const auto& phase : context.phases.summarize(world())) counted += phase.evaluations;
  EXPECT_EQ(counted, evaluations);
}

TEST(RPCholesky, ResidualIsThatOfOnePivotAtATime) {
  constexpr Index n = 640;
  constexpr Index count = 30;
  const EntryFunction entry = test::rbf(TestPoints(n, 3, 8), 0.05);
  const FunctionSimilarity<double> similarity(entry);
  double ours = 0.0;
  double printed = 0.0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    ours += residual_trace(entry, n, rpcholesky<double>(world(), similarity, n, count, seed).indices) / 20.0;
    printed += residual_trace_one_at_a_time(entry, n, count, seed) / 20.0;
  }
  EXPECT_NEAR(ours / printed, 1.0, 0.15) << "means of 20 seeds: " << ours << " and " << printed;
}

TEST(RPCholesky, IsFarBetterThanUniformOnClustersOfUnequalSize) {
  constexpr Index n = 640;
  constexpr Index count = 16;
  const EntryFunction entry = test::rbf(TestPoints(n, 3, 9, 0.3), 0.05);
  const FunctionSimilarity<double> similarity(entry);
  double ours = 0.0;
  double uniform = 0.0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    ours += residual_trace(entry, n, rpcholesky<double>(world(), similarity, n, count, seed).indices);
    uniform += residual_trace(entry, n, sample_without_replacement(n, count, Random(seed, Stream::landmarks)));
  }
  EXPECT_LT(ours, 0.5 * uniform) << "sums over 10 seeds";
}

TEST(RPCholesky, PivotsAreDrawnInProportionToTheDiagonal) {
  const FunctionSimilarity<double> similarity(
      [](Index i, Index j) { return i == j ? static_cast<double>(i + 1) : 0.0; });
  std::vector<double> times(4, 0.0);
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    times[rpcholesky<double>(world(), similarity, 4, 1, seed).indices[0]] += 1.0;
  }
  double chi_square = 0.0;
  for (std::size_t i = 0; i < 4; ++i) {
    const double expected = 500.0 * static_cast<double>(i + 1) / 10.0;
    chi_square += (times[i] - expected) * (times[i] - expected) / expected;
  }
  EXPECT_LT(chi_square, 16.3) << "seeds 0 to 499; 16.3 is exceeded with probability 0.001";
}

TEST(RPCholesky, IsExactAtTheRankOfKAndSaysItBeyond) {
  constexpr Index n = 300;
  const EntryFunction entry = linear(TestPoints(n, 5));
  const FunctionSimilarity<double> similarity(entry);
  double trace = 0.0;
  for (Index i = 0; i < n; ++i) trace += entry(i, i);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto landmarks = rpcholesky<double>(world(), similarity, n, 5, seed);
    EXPECT_LT(residual_trace(entry, n, landmarks.indices), 1e-10 * trace);
    try {
      static_cast<void>(rpcholesky<double>(world(), similarity, n, 6, seed));
      ADD_FAILURE() << "seed " << seed << ": a sixth pivot was found in a matrix of rank 5";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::numeric);
      EXPECT_THAT(error.what(), testing::HasSubstr("stopped after 5 landmarks"));
      EXPECT_THAT(error.what(), testing::HasSubstr("set parameter count to at most 5"));
    }
  }
}

TEST(RPCholesky, FindsTheRankInSinglePrecisionToo) {
  const FunctionSimilarity<float> similarity(linear(TestPoints(300, 5)));
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_NO_THROW(static_cast<void>(rpcholesky<float>(world(), similarity, 300, 5, seed)));
    EXPECT_THROW(static_cast<void>(rpcholesky<float>(world(), similarity, 300, 6, seed)), Error) << seed;
  }
}

TEST(RPCholesky, TakesEveryObjectOfAFullRankMatrix) {
  const FunctionSimilarity<double> similarity(test::rbf(TestPoints(100, 3), 0.5));
  const auto landmarks = rpcholesky<double>(world(), similarity, 100, 100, 1);
  EXPECT_EQ(landmarks.indices.size(), 100u);
}

TEST(RPCholesky, RefusesAMatrixThatIsNotPositiveSemidefinite) {
  // Eigenvalues 1.6 and, once, 1 - 0.6 * 39.
  const FunctionSimilarity<double> indefinite([](Index i, Index j) { return i == j ? 1.0 : -0.6; });
  const std::string message = error_of(indefinite, 40, 10, ErrorKind::numeric);
  EXPECT_THAT(message, testing::HasSubstr("not positive semidefinite"));
  EXPECT_THAT(message, testing::HasSubstr("uniform or farthest"));

  // After two pivots the residual is 0 on the diagonal, but not off it.
  const FunctionSimilarity<double> hollow([](Index i, Index j) { return i == j ? 1.0 : -0.5; });
  EXPECT_THAT(error_of(hollow, 40, 10, ErrorKind::numeric), testing::HasSubstr("not positive semidefinite"));

  const FunctionSimilarity<double> negative([](Index i, Index j) { return i != j ? 0.0 : i == 23 ? -1.0 : 1.0; });
  EXPECT_THAT(error_of(negative, 40, 10, ErrorKind::numeric), testing::HasSubstr("object 23"));
}

// d, and (d_i0 + d_0j - d_ij) / 2 for one object 0.
EntryFunction euclidean(const TestPoints& points) {
  return [points](Index i, Index j) {
    return std::sqrt(std::max(0.0, points.dot(i, i) + points.dot(j, j) - 2.0 * points.dot(i, j)));
  };
}
EntryFunction centered(const EntryFunction& distance, Index first) {
  return [=](Index i, Index j) { return 0.5 * (distance(i, first) + distance(first, j) - distance(i, j)); };
}

TEST(RPCholesky, TakesDistancesOfNegativeType) {
  constexpr Index n = 640, count = 30;
  const EntryFunction entry = euclidean(TestPoints(n, 3, 9, 0.3));
  const FunctionSimilarity<double> distance(entry, Meaning::distance);
  double ours = 0.0, uniform = 0.0, printed = 0.0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto landmarks = rpcholesky<double>(world(), distance, n, count, seed);
    const std::vector<Index>& pivots = landmarks.indices;
    ASSERT_EQ(std::ssize(pivots), count);
    for (Index x = landmarks.columns->range().begin; x < landmarks.columns->range().end; ++x) {
      for (std::size_t j = 0; j < pivots.size(); ++j) ASSERT_EQ(landmarks.columns->row(x)[j], entry(x, pivots[j]));
    }
    const std::vector<Index> drawn = sample_without_replacement(n, count, Random(seed, Stream::landmarks));
    ours += residual_trace(centered(entry, pivots[0]), n, {pivots.begin() + 1, pivots.end()});
    uniform += residual_trace(centered(entry, drawn[0]), n, {drawn.begin() + 1, drawn.end()});
    printed += residual_trace_one_at_a_time(centered(entry, pivots[0]), n, count - 1, seed);
  }
  EXPECT_LT(ours, 0.7 * uniform) << "sums over 20 seeds";
  EXPECT_NEAR(ours / printed, 1.0, 0.15) << "sums over 20 seeds: " << ours << " and " << printed;
}

TEST(RPCholesky, LandmarksOfDistancesDoNotDependOnTheNumberOfRanksOrOnACount) {
  const FunctionSimilarity<double> distance(euclidean(TestPoints(700, 3, 6)), Meaning::distance);
  const auto together = rpcholesky<double>(world(), distance, 700, 60, 5).indices;
  EXPECT_EQ(together, rpcholesky<double>(Communicator(MPI_COMM_SELF), distance, 700, 60, 5).indices);
  const auto few = rpcholesky<double>(world(), distance, 700, 23, 5).indices;
  EXPECT_TRUE(std::equal(few.begin(), few.end(), together.begin()));
}

// Squared Euclidean distances of points in d dimensions have rank d + 2.
TEST(RPCholesky, TakesAsManyLandmarksAsSquaredDistancesHaveRank) {
  const TestPoints points(300, 3);
  const EntryFunction root = euclidean(points);
  const FunctionSimilarity<double> distance([&](Index i, Index j) { return root(i, j) * root(i, j); },
                                            Meaning::distance);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    auto landmarks = rpcholesky<double>(world(), distance, 300, 5, seed).indices;
    std::ranges::sort(landmarks);
    EXPECT_EQ(std::ranges::adjacent_find(landmarks), landmarks.end());
    EXPECT_EQ(landmarks.size(), 5U);
  }
  EXPECT_THAT(error_of(distance, 300, 6, ErrorKind::numeric), testing::HasSubstr("rank of K is at most 5"));
}

TEST(RPCholesky, RefusesADistanceThatIsNotOfNegativeTypeAndACountThatCannotBe) {
  const FunctionSimilarity<double> distance([](Index i, Index j) { return std::pow(double(i - j), 4); },
                                            Meaning::distance);
  const std::string message = error_of(distance, 40, 10, ErrorKind::numeric);
  EXPECT_THAT(message, testing::HasSubstr("not of negative type"));
  EXPECT_THAT(message, testing::HasSubstr("farthest or uniform"));
  const FunctionSimilarity<double> similarity(test::rbf(TestPoints(40, 3), 0.5));
  EXPECT_THAT(error_of(similarity, 40, 41, ErrorKind::usage), testing::HasSubstr("parameter count is 41"));
}

}  // namespace
}  // namespace cairn::rpcholesky_test
