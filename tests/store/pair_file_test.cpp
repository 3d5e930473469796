// Results of pairs keep their landmarks and the scale of the features, and are extended by pairs with other labels.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "cairn/data/pairs/pair_reader.hpp"
#include "cairn/run/session.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "run/handed_points.hpp"
#include "sample_result.hpp"

namespace cairn::test::pair_file_test {
namespace {

constexpr Index n = 80, unseen = 30, count = 11;

// New pairs have labels between and behind those of old ones.
std::string tree(Index i, Index seed) {
  const Index a = (i * 7 + seed) % 5, b = (i * 3 + seed) % 4;
  return fmt::format("(S (A{} (B{})) (C{} (D{}) (B{})))", a, b, i < n ? "" : "x", a, (i + seed) % 3);
}

std::string written(const TemporaryFolder& folder, const std::string& name, Index begin, Index end) {
  if (world().is_root()) {
    std::ofstream file(folder.file(name));
    for (Index i = begin; i < end; ++i) {
      file << fmt::format("y |<| |BT:t| {} |ET| |,| |BT:t| {} |ET| |>| |BV:f| a:{} b:{} |EV|\n", tree(i, 0), tree(i, 2),
                          i % 7, (i * i) % 11);
    }
  }
  world().barrier();
  return folder.file(name);
}

template <class T>
class PairFile : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(PairFile, Precisions);

TYPED_TEST(PairFile, IsExtendedAsIfAllPairsHadBeenRead) {
  using T = TypeParam;
  const TemporaryFolder folder;
  const Session session = session_on_all_ranks();
  const std::string before = written(folder, "old.klp", 0, n), after = written(folder, "new.klp", n, n + unseen);
  const auto objects = read_objects<T>(session, "pairs", {{"path", before}});
  // The scale of the old pairs, which are of split train.
  const auto both = read_objects<double>(session, "pairs", {{"path", before}, {"test-path", after}});
  for (const std::string name : {"ptk", "linear"}) {
    SCOPED_TRACE(name);
    const GivenValues values = name == "ptk" ? GivenValues{{"pairs", "crossed-sum"}} : GivenValues{};
    const auto result =
        approximate(session, similarity(session, name, values, objects), "nystrom", {{"landmarks.count", count}});
    save(session, folder.file("result.h5"), result);
    const auto extended = extend(session, load<T>(session, folder.file("result.h5")), {{"path", after}});
    const Approximation<T>& found = extended.approximation();
    ASSERT_EQ(found.left.rows(), unseen);
    SimilarityChoice choice(name);
    if (name == "ptk") choice.set("pairs", "crossed-sum");
    Context context;
    const ObjectSet& all = *both.data().objects;
    const auto expected = make_similarity<double>(context.execution, choice, all);
    const auto landmarks = all.gather(world(), found.left_origin->indices);
    std::vector<Index> ids;
    const Range own = found.left.range();
    for (Index i = own.begin; i < own.end; ++i) ids.push_back(n + i);
    const auto rows = all.gather(world(), ids);
    std::vector<double> tile(ids.size() * static_cast<std::size_t>(count));
    expected->tile(*rows, *landmarks, MatrixView<double>(tile.data(), std::ssize(ids), count));
    double largest = 0;
    for (Index i = own.begin; i < own.end; ++i) {
      for (Index k = 0; k < count; ++k) {
        const double value = tile[(i - own.begin) * count + k];
        largest = std::max(largest, std::abs(value - static_cast<double>(found.left.dense().row(i)[k])));
      }
    }
    const double tolerance = std::is_same_v<T, float> ? 1e-5 : 1e-12;
    EXPECT_LT(largest, tolerance);
  }
}

TYPED_TEST(PairFile, NamesTreesAndFeatures) {
  const TemporaryFolder folder;
  const Session session = session_on_all_ranks();
  const auto objects = read_objects<TypeParam>(session, "pairs", {{"path", written(folder, "old.klp", 0, n)}});
  save(session, folder.file("result.h5"),
       approximate(session, similarity(session, "ptk", objects), "sicur", {{"landmarks.count", count}}));
  const hdf5::InputFile file(folder.file("result.h5"));
  EXPECT_EQ(file.texts("pairs/features"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(file.texts("pairs/trees"), (std::vector<std::string>{"tree"}));
  for (const std::string array : {"left/0/sizes", "right/0/labels", "features"}) {
    EXPECT_TRUE(file.has("landmarks/objects/" + array));
    EXPECT_TRUE(file.has("landmarks/right/objects/" + array));
  }
}

}  // namespace
}  // namespace cairn::test::pair_file_test
