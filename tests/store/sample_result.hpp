// Small approximations whose every number is known from its address, and a folder to write them into.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/random.hpp"
#include "cairn/data/points/point_set.hpp"
#include "cairn/store/result/result_file.hpp"
#include "test_communicator.hpp"

namespace cairn::test {

/// A folder of this test program's own, seen by all ranks and removed at its end. Collective.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    auto process = static_cast<Index>(::getpid());
    world().broadcast(std::span(&process, 1), 0);
    path_ = std::filesystem::temp_directory_path() / ("cairn-store-test-" + std::to_string(process));
    if (world().is_root()) std::filesystem::create_directories(path_);
    world().barrier();
  }
  ~TemporaryFolder() {
    world().barrier();
    if (world().is_root()) std::filesystem::remove_all(path_);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] std::string path() const { return path_.string(); }
  /// Names in the folder; the same on every rank as long as none writes. Local.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) found.push_back(entry.path().filename());
    return found;
  }

 private:
  std::filesystem::path path_;
};

/// tiles: L is sparse, of shape.left_columns landmarks, which are known by their numbers; R is L.
enum class Layout { identity, diagonal, dense, tiles };

/// What a sample result is made of.
struct SampleShape {
  Index rows = 70;
  Layout layout = Layout::dense;
  bool right = true;
  bool maps = true;
  Index landmarks = 9;
  Index left_columns = 7;
  Index right_columns = 5;
  Index dimension = 3;
};

/// The number at (i, j) of the matrix `what`, in [-0.5, 0.5).
inline double sample_value(std::uint64_t what, Index i, Index j) {
  return Random(what, Stream::test).uniform(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j)) - 0.5;
}

template <class T>
RowBlock<T> sample_rows(std::uint64_t what, Index rows, Index columns, const Communicator& ranks = world()) {
  RowBlock<T> block(RowPartition(rows, ranks.size()), ranks.rank(), columns);
  for (Index i = block.range().begin; i < block.range().end; ++i)
    for (Index j = 0; j < columns; ++j) block.row(i)[j] = static_cast<T>(sample_value(what, i, j));
  return block;
}

inline BlockCyclicMatrix sample_matrix(const std::shared_ptr<const ProcessGrid>& grid, std::uint64_t what, Index rows,
                                       Index columns) {
  BlockCyclicMatrix matrix(grid, rows, columns);
  matrix.fill([&](Index i, Index j) { return sample_value(what, i, j); });
  return matrix;
}

template <class T>
FactorOrigin sample_origin(const std::shared_ptr<const ProcessGrid>& grid, std::uint64_t what, Index rows,
                           Index landmarks, Index columns, Index dimension, bool map) {
  FactorOrigin origin;
  origin.indices = sample_without_replacement(rows, map ? landmarks : columns, Random(what, Stream::test));
  const auto count = static_cast<Index>(origin.indices.size());
  std::vector<T> coordinates;
  for (Index i = 0; i < count; ++i)
    for (Index j = 0; j < dimension; ++j) coordinates.push_back(static_cast<T>(sample_value(what + 1, i, j)));
  origin.objects = make_point_block<T>(origin.indices, dimension, coordinates);
  if (map) {
    origin.map = std::make_shared<const BlockCyclicMatrix>(sample_matrix(grid, what + 2, count, columns));
  }
  return origin;
}

/// Every row has the entries (i + j) % 3 == 0, and sums up to anything.
template <class T>
SparseRows<T> sample_sparse_rows(std::uint64_t what, Index rows, Index columns, const Communicator& ranks = world()) {
  const RowPartition partition(rows, ranks.size());
  std::vector<Index> starts{0};
  std::vector<Index> indices;
  std::vector<T> values;
  const Range own = partition.range(ranks.rank());
  for (Index i = own.begin; i < own.end; ++i) {
    for (Index j = (3 - i % 3) % 3; j < columns; j += 3) {
      indices.push_back(j);
      values.push_back(static_cast<T>(sample_value(what, i, j)));
    }
    starts.push_back(static_cast<Index>(indices.size()));
  }
  return SparseRows<T>(partition, ranks.rank(), columns, std::move(starts), std::move(indices), std::move(values));
}

/// What path lengths are like: entry (i, j) is |i - j|, in tiles of two rows.
inline SymmetricTiles sample_tiles(Index size, const Communicator& ranks = world()) {
  SymmetricTiles tiles(size, 2, TileNumber::uint16, ranks.size(), ranks.rank());
  for (Index tile = ranks.rank(); tile < tiles.tiles(); tile += ranks.size()) {
    const SymmetricTiles::Place place = tiles.place(tile);
    std::vector<double> values;
    for (Index i = place.rows.begin; i < place.rows.end; ++i)
      for (Index j = place.columns.begin; j < place.columns.end; ++j)
        values.push_back(static_cast<double>(i > j ? i - j : j - i));
    tiles.store(tile, {values.data(), place.rows.size(), place.columns.size()});
  }
  return tiles;
}

template <class T>
Approximation<T> sample_sparse_approximation(const SampleShape& shape, const Communicator& ranks = world()) {
  Approximation<T> approximation;
  approximation.left = sample_sparse_rows<T>(1, shape.rows, shape.left_columns, ranks);
  approximation.core_matrix = TiledCore{sample_tiles(shape.left_columns, ranks)};
  approximation.meaning = Meaning::distance;
  approximation.left_origin = FactorOrigin{
      sample_without_replacement(shape.rows, shape.left_columns, Random(10, Stream::test)), nullptr, nullptr};
  approximation.report.method = "biharmonic";
  return approximation;
}

template <class T>
Approximation<T> sample_approximation(const SampleShape& shape, const Communicator& ranks = world()) {
  if (shape.layout == Layout::tiles) return sample_sparse_approximation<T>(shape, ranks);
  const auto grid = std::make_shared<const ProcessGrid>(ranks);
  const bool square = shape.layout != Layout::dense || !shape.right;
  const Index right_columns = square ? shape.left_columns : shape.right_columns;
  Approximation<T> approximation;
  approximation.left = sample_rows<T>(1, shape.rows, shape.left_columns, ranks);
  if (shape.right) approximation.right = sample_rows<T>(2, shape.rows, right_columns, ranks);
  if (shape.layout == Layout::identity) approximation.core_matrix = IdentityCore{shape.left_columns};
  if (shape.layout == Layout::diagonal) {
    DiagonalCore diagonal;
    for (Index i = 0; i < shape.left_columns; ++i) diagonal.values.push_back(sample_value(3, i, i));
    approximation.core_matrix = std::move(diagonal);
  }
  if (shape.layout == Layout::dense) {
    approximation.core_matrix = DenseCore{sample_matrix(grid, 3, shape.left_columns, right_columns)};
  }
  approximation.symmetric = !shape.right;
  approximation.left_origin =
      sample_origin<T>(grid, 10, shape.rows, shape.landmarks, shape.left_columns, shape.dimension, shape.maps);
  if (shape.right) {
    approximation.right_origin =
        sample_origin<T>(grid, 20, shape.rows, shape.landmarks + 1, right_columns, shape.dimension, shape.maps);
  }
  approximation.report = {.method = "sicur",
                          .s1 = 9,
                          .s2 = 10,
                          .rank = 5,
                          .dropped_eigenvalues = 2,
                          .negative_eigenvalues = 1,
                          .spectrum = {-0.25, 0.5, 3.0},
                          .shift = 0.125,
                          .rescale = 1.5,
                          .warnings = {"the shift is large", ""},
                          .notes = {"sicur: 0.01"}};
  return approximation;
}

inline ResultDescription sample_description(const std::string& precision, Index dimension) {
  ResultDescription description;
  description.similarity = "sum";
  description.similarity_parameters = {{"part", "rbf"}, {"gamma", "0.25"}, {"part", "noise"}, {"sigma", "0.01"}};
  description.landmark_selection = "uniform";
  description.precision = precision;
  description.data_digest = 0xfedcba9876543210U;
  description.evaluations = Index{1} << 40;
  description.error = ErrorEstimate{0.1, 0.01, 0.01, 0.002, 0.75, 10000, 70, 10070, 0.9, 0.03, StoppedBy::precision};
  description.provenance = {
      {"config", "[data]\npath = größe.csv\n" + std::string(100000, '#')}, {"seed", "7"}, {"empty", ""}};
  description.phases = {{"read", 1.5, 1.25, 1.1, 0, 4096}, {"columns", 2.5, 2.25, 1.2, 77, 0}};
  description.scaling = "standard";
  description.scaling_shift.assign(dimension, 0.5);
  description.scaling_factor.assign(dimension, 2.0);
  description.dimension = dimension;
  PointColumns columns{.names = {}, .label = "class", .chosen = "", .ignored = "1,4-5"};
  for (Index j = 0; j < dimension; ++j)
    columns.names.push_back(j == 0 ? "größe" : std::string(1, 'x').append(std::to_string(j)));
  description.columns = columns;
  return description;
}

/// Labels of this rank's rows, of lengths 0 to 6 bytes, some beyond ASCII.
inline std::vector<std::string> sample_labels(Index rows, const Communicator& ranks = world()) {
  std::vector<std::string> labels;
  const Range own = RowPartition(rows, ranks.size()).range(ranks.rank());
  for (Index i = own.begin; i < own.end; ++i)
    labels.push_back(i % 5 == 0 ? "" : (i % 3 == 0 ? "é" : "r") + std::to_string(i));
  return labels;
}

template <class T>
const char* precision_name() {
  return std::is_same_v<T, float> ? "single" : "double";
}

template <class T>
void write_sample(const SampleShape& shape, const std::string& path, const Communicator& ranks = world()) {
  Context context;
  const Execution execution{ranks, context.phases, context.ledger};
  write_result(execution, path, sample_approximation<T>(shape, ranks),
               sample_description(precision_name<T>(), shape.dimension), sample_labels(shape.rows, ranks));
}

}  // namespace cairn::test
