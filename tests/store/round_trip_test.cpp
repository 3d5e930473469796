// What is written is what is read, on any number of ranks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>

#include "cairn/approximation/random_features/fourier_features.hpp"
#include "cairn/approximation/random_features/sketch_features.hpp"
#include "cairn/store/hdf5/result_layout.hpp"
#include "sample_result.hpp"

namespace cairn::test::round_trip_test {
namespace {

// The same on every rank: the number of entries, over all ranks, that are not the sample's.
template <class T>
Index differences(const RowBlock<T>& rows, std::uint64_t what) {
  Index wrong = 0;
  for (Index i = rows.range().begin; i < rows.range().end; ++i)
    for (Index j = 0; j < rows.columns(); ++j)
      if (rows.row(i)[j] != static_cast<T>(sample_value(what, i, j))) ++wrong;
  return world().sum(wrong);
}

Index differences(const BlockCyclicMatrix& matrix, std::uint64_t what) {
  Index wrong = 0;
  for (Index j = 0; j < matrix.local_columns(); ++j)
    for (Index i = 0; i < matrix.local_rows(); ++i)
      if (matrix.local(i, j) != sample_value(what, matrix.global_row(i), matrix.global_column(j))) ++wrong;
  return world().sum(wrong);
}

template <class T>
void expect_origin(const FactorOrigin& read, const FactorOrigin& written, std::uint64_t what) {
  EXPECT_EQ(read.indices, written.indices);
  EXPECT_EQ(read.objects->ids, written.indices);
  const auto* points = dynamic_cast<const PointBlock<T>*>(read.objects.get());
  ASSERT_NE(points, nullptr);
  for (Index i = 0; i < points->coordinates.rows; ++i)
    for (Index j = 0; j < points->coordinates.columns; ++j)
      EXPECT_EQ(points->coordinates(i, j), static_cast<T>(sample_value(what + 1, i, j)));
  ASSERT_EQ(read.map != nullptr, written.map != nullptr);
  if (!read.map) return;
  EXPECT_EQ(read.map->rows(), written.map->rows());
  EXPECT_EQ(read.map->columns(), written.map->columns());
  EXPECT_EQ(differences(*read.map, what + 2), 0);
}

template <class T>
void expect_core(const CoreMatrix& read, const CoreMatrix& written) {
  ASSERT_EQ(read.index(), written.index());
  EXPECT_EQ(core_matrix_rows(read), core_matrix_rows(written));
  EXPECT_EQ(core_matrix_columns(read), core_matrix_columns(written));
  if (const auto* diagonal = std::get_if<DiagonalCore>(&read)) {
    EXPECT_EQ(diagonal->values, std::get<DiagonalCore>(written).values);
  }
  if (const auto* dense = std::get_if<DenseCore>(&read)) EXPECT_EQ(differences(dense->matrix, 3), 0);
}

template <class T>
void expect_round_trip(const SampleShape& shape, const std::string& path) {
  write_sample<T>(shape, path);
  const Approximation<T> written = sample_approximation<T>(shape);
  const StoredResult<T> read = read_result<T>(world(), path);
  const Approximation<T>& approximation = read.approximation;
  EXPECT_EQ(approximation.left.rows(), shape.rows);
  EXPECT_EQ(approximation.left.columns(), shape.left_columns);
  EXPECT_EQ(differences(approximation.left.dense(), 1), 0);
  expect_core<T>(approximation.core_matrix, written.core_matrix);
  ASSERT_EQ(approximation.right.has_value(), shape.right);
  if (shape.right) {
    EXPECT_EQ(approximation.right->columns(), written.right->columns());
    EXPECT_EQ(differences(approximation.right->dense(), 2), 0);
  }
  EXPECT_EQ(approximation.symmetric, written.symmetric);
  ASSERT_TRUE(approximation.left_origin);
  expect_origin<T>(*approximation.left_origin, *written.left_origin, 10);
  ASSERT_EQ(approximation.right_origin.has_value(), shape.right);
  if (shape.right) expect_origin<T>(*approximation.right_origin, *written.right_origin, 20);
  EXPECT_EQ(read.labels, sample_labels(shape.rows));
}

TEST(RoundTrip, KeepsEveryCoreLayoutInBothPrecisions) {
  const TemporaryFolder folder;
  for (const Layout layout : {Layout::identity, Layout::diagonal, Layout::dense}) {
    for (const bool right : {false, true}) {
      for (const bool maps : {false, true}) {
        expect_round_trip<double>({.layout = layout, .right = right, .maps = maps}, folder.file("double.h5"));
        expect_round_trip<float>({.layout = layout, .right = right, .maps = maps}, folder.file("single.h5"));
      }
    }
  }
}

// Whole columns of path lengths, up to the largest integer of their width.
template <class T, class N>
void expect_integers(const std::string& path) {
  const auto integer = [](Index i, Index j) { return static_cast<N>(~(i * 977 + j)); };
  const auto rows_of = [&](Index rows, Index columns) {
    RowBlock<N> block(RowPartition(rows, world().size()), world().rank(), columns);
    for (Index i = block.range().begin; i < block.range().end; ++i)
      for (Index j = 0; j < columns; ++j) block.row(i)[j] = integer(i, j);
    return block;
  };
  const SampleShape shape;
  Approximation<T> approximation = sample_approximation<T>(shape);
  approximation.left = TallMatrix<T>(rows_of(shape.rows, shape.left_columns));
  approximation.right = TallMatrix<T>(rows_of(shape.rows, shape.right_columns));
  Context context;
  write_result(context.execution, path, approximation, sample_description(precision_name<T>(), shape.dimension),
               sample_labels(shape.rows));
  const ResultShape stored = read_result_shape(world(), path);
  EXPECT_EQ(stored.format_version, layout::integral_format_version);
  EXPECT_EQ(stored.left_integer_bytes, static_cast<Index>(sizeof(N)));
  EXPECT_EQ(stored.right_integer_bytes, static_cast<Index>(sizeof(N)));
  const StoredResult<T> read = read_result<T>(world(), path);
  for (const Factor<T>* factor : {&read.approximation.left, &read.approximation.right_factor()}) {
    const TallMatrix<T>& tall = factor->tall();
    ASSERT_EQ(tall.value_bytes(), static_cast<Index>(sizeof(N)));
    EXPECT_THROW(static_cast<void>(factor->dense()), Error);
    std::vector<T> row(static_cast<std::size_t>(tall.columns()));
    for (Index i = tall.range().begin; i < tall.range().end; ++i) {
      tall.copy_row(i, row.data());
      for (Index j = 0; j < tall.columns(); ++j) EXPECT_EQ(row[j], static_cast<T>(integer(i, j))) << i << ", " << j;
    }
  }
  StoredResult<T> again = read_left_factor<T>(world(), path);
  const RowBlock<T> wide = std::move(again.approximation.left.tall()).widened();
  for (Index i = wide.range().begin; i < wide.range().end; ++i)
    EXPECT_EQ(wide.row(i)[2], static_cast<T>(integer(i, 2)));
}

TEST(RoundTrip, KeepsFactorsOfIntegers) {
  const TemporaryFolder folder;
  expect_integers<double, std::uint16_t>(folder.file("16.h5"));
  expect_integers<double, std::uint32_t>(folder.file("32.h5"));
  expect_integers<float, std::uint16_t>(folder.file("single.h5"));
}

// Another number of ranks reads it, too; the landmarks are known by their numbers.
template <class T>
void expect_sparse_sample(const std::string& path, const SampleShape& shape, const Communicator& ranks) {
  const StoredResult<T> read = read_result<T>(ranks, path);
  const Approximation<T> written = sample_approximation<T>(shape, ranks);
  ASSERT_TRUE(read.approximation.left.is_sparse());
  const SparseRows<T>& left = read.approximation.left.sparse();
  EXPECT_EQ(left.rows(), shape.rows);
  EXPECT_EQ(left.columns(), shape.left_columns);
  EXPECT_EQ(left.starts(), written.left.sparse().starts());
  EXPECT_EQ(left.indices(), written.left.sparse().indices());
  EXPECT_EQ(left.values(), written.left.sparse().values());
  const auto& tiles = std::get<TiledCore>(read.approximation.core_matrix).matrix;
  const auto& expected = std::get<TiledCore>(written.core_matrix).matrix;
  EXPECT_EQ(tiles.size(), expected.size());
  EXPECT_EQ(tiles.order(), expected.order());
  EXPECT_EQ(tiles.number(), expected.number());
  for (Index tile = ranks.rank(); tile < tiles.tiles(); tile += ranks.size()) {
    EXPECT_TRUE(std::ranges::equal(tiles.read(tile).bytes(), expected.read(tile).bytes())) << "tile " << tile;
  }
  EXPECT_FALSE(read.approximation.right);
  EXPECT_EQ(read.approximation.meaning, Meaning::distance);
  ASSERT_TRUE(read.approximation.left_origin);
  EXPECT_EQ(read.approximation.left_origin->indices, written.left_origin->indices);
  EXPECT_EQ(read.approximation.left_origin->objects->ids, written.left_origin->indices);
}

TEST(RoundTrip, KeepsSparseFactorsUnderTilesOnAnyRanks) {
  const TemporaryFolder folder;
  const Communicator alone(MPI_COMM_SELF);
  for (const Index columns : {Index{1}, Index{7}, Index{30}}) {
    const SampleShape shape{.layout = Layout::tiles, .left_columns = columns};
    const std::string number = std::to_string(columns);
    write_sample<double>(shape, folder.file("double" + number));
    expect_sparse_sample<double>(folder.file("double" + number), shape, world());
    expect_sparse_sample<double>(folder.file("double" + number), shape, alone);
    write_sample<float>(shape, folder.file("single" + number));
    expect_sparse_sample<float>(folder.file("single" + number), shape, world());
  }
}

TEST(RoundTrip, TellsTheShapeOfASparseResult) {
  const TemporaryFolder folder;
  write_sample<double>({.layout = Layout::tiles}, folder.file("x.h5"));
  const ResultShape shape = read_result_shape(world(), folder.file("x.h5"));
  EXPECT_TRUE(shape.sparse);
  EXPECT_EQ(shape.rows, 70);
  EXPECT_EQ(shape.left_columns, 7);
  EXPECT_EQ(shape.left_entries, 70 * 7 / 3 + 1);
  EXPECT_EQ(shape.core_layout, "symmetric-tiles");
  EXPECT_FALSE(shape.has_right);
}

TEST(RoundTrip, WorksWithFewerRowsThanRanks) {
  const TemporaryFolder folder;
  const SampleShape tiny{.rows = 2, .landmarks = 1, .left_columns = 2, .right_columns = 1, .dimension = 1};
  expect_round_trip<double>(tiny, folder.file("tiny.h5"));
  expect_round_trip<float>(tiny, folder.file("tiny.h5"));
}

TEST(RoundTrip, KeepsMatricesOfMoreBlocksThanRanks) {
  const TemporaryFolder folder;
  expect_round_trip<double>({.rows = 400, .landmarks = 150, .left_columns = 140, .right_columns = 130},
                            folder.file("blocks.h5"));
}

TEST(RoundTrip, KeepsTheDescription) {
  const TemporaryFolder folder;
  write_sample<double>({}, folder.file("x.h5"));
  const ResultDescription expected = sample_description("double", 3);
  const ResultDescription read = read_result_description(world(), folder.file("x.h5"));
  EXPECT_EQ(read.similarity, expected.similarity);
  EXPECT_EQ(read.similarity_parameters, expected.similarity_parameters);
  EXPECT_EQ(read.landmark_selection, expected.landmark_selection);
  EXPECT_EQ(read.landmark_population, 70);
  EXPECT_EQ(read.precision, expected.precision);
  EXPECT_EQ(read.data_digest, expected.data_digest);
  EXPECT_EQ(read.evaluations, expected.evaluations);
  EXPECT_EQ(read.provenance, expected.provenance);
  EXPECT_EQ(read.scaling, expected.scaling);
  EXPECT_EQ(read.scaling_shift, expected.scaling_shift);
  EXPECT_EQ(read.scaling_factor, expected.scaling_factor);
  EXPECT_EQ(read.object_kind, expected.object_kind);
  EXPECT_EQ(read.dimension, expected.dimension);
  ASSERT_TRUE(read.columns.has_value());
  EXPECT_EQ(read.columns->names, expected.columns->names);
  EXPECT_EQ(read.columns->label, expected.columns->label);
  EXPECT_EQ(read.columns->chosen, expected.columns->chosen);
  EXPECT_EQ(read.columns->ignored, expected.columns->ignored);
}

TEST(RoundTrip, KeepsErrorAndPhases) {
  const TemporaryFolder folder;
  write_sample<double>({}, folder.file("x.h5"));
  const ResultDescription expected = sample_description("double", 3);
  const ResultDescription read = read_result_description(world(), folder.file("x.h5"));
  ASSERT_TRUE(read.error);
  EXPECT_EQ(read.error->relative_error, expected.error->relative_error);
  EXPECT_EQ(read.error->relative_error_standard_error, expected.error->relative_error_standard_error);
  EXPECT_EQ(read.error->relative_squared_error, expected.error->relative_squared_error);
  EXPECT_EQ(read.error->relative_squared_error_standard_error, expected.error->relative_squared_error_standard_error);
  EXPECT_EQ(read.error->largest_entry_error, expected.error->largest_entry_error);
  EXPECT_EQ(read.error->constant_error, expected.error->constant_error);
  EXPECT_EQ(read.error->constant_error_standard_error, expected.error->constant_error_standard_error);
  EXPECT_EQ(read.error->stopped_by, expected.error->stopped_by);
  EXPECT_EQ(read.error->pairs, expected.error->pairs);
  EXPECT_EQ(read.error->diagonal, expected.error->diagonal);
  EXPECT_EQ(read.error->evaluations, expected.error->evaluations);
  ASSERT_EQ(read.phases.size(), expected.phases.size());
  for (std::size_t i = 0; i < read.phases.size(); ++i) {
    EXPECT_EQ(read.phases[i].name, expected.phases[i].name);
    EXPECT_EQ(read.phases[i].seconds, expected.phases[i].seconds);
    EXPECT_EQ(read.phases[i].busy, expected.phases[i].busy);
    EXPECT_EQ(read.phases[i].imbalance, expected.phases[i].imbalance);
    EXPECT_EQ(read.phases[i].evaluations, expected.phases[i].evaluations);
    EXPECT_EQ(read.phases[i].bytes, expected.phases[i].bytes);
  }
}

TEST(RoundTrip, KeepsTheReport) {
  const TemporaryFolder folder;
  write_sample<double>({}, folder.file("x.h5"));
  const MethodReport expected = sample_approximation<double>({}).report;
  const MethodReport read = read_result<double>(world(), folder.file("x.h5")).approximation.report;
  EXPECT_EQ(read.method, expected.method);
  EXPECT_EQ(read.s1, expected.s1);
  EXPECT_EQ(read.s2, expected.s2);
  EXPECT_EQ(read.rank, expected.rank);
  EXPECT_EQ(read.dropped_eigenvalues, expected.dropped_eigenvalues);
  EXPECT_EQ(read.negative_eigenvalues, expected.negative_eigenvalues);
  EXPECT_EQ(read.spectrum, expected.spectrum);
  EXPECT_EQ(read.shift, expected.shift);
  EXPECT_EQ(read.rescale, expected.rescale);
  EXPECT_EQ(read.warnings, expected.warnings);
  EXPECT_EQ(read.notes, expected.notes);
}

TEST(RoundTrip, KeepsTransformMeaningAndSymmetrize) {
  const TemporaryFolder folder;
  for (const bool other : {false, true}) {
    Context context;
    Approximation<double> approximation = sample_approximation<double>({.right = false});
    approximation.transform = other ? Transform::sqrt : Transform::none;
    approximation.meaning = other ? Meaning::distance : Meaning::similarity;
    approximation.symmetrize = other;
    write_result(context.execution, folder.file("x.h5"), approximation, sample_description("double", 3), {});
    const StoredResult<double> read = read_result<double>(world(), folder.file("x.h5"));
    EXPECT_EQ(read.approximation.transform, approximation.transform);
    EXPECT_EQ(read.approximation.meaning, approximation.meaning);
    EXPECT_EQ(read.approximation.symmetrize, other);
    EXPECT_TRUE(read.labels.empty());
  }
}

TEST(RoundTrip, KeepsLandmarksThatAreNumbersAlone) {
  const TemporaryFolder folder;
  Context context;
  Approximation<double> approximation = sample_approximation<double>({.right = false, .maps = false});
  auto numbers = std::make_shared<ObjectBlock>();
  numbers->ids = approximation.left_origin->indices;
  approximation.left_origin->objects = numbers;
  ResultDescription description = sample_description("double", 0);
  description.object_kind = "matrix";
  write_result(context.execution, folder.file("x.h5"), approximation, description, {});
  const StoredResult<double> read = read_result<double>(world(), folder.file("x.h5"));
  ASSERT_TRUE(read.approximation.left_origin);
  EXPECT_EQ(read.approximation.left_origin->objects->ids, numbers->ids);
  EXPECT_EQ(read.description.object_kind, "matrix");
}

// A result of a program that has registered a kind of its own, read by one that has not.
TEST(RoundTrip, IsReadWithoutTheKindOfItsObjects) {
  const TemporaryFolder folder;
  Context context;
  const Approximation<double> approximation = sample_approximation<double>({.right = false});
  ResultDescription description = sample_description("double", 3);
  description.object_kind = "intervals";
  write_result(context.execution, folder.file("x.h5"), approximation, description, {});
  const StoredResult<double> read = read_result<double>(world(), folder.file("x.h5"));
  EXPECT_EQ(read.description.object_kind, "intervals");
  EXPECT_EQ(differences(read.approximation.left.dense(), 1), 0);
  ASSERT_TRUE(read.approximation.left_origin);
  EXPECT_EQ(read.approximation.left_origin->indices, approximation.left_origin->indices);
  EXPECT_EQ(read.approximation.left_origin->objects->ids, approximation.left_origin->indices);
}

TEST(RoundTrip, KeepsFactorsWithoutLandmarks) {
  const TemporaryFolder folder;
  Context context;
  Approximation<double> approximation = sample_approximation<double>({.layout = Layout::diagonal, .right = false});
  approximation.left_origin.reset();
  write_result(context.execution, folder.file("x.h5"), approximation, sample_description("double", 3), {});
  EXPECT_FALSE(read_result<double>(world(), folder.file("x.h5")).approximation.left_origin);
}

// Features of new points are those of the map that was written, to the last bit.
TEST(RoundTrip, KeepsTheMapsThatMakeFeatures) {
  const TemporaryFolder folder;
  Context context;
  const Index d = 3;
  Buffer<double> frequencies(4 * d), basis(2 * d);
  for (Index k = 0; k < frequencies.size(); ++k) frequencies[k] = 0.3 * static_cast<double>(k) - 1;
  for (Index k = 0; k < basis.size(); ++k) basis[k] = 0.1 * static_cast<double>(k + 1);
  std::vector<std::shared_ptr<const DegreeFeatures>> parts;
  parts.push_back(make_projection(d, std::move(basis)));
  parts.push_back(make_monomials(d, 2));
  parts.push_back(draw_tensor_sketch(d, 3, 5, Random(1, Stream::test), 0));
  parts.push_back(draw_complex_sketch(d, 3, 10, Random(1, Stream::test), 3));
  const std::shared_ptr<const FeatureMap> maps[] = {
      std::make_shared<FourierFeatures>(d, std::move(frequencies), std::vector<double>{0.5, 1, 2, 3}),
      std::make_shared<SketchFeatures>(d, PointChange{{0.1, 0.2, 0.3}, 0.7, false}, 0.4, std::move(parts),
                                       std::vector<double>{0.5, -2.0, 1.5, 0.25})};
  for (const auto& map : maps) {
    Approximation<double> approximation =
        sample_approximation<double>({.layout = Layout::identity, .right = false, .left_columns = map->columns()});
    approximation.left_origin = FactorOrigin{.features = map};
    ResultDescription description = sample_description("double", d);
    description.dimension = d;
    write_result(context.execution, folder.file("x.h5"), approximation, description, {});
    const StoredResult<double> read = read_result<double>(world(), folder.file("x.h5"));
    ASSERT_TRUE(read.approximation.left_origin && read.approximation.left_origin->features);
    const FeatureMap& found = *read.approximation.left_origin->features;
    EXPECT_EQ(found.kind(), map->kind());
    EXPECT_EQ(digest_of(found), digest_of(*map));
    const std::vector<double> point{0.3, -0.2, 0.9};
    std::vector<double> old(map->columns()), again = old;
    map->apply(MatrixView<const double>(point.data(), 1, d), MatrixView<double>(old.data(), 1, map->columns()));
    found.apply(MatrixView<const double>(point.data(), 1, d), MatrixView<double>(again.data(), 1, map->columns()));
    EXPECT_EQ(old, again);
  }
}

// An extension has the rows of new objects; its landmarks are still those of the data that were approximated.
TEST(RoundTrip, KeepsLandmarksBeyondTheRowsOfAnExtension) {
  const TemporaryFolder folder;
  write_sample<double>({.right = false}, folder.file("x.h5"));
  StoredResult<double> stored = read_result<double>(world(), folder.file("x.h5"));
  stored.approximation.left = sample_rows<double>(5, 4, stored.approximation.left.columns());
  Context context;
  write_result(context.execution, folder.file("new.h5"), stored.approximation, stored.description, {});
  const StoredResult<double> read = read_result<double>(world(), folder.file("new.h5"));
  EXPECT_EQ(read.approximation.left.rows(), 4);
  EXPECT_EQ(read.approximation.left_origin->indices, stored.approximation.left_origin->indices);
}

TEST(RoundTrip, TellsTheShapeWithoutTheFactors) {
  const TemporaryFolder folder;
  write_sample<float>({}, folder.file("x.h5"));
  const ResultShape shape = read_result_shape(world(), folder.file("x.h5"));
  EXPECT_EQ(shape.format_version, square_format_version);
  EXPECT_EQ(shape.rows, 70);
  EXPECT_EQ(shape.left_columns, 7);
  EXPECT_EQ(shape.right_columns, 5);
  EXPECT_TRUE(shape.has_right);
  EXPECT_FALSE(shape.sparse);
  EXPECT_EQ(shape.left_entries, 490);
  EXPECT_FALSE(shape.symmetric);
  EXPECT_EQ(shape.core_layout, "dense");
  EXPECT_EQ(shape.transform, "none");
  EXPECT_EQ(shape.meaning, "similarity");
  EXPECT_EQ(shape.precision, "single");
  EXPECT_TRUE(shape.has_labels);
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(RoundTrip, WritesTheSameBytesOnOneRankAndOnAll) {
  const TemporaryFolder folder;
  write_sample<double>({}, folder.file("all.h5"));
  const Communicator alone(MPI_COMM_SELF);
  const std::string own = folder.file("alone-" + std::to_string(world().rank()) + ".h5");
  write_sample<double>({}, own, alone);
  EXPECT_EQ(bytes_of(own), bytes_of(folder.file("all.h5")));
  write_sample<double>({.layout = Layout::tiles}, folder.file("all-sparse.h5"));
  write_sample<double>({.layout = Layout::tiles}, own, alone);
  EXPECT_EQ(bytes_of(own), bytes_of(folder.file("all-sparse.h5")));
}

TEST(RoundTrip, LeavesNothingButTheFile) {
  const TemporaryFolder folder;
  write_sample<double>({}, folder.file("x.h5"));
  write_sample<double>({}, folder.file("x.h5"));
  EXPECT_THAT(folder.names(), testing::ElementsAre("x.h5"));
}

}  // namespace
}  // namespace cairn::test::round_trip_test
