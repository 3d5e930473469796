#include "cairn/store/files/process_file.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <limits>

#include "cairn/store/files/classifier_file.hpp"
#include "cairn/store/files/model_file.hpp"
#include "expected_errors.hpp"
#include "sample_result.hpp"

namespace cairn::process_file_test {
namespace {

using test::world;

ProcessFile sample_process() {
  ProcessFile file;
  file.task = "gp";
  file.processes = {
      {.target = "höhe",
       .mean = -3.0,
       .scale = 2.0,
       .sigma = 1.5,
       .noise = 0.25,
       .length = 7.0,
       .log_likelihood = -146.4},
      {.target = "y", .mean = 1e9, .scale = 1e-3, .sigma = 1e-4, .noise = 1e-3, .length = 0.1, .log_likelihood = 12.0}};
  file.rows = {0, 2, Index{1} << 40};
  file.columns = 4;
  for (Index e = 0; e < 12; ++e) file.features.push_back(test::sample_value(1, e, 0));
  for (Index e = 0; e < 6; ++e) file.values.push_back(test::sample_value(2, e, 0));
  file.basis_digest = 0xfedcba9876543210U;
  file.result = "/data/r.h5";
  file.method = "nystrom";
  file.similarity = "rbf";
  file.similarity_parameters = {{"gamma", "0.25"}};
  file.scores = {{{"höhe", "train", 7, 0.75, 1.0, 2.0}, 0.95, 4.5},
                 {{"y", "held-out", 3, std::nullopt, 3.0, 4.0}, 1.0, 0.5}};
  file.warnings = {"one", "two"};
  file.provenance = {{"seed", "7"}, {"date", "today"}};
  return file;
}

TEST(ProcessFiles, AreReadAsTheyWereWritten) {
  const test::TemporaryFolder folder;
  test::Context context;
  const ProcessFile written = sample_process();
  write_process(context.execution, folder.file("m.h5"), written);
  EXPECT_THAT(folder.names(), testing::ElementsAre("m.h5"));
  EXPECT_TRUE(is_model_file(world(), folder.file("m.h5")));
  EXPECT_EQ("gp", read_model_task(world(), folder.file("m.h5")));
  const ProcessFile read = read_process(world(), folder.file("m.h5"));
  EXPECT_EQ(std::tuple(read.task, read.rows, read.columns, read.features, read.values),
            std::tuple(written.task, written.rows, written.columns, written.features, written.values));
  ASSERT_EQ(read.processes.size(), 2U);
  for (std::size_t p = 0; p < 2; ++p) {
    const StoredProcess &a = read.processes[p], &b = written.processes[p];
    EXPECT_EQ(std::tuple(a.target, a.mean, a.scale, a.sigma, a.noise, a.length, a.log_likelihood),
              std::tuple(b.target, b.mean, b.scale, b.sigma, b.noise, b.length, b.log_likelihood));
  }
  EXPECT_EQ(std::tuple(read.basis_digest, read.result, read.method, read.similarity, read.similarity_parameters),
            std::tuple(written.basis_digest, written.result, written.method, written.similarity,
                       written.similarity_parameters));
  ASSERT_EQ(read.scores.size(), 2U);
  EXPECT_EQ(std::tuple("höhe", "train", 7, 0.75, 0.95, 4.5),
            std::tuple(read.scores[0].score.target, read.scores[0].score.on, read.scores[0].score.rows,
                       read.scores[0].score.r_squared, read.scores[0].coverage, read.scores[0].mean_width));
  EXPECT_EQ(
      std::tuple(std::nullopt, 3.0, 4.0, 1.0, 0.5),
      std::tuple(read.scores[1].score.r_squared, read.scores[1].score.mean_absolute_error,
                 read.scores[1].score.root_mean_squared_error, read.scores[1].coverage, read.scores[1].mean_width));
  EXPECT_EQ(std::tuple(written.warnings, written.provenance), std::tuple(read.warnings, read.provenance));
}

TEST(ProcessFiles, UnsoundOnesAreRefused) {
  const test::TemporaryFolder folder;
  test::Context context;
  int number = 0;
  const auto refused = [&](const std::string& text, const std::function<void(ProcessFile&)>& spoil) {
    ProcessFile file = sample_process();
    spoil(file);
    const std::string path = folder.file(std::to_string(number++) + ".h5");
    write_process(context.execution, path, file);
    test::expect_error([&] { static_cast<void>(read_process(world(), path)); }, ErrorKind::input, {text.c_str()});
  };
  refused("/features holds nan", [](auto& f) { f.features[3] = std::numeric_limits<double>::quiet_NaN(); });
  refused("/training_targets holds inf", [](auto& f) { f.values[0] = std::numeric_limits<double>::infinity(); });
  refused("/processes/noise holds 0", [](auto& f) { f.processes[1].noise = 0.0; });
  refused("/processes/length holds -1", [](auto& f) { f.processes[0].length = -1.0; });
  refused("/processes/mean holds nan", [](auto& f) { f.processes[0].mean = std::numeric_limits<double>::quiet_NaN(); });
  refused("it has no targets", [](auto& f) {
    f.processes.clear();
    f.values.clear();
  });
  refused("it has fewer than two training rows", [](auto& f) {
    f.rows.resize(1);
    f.features.resize(4);
    f.values.resize(2);
  });
  write_process(context.execution, folder.file("gp.h5"), sample_process());
  test::expect_error([&] { static_cast<void>(read_model(world(), folder.file("gp.h5"))); }, ErrorKind::input,
                     {"its task is 'gp', which has no targets"});
  test::expect_error([&] { static_cast<void>(read_classifier(world(), folder.file("gp.h5"))); }, ErrorKind::input,
                     {"its task is 'gp', which has no classes"});
  ModelFile values;
  values.task = "krr";
  values.targets = {"y"};
  values.models.resize(1);
  values.models.front().columns = 1;
  values.models.front().coefficients = {1.0};
  write_model(context.execution, folder.file("krr.h5"), values);
  test::expect_error([&] { static_cast<void>(read_process(world(), folder.file("krr.h5"))); }, ErrorKind::input,
                     {"its task is 'krr', which has no Gaussian processes"});
}

}  // namespace
}  // namespace cairn::process_file_test
