// The methods of distance geometry, on any K.
#include "cairn/approximation/distance_geometry/distance_geometry.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "cairn/approximation/distance_geometry/alignment.hpp"
#include "cairn/approximation/distance_geometry/block_points.hpp"
#include "cairn/approximation/extend.hpp"
#include "cairn/base/error.hpp"
#include "cairn/linalg/dense/local_eigen.hpp"
#include "method_run.hpp"

namespace cairn::distance_geometry_test {
namespace {

using test::Dense;
using test::dense;
using test::difference;
using test::method;
using test::TestPoints;
using test::world;

constexpr Index n = 150;

test::EntryFunction gram(Index dimension) {
  return [points = TestPoints(n, dimension)](Index i, Index j) { return points.dot(i, j); };
}
test::EntryFunction distance(Index dimension) {
  return [points = TestPoints(n, dimension)](Index i, Index j) { return std::sqrt(points.squared_distance(i, j)); };
}

template <class T = double>
test::Outcome<T> run(const test::EntryFunction& entry, Index landmarks, const test::MethodChoice& choice,
                     Meaning meaning = Meaning::similarity) {
  test::Context context(world(), 3);
  const test::FunctionSimilarity<T> similarity(entry, meaning);
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  test::Outcome<T> outcome;
  Landmarks<T> chosen;
  if (landmarks > 0) chosen = select_uniform<T>(context.execution, objects, landmarks);
  outcome.landmarks = chosen.indices;
  outcome.approximation =
      test::approximate<T>(choice, context.execution, similarity, objects, std::move(chosen), landmarks);
  outcome.matrix = test::reconstruct(context.execution, outcome.approximation);
  return outcome;
}

Dense whole(const test::EntryFunction& entry) { return dense(n, n, entry); }

// Exact recovery up to rotation, from m = K + 1 on: inner products and distances do not see rotations.
TEST(DistanceGeometry, RecoversPointsFromInnerProductsAndFromDistances) {
  for (const Index k : {2, 5, 20}) {
    const auto choices = {std::pair(method("gbu"), k + 1), std::pair(method("gbu"), 3 * k),
                          std::pair(method("pmi-eigs"), Index{0}),
                          std::pair(method("dc").set("first-block", 2 * k + 30).set("block", 2 * k + 10), n)};
    for (auto [choice, landmarks] : choices) {
      choice.set("dimension", k);
      EXPECT_LT(difference(run(gram(k), landmarks, choice).matrix, whole(gram(k))), 1e-9)
          << choice.name << ", K = " << k << ", m = " << landmarks;
      EXPECT_LT(difference(run(distance(k), landmarks, choice, Meaning::distance).matrix, whole(distance(k))), 1e-7)
          << choice.name << " by distances, K = " << k << ", m = " << landmarks;
    }
  }
}

// Rv = Qᵀb with A = QR, by Gram-Schmidt, as the paper has it.
TEST(BuildUp, SolvesThePapersTriangularSystems) {
  const test::EntryFunction entry = test::rbf(TestPoints(n, 3), 0.3);
  constexpr Index k = 6, m = 25;
  const auto outcome = run(entry, m, method("gbu").set("dimension", k));
  const auto& references = outcome.landmarks;
  std::vector<double> block(m * m);
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < m; ++j) {
      block[j * m + i] = entry(references[i], references[j]);
    }
  }
  const std::vector<double> values = eigen_in_place(m, block.data());
  const Dense a =
      dense(m, k, [&](Index i, Index c) { return std::sqrt(values[m - 1 - c]) * block[(m - 1 - c) * m + i]; });
  Dense q = a, r = dense(k, k, [](Index, Index) { return 0.0; });
  for (Index c = 0; c < k; ++c) {
    for (Index before = 0; before <= c; ++before) {
      double dot = 0;
      for (Index i = 0; i < m; ++i) dot += q(i, before) * q(i, c);
      r(before, c) = before == c ? std::sqrt(dot) : dot;
      for (Index i = 0; i < m; ++i) q(i, c) = before == c ? q(i, c) / r(c, c) : q(i, c) - dot * q(i, before);
    }
  }
  const Dense points = dense(n, k, [](Index, Index) { return 0.0; });
  Dense v = points;
  for (Index i = 0; i < n; ++i) {
    const auto reference = std::ranges::find(references, i);
    for (Index c = k - 1; c >= 0; --c) {
      if (reference != references.end()) {
        v(i, c) = a(reference - references.begin(), c);
        continue;
      }
      double sum = 0;
      for (Index j = 0; j < m; ++j) sum += q(j, c) * entry(i, references[j]);
      for (Index later = c + 1; later < k; ++later) sum -= r(c, later) * v(i, later);
      v(i, c) = sum / r(c, c);
    }
  }
  EXPECT_LT(difference(outcome.matrix, test::product(v, test::transposed(v))), 1e-10);
}

double metric(const MethodReport& report, const std::string& name) {
  const auto found = std::ranges::find(report.metrics, name, &std::pair<std::string, double>::first);
  return found == report.metrics.end() ? NAN : found->second;
}

// Equation 13 by its letter, of whatever points came out.
TEST(BuildUp, HasTheLossOfThePaper) {
  const auto entry = [base = gram(4)](Index i, Index j) {
    return base(i, j) + 0.1 * std::cos(static_cast<double>(7 * i * j));
  };
  for (const char* name : {"gbu", "adam"}) {
    auto choice = method(name).set("dimension", 3);
    if (std::string(name) == "gbu") choice.set("loss", "true");
    const auto outcome = run(entry, 9, choice);
    const std::vector<Index>& references = outcome.landmarks;
    double sum = 0, squares = 0, terms = 0;
    for (Index i = 0; i < n; ++i) {
      const auto place = std::ranges::find(references, i) - references.begin();
      for (Index j = 0; j < std::ssize(references); ++j) {
        if (place < std::ssize(references) && place > j) continue;
        const Index other = references[j];
        const double wanted = entry(i, other), found = outcome.matrix(i, other);
        sum += (found - wanted) * (found - wanted);
        squares += wanted * wanted;
        terms += 1;
      }
    }
    EXPECT_NEAR(metric(outcome.approximation.report, "loss"), sum / terms, 1e-9 * sum) << name;
    EXPECT_NEAR(metric(outcome.approximation.report, "relative_loss"), sum / squares, 1e-9 * sum / squares) << name;
  }
}

// Table 1 of the paper without noise: the least number of references.
TEST(BuildUp, FitsExactDataToRounding) {
  for (const Index dimension : {3, 20, 50}) {
    const auto outcome =
        run(gram(dimension), dimension + 1, method("gbu").set("dimension", dimension).set("loss", "true"));
    EXPECT_LT(metric(outcome.approximation.report, "loss"), 1e-20) << dimension;
  }
}

TEST(BuildUp, RefusesOrTruncatesWhereTooFewEigenvaluesArePositive) {
  const auto entry = [](Index i, Index j) { return std::abs(static_cast<double>(i - j)); };  // one positive eigenvalue
  try {
    static_cast<void>(run(entry, 40, method("gbu").set("dimension", 39)));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::numeric);
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("39"), testing::HasSubstr("40 references"),
                                             testing::HasSubstr("truncate")));
  }
  const auto outcome = run(entry, 40, method("gbu").set("dimension", 39).set("truncate", "true"));
  const MethodReport& report = outcome.approximation.report;
  EXPECT_LT(report.rank, 39);
  EXPECT_EQ(outcome.approximation.left.columns(), report.rank);
  EXPECT_EQ(report.warnings.size(), 1u);
}

TEST(BuildUp, NeedsMoreReferencesThanDimensions) {
  EXPECT_THROW(static_cast<void>(run(gram(5), 5, method("gbu").set("dimension", 5))), Error);
  EXPECT_THROW(static_cast<void>(run(gram(5), n, method("gbu").set("dimension", n))), Error);
}

TEST(Algebraic, KeepsTheProductForAnyPower) {
  const test::EntryFunction entry = test::rbf(TestPoints(n, 3), 0.3);
  const Dense reference = run(entry, 0, method("pmi-eigs").set("dimension", 8)).matrix;
  for (const double power : {0.0, 1.0, 0.3}) {
    for (const char* contexts : {"false", "true"}) {
      const auto outcome =
          run(entry, 0, method("pmi-eigs").set("dimension", 8).set("power", power).set("contexts", contexts));
      EXPECT_LT(difference(outcome.matrix, reference), 1e-12) << power << contexts;
    }
  }
  EXPECT_THROW(static_cast<void>(
                   run(distance(3), 0, method("pmi-eigs").set("dimension", 3).set("power", 0.0), Meaning::distance)),
               Error);
}

TEST(Blocks, OverlapAndTakeInAShortRest) {
  EXPECT_EQ(consecutive_blocks(100, 40, 20, 5), (std::vector<Range>{{0, 40}, {35, 55}, {50, 70}, {65, 85}, {80, 100}}));
  EXPECT_EQ(consecutive_blocks(104, 40, 20, 5),
            (std::vector<Range>{{0, 40}, {35, 55}, {50, 70}, {65, 85}, {80, 104}}));  // 9 places are below 2 x 5
  EXPECT_EQ(consecutive_blocks(30, 40, 20, 5), (std::vector<Range>{{0, 30}}));
  EXPECT_EQ(consecutive_blocks(44, 40, 20, 5), (std::vector<Range>{{0, 44}}));
}

TEST(Alignment, FindsARotationAReflectionAndATranslation) {
  constexpr Index k = 4, rows = 9;
  const TestPoints seed(rows + k, 1);
  std::vector<double> b(rows * k), a(rows * k);
  const Random random(1, Stream::test);
  for (std::size_t e = 0; e < b.size(); ++e) b[e] = random.normal(e);
  // A permutation with one sign turned is orthogonal, of determinant 1 or -1.
  const std::vector<Index> place = {2, 0, 3, 1};
  for (Index i = 0; i < rows; ++i) {
    for (Index c = 0; c < k; ++c) {
      a[i * k + c] = (c == 1 ? -1.0 : 1.0) * b[i * k + place[c]] + static_cast<double>(c);
    }
  }
  const Alignment found = align({a.data(), rows, k}, {b.data(), rows, k}, true);
  EXPECT_EQ(found.rank, k);
  EXPECT_NEAR(found.residual, 0.0, 1e-14);
  move({b.data(), rows, k}, found.motion);
  for (std::size_t e = 0; e < a.size(); ++e) EXPECT_NEAR(a[e], b[e], 1e-13);
}

TEST(Alignment, CompletesWhatThePointsLeaveOpenByTheIdentity) {
  constexpr Index k = 3, rows = 5;
  std::vector<double> b(rows * k, 0.0), a(rows * k, 0.0);
  for (Index i = 0; i < rows; ++i) {  // all in a plane, turned by a quarter within it
    b[i * k] = static_cast<double>(i);
    b[i * k + 1] = static_cast<double>(i * i);
    a[i * k] = -static_cast<double>(i * i);
    a[i * k + 1] = static_cast<double>(i);
  }
  const Alignment found = align({a.data(), rows, k}, {b.data(), rows, k}, false);
  EXPECT_EQ(found.rank, 2);
  const std::vector<double> expected = {0, -1, 0, 1, 0, 0, 0, 0, 1};
  for (std::size_t e = 0; e < expected.size(); ++e) EXPECT_NEAR(found.motion.rotation[e], expected[e], 1e-12);
}

TEST(Alignment, MotionsCompose) {
  const Random random(8, Stream::test);
  const auto points = [&](std::uint64_t set) {
    std::vector<double> values(15);
    for (std::size_t e = 0; e < values.size(); ++e) values[e] = random.normal(set, e);
    return values;
  };
  const std::vector<double> a = points(1), b = points(2), c = points(3);
  const Motion first = align({a.data(), 5, 3}, {b.data(), 5, 3}, true).motion;
  const Motion second = align({c.data(), 5, 3}, {a.data(), 5, 3}, true).motion;
  std::vector<double> one = points(4), other = one;
  move({one.data(), 5, 3}, first);
  move({one.data(), 5, 3}, second);
  move({other.data(), 5, 3}, composed(second, first));
  for (std::size_t e = 0; e < one.size(); ++e) EXPECT_NEAR(one[e], other[e], 1e-13);
}

// Blocks with too few positive eigenvalues: columns of 0, and the same on any number of ranks.
TEST(DivideAndConquer, ReportsDeficientBlocks) {
  const auto choice = method("dc").set("dimension", 6).set("first-block", 40).set("block", 20);
  const auto outcome = run(gram(4), n, choice);
  EXPECT_LT(difference(outcome.matrix, whole(gram(4))), 1e-9);
  EXPECT_EQ(outcome.approximation.report.warnings.size(), 2u);
}

TEST(DivideAndConquer, IsTheSameOnAnyNumberOfRanks) {
  const test::EntryFunction entry = test::rbf(TestPoints(n, 3), 0.3);
  const auto choice = method("dc").set("dimension", 4).set("first-block", 40).set("block", 15).set("residual", 1e-10);
  const auto many = run(entry, n, choice);
  const Communicator alone(MPI_COMM_SELF);
  test::Context context(alone, 3);
  const test::FunctionSimilarity<double> similarity(entry);
  const NumberedObjects objects(RowPartition(n, 1), 0);
  auto landmarks = select_uniform<double>(context.execution, objects, n);
  const auto one = test::approximate<double>(choice, context.execution, similarity, objects, std::move(landmarks), n);
  EXPECT_LT(difference(many.matrix, test::reconstruct(context.execution, one)), 1e-8);
}

double loss_of(const Dense& matrix, const test::EntryFunction& entry, const std::vector<Index>& references) {
  double sum = 0, terms = 0;
  for (Index i = 0; i < n; ++i) {
    const auto own = std::ranges::find(references, i) - references.begin();
    for (Index r = 0; r < std::ssize(references); ++r) {
      const Index j = references[r];
      if (own < std::ssize(references) && own > r) continue;  // a pair of references counts once
      sum += std::pow(matrix(i, j) - entry(i, j), 2);
      ++terms;
    }
  }
  return sum / terms;
}

TEST(Adam, DescendsOnTheLossOfThePaper) {
  const test::EntryFunction entry = gram(3);
  const auto few = run(entry, 20, method("adam").set("dimension", 3).set("steps", 5));
  const auto many = run(entry, 20, method("adam").set("dimension", 3).set("steps", 400).set("target", 0.0));
  const auto loss = [](const test::Outcome<double>& outcome) {
    return outcome.approximation.report.metrics.front().second;
  };
  EXPECT_NEAR(loss(few), loss_of(few.matrix, entry, few.landmarks), 1e-9 * loss(few));
  EXPECT_NEAR(loss(many), loss_of(many.matrix, entry, many.landmarks), 1e-6 * loss(many) + 1e-15);
  EXPECT_LT(loss(many), 1e-3 * loss(few));
}

TEST(BuildUp, ExtendsToNewObjects) {
  const auto outcome = run(gram(4), 30, method("gbu").set("dimension", 4));
  ASSERT_TRUE(outcome.approximation.left_origin.has_value());
  EXPECT_EQ(outcome.approximation.left_origin->map->rows(), 30);
  EXPECT_EQ(outcome.approximation.left_origin->map->columns(), 4);
}

}  // namespace
}  // namespace cairn::distance_geometry_test
