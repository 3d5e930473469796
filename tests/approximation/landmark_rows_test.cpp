// Results whose L is evaluated when it is needed, against those that hold it.
#include "cairn/approximation/landmark_rows.hpp"

#include <gmock/gmock.h>

#include "cairn/approximation/error/entry_draws.hpp"
#include "cairn/approximation/error/probe.hpp"
#include "cairn/base/error.hpp"
#include "expected_errors.hpp"
#include "method_run.hpp"

namespace cairn::landmark_rows_test {
namespace {

using test::Dense;
using test::difference;
using test::method;
using test::MethodChoice;
using test::TestPoints;
using test::world;

constexpr Index n = 301, s = 20;

MethodChoice without_rows() { return method("nystrom").set("store-left", false); }

// What both are made of, which rows that are evaluated need as long as they are used.
template <class T>
struct Made {
  explicit Made(const test::EntryFunction& entry, int threads = 2)
      : similarity(entry), objects(RowPartition(n, world().size()), world().rank()) {
    context.execution.threads = threads;
  }
  Approximation<T> by(const MethodChoice& choice) {
    return test::approximate<T>(choice, context.execution, similarity, objects,
                                select_uniform<T>(context.execution, objects, s), s);
  }

  test::Context context{world(), 3};
  test::FunctionSimilarity<T> similarity;
  NumberedObjects objects;
};

template <class T>
void expect_the_same(const test::EntryFunction& entry, double tolerance, double scale = 1) {
  Made<T> made(entry);
  const Approximation<T> stored = made.by(method("nystrom")), evaluated = made.by(without_rows());
  const Execution& execution = made.context.execution;
  EXPECT_FALSE(evaluated.left.is_stored());
  EXPECT_EQ(evaluated.left.columns(), s);
  EXPECT_TRUE(evaluated.projected);
  const Dense whole = test::reconstruct(execution, stored);
  EXPECT_LT(difference(test::reconstruct(execution, evaluated), whole), tolerance);

  std::vector<Index> rows, columns;  // other ones on each rank
  for (Index e = 0; e < 400; ++e) {
    rows.push_back((7 * e + world().rank()) % n);
    columns.push_back((e * e + 11) % n);
  }
  const std::vector<double> entries = approximate_entries<T>(execution, evaluated, rows, columns);
  for (std::size_t e = 0; e < entries.size(); ++e) {
    EXPECT_NEAR(entries[e], whole(rows[e], columns[e]), scale * tolerance) << rows[e] << ", " << columns[e];
  }

  const auto energies = row_energies(execution, evaluated.left), others = row_energies(execution, stored.left);
  ASSERT_EQ(energies.has_value(), others.has_value());
  if (energies) {
    for (std::size_t i = 0; i < energies->size(); ++i) EXPECT_NEAR((*energies)[i], (*others)[i], tolerance);
  }

  const EstimateEffort effort{.count = 3000};
  const ErrorEstimate first = probe_error(execution, stored, made.similarity, made.objects, effort);
  const ErrorEstimate second = probe_error(execution, evaluated, made.similarity, made.objects, effort);
  EXPECT_NEAR(first.relative_error, second.relative_error, tolerance * (1 + first.relative_error));
}

TEST(LandmarkRows, GiveTheEntriesOfRowsThatAreStored) {
  expect_the_same<double>(test::rbf(TestPoints(n, 4), 0.4), 1e-9);
  expect_the_same<float>(test::rbf(TestPoints(n, 4), 2.0), 1e-4);
  // Indefinite, of large numbers.
  expect_the_same<double>(
      [points = TestPoints(n, 5)](Index i, Index j) { return 1e160 * std::tanh(0.2 * points.dot(i, j) - 0.3); }, 1e-8,
      1e160);
}

TEST(LandmarkRows, AreNotEvaluatedForTheCoreMatrix) {
  Made<double> made(test::rbf(TestPoints(n, 4), 0.4));
  const Approximation<double> result = made.by(without_rows());
  EXPECT_LT(world().sum(made.similarity.evaluations()), s * s);
  const Index before = world().sum(made.similarity.evaluations());
  static_cast<void>(row_energies(made.context.execution, result.left));
  EXPECT_EQ(world().sum(made.similarity.evaluations()) - before, n * s);
}

TEST(LandmarkRows, AreZeroWhereKIs) {
  Made<double> made([](Index /*i*/, Index /*j*/) { return 0.0; });
  const Approximation<double> result = made.by(without_rows());
  EXPECT_EQ(result.report.rank, 0);
  EXPECT_THAT(test::reconstruct(made.context.execution, result).values, testing::Each(0.0));
}

TEST(LandmarkRows, AreMissedByWhatNeedsThem) {
  Made<double> made(test::rbf(TestPoints(n, 4), 0.4));
  Approximation<double> result = made.by(without_rows());
  test::expect_error([&] { static_cast<void>(result.left.tall()); }, ErrorKind::usage,
                     {"keeps no rows of its left factor"});
  result.left = result.left.landmark_rows().shape();
  EXPECT_EQ(result.left.rows(), n);
  EXPECT_EQ(result.left.range().size(), made.objects.range().size());
  const std::vector<Index> one = {0};
  test::expect_error([&] { static_cast<void>(approximate_entries<double>(made.context.execution, result, one, one)); },
                     ErrorKind::usage, {"keeps no rows of its left factor"});
}

TEST(LandmarkRows, EndWithTheFirstErrorOnAllRanks) {
  Made<double> made([](Index i, Index j) {
    if (i > 250) throw Error(ErrorKind::numeric, "object 251 has no similarities");
    return i == j ? 2.0 : 1.0;
  });
  test::Context& context = made.context;
  const std::vector<Index> landmarks = {1, 5, 9};
  Approximation<double> result;
  result.left =
      LandmarkRows<double>(world().rank(), made.similarity, made.objects, made.objects.gather(world(), landmarks));
  test::expect_error([&] { static_cast<void>(row_energies(context.execution, result.left)); }, ErrorKind::numeric,
                     {"object 251"});
}

TEST(LandmarkRows, AreRefusedBesideWhatUsesAllOfThem) {
  Made<double> made(test::rbf(TestPoints(n, 4), 0.4));
  test::expect_error([&] { static_cast<void>(made.by(without_rows().set("embedding", true))); }, ErrorKind::usage,
                     {"store-left"});
  test::expect_error([&] { static_cast<void>(made.by(without_rows().set("core-rows", 40))); }, ErrorKind::usage,
                     {"store-left"});
}

}  // namespace
}  // namespace cairn::landmark_rows_test
