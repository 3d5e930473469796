#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "cairn/base/error.hpp"
#include "cairn/evaluation/exact_error.hpp"
#include "cairn/similarity/source_entries.hpp"
#include "landmark/function_similarity.hpp"
#include "similarity/function_sources.hpp"
#include "test_communicator.hpp"

extern "C" void dsyev_(const char*, const char*, const int*, double*, const int*, double*, double*, const int*, int*);

namespace cairn::sample_spectrum_test {
namespace {

using test::EntryFunction;
using test::FunctionSimilarity;
using test::TestPoints;
using test::world;

// n / count times the eigenvalues of the submatrix of a sample, from LAPACK.
std::vector<double> expected_spectrum(const EntryFunction& entry, Index n, int count) {
  const auto sample = sample_without_replacement(n, count, Random(1, Stream::evaluation_rows));
  std::vector<double> matrix;
  for (const Index i : sample)
    for (const Index j : sample) matrix.push_back(entry(i, j));
  std::vector<double> expected(count);
  const int work_size = 4 * count;
  std::vector<double> work(work_size);
  int info = 0;
  dsyev_("N", "L", &count, matrix.data(), &count, expected.data(), work.data(), &work_size, &info);
  EXPECT_EQ(info, 0);
  for (double& value : expected) value *= static_cast<double>(n) / count;
  return expected;
}

template <class T>
std::vector<double> spectrum(const EntryFunction& entry, Index n, Index count, std::uint64_t seed = 1) {
  test::Context context(world(), seed);
  const FunctionSimilarity<T> similarity(entry);
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  return sample_spectrum<T>(context.execution, similarity, objects, count);
}

TEST(SampleSpectrum, IsThatOfThePrincipalSubmatrixFromLapack) {
  constexpr Index n = 200;
  constexpr int count = 70;
  const EntryFunction entry = test::rbf(TestPoints(n, 3), 0.5);
  const std::vector<double> expected = expected_spectrum(entry, n, count);
  EXPECT_THAT(spectrum<double>(entry, n, count), testing::Pointwise(testing::DoubleNear(1e-11), expected));
  EXPECT_THAT(spectrum<float>(entry, n, count), testing::Pointwise(testing::DoubleNear(1e-3), expected));
}

TEST(SampleSpectrum, OfOneSidedValuesIsThatOfTheirMean) {
  constexpr Index n = 150;
  constexpr int count = 40;
  const EntryFunction symmetric = test::rbf(TestPoints(n, 3), 0.5);
  const EntryFunction value = [&](Index i, Index j) { return symmetric(i, j) * (i < j ? 1.5 : 0.7); };
  const EntryFunction mean = [&](Index i, Index j) { return 0.5 * (value(i, j) + value(j, i)); };
  const test::FunctionSources sources(n, value, false, Meaning::similarity);
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  test::Context context(world(), 1);
  const auto values = sample_spectrum<double>(context.execution, SourceEntries<double>(sources), objects, count);
  EXPECT_THAT(values, testing::Pointwise(testing::DoubleNear(1e-11), expected_spectrum(mean, n, count)));
}

TEST(SampleSpectrum, OfAllObjectsIsThatOfKWithItsNegativePart) {
  // 4 I - 11ᵀ on 10 objects: 4 nine times, and 4 - 10.
  const auto values = spectrum<double>([](Index i, Index j) { return i == j ? 3.0 : -1.0; }, 10, 10);
  ASSERT_EQ(values.size(), 10u);
  EXPECT_NEAR(values[0], -6.0, 1e-12);
  for (std::size_t i = 1; i < 10; ++i) EXPECT_NEAR(values[i], 4.0, 1e-12);
}

TEST(SampleSpectrum, CanBeOfOneObjectOnMoreRanks) {
  EXPECT_THAT(spectrum<double>([](Index, Index) { return 2.0; }, 50, 1),
              testing::ElementsAre(testing::DoubleEq(100.0)));
}

TEST(SampleSpectrum, RefusesASampleThatCannotBe) {
  for (const Index count : {Index{0}, Index{11}}) {
    EXPECT_THROW(static_cast<void>(spectrum<double>([](Index, Index) { return 1.0; }, 10, count)), Error);
  }
}

}  // namespace
}  // namespace cairn::sample_spectrum_test
