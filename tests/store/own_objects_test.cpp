// A result whose landmarks are of a sort that is not Cairn's (own_objects.cpp) is stored, read back and extended.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "cairn/run/session.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "run/handed_points.hpp"
#include "sample_result.hpp"

namespace cairn::test::own_objects_test {
namespace {

constexpr Index n = 60, unseen = 25, count = 12;

struct Interval {
  double begin, end;
  std::string color;
};

// The colors of new intervals have other numbers than those of old ones, and one of them is new.
Interval interval(Index i) {
  const char* const old_colors[] = {"blue", "green", "red"};
  const char* const new_colors[] = {"amber", "green", "red"};
  const auto at = static_cast<std::uint64_t>(i);
  const double begin = std::round(100 * Random(3, Stream::test).uniform(at, 0)) / 10;
  return {begin, begin + 1 + static_cast<double>(i % 7), (i < n ? old_colors : new_colors)[i % 3]};
}

double overlap(Index i, Index j) {
  const Interval x = interval(i), y = interval(j);
  const double shared = std::min(x.end, y.end) - std::max(x.begin, y.begin);
  return x.color != y.color || shared <= 0 ? 0 : shared / (x.end - x.begin + y.end - y.begin - shared);
}

// Intervals [begin, end) in a file that all ranks see.
std::string written(const TemporaryFolder& folder, const std::string& name, Index begin, Index end) {
  if (world().is_root()) {
    std::ofstream file(folder.file(name));
    for (Index i = begin; i < end; ++i) {
      file << interval(i).begin << " " << interval(i).end << " " << interval(i).color << "\n";
    }
  }
  world().barrier();
  return folder.file(name);
}

// A factor without a map is K(unseen, landmarks).
template <class T>
void expect_similarities(const Factor<T>& factor, const FactorOrigin& origin, double tolerance) {
  ASSERT_EQ(factor.rows(), unseen);
  ASSERT_EQ(origin.map, nullptr);
  double largest = 0;
  for (Index i = factor.range().begin; i < factor.range().end; ++i) {
    for (std::size_t k = 0; k < origin.indices.size(); ++k) {
      const auto found = static_cast<double>(factor.dense().row(i)[k]);
      ASSERT_NEAR(found, overlap(n + i, origin.indices[k]), tolerance);
      largest = std::max(largest, found);
    }
  }
  EXPECT_GT(world().maximum(largest), 0.3);
}

template <class T>
class OwnObjects : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(OwnObjects, Precisions);

TYPED_TEST(OwnObjects, AreReadBackFromAResultAndExtendIt) {
  using T = TypeParam;
  const TemporaryFolder folder;
  const Session session = session_on_all_ranks();
  const auto objects = read_objects<T>(session, "toy-intervals", {{"path", written(folder, "old.txt", 0, n)}});
  const GivenValues new_file = {{"path", written(folder, "new.txt", n, n + unseen)}};
  const auto matrix = similarity(session, "toy-overlap", objects);
  for (const char* method : {"nystrom", "sicur"}) {
    SCOPED_TRACE(method);
    const auto result = approximate(session, matrix, method, {{"landmarks.count", count}});
    const std::string path = folder.file("result.h5");
    save(session, path, result);
    const auto extended = extend(session, load<T>(session, path), new_file);
    const Approximation<T>& found = extended.approximation();
    expect_similarities(found.left, *found.left_origin, 1e-6);
    EXPECT_EQ(found.right.has_value(), std::string(method) == "sicur");
    if (found.right) expect_similarities(*found.right, *found.right_origin, 1e-6);
    const auto directly = extend(session, result, new_file);
    const auto one = found.left.dense().local(), other = directly.approximation().left.dense().local();
    ASSERT_EQ(one.rows, other.rows);
    EXPECT_TRUE(std::equal(one.data, one.data + one.rows * one.columns, other.data));
  }
}

TYPED_TEST(OwnObjects, AreNamedArraysWithChecksums) {
  const TemporaryFolder folder;
  const Session session = session_on_all_ranks();
  const auto objects = read_objects<TypeParam>(session, "toy-intervals", {{"path", written(folder, "old.txt", 0, n)}});
  const auto matrix = similarity(session, "toy-overlap", objects);
  save(session, folder.file("result.h5"), approximate(session, matrix, "sicur", {{"landmarks.count", count}}));
  const hdf5::InputFile file(folder.file("result.h5"));
  for (const std::string group : {"landmarks", "landmarks/right"}) {
    const std::vector<Index> landmarks = file.indices(group + "/indices");
    const std::string begins = group + "/objects/begins";
    ASSERT_TRUE(file.has(begins));
    EXPECT_TRUE(file.is_protected(begins));
    const std::vector<double> values = file.numbers(begins);
    ASSERT_EQ(values.size(), landmarks.size());
    for (std::size_t k = 0; k < values.size(); ++k) EXPECT_EQ(values[k], interval(landmarks[k]).begin);
  }
  EXPECT_EQ(file.row_texts("toy-intervals/colors", {0, 3}), (std::vector<std::string>{"blue", "green", "red"}));
}

}  // namespace
}  // namespace cairn::test::own_objects_test
