// Tasks by their names, on results that a program has saved.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "cairn/store/files/classifier_file.hpp"
#include "cairn/store/files/model_file.hpp"
#include "cairn/store/files/process_file.hpp"
#include "expected_errors.hpp"
#include "handed_points.hpp"
#include "store/sample_result.hpp"

namespace cairn::test::tasks_test {
namespace {

constexpr Index n = 80;

// Points with a class each, and the result of a kernel on them.
struct Sample {
  Sample() : session(session_on_all_ranks()) {
    if (world().is_root()) {
      std::ofstream points(folder.file("points.csv")), values(folder.file("y.csv"));
      points << "x,y,class\n";
      values << "y\n";
      for (Index i = 0; i < n; ++i) {
        points << coordinate(i, 0) << ',' << coordinate(i, 1) << ',' << (coordinate(i, 0) > 0 ? "up" : "down") << '\n';
        values << 2 * coordinate(i, 0) << '\n';
      }
    }
    world().barrier();
    objects.emplace(read_points(session, folder.file("points.csv"), {{"label", "class"}}));
    kernel.emplace(similarity(session, "rbf", {{"gamma", 0.5}}, *objects));
    save(session, result, approximate(session, *kernel, "nystrom", {{"landmarks.count", 20}}));
  }

  TemporaryFolder folder;
  Session session;
  std::string result = folder.file("r.h5"), model = folder.file("m.h5");
  std::optional<Objects<double>> objects;
  std::optional<SimilarityMatrix<double>> kernel;
};

const Metric* metric_of(const Metric::Record& record, const std::string& name) {
  for (const auto& [key, metric] : record) {
    if (key == name) return &metric;
  }
  return nullptr;
}

TEST(Tasks, LearnValuesAndTellOfThemAsTheyGo) {
  const Sample sample;
  ReportText told;
  const TaskReport report =
      run_task(sample.session, "krr", {sample.result},
               {{"targets", sample.folder.file("y.csv")}, {"lambda", "0.01,1"}, {"train-fraction", 0.7}},
               {.output = sample.model, .tell = [&](const ReportText& text) { told.add(text); }});
  EXPECT_EQ(told.parts().size(), report.text.parts().size());
  const ModelFile model = read_model(world(), sample.model);
  ASSERT_EQ(model.models.size(), 1);
  EXPECT_GT(model.models.front().scores.back().r_squared.value(), 0.9);
  ASSERT_NE(metric_of(report.metrics, "training_rows"), nullptr);
  EXPECT_EQ(std::get<Index>(metric_of(report.metrics, "training_rows")->value()), model.training_rows);
}

TEST(Tasks, LearnClassesThroughFactorsAndOnTheMatrixItself) {
  const Sample sample;
  const TaskReport linear = run_task(sample.session, "svm", {sample.result}, {{"cost", 1}}, {.output = sample.model});
  EXPECT_GT(read_classifier(world(), sample.model).scores.back().accuracy, 0.9);
  EXPECT_NE(metric_of(linear.metrics, "repeats"), nullptr);
  const TaskReport exact =
      run_task(sample.session, "kernel-svm", {sample.result}, *sample.kernel, {{"cost", 1}, {"train-fraction", 0.5}});
  // K of the rows that are trained on, and of the others with support vectors.
  const Index evaluated = std::get<Index>(metric_of(exact.metrics, "evaluations")->value());
  EXPECT_EQ(evaluated + std::get<Index>(metric_of(exact.metrics, "evaluations_saved")->value()), n * n);
  EXPECT_GE(evaluated, n / 2 * n / 2);
}

TEST(Tasks, PredictWithTheModelThatTheyWrote) {
  const Sample sample;
  static_cast<void>(run_task(sample.session, "krr", {sample.result},
                             {{"targets", sample.folder.file("y.csv")}, {"lambda", 0.01}}, {.output = sample.model}));
  const std::string out = sample.folder.file("predicted.csv");
  const TaskReport report = predict(sample.session, sample.model, out);
  EXPECT_EQ(std::get<Index>(metric_of(report.metrics, "rows")->value()), n);
  std::ifstream lines(out);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "row,label,y");
  double error = 0, squares = 0;
  Index i = 0;
  for (; std::getline(lines, line); ++i) {
    const double value = 2 * coordinate(i, 0);
    error += std::pow(std::stod(line.substr(line.rfind(',') + 1)) - value, 2);
    squares += value * value;
  }
  EXPECT_EQ(i, n);
  EXPECT_LT(error, 0.1 * squares);
  expect_error([&] { static_cast<void>(predict(sample.session, sample.model, sample.model)); }, ErrorKind::usage,
               {"and the model name the same file"});
  expect_error([&] { static_cast<void>(predict(sample.session, sample.model, sample.result)); }, ErrorKind::usage,
               {"name the same file", "what is read is not replaced"});
  ModelFile unknown = read_model(world(), sample.model);
  unknown.task = "newer";
  write_model(sample.session.execution(), sample.model, unknown);
  expect_error([&] { static_cast<void>(predict(sample.session, sample.model, out)); }, ErrorKind::input,
               {"its task is 'newer', which this program does not know"});
  static_cast<void>(run_task(sample.session, "svm", {sample.result}, {{"cost", 1}}, {.output = sample.model}));
  const TaskReport classes = predict(sample.session, sample.model, out);
  EXPECT_EQ(std::get<Metric::List>(metric_of(classes.metrics, "classes")->value()).size(), 2);
}

TEST(Tasks, LearnDistributions) {
  const Sample sample;
  const TaskReport report =
      run_task(sample.session, "gp", {sample.result},
               {{"targets", sample.folder.file("y.csv")}, {"train-fraction", 0.5}}, {.output = sample.model});
  EXPECT_EQ(read_process(world(), sample.model).training_rows(),
            std::get<Index>(metric_of(report.metrics, "training_rows")->value()));
  const std::string out = sample.folder.file("predicted.csv");
  static_cast<void>(predict(sample.session, sample.model, out));
  std::ifstream lines(out);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "row,label,y,sd y");
  for (Index i = 0; std::getline(lines, line); ++i) {
    const std::size_t last = line.rfind(','), before = line.rfind(',', last - 1);
    const double deviation = std::stod(line.substr(last + 1));
    EXPECT_GT(deviation, 0.0);
    EXPECT_NEAR(std::stod(line.substr(before + 1)), 2 * coordinate(i, 0), 5 * deviation);
  }
  expect_error(
      [&] { static_cast<void>(run_task(sample.session, "gp", {sample.result}, {}, {.output = sample.model})); },
      ErrorKind::input, {"give parameter targets FILE"});
}

TEST(Tasks, GroupObjectsByFactorsAndByTheMatrixItself) {
  const Sample sample;
  const std::string out = sample.folder.file("clusters.h5");
  const GivenValues two = {{"clusters", 2}, {"gold-labels", true}};
  const TaskReport by_factors = run_task(sample.session, "average-linkage", {sample.result}, two, {.output = out});
  EXPECT_EQ(std::get<Index>(metric_of(by_factors.metrics, "evaluations")->value()), 0);
  EXPECT_EQ(std::get<Index>(metric_of(by_factors.metrics, "clusters")->value()), 2);
  GivenValues exact = two;
  exact.push_back({"exact", true});
  const TaskReport by_matrix =
      run_task(sample.session, "average-linkage", {sample.result}, *sample.kernel, exact, {.output = out});
  EXPECT_EQ(std::get<Index>(metric_of(by_matrix.metrics, "evaluations")->value()), n * n);
  const auto f1 = [](const TaskReport& report) {
    const auto& scores = std::get<Metric::Record>(metric_of(report.metrics, "scores")->value());
    return std::get<double>(metric_of(scores, "conll_f1")->value());
  };
  EXPECT_NEAR(f1(by_factors), f1(by_matrix), 0.1);
  const auto run = [&](const GivenValues& given, const std::string& path) {
    static_cast<void>(run_task(sample.session, "average-linkage", {sample.result}, given, {.output = path}));
  };
  expect_error([&] { run({}, out); }, ErrorKind::usage, {"give one of parameter threshold and parameter clusters"});
  expect_error([&] { run(exact, out); }, ErrorKind::usage, {"needs the matrix itself"});
  expect_error([&] { run(two, sample.folder.file("none/c.csv")); }, ErrorKind::usage, {"none"});
  const std::string csv = sample.folder.file("as.csv");
  if (world().is_root()) std::filesystem::copy_file(sample.result, csv);
  world().barrier();
  expect_error([&] { static_cast<void>(run_task(sample.session, "average-linkage", {csv}, two, {.output = csv})); },
               ErrorKind::usage, {"name the same file", "what is read is not replaced"});
  expect_error([&] { run(two, "clusters.txt"); }, ErrorKind::usage, {"clusters.txt: the name must end in .h5"});
}

TEST(Tasks, FindCoordinates) {
  const Sample sample;
  const TaskReport report = run_task(sample.session, "classical-scaling", {sample.result}, {{"dimension", 2}},
                                     {.output = sample.folder.file("y.h5")});
  EXPECT_EQ(std::get<std::string>(metric_of(report.metrics, "method")->value()), "kernel-pca");
  EXPECT_EQ(std::get<Metric::List>(metric_of(report.metrics, "eigenvalues")->value()).size(), 2);
  EXPECT_LT(std::get<double>(metric_of(report.metrics, "stress")->value()), 0.5);
}

TEST(Tasks, NameTheParametersOfAProgram) {
  const Sample sample;
  const auto run = [&](const std::string& task, const GivenValues& given) {
    static_cast<void>(run_task(sample.session, task, {sample.result}, given, {.output = sample.model}));
  };
  expect_error([&] { run("svn", {}); }, ErrorKind::usage, {"no task is called 'svn'; did you mean 'svm'?"});
  expect_error(
      [&] {
        run("svm", {{"cost", 0}});
      },
      ErrorKind::usage, {"parameter cost 0: each must be a number above 0"});
  expect_error([&] { run("krr", {{"lambda", -1}}); }, ErrorKind::usage, {"parameter lambda -1: each must be"});
  expect_error([&] { run("kernel-svm", {}); }, ErrorKind::usage, {"the task kernel-svm needs the matrix itself"});
  expect_error([&] { run("krr", {{"lambda", 1}}); }, ErrorKind::input, {"give parameter targets FILE"});
  const auto others = read_points(sample.session, sample.folder.file("y.csv"));
  const auto other = similarity(sample.session, "rbf", {{"gamma", 0.5}}, others);
  expect_error([&] { static_cast<void>(run_task(sample.session, "kernel-svm", {sample.result}, other)); },
               ErrorKind::input, {"was made from other objects"});
}

TEST(Tasks, LinearizeANetworkForAProgram) {
  Sample sample;
  const std::string network = std::string(CAIRN_TEST_DATA) + "/networks/network.npz", csv = sample.folder.file("p.csv");
  const std::string points = sample.folder.file("five.csv");
  if (world().is_root()) {
    std::ofstream file(points);
    for (Index i = 0; i < n; ++i) {
      for (Index k = 0; k < 5; ++k) file << (k > 0 ? "," : "") << coordinate(i, k % 2) + 0.1 * static_cast<double>(k);
      file << '\n';
    }
  }
  world().barrier();
  const TaskReport report = run_task(sample.session, "linearize", {network}, {{"tuning", "none"}, {"speed-rows", 0}},
                                     {.output = {sample.model, "the model"},
                                      .points = {{"path", points}},
                                      .method = {{"features", 60}, {"degree", 6}}});
  const Metric* rows = metric_of(report.metrics, "points");
  ASSERT_NE(rows, nullptr);
  EXPECT_EQ(std::get<Index>(rows->value()), n);
  const TaskReport predicted =
      predict(sample.session, sample.model, {csv, "the output"}, {.points = {{"path", points}}});
  EXPECT_EQ(std::get<Index>(metric_of(predicted.metrics, "rows")->value()), n);
  expect_error(
      [&] {
        (void)predict(sample.session, sample.model, {csv, "the output"});
      },
      ErrorKind::usage, {"takes points with 5 coordinates"});
}

}  // namespace
}  // namespace cairn::test::tasks_test
