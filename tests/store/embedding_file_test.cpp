#include "cairn/store/files/embedding_file.hpp"

#include <gmock/gmock.h>

#include "cairn/data/points/point_reader.hpp"
#include "edited_file.hpp"

namespace cairn::test::embedding_file_test {
namespace {

constexpr Index rows = 70, dimension = 3;

EmbeddingDescription description() {
  return {.method = "classical-scaling",
          .object_kind = "graph",
          .data_digest = 0xfedcba9876543210,
          .eigenvalues = {5.0, 3.0, 1.0},
          .residuals = {1e-14, 2e-14, 3e-14},
          .metrics = {{"stress", 0.25}, {"trace", 10.0}},
          .provenance = {{"config", "[data]\nkind = graph\n"}, {"seed", "7"}},
          .phases = {{.name = "eigenvalues", .seconds = 1.5}}};
}

void write(const std::string& path, bool labelled) {
  Context context;
  const auto coordinates = sample_rows<double>(9, rows, dimension);
  std::vector<std::string> labels;
  for (Index i = coordinates.range().begin; labelled && i < coordinates.range().end; ++i)
    labels.push_back("é" + std::to_string(i));
  write_embedding(context.execution, path, coordinates, description(), labels);
}

TEST(EmbeddingFile, TellsWhatWasWritten) {
  const TemporaryFolder folder;
  const std::string path = folder.file("y.h5");
  for (const bool labelled : {false, true}) {
    write(path, labelled);
    EXPECT_TRUE(is_embedding(world(), path));
    const StoredEmbedding stored = read_embedding_description(world(), path);
    EXPECT_EQ(stored.rows, rows);
    EXPECT_EQ(stored.dimension, dimension);
    EXPECT_EQ(stored.has_labels, labelled);
    const EmbeddingDescription expected = description();
    EXPECT_EQ(stored.description.method, expected.method);
    EXPECT_EQ(stored.description.object_kind, expected.object_kind);
    EXPECT_EQ(stored.description.data_digest, expected.data_digest);
    EXPECT_EQ(stored.description.eigenvalues, expected.eigenvalues);
    EXPECT_EQ(stored.description.residuals, expected.residuals);
    EXPECT_EQ(stored.description.metrics, expected.metrics);
    EXPECT_EQ(stored.description.provenance, expected.provenance);
    ASSERT_EQ(stored.description.phases.size(), 1u);
    EXPECT_EQ(stored.description.phases.front().seconds, 1.5);
  }
}

TEST(EmbeddingFile, IsReadAsPoints) {
  const TemporaryFolder folder;
  const std::string path = folder.file("y.h5");
  write(path, true);
  const PointSet<double> points = read_points<double>(world(), {.path = path});
  EXPECT_EQ(points.dimension(), dimension);
  const auto expected = sample_rows<double>(9, rows, dimension);
  for (Index i = expected.range().begin; i < expected.range().end; ++i) {
    EXPECT_THAT(points.coordinates().row(i), testing::ElementsAreArray(expected.row(i)));
    EXPECT_EQ(points.labels()[i - expected.range().begin], "é" + std::to_string(i));
  }
}

void expect_refused(const std::string& path, const std::string& reason) {
  try {
    static_cast<void>(read_embedding_description(world(), path));
    ADD_FAILURE() << "nothing was thrown, expected: " << reason;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr(reason), testing::HasSubstr(path)));
  }
}

TEST(EmbeddingFile, IsRefusedWhereItsPartsDoNotAgree) {
  const TemporaryFolder folder;
  const std::string path = folder.file("y.h5");
  const auto spoilt = [&](const std::string& reason, const std::function<void(hid_t)>& change) {
    write(path, true);
    edit(path, change);
    expect_refused(path, reason);
  };
  spoilt("format version 2", [](hid_t file) { set_index(file, "/", "format_version", 2); });
  spoilt("format version is 0", [](hid_t file) { set_index(file, "/", "format_version", 0); });
  spoilt("no embedding of cairn", [](hid_t file) { set_text(file, "/", "format", "other"); });
  spoilt("one number a coordinate", [](hid_t file) { replace(file, "eigenvalues", {4}); });
  spoilt("one number a coordinate", [](hid_t file) { replace(file, "residuals", {2}); });
  spoilt("matrix of float64", [](hid_t file) { replace(file, "embedding", {rows}); });
  spoilt("matrix of float64", [](hid_t file) { replace(file, "embedding", {rows, 3}, H5T_IEEE_F32LE); });
  spoilt("one text a row", [](hid_t file) { replace(file, "embedding", {rows - 1, 3}); });
  spoilt("not as many values as names", [](hid_t file) { replace(file, "report/values", {3}); });
  expect_refused(folder.file("missing.h5"), "No such file");
}

TEST(EmbeddingFile, AResultIsNone) {
  const TemporaryFolder folder;
  write_sample<double>({}, folder.file("r.h5"));
  EXPECT_FALSE(is_embedding(world(), folder.file("r.h5")));
  expect_refused(folder.file("r.h5"), "no embedding of cairn");
}

}  // namespace
}  // namespace cairn::test::embedding_file_test
