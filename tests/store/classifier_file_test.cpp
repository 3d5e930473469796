#include "cairn/store/files/classifier_file.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <limits>

#include "cairn/store/files/model_file.hpp"
#include "expected_errors.hpp"
#include "sample_result.hpp"

namespace cairn::classifier_file_test {
namespace {

using test::world;

ClassifierFile sample_classifier() {
  ClassifierFile file;
  file.task = "svm";
  file.classes = {"blau", "größer"};
  file.labels = {"blau", "größer", "anders"};
  file.columns = 4;
  for (Index k = 0; k < 2 * file.columns; ++k) file.coefficients.push_back(test::sample_value(1, k, 0));
  file.intercepts = {-0.5, 0.5};
  file.basis_digest = 0xfedcba9876543210U;
  file.result = "/data/r.h5";
  file.method = "sms-nystrom";
  file.similarity = "rbf";
  file.similarity_parameters = {{"gamma", "0.25"}};
  file.loss = "hinge";
  file.cost = 10.0;
  file.bias = 1.0;
  file.training_rows = Index{1} << 40;
  file.folds = 5;
  file.candidates = {{"/data/r.h5", 1.0, 0.5, 0.4}, {"/data/r.h5", 10.0, 0.75, 0.7}};
  file.scores = {{"cross-validation", 0.75, 0.7, {3, 1, 0, 0, 0, 0, 0, 0, 0}},
                 {"test", 0.5, 0.25, {1, 2, 3, 4, 5, 6, 7, 8, 9}}};
  file.warnings = {"one", "two"};
  file.provenance = {{"seed", "7"}, {"date", "today"}};
  return file;
}

TEST(ClassifierFiles, AreReadAsTheyWereWritten) {
  const test::TemporaryFolder folder;
  test::Context context;
  const ClassifierFile written = sample_classifier();
  write_classifier(context.execution, folder.file("m.h5"), written);
  EXPECT_THAT(folder.names(), testing::ElementsAre("m.h5"));
  EXPECT_TRUE(is_model_file(world(), folder.file("m.h5")));
  EXPECT_EQ("svm", read_model_task(world(), folder.file("m.h5")));
  const ClassifierFile read = read_classifier(world(), folder.file("m.h5"));
  EXPECT_EQ(std::tuple(read.task, read.classes, read.labels),
            std::tuple(written.task, written.classes, written.labels));
  EXPECT_EQ(std::tuple(read.columns, read.coefficients, read.intercepts),
            std::tuple(written.columns, written.coefficients, written.intercepts));
  EXPECT_EQ(std::tuple(read.basis_digest, read.result, read.method, read.similarity, read.similarity_parameters),
            std::tuple(written.basis_digest, written.result, written.method, written.similarity,
                       written.similarity_parameters));
  EXPECT_EQ(std::tuple(read.loss, read.cost, read.bias, read.training_rows, read.folds),
            std::tuple(written.loss, written.cost, written.bias, written.training_rows, written.folds));
  ASSERT_EQ(2U, read.candidates.size());
  EXPECT_EQ(std::tuple("/data/r.h5", 10.0, 0.75, 0.7),
            std::tuple(read.candidates[1].result, read.candidates[1].cost, read.candidates[1].accuracy,
                       read.candidates[1].macro_f1));
  ASSERT_EQ(2U, read.scores.size());
  EXPECT_EQ(std::tuple("test", 0.5, 0.25),
            std::tuple(read.scores[1].on, read.scores[1].accuracy, read.scores[1].macro_f1));
  EXPECT_EQ(written.scores[1].confusion, read.scores[1].confusion);
  EXPECT_EQ(45, read.scores[1].rows());
  EXPECT_EQ(std::tuple(written.warnings, written.provenance), std::tuple(read.warnings, read.provenance));
}

ClassifierFile sample_neighbors() {
  ClassifierFile file = sample_classifier();
  file.task = "knn";
  file.coefficients.clear();
  file.intercepts.clear();
  file.neighbors = {3, true, {1, 4, Index{1} << 40}, {1, 0, 1}};
  return file;
}

TEST(ClassifierFiles, HoldNeighborsInPlaceOfPlanes) {
  const test::TemporaryFolder folder;
  test::Context context;
  write_classifier(context.execution, folder.file("m.h5"), sample_neighbors());
  const ClassifierFile read = read_classifier(world(), folder.file("m.h5"));
  ASSERT_TRUE(read.neighbors);
  const StoredNeighbors expected = *sample_neighbors().neighbors;
  EXPECT_EQ(std::tuple(expected.k, expected.by_distance, expected.rows, expected.classes),
            std::tuple(read.neighbors->k, read.neighbors->by_distance, read.neighbors->rows, read.neighbors->classes));
  EXPECT_EQ(std::tuple(Index{4}, std::size_t{0}), std::tuple(read.columns, read.coefficients.size()));
  int number = 0;
  const auto refused = [&](const std::string& text, const std::function<void(StoredNeighbors&)>& spoil) {
    ClassifierFile file = sample_neighbors();
    spoil(*file.neighbors);
    const std::string path = folder.file(std::to_string(number++) + ".h5");
    write_classifier(context.execution, path, file);
    test::expect_error([&] { static_cast<void>(read_classifier(world(), path)); }, ErrorKind::input, {text.c_str()});
  };
  refused("/neighbors does not hold rows with a class each", [](auto& n) { n.classes.pop_back(); });
  refused("/neighbors does not hold rows with a class each", [](auto& n) { n.k = 0; });
  refused("/neighbors/rows do not ascend", [](auto& n) { n.rows[1] = 1; });
  refused("/neighbors/classes holds 2", [](auto& n) { n.classes[0] = 2; });
}

TEST(ClassifierFiles, UnsoundOnesAreRefused) {
  const test::TemporaryFolder folder;
  test::Context context;
  int number = 0;
  const auto refused = [&](const std::string& text, const std::function<void(ClassifierFile&)>& spoil) {
    ClassifierFile file = sample_classifier();
    spoil(file);
    const std::string path = folder.file(std::to_string(number++) + ".h5");
    write_classifier(context.execution, path, file);
    test::expect_error([&] { static_cast<void>(read_classifier(world(), path)); }, ErrorKind::input, {text.c_str()});
  };
  refused("a coefficient is nan", [](auto& f) { f.coefficients[3] = std::numeric_limits<double>::quiet_NaN(); });
  refused("a coefficient is inf", [](auto& f) { f.intercepts[1] = std::numeric_limits<double>::infinity(); });
  refused("/intercepts is not one number a class", [](auto& f) { f.intercepts.push_back(1); });
  refused("/labels does not begin with /classes", [](auto& f) { std::swap(f.labels[0], f.labels[2]); });
  refused("a label is a duplicate", [](auto& f) { f.labels[2] = f.labels[0]; });
  refused("the lists in /scores", [](auto& f) { f.scores[0].confusion.pop_back(); });
  refused("/scores/confusion holds -1", [](auto& f) { f.scores[0].confusion[2] = -1; });
  refused("it has fewer than two classes", [](auto& f) {
    f.classes.pop_back();
    f.coefficients.resize(4);
  });
  ModelFile values;
  values.task = "krr";
  values.targets = {"y"};
  values.models.resize(1);
  values.models.front().columns = 1;
  values.models.front().coefficients = {1.0};
  write_model(context.execution, folder.file("krr.h5"), values);
  test::expect_error([&] { static_cast<void>(read_classifier(world(), folder.file("krr.h5"))); }, ErrorKind::input,
                     {"its task is 'krr', which has no classes"});
  write_classifier(context.execution, folder.file("svm.h5"), sample_classifier());
  test::expect_error([&] { static_cast<void>(read_model(world(), folder.file("svm.h5"))); }, ErrorKind::input,
                     {"its task is 'svm', which has no targets"});
}

}  // namespace
}  // namespace cairn::classifier_file_test
