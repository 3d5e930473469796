// Every method with every kind of data: refused before it computes, or a file that every command reads.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <set>

#include "cairn/data/data_kinds.hpp"
#include "cairn/run/computation/exact_matrix.hpp"
#include "cairn/run/keys/request.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/task/tasks.hpp"
#include "kind_samples.hpp"
#include "pipeline/context.hpp"
#include "pipeline/stored.hpp"

namespace cairn::test::method_table_test {
namespace {

using Matrix = std::vector<std::vector<double>>;

bool compares(const SimilarityDescriptor& similarity, const DataKind& kind) {
  const bool points = kind.objects == objects::points || kind.objects == objects::pairs;
  return similarity.objects.empty() ? points : std::ranges::count(similarity.objects, kind.objects) > 0;
}

// The default of the kind first.
std::vector<std::string> similarities_of(const DataKind& kind) {
  std::vector<std::string> names;
  for (const SimilarityDescriptor* similarity : similarities()) {
    if (!compares(*similarity, kind)) continue;
    const bool is_default = std::ranges::count(similarity->default_for, kind.objects) > 0;
    names.insert(is_default ? names.begin() : names.end(), similarity->name);
  }
  return names;
}

// What a method needs to be told, and what makes it quick.
Words method_keys(const MethodDescriptor& method) {
  Words keys = {"--approximation.method", method.name};
  const auto set = [&](const char* parameter, const char* value) {
    if (method.has(parameter)) keys = keys + Words{std::string("--approximation.") + parameter, value};
  };
  if (method.default_count == nullptr) keys = keys + Words{"--landmarks.count", "12"};
  set("dimension", "3");
  set("truncate", "true");
  set("first-block", "12");
  set("block", "8");
  return keys;
}

// One result, and what is known of how it was made.
struct Made {
  const DataKind& kind;
  const KindSample& sample;
  const TemporaryFolder& folder;
  std::string similarity;
  Words keys;  // of approximate
  std::string path = folder.file("r.h5");

  [[nodiscard]] Words data() const { return Words{"--data.kind", kind.name} + sample.data(folder); }
  [[nodiscard]] Words scorer() const {
    return similarity == "external" ? Words{"--similarity.command", "python3 " + folder.file("score.py")} : Words{};
  }
};

// Refused with a message that a user can act on; never for a file that Cairn wrote itself, nor as a defect.
void expect_clear(const CommandEnd& end, const Words& words) {
  EXPECT_THAT(end.code, testing::AnyOf(0, 2, 3, 4)) << text_of(words) << "\n" << end.message;
  EXPECT_THAT(end.message, testing::Not(testing::HasSubstr("not a sound"))) << text_of(words);
  EXPECT_FALSE(end.missing) << text_of(words) << "\n" << end.message;
}

bool served(const Words& words) {
  const CommandEnd end = call(words);
  expect_clear(end, words);
  if (end.code != 0 && std::getenv("CAIRN_SHOW") != nullptr && world().is_root()) {
    std::fprintf(stderr, "  %d %s: %s\n", end.code, words[0].c_str(), end.message.c_str());
  }
  return end.code == 0;
}

void expect_served(const Words& words) {
  const CommandEnd end = call(words);
  EXPECT_EQ(end.code, 0) << text_of(words).substr(0, 300) << "\n" << end.message;
}

// K itself, as the result's own description says.
template <class T>
Matrix exact_matrix(const Made& made) {
  const ResultDescription description = read_result_description(world(), made.path);
  ConfigTexts no_configs;
  const app::Invocation invocation = app::parse_command_line(Words{"evaluate", made.path} + made.scorer(), no_configs);
  const Settings settings = app::stored_settings(description, made.path, *invocation.settings);
  const RunRequest request = request_of(settings);
  app::Context context(world(), 1, 1);
  const ResultShape shape = read_result_shape(world(), made.path);
  const Data<T> data = app::load_stored_data<T>(context.execution(), request, description, made.path, shape.rows);
  const ExactMatrix<T> exact =
      app::stored_exact_matrix<T>(context.execution(), settings, request, description, data, std::string());
  Matrix matrix;
  for (Index i = 0; i < shape.rows; ++i) matrix.push_back(world().all_gather(exact_row(context.execution(), exact, i)));
  if (!exact.sources) return matrix;
  Matrix columns = matrix;  // of one source each; those of geodesics are not quite the rows
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    for (std::size_t j = 0; j < matrix.size(); ++j) columns[j][i] = matrix[i][j];
  }
  return columns;
}

// Values of K~ where a file keeps K itself.
Words of_factors(const std::string& path) {
  return read_result_shape(world(), path).has_hierarchy() ? Words{"--approximate", "true"} : Words{};
}

// K~ by single entries.
Matrix queried(const Made& made, const std::string& path) {
  const ResultShape shape = read_result_shape(world(), path);
  const std::string json = made.folder.file("entries.json");
  Words words = Words{"query", path, "--json", json} + of_factors(path);
  for (Index i = 0; i < shape.rows; ++i) {
    for (Index j = 0; j < shape.right_rows; ++j) words.insert(words.end(), {"--entry", fmt::format("{},{}", i, j)});
  }
  expect_served(words);
  Matrix matrix(static_cast<std::size_t>(shape.rows));
  if (::testing::Test::HasFailure()) return matrix;
  const nlohmann::json answer = read_json(json);
  for (const auto& entry : answer.at("entries")) {
    matrix[entry.at("row").get<std::size_t>()].push_back(entry.at("value").get<double>());
  }
  return matrix;
}

// The k nearest to one object are the best of its row.
// Lengths are roots of sums that cancel: two of almost 0 agree in their squares.
bool agree(double one, double other, double tolerance) {
  return std::abs(one - other) <= tolerance || std::abs(one * one - other * other) <= tolerance;
}

void expect_nearest(const Made& made, const Matrix& matrix, double tolerance) {
  const std::string json = made.folder.file("nearest.json");
  constexpr std::size_t object = 3, k = 4;
  expect_served(Words{"query", made.path, "--nearest", "3", "--k", "4", "--by-angle", "false", "--json", json} +
                of_factors(made.path));
  if (testing::Test::HasFailure()) return;
  const ResultShape shape = read_result_shape(world(), made.path);
  const double sign = shape.meaning == "distance" ? 1 : -1;
  std::vector<double> best;
  for (std::size_t j = 0; j < matrix[object].size(); ++j) {
    if (shape.rectangular || j != object) best.push_back(sign * matrix[object][j]);
  }
  std::ranges::sort(best);
  const auto found = read_json(json).at("nearest").at("nearest");
  ASSERT_EQ(found.size(), k);
  for (std::size_t place = 0; place < k; ++place) {
    const double value = found[place].at("value").get<double>();
    const double entry = matrix[object][found[place].at("object").get<std::size_t>()];
    EXPECT_TRUE(agree(value, entry, tolerance)) << value << " for " << entry;
    if (shape.near == 0)
      EXPECT_TRUE(agree(value, sign * best[place], tolerance)) << value << " for " << sign * best[place];
  }
}

void expect_row(const Made& made, const Matrix& matrix, double tolerance) {
  const std::string json = made.folder.file("row.json");
  expect_served(Words{"query", made.path, "--row", "5", "--json", json} + of_factors(made.path));
  if (testing::Test::HasFailure()) return;
  const auto values = read_json(json).at("row").at("values").get<std::vector<double>>();
  ASSERT_EQ(values.size(), matrix[5].size());
  for (std::size_t j = 0; j < values.size(); ++j) {
    EXPECT_TRUE(agree(values[j], matrix[5][j], tolerance)) << values[j] << " for " << matrix[5][j];
  }
}

// ||K~ - K|| / ||K|| over all entries, as `evaluate` has it. Near entries are not of its K~.
template <class T>
void expect_error_of(const Made& made, const Matrix& approximate) {
  const std::string json = made.folder.file("evaluated.json");
  const auto provenance = read_result_description(world(), made.path).provenance;
  const auto over = provenance.find("error_over");
  const bool rows = over != provenance.end() && over->second == "rows";  // of these not all, unless they are asked for
  expect_served(
      Words{"evaluate", made.path, "--json", json} +
      (rows ? Words{"--evaluation.rows", std::to_string(sample_objects)} : Words{"--evaluation.seconds", "1000"}) +
      made.scorer());
  if (testing::Test::HasFailure() || read_result_shape(world(), made.path).near > 0) return;
  const Matrix exact = exact_matrix<T>(made);
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    ASSERT_EQ(exact[i].size(), approximate[i].size());
    for (std::size_t j = 0; j < exact[i].size(); ++j) {
      difference += (approximate[i][j] - exact[i][j]) * (approximate[i][j] - exact[i][j]);
      norm += exact[i][j] * exact[i][j];
    }
  }
  const double rounding = 100 * static_cast<double>(std::numeric_limits<T>::epsilon());
  EXPECT_NEAR(read_json(json).at("relative_error").get<double>(), std::sqrt(difference / norm),
              1e-5 * std::sqrt(difference / norm) + rounding);
}

// New objects: of kinds that have some.
void expect_extension(const Made& made) {
  const std::string extended = made.folder.file("e.h5");
  const Words unseen = made.sample.unseen != nullptr ? made.sample.unseen(made.folder) : made.data();
  if (!served(Words{"extend", made.path, "--output.path", extended} + unseen + made.scorer())) return;
  EXPECT_TRUE(made.sample.unseen != nullptr) << made.kind.name;
  expect_served({"info", extended});
  expect_served({"info", extended, "--verify", "true"});
  expect_served({"query", extended, "--row", "2", "--entry", "0,1"});
  served({"query", made.path, "--nearest-to", extended, "--k", "2"});
  served(Words{"evaluate", extended} + unseen + made.scorer());
}

void expect_tasks(const Made& made) {
  for (const TaskDescriptor* task : tasks()) {
    if (!task->needs.argument.empty()) continue;  // of points beside a file that is no result
    Words words = {task->command, made.path};
    const std::string model = made.folder.file("m.h5"), out = made.folder.file("out.csv");
    if (tasks_of(task->command).size() > 1) words = words + Words{"--task", task->name};
    if (task->has("targets")) words = words + Words{"--targets", made.folder.file("y.csv")};
    if (task->has("clusters")) words = words + Words{"--clusters", "3"};
    if (task->has("dimension")) words = words + Words{"--dimension", "2"};
    if (task->has("folds")) words = words + Words{"--folds", "2"};
    if (task->needs.model != ModelKind::none) words = words + Words{"--output.path", model};
    if (!task->needs.file.empty()) words = words + Words{"--out", out};
    if (task->needs.matrix && !task->has("exact")) words = words + made.scorer();
    if (!served(words)) continue;
    if (task->has("exact")) served(words + Words{"--exact", "true"} + made.scorer());
    if (task->needs.model == ModelKind::none) continue;
    expect_served({"info", model});
    expect_served({"predict", model, "--out", out});
    if (std::filesystem::exists(made.folder.file("e.h5"))) {
      served({"predict", model, "--result", made.folder.file("e.h5"), "--out", out});
    }
  }
}

// For a check by other means (method_results_test.py): the file, and the entries that were asked of it, on two ranks.
void keep(const Made& made, const Matrix& entries) {
  const char* const folder = std::getenv("CAIRN_KEEP_RESULTS");
  if (folder == nullptr || !world().is_root() || world().size() != 2) return;
  static int count = 0;
  const auto numbered = [&](int number) { return std::filesystem::path(folder) / fmt::format("{}.h5", number); };
  if (count == 0) {
    std::filesystem::create_directories(folder);
    for (int earlier = 0; std::filesystem::remove(numbered(earlier)); ++earlier) {
    }
  }
  const std::filesystem::path path = numbered(count++);
  std::filesystem::copy_file(made.path, path, std::filesystem::copy_options::overwrite_existing);
  const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
  std::ofstream(path.string() + ".json") << nlohmann::json(
      {{"test", test->name()}, {"keys", made.keys}, {"entries", entries}});
}

enum class Depth { file, commands, tasks };

template <class T>
void expect_commands(const Made& made, Depth depth) {
  const double tolerance = 1e4 * static_cast<double>(std::numeric_limits<T>::epsilon());
  expect_served({"info", made.path});
  expect_served({"info", made.path, "--verify", "true"});
  const Matrix entries = queried(made, made.path);
  if (testing::Test::HasFailure()) return;
  keep(made, entries);
  expect_row(made, entries, tolerance);
  expect_nearest(made, entries, tolerance);
  expect_error_of<T>(made, entries);
  expect_extension(made);
  if (depth == Depth::tasks) expect_tasks(made);
}

// Whether the run wrote a result, which all commands have read then.
template <class T>
bool runs(const DataKind& kind, const KindSample& sample, const TemporaryFolder& folder, const std::string& similarity,
          const Words& method, Depth depth) {
  Made made{kind, sample, folder, similarity, {}};
  made.keys = made.data() + similarity_keys(folder, kind.name, similarity) + method;
  if (std::is_same_v<T, float>) made.keys = made.keys + Words{"--run.precision", "single"};
  SCOPED_TRACE(text_of(made.keys));
  if (world().is_root()) {
    for (const char* old : {"r.h5", "e.h5", "m.h5"}) std::filesystem::remove(folder.file(old));
  }
  world().barrier();
  const CommandEnd end =
      call(Words{"approximate", "--output.path", made.path, "--evaluation.seconds", "1000"} + made.keys);
  if (end.code != 0) {
    EXPECT_EQ(end.code, 2) << end.message;
    EXPECT_FALSE(end.missing) << end.message;
    EXPECT_FALSE(std::filesystem::exists(made.path));
    if (std::getenv("CAIRN_SHOW") != nullptr && world().is_root())
      std::fprintf(stderr, "%s\n  %d %s\n", text_of(made.keys).c_str(), end.code, end.message.c_str());
    return false;
  }
  if (std::getenv("CAIRN_SHOW") != nullptr && world().is_root())
    std::fprintf(stderr, "%s\n  0\n", text_of(made.keys).c_str());
  if (depth == Depth::file) {
    expect_served({"query", made.path, "--row", "1", "--entry", "2,3", "--nearest", "4"});
    expect_extension(made);
  } else {
    expect_commands<T>(made, depth);
  }
  return true;
}

const KindSample* sample_of(const DataKind& kind) {
  const auto found = std::ranges::find(kind_samples(), kind.name, &KindSample::kind);
  return found == kind_samples().end() ? nullptr : &*found;
}

std::size_t& kinds_tried() {
  static std::size_t count = 0;
  return count;
}

std::set<std::string>& methods_that_ran() {
  static std::set<std::string> names;
  return names;
}

class EveryMethod : public testing::TestWithParam<const DataKind*> {
 public:
  // Once every kind has been tried: each method takes some kind of data.
  static void TearDownTestSuite() {
    if (kinds_tried() < data_kinds().size()) return;  // a filter left some out
    for (const MethodDescriptor* method : methods()) {
      EXPECT_TRUE(methods_that_ran().contains(method->name))
          << method->name << ": no sample of tests/cli/methods/kind_samples.cpp, or method_keys(), suits it";
    }
  }

 protected:
  void SetUp() override {
    // On three ranks entries of points and rows of sources; the others say on two what they would say there.
    const bool on_all = std::string_view(GetParam()->name) == "points" || std::string_view(GetParam()->name) == "graph";
    if (world().size() > 2 && !on_all) GTEST_SKIP() << "takes seconds; 2 ranks run it";
    sample_ = sample_of(*GetParam());
    ASSERT_NE(sample_, nullptr) << "there is no small sample of the kind of data " << GetParam()->name
                                << ": add one in tests/cli/methods/kind_samples.cpp";
    if (world().is_root()) write_sample(folder_, *sample_);
    world().barrier();
  }

  // Each method, with the first similarity that it takes. With other keys or numbers than usual, every other pair of a
  // method and a kind, not the same ones with each of them; with CAIRN_ALL_PAIRS all.
  template <class T>
  void try_all(Depth depth, const Words& more = {}, const std::string& only_with = {}) {
    if (depth == Depth::tasks) ++kinds_tried();
    auto turn = std::ranges::find(data_kinds(), GetParam()) - data_kinds().begin() + std::ssize(more) / 2 +
                (only_with == "transform" ? 1 : 0);
    const bool half = depth != Depth::tasks && std::getenv("CAIRN_ALL_PAIRS") == nullptr;
    for (const MethodDescriptor* method : methods()) {
      const bool left_out = half && turn++ % 2 != 0 && !method->needs.rows;
      if (left_out || (!only_with.empty() && !method->has(only_with))) continue;
      for (const std::string& similarity : similarities_of(*GetParam())) {
        if (!runs<T>(*GetParam(), *sample_, folder_, similarity, method_keys(*method) + more, depth)) continue;
        methods_that_ran().insert(method->name);
        break;
      }
    }
  }

  const KindSample* sample_ = nullptr;
  TemporaryFolder folder_;
};

TEST_P(EveryMethod, IsRefusedOrServesEveryCommand) { try_all<double>(Depth::tasks); }
TEST_P(EveryMethod, IsRefusedOrServesEveryCommandInSinglePrecision) { try_all<float>(Depth::commands); }
TEST_P(EveryMethod, KeepsNearEntriesOrSaysWhyNot) { try_all<double>(Depth::commands, {"--output.near", "3"}); }
TEST_P(EveryMethod, EmbedsOrSaysWhyNot) {
  try_all<double>(Depth::commands, {"--approximation.embedding", "true"}, "embedding");
}
TEST_P(EveryMethod, TransformsOrSaysWhyNot) {
  try_all<double>(Depth::commands, {"--approximation.transform", "sqrt"}, "transform");
}

TEST_P(EveryMethod, ReadsItsFileWithEverySimilarity) {
  for (const std::string& similarity : similarities_of(*GetParam())) {
    bool any = false;
    for (const char* method : {"nystrom", "optimal"}) {
      any |= runs<double>(*GetParam(), *sample_, folder_, similarity, method_keys(method_named(method)), Depth::file);
    }
    if (GetParam()->rectangular == nullptr) EXPECT_TRUE(any) << similarity << " of " << GetParam()->name;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryMethod, testing::ValuesIn(data_kinds()),
                         [](const auto& info) { return info.param->name; });

}  // namespace
}  // namespace cairn::test::method_table_test
