#include "cairn/store/files/model_file.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

#include "cairn/base/error.hpp"
#include "cairn/data/points/point_set.hpp"
#include "sample_result.hpp"

namespace cairn::model_file_test {
namespace {

using test::world;

ModelFile sample_model(std::size_t models) {
  ModelFile file;
  file.task = "krr";
  file.targets = {"höhe", "y"};
  file.training_rows = Index{1} << 40;
  for (std::size_t m = 0; m < models; ++m) {
    StoredModel model;
    model.lambda = 0.5 + static_cast<double>(m);
    model.columns = 3 + static_cast<Index>(m);
    for (Index k = 0; k < 2 * model.columns; ++k) model.coefficients.push_back(test::sample_value(m, k, 0));
    if (m % 2 == 1) model.intercepts = {0.25, -3.0};  // the first one is as files of earlier versions have it
    model.basis_digest = 0xfedcba9876543210U + m;
    model.result = "/data/r.h5";
    model.method = "nystrom";
    model.similarity = "rbf";
    model.similarity_parameters = {{"gamma", "0.25"}};
    model.smallest_eigenvalue = -1.5;
    model.largest_eigenvalue = 99.0;
    model.condition = 7.0;
    model.lambdas = {0.5, 1.5};
    model.scores = {{"höhe", "train", 7, 0.75, 1.0, 2.0}, {"y", "held-out", 3, std::nullopt, 3.0, 4.0}};
    model.warnings = {"indefinite"};
    file.models.push_back(std::move(model));
  }
  file.scores = {{"y", "train", 7, 0.5, 1.0, 2.0}};
  file.provenance = {{"seed", "7"}, {"date", "today"}};
  return file;
}

void expect_input_error(const std::string& path, const std::string& text) {
  try {
    static_cast<void>(read_model(world(), path));
    ADD_FAILURE() << "no error: " << text;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_THAT(error.what(), testing::HasSubstr(text));
  }
}

TEST(ModelFiles, AreReadAsTheyWereWritten) {
  const test::TemporaryFolder folder;
  test::Context context;
  const ModelFile written = sample_model(12);  // "10" is before "2" in the alphabet
  write_model(context.execution, folder.file("m.h5"), written);
  EXPECT_THAT(folder.names(), testing::ElementsAre("m.h5"));
  EXPECT_TRUE(is_model_file(world(), folder.file("m.h5")));
  const ModelFile read = read_model(world(), folder.file("m.h5"));
  EXPECT_EQ(read.task, written.task);
  EXPECT_EQ(read.targets, written.targets);
  EXPECT_EQ(read.training_rows, written.training_rows);
  EXPECT_EQ(read.provenance, written.provenance);
  ASSERT_EQ(read.models.size(), written.models.size());
  for (std::size_t m = 0; m < read.models.size(); ++m) {
    const StoredModel &a = read.models[m], &b = written.models[m];
    EXPECT_EQ(a.lambda, b.lambda);
    EXPECT_EQ(a.columns, b.columns);
    EXPECT_EQ(a.coefficients, b.coefficients);
    EXPECT_EQ(a.intercepts, b.intercepts);
    EXPECT_EQ(a.basis_digest, b.basis_digest);
    EXPECT_EQ(a.similarity_parameters, b.similarity_parameters);
    EXPECT_EQ(a.lambdas, b.lambdas);
    EXPECT_EQ(a.warnings, b.warnings);
    EXPECT_EQ(std::tuple(a.result, a.method, a.similarity), std::tuple(b.result, b.method, b.similarity));
    EXPECT_EQ(std::tuple(a.smallest_eigenvalue, a.largest_eigenvalue, a.condition),
              std::tuple(b.smallest_eigenvalue, b.largest_eigenvalue, b.condition));
    ASSERT_EQ(a.scores.size(), 2U);
    EXPECT_EQ(a.scores[0].r_squared, 0.75);
    EXPECT_EQ(a.scores[1].r_squared, std::nullopt);
    EXPECT_EQ(std::tuple(a.scores[1].target, a.scores[1].on, a.scores[1].rows), std::tuple("y", "held-out", 3));
    EXPECT_EQ(std::tuple(a.scores[1].mean_absolute_error, a.scores[1].root_mean_squared_error), std::tuple(3.0, 4.0));
  }
  EXPECT_EQ(read.scores.size(), 1U);
}

// A model on K itself, with 3 centers.
ModelFile sample_of_centers(bool points) {
  ModelFile file = sample_model(1);
  file.models[0].smallest_eigenvalue = file.models[0].largest_eigenvalue = file.models[0].condition = 0.0;
  file.centers = {.way = "full",
                  .rows = {2, 3, Index{1} << 40},
                  .precision = "single",
                  .residual = 1e-7,
                  .iterations = 9,
                  .preconditioner = 4};
  if (!points) return file;
  file.centers->points = KnownPoints{.scaling = {"standard", {1.0, 2.0}, {3.0, 4.0}}, .dimension = 2};
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  file.centers->objects = make_point_block<float>(file.centers->rows, 2, values);
  return file;
}

TEST(ModelFiles, HoldCentersOfAModelOnKItself) {
  const test::TemporaryFolder folder;
  test::Context context;
  for (const bool points : {true, false}) {
    const ModelFile written = sample_of_centers(points);
    write_model(context.execution, folder.file("m.h5"), written);
    const ModelFile read = read_model(world(), folder.file("m.h5"));
    ASSERT_TRUE(read.centers);
    const StoredCenters& centers = *read.centers;
    EXPECT_EQ(std::tuple(centers.way, centers.rows, centers.precision, centers.residual),
              std::tuple("full", written.centers->rows, "single", 1e-7));
    EXPECT_EQ(std::tuple(centers.iterations, centers.preconditioner), std::tuple(9, 4));
    EXPECT_EQ(centers.points.has_value(), points);
    EXPECT_EQ(read.models[0].coefficients, written.models[0].coefficients);
    if (!points) continue;
    EXPECT_EQ(centers.points->scaling.factor, (std::vector<double>{3.0, 4.0}));
    EXPECT_EQ(centers.points->dimension, 2);
    const auto& block = dynamic_cast<const PointBlock<float>&>(*centers.objects);
    EXPECT_EQ(block.coordinates(2, 1), 6.0F);
  }
  EXPECT_FALSE([&] {
    write_model(context.execution, folder.file("f.h5"), sample_model(1));
    return read_model(world(), folder.file("f.h5")).centers.has_value();
  }());
}

TEST(ModelFiles, HoldVariances) {
  const test::TemporaryFolder folder;
  test::Context context;
  ModelFile model = sample_of_centers(true);
  const StoredVariances written{.rank = 2,
                                .root = {1, 2, 3, 4, 5, 6},
                                .scales = {0.5, 2.0},
                                .log_likelihoods = {-7.5, 3.0},
                                .scores = {{{"y", "held-out", 3, 0.25, 3.0, 4.0}, 0.95, 1.5, -0.5, 0.125}}};
  model.centers->variances = written;
  write_model(context.execution, folder.file("m.h5"), model);
  const ModelFile file = read_model(world(), folder.file("m.h5"));
  ASSERT_TRUE(file.centers && file.centers->variances);
  const StoredVariances& read = *file.centers->variances;
  EXPECT_EQ(std::tie(read.rank, read.root, read.scales, read.log_likelihoods),
            std::tie(written.rank, written.root, written.scales, written.log_likelihoods));
  ASSERT_EQ(read.scores.size(), 1U);
  EXPECT_EQ(read.scores.front().score.on, "held-out");
  EXPECT_EQ(std::tuple(read.scores.front().coverage, read.scores.front().crps), std::tuple(0.95, std::optional(0.125)));
  model.centers->variances->scales = {0.5, -2.0};
  write_model(context.execution, folder.file("n.h5"), model);
  expect_input_error(folder.file("n.h5"), "/centers/variances has no positive scale and likelihood for each target");
  model.centers->variances = written;
  model.centers->variances->root[3] = NAN;
  write_model(context.execution, folder.file("o.h5"), model);
  expect_input_error(folder.file("o.h5"), "/centers/variances/root holds numbers that are not finite");
}

TEST(ModelFiles, UnsoundCentersAreRefused) {
  const test::TemporaryFolder folder;
  test::Context context;
  for (const std::vector<Index>& rows : {std::vector<Index>{2, 3}, {2, 2, 3}, {-1, 2, 3}}) {
    ModelFile model = sample_of_centers(false);
    model.centers->rows = rows;
    write_model(context.execution, folder.file("m.h5"), model);
    expect_input_error(folder.file("m.h5"), "/centers/rows is not an ascending row number for each coefficient");
  }
  ModelFile model = sample_of_centers(true);
  model.centers->objects = make_point_block<float>({0, 1}, 2, std::vector<float>{1, 2, 3, 4});
  write_model(context.execution, folder.file("few.h5"), model);
  expect_input_error(folder.file("few.h5"), "/centers/objects");
  model = sample_of_centers(true);
  model.centers->precision = "double";
  write_model(context.execution, folder.file("type.h5"), model);
  expect_input_error(folder.file("type.h5"), "/centers/objects");
}

TEST(ModelFiles, UnsoundOnesAreRefused) {
  const test::TemporaryFolder folder;
  test::Context context;
  ModelFile model = sample_model(1);
  model.models[0].coefficients[2] = std::numeric_limits<double>::quiet_NaN();
  write_model(context.execution, folder.file("nan.h5"), model);
  expect_input_error(folder.file("nan.h5"), "/model/0/coefficients holds nan");
  for (const std::vector<double>& intercepts : {std::vector<double>{1.0}, {1.0, INFINITY}}) {
    model = sample_model(1);
    model.models[0].intercepts = intercepts;
    write_model(context.execution, folder.file("i.h5"), model);
    expect_input_error(folder.file("i.h5"), "/model/0/intercepts is not a finite number for each target");
  }
  model = sample_model(1);
  model.targets = {"one", "two", "three"};
  model.models[0].coefficients.resize(9);
  write_model(context.execution, folder.file("m.h5"), model);
  EXPECT_EQ(read_model(world(), folder.file("m.h5")).models[0].coefficients.size(), 9U);
  test::write_sample<double>({}, folder.file("r.h5"));
  expect_input_error(folder.file("r.h5"), "no model of cairn train");
  EXPECT_FALSE(is_model_file(world(), folder.file("r.h5")));
  expect_input_error(folder.file("none.h5"), "cannot open");
  if (world().is_root()) std::ofstream(folder.file("text.h5")) << "text";
  world().barrier();
  expect_input_error(folder.file("text.h5"), "it is not an HDF5 file");
}

}  // namespace
}  // namespace cairn::model_file_test
