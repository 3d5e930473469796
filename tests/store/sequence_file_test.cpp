// Results of sequences keep their landmarks, and are extended by sequences that have symbols of their own.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "cairn/run/session.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "run/handed_points.hpp"
#include "sample_result.hpp"

namespace cairn::test::sequence_file_test {
namespace {

constexpr Index n = 90, unseen = 25, count = 12;

// The symbols of new ones stand before, between and behind those of old ones.
std::string sequence(Index i) {
  std::string text;
  const Random random(4, Stream::test);
  const auto at = static_cast<std::uint64_t>(i);
  const Index length = 1 + random.below(9, at, 0);
  for (Index k = 0; k < length; ++k) {
    const Index symbol = random.below(6, at, static_cast<std::uint64_t>(k) + 1);
    text += i < n ? static_cast<char>('b' + 2 * symbol) : static_cast<char>('a' + 3 * symbol);
  }
  return text;
}

double edits(const std::string& x, const std::string& y) {
  std::vector<Index> row(y.size() + 1);
  for (std::size_t j = 0; j <= y.size(); ++j) row[j] = static_cast<Index>(j);
  for (std::size_t i = 1; i <= x.size(); ++i) {
    Index corner = std::exchange(row[0], static_cast<Index>(i));
    for (std::size_t j = 1; j <= y.size(); ++j) {
      const Index replaced = corner + (x[i - 1] == y[j - 1] ? 0 : 1);
      corner = std::exchange(row[j], std::min({replaced, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return static_cast<double>(row[y.size()]);
}

std::string written(const TemporaryFolder& folder, const std::string& name, Index begin, Index end) {
  if (world().is_root()) {
    std::ofstream file(folder.file(name));
    for (Index i = begin; i < end; ++i) file << sequence(i) << "\n";
  }
  world().barrier();
  return folder.file(name);
}

template <class T>
class SequenceFile : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(SequenceFile, Precisions);

// A factor without a map is K(unseen, landmarks).
template <class T>
double largest_difference(const Factor<T>& factor, const FactorOrigin& origin) {
  double largest = 0;
  for (Index i = factor.range().begin; i < factor.range().end; ++i) {
    for (std::size_t k = 0; k < origin.indices.size(); ++k) {
      const double expected = std::exp(-0.2 * edits(sequence(n + i), sequence(origin.indices[k])));
      largest = std::max(largest, std::abs(static_cast<double>(factor.dense().row(i)[k]) - expected));
    }
  }
  return world().maximum(largest);
}

TYPED_TEST(SequenceFile, IsExtendedBySequencesWithOtherSymbols) {
  using T = TypeParam;
  const TemporaryFolder folder;
  const Session session = session_on_all_ranks();
  const auto objects =
      read_objects<T>(session, "sequences",
                      {{"path", written(folder, "old.txt", 0, n)}, {"format", "lines"}, {"tokens", "characters"}});
  const auto matrix = similarity(session, "edit", {{"gamma", "0.2"}}, objects);
  const GivenValues new_file = {{"path", written(folder, "new.txt", n, n + unseen)}, {"format", "lines"}};
  for (const char* method : {"nystrom", "sicur"}) {
    SCOPED_TRACE(method);
    const auto result = approximate(session, matrix, method, {{"landmarks.count", count}});
    const std::string path = folder.file("result.h5");
    save(session, path, result);
    const auto extended = extend(session, load<T>(session, path), new_file);
    const Approximation<T>& found = extended.approximation();
    ASSERT_EQ(found.left.rows(), unseen);
    EXPECT_LT(largest_difference(found.left, *found.left_origin), 1e-6);
    if (found.right) EXPECT_LT(largest_difference(*found.right, *found.right_origin), 1e-6);
  }
}

TYPED_TEST(SequenceFile, HoldsLandmarksAsTheirSymbols) {
  const TemporaryFolder folder;
  const Session session = session_on_all_ranks();
  const auto objects = read_objects<TypeParam>(
      session, "sequences",
      {{"path", written(folder, "old.txt", 0, n)}, {"format", "lines"}, {"tokens", "characters"}});
  const auto matrix = similarity(session, "subsequence", objects);
  save(session, folder.file("result.h5"), approximate(session, matrix, "nystrom", {{"landmarks.count", count}}));
  const hdf5::InputFile file(folder.file("result.h5"));
  const std::vector<Index> landmarks = file.indices("landmarks/indices");
  const auto starts = file.indices("landmarks/objects/starts"), symbols = file.indices("landmarks/objects/symbols");
  const auto names = file.texts("sequences/names");
  ASSERT_EQ(starts.size(), landmarks.size() + 1);
  for (std::size_t k = 0; k < landmarks.size(); ++k) {
    std::string text;
    for (auto at = static_cast<std::size_t>(starts[k]); at < static_cast<std::size_t>(starts[k + 1]); ++at) {
      text += names[symbols[at]];
    }
    EXPECT_EQ(text, sequence(landmarks[k]));
  }
}

}  // namespace
}  // namespace cairn::test::sequence_file_test
