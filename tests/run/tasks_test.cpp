// Tasks by their names, on results that a program has saved.
#include <gtest/gtest.h>

#include <fstream>

#include "cairn/store/files/classifier_file.hpp"
#include "cairn/store/files/model_file.hpp"
#include "expected_errors.hpp"
#include "handed_points.hpp"
#include "store/sample_result.hpp"

namespace cairn::test {
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

const Figure* figure_of(const Figure::Record& record, const std::string& name) {
  for (const auto& [key, figure] : record) {
    if (key == name) return &figure;
  }
  return nullptr;
}

TEST(Tasks, LearnValuesAndTellOfThemAsTheyGo) {
  const Sample sample;
  ReportText told;
  const TaskReport report =
      run_task(sample.session, "krr", {sample.result},
               {{"targets", sample.folder.file("y.csv")}, {"lambda", "0.01,1"}, {"train-fraction", 0.7}},
               {.model = sample.model, .tell = [&](const ReportText& text) { told.add(text); }});
  EXPECT_EQ(told.parts().size(), report.text.parts().size());
  const ModelFile model = read_model(world(), sample.model);
  ASSERT_EQ(model.models.size(), 1);
  EXPECT_GT(model.models.front().scores.back().r_squared.value(), 0.9);
  ASSERT_NE(figure_of(report.figures, "training_rows"), nullptr);
  EXPECT_EQ(std::get<Index>(figure_of(report.figures, "training_rows")->value()), model.training_rows);
}

TEST(Tasks, LearnClassesThroughFactorsAndOnTheMatrixItself) {
  const Sample sample;
  const TaskReport linear = run_task(sample.session, "svm", {sample.result}, {{"cost", 1}}, {.model = sample.model});
  EXPECT_GT(read_classifier(world(), sample.model).scores.back().accuracy, 0.9);
  EXPECT_NE(figure_of(linear.figures, "repeats"), nullptr);
  const TaskReport exact =
      run_task(sample.session, "kernel-svm", {sample.result}, *sample.kernel, {{"cost", 1}, {"train-fraction", 0.5}});
  EXPECT_EQ(std::get<Index>(figure_of(exact.figures, "evaluations")->value()), n * n);
}

TEST(Tasks, NameTheParametersOfAProgram) {
  const Sample sample;
  const auto run = [&](const std::string& task, const GivenValues& given) {
    static_cast<void>(run_task(sample.session, task, {sample.result}, given, {.model = sample.model}));
  };
  expect_error([&] { run("svn", {}); }, ErrorKind::usage, {"no task is called 'svn'; did you mean 'svm'?"});
  expect_error(
      [&] {
        run("svm", {{"cost", 0}});
      },
      ErrorKind::usage, {"parameter cost 0: each must be a number above 0"});
  expect_error([&] { run("krr", {}); }, ErrorKind::usage, {"parameter lambda is missing"});
  expect_error([&] { run("kernel-svm", {}); }, ErrorKind::usage, {"the task kernel-svm needs the matrix itself"});
  expect_error([&] { run("krr", {{"lambda", 1}}); }, ErrorKind::input, {"give parameter targets FILE"});
  const auto others = read_points(sample.session, sample.folder.file("y.csv"));
  const auto other = similarity(sample.session, "rbf", {{"gamma", 0.5}}, others);
  expect_error([&] { static_cast<void>(run_task(sample.session, "kernel-svm", {sample.result}, other)); },
               ErrorKind::input, {"was made from other objects"});
}

}  // namespace
}  // namespace cairn::test
