// Sparse points of files give what the same points give with all coordinates: scaled, by every method, in a result.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <set>

#include "cairn/approximation/catalog/methods.hpp"
#include "handed_points.hpp"

namespace cairn::test::sparse_files_test {
namespace {

constexpr Index points = 70, unseen = 20, width = 400;

// A few coordinates of each point.
std::optional<double> entry(Index i, Index k) {
  const Random random(11, Stream::test);
  const auto row = static_cast<std::uint64_t>(i), column = static_cast<std::uint64_t>(k);
  if (k >= 3 && k < 6) return 0.25 + random.uniform(row, column);  // all of them meet here
  if (random.uniform(row, 1000 + column) > 0.04) return std::nullopt;
  return random.normal(row, column) / 4;
}

// The rows as a LIBSVM file and as one of fields. Collective.
class Files {
 public:
  Files() {
    auto process = static_cast<Index>(::getpid());
    world().broadcast(std::span(&process, 1), 0);
    folder_ = std::filesystem::temp_directory_path() /
              ("cairn-sparse-test-" + std::to_string(process) + "-" + std::to_string(world().size()));
    if (world().is_root()) {
      std::filesystem::create_directories(folder_);
      write("old", 0, points);
      write("new", points, points + unseen);
    }
    world().barrier();
  }
  ~Files() {
    world().barrier();
    if (world().is_root()) std::filesystem::remove_all(folder_);
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  void write(const std::string& name, Index begin, Index end) const {
    std::ofstream svm(path(name + ".svm")), csv(path(name + ".csv"));
    for (auto* file : {&svm, &csv}) file->precision(17);
    for (Index i = begin; i < end; ++i) {
      svm << "1";
      for (Index k = 0; k < width; ++k) {
        const auto value = entry(i, k);
        csv << (k == 0 ? "" : ",") << value.value_or(0);
        if (value) svm << " " << k + 1 << ":" << *value;
      }
      svm << "\n";
      csv << "\n";
    }
  }
  std::filesystem::path folder_;
};

// The files are there for the tests on one number of ranks.
class SparseFiles : public testing::Test {
 protected:
  static void SetUpTestSuite() { files_.emplace(); }
  static void TearDownTestSuite() { files_.reset(); }

 public:
  static const Files& files() { return *files_; }

 private:
  static inline std::optional<Files> files_;
};

// The same points in both forms.
template <class T>
struct Forms {
  explicit Forms(const Session& session, const std::string& name = "old", const std::string& scaling = "none")
      : sparse(read_objects<T>(
            session, "points",
            {{"path", SparseFiles::files().path(name + ".svm")}, {"dimension", width}, {"scaling", scaling}})),
        dense(read_objects<T>(session, "points",
                              {{"path", SparseFiles::files().path(name + ".csv")}, {"scaling", scaling}})) {}
  Objects<T> sparse, dense;
};

template <class T>
const PointSet<T>& points_in_form(const Objects<T>& objects) {
  return *objects.data().points();
}

// What the method gives with one form, or what it says.
struct Answer {
  std::vector<double> values, extended;
  std::string refused;
};

Answer answer_of(const Session& session, const MethodDescriptor& method, const char* name, const Objects<double>& old,
                 const Objects<double>& next) {
  GivenValues given;
  if (method.needs.landmarks || !method.count_parameter.empty()) given = {{"landmarks.count", 12}};
  if (method.has("features")) given = {{"features", 20}};
  Answer answer;
  try {
    const auto matrix = similarity(session, name, {}, old);
    const auto result = approximate(session, matrix, method.name, given);
    answer.values = whole(session, result);
    if (!result.approximation().left_origin) return answer;
    answer.extended = whole(session, extend(session, result, next));
  } catch (const Error& error) {
    answer.refused = error.what();
  }
  return answer;
}

TEST_F(SparseFiles, AreApproximatedAsDenseOnesByEveryMethod) {
  const Session session = session_on_all_ranks();
  const Forms<double> old(session), next(session, "new");
  ASSERT_TRUE(points_in_form(old.sparse).is_sparse() && points_in_form(next.sparse).is_sparse());
  std::set<std::string> refused;
  for (const MethodDescriptor* method : methods()) {
    for (const char* name : {"rbf", "linear", "euclidean"}) {
      SCOPED_TRACE(method->name + " of " + name);
      const Answer sparse = answer_of(session, *method, name, old.sparse, next.sparse);
      const Answer dense = answer_of(session, *method, name, old.dense, next.dense);
      EXPECT_EQ(sparse.refused, dense.refused);
      EXPECT_LT(largest_difference(sparse.values, dense.values), 1e-6);
      EXPECT_LT(largest_difference(sparse.extended, dense.extended), 1e-6);
      if (dense.values.empty()) refused.insert(method->name + " of " + name);
    }
  }
  // Those that compare other objects, and sketches of what is no such function of points.
  std::set<std::string> expected{"poly-tensorsketch of euclidean", "rff of euclidean", "rff of linear"};
  for (const char* method : {"adam", "dc", "gbu", "pmi-eigs", "wme"}) {
    for (const char* name : {"rbf", "linear", "euclidean"}) expected.insert(std::string(method) + " of " + name);
  }
  EXPECT_EQ(refused, expected);
}

TEST_F(SparseFiles, AreScaledAsDenseOnes) {
  const Session session = session_on_all_ranks();
  for (const char* scaling : {"none", "unit-norm", "min-max", "center", "standard"}) {
    SCOPED_TRACE(scaling);
    const Forms<double> forms(session, "old", scaling);
    const PointSet<double>& set = points_in_form(forms.sparse);
    // The least value of some coordinates is below 0: min-max moves it.
    EXPECT_EQ(set.is_sparse(), std::string(scaling) == "none" || std::string(scaling) == "unit-norm");
    const RowBlock<double> all = set.all_coordinates(world());
    const RowBlock<double>& expected = points_in_form(forms.dense).coordinates();
    for (Index i = all.range().begin; i < all.range().end; ++i) {
      for (std::size_t k = 0; k < static_cast<std::size_t>(width); ++k) {
        ASSERT_NEAR(all.row(i)[k], expected.row(i)[k], 1e-13) << i << ", " << k;
      }
    }
    EXPECT_EQ(forms.sparse.data().notes.empty(), set.is_sparse());
  }
}

TEST_F(SparseFiles, AreWhatLandmarksOfAFileAre) {
  const Session session = session_on_all_ranks();
  const Forms<double> old(session), next(session, "new");
  const auto result =
      approximate(session, similarity(session, "cosine", {}, old.sparse), "nystrom", {{"landmarks.count", 12}});
  const std::string path = files().path("result.h5");
  save(session, path, result);
  const auto stored = load(session, path);
  const auto* landmarks = dynamic_cast<const PointBlock<double>*>(stored.approximation().left_origin->objects.get());
  ASSERT_NE(landmarks, nullptr);
  EXPECT_NE(landmarks->sparse, nullptr);
  const std::vector<double> expected = whole(session, extend(session, result, next.dense));
  EXPECT_LT(largest_difference(whole(session, extend(session, stored, next.sparse)), expected), 1e-12);
  EXPECT_LT(largest_difference(whole(session, extend(session, stored, next.dense)), expected), 1e-12);
}

}  // namespace
}  // namespace cairn::test::sparse_files_test
