// Reads a result: each rank opens the file for itself, checks what it is about to use, and reads its own rows.
#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "cairn/approximation/feature_map.hpp"
#include "cairn/approximation/tree_rows.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/data_kind.hpp"
#include "cairn/data/data_kinds.hpp"
#include "cairn/data/points/point_set.hpp"
#include "cairn/store/hdf5/array_file.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/hdf5/result_layout.hpp"
#include "cairn/store/hdf5/sparse_factor.hpp"
#include "cairn/store/hdf5/tiles_file.hpp"
#include "cairn/store/result/check_result.hpp"
#include "cairn/store/result/description.hpp"
#include "cairn/store/result/hierarchy_file.hpp"
#include "cairn/store/result/near_file.hpp"
#include "cairn/store/result/open_result.hpp"
#include "cairn/store/result/precision.hpp"
#include "cairn/store/result/result_file.hpp"
#include "cairn/store/result/trees_file.hpp"

namespace cairn {

namespace {

// Landmarks in a result file.

// The landmarks of both factors, as their kind of data reads them; for a kind that this program does not know, points
// or numbers.
class StoredLandmarks {
 public:
  /// Reads the common data of the landmarks, if there are any. @param file  must outlive this
  /// @throws Error(input) if it is not sound. Collective.
  StoredLandmarks(const Communicator& communicator, const hdf5::InputFile& file, const ResultDescription& description);

  /// True if all of them may be objects that are not in the data.
  [[nodiscard]] bool may_be_drawn() const { return kind_ != nullptr && kind_->drawn_landmarks; }
  /// The landmarks in `group`, replicated: the stored objects, otherwise their numbers.
  /// @throws Error(input) if they are not sound. Local.
  template <class T>
  [[nodiscard]] std::shared_ptr<const ObjectBlock> read(const std::string& group,
                                                        const std::vector<Index>& indices) const;

 private:
  const hdf5::InputFile& file_;
  const DataKind* kind_;
  Index dimension_;
  std::unique_ptr<CommonObjects> common_;
};

bool holds_objects(const hdf5::InputFile& file, const std::string& group) {
  return file.has(group) && file.has(layout::in(group, layout::indices)) &&
         !file.has(layout::in(group, layout::features));
}

StoredLandmarks::StoredLandmarks(const Communicator& communicator, const hdf5::InputFile& file,
                                 const ResultDescription& description)
    : file_(file), kind_(find_data_kind(description.object_kind)), dimension_(description.dimension) {
  if (kind_ == nullptr || kind_->stored_common == nullptr) return;
  // Factors without landmarks, for example from `optimal`, have no common data.
  const bool any = collectively(communicator, [&] {
    return holds_objects(file, layout::landmarks) || holds_objects(file, layout::right_landmarks);
  });
  if (!any) return;
  common_ = kind_->stored_common(communicator, ArrayFileReader(file, ""), dimension_);
}

template <class T>
std::shared_ptr<const ObjectBlock> StoredLandmarks::read(const std::string& group,
                                                         const std::vector<Index>& indices) const {
  const ArrayFileReader arrays(file_, layout::in(group, layout::objects));
  const StoredObjects stored{arrays, indices, dimension_, common_.get()};
  ReadBlock reader = nullptr;
  if (kind_ != nullptr) reader = std::is_same_v<T, float> ? kind_->stored_single : kind_->stored_double;
  if (reader != nullptr) return reader(stored);
  const std::string place = layout::in(group, layout::objects);
  const bool dense = arrays.has("") && !file_.is_group(place);
  if (dense || holds_sparse_points(arrays)) return read_point_block<T>(stored);
  return std::make_shared<const ObjectBlock>(SetIdentity(), indices);
}

// The shape of a result file.

using hdf5::ElementType;
using hdf5::InputFile;
using hdf5::TableShape;

// Shape of a matrix of numbers of `kind`. @throws Error(input) if it is not such a matrix. Local.
TableShape matrix_shape(const InputFile& file, const std::string& name, ElementType::Kind kind) {
  const TableShape shape = file.table(name);
  if (shape.columns < 0) file.refuse(fmt::format("/{} is not a matrix", name));
  if (!shape.type.is_float()) file.refuse(fmt::format("/{} does not hold float32 or float64", name));
  if (shape.type.kind != kind)
    file.refuse(fmt::format("/{} has numbers of another precision than the file says", name));
  return shape;
}

// Shape of a dense factor: of numbers of `kind`, or of integers of fewer bytes, whose bytes it sets. @throws
// Error(input) as matrix_shape. Local.
TableShape factor_shape(const InputFile& file, const std::string& name, ElementType::Kind kind, Index& integer_bytes) {
  const TableShape shape = file.table(name);
  using Kind = ElementType::Kind;
  const bool integers = shape.type.kind == Kind::uint16 || (shape.type.kind == Kind::uint32 && kind == Kind::float64);
  integer_bytes = integers ? shape.type.bytes() : 0;
  if (!integers) return matrix_shape(file, name, kind);
  if (shape.columns < 0) file.refuse(fmt::format("/{} is not a matrix", name));
  return shape;
}

// Number type of factors in this precision. Local.
ElementType::Kind factor_kind(const std::string& precision) {
  return precision == "single" ? ElementType::Kind::float32 : ElementType::Kind::float64;
}

void check_choice(const InputFile& file, const char* what, const std::string& value,
                  std::initializer_list<const char*> known) {
  if (std::none_of(known.begin(), known.end(), [&](const char* name) { return value == name; })) {
    file.refuse(fmt::format("its {} is '{}', which this program does not know", what, value));
  }
}

void check_core(const InputFile& file, const ResultShape& shape) {
  const Index rows = file.index_attribute(layout::core_matrix, "rows");
  const Index columns = file.index_attribute(layout::core_matrix, "columns");
  if (rows != shape.left_columns || columns != shape.right_columns) {
    file.refuse(fmt::format("/joining is {} x {}, but the factors have {} and {} columns", rows, columns,
                            shape.left_columns, shape.right_columns));
  }
  if (shape.core_layout == "symmetric-tiles") {
    if (!shape.sparse) file.refuse("/joining is in tiles under a factor that is not sparse");
    if (stored_tiles(file, layout::core_matrix).size != rows || rows != columns) {
      file.refuse("/joining is not of the shape that it says");
    }
    return;
  }
  if (shape.sparse) file.refuse("/left is sparse and /joining is not in tiles");
  if (shape.core_layout == "dense") {
    const TableShape table = matrix_shape(file, layout::core_matrix, ElementType::Kind::float64);
    if (table.rows != rows || table.columns != columns) file.refuse("/joining is not of the shape that it says");
    return;
  }
  const auto stored = static_cast<Index>(file.numbers(layout::core_matrix).size());
  if (rows != columns || stored != (shape.core_layout == "diagonal" ? rows : 0)) {
    file.refuse("/joining is not of the shape that it says");
  }
}

void take_left_shape(const InputFile& file, ResultShape& shape) {
  shape.left_stored = !file.has_attribute("/", layout::rows);
  shape.sparse = shape.left_stored && file.is_group(layout::left);
  if (!shape.left_stored) {
    const std::string indices = layout::in(layout::landmarks, layout::indices);
    if (!file.has(indices)) file.refuse("it has neither /left nor landmarks");
    shape.rows = file.index_attribute("/", layout::rows);
    shape.left_columns = file.table(indices).rows;
    const Index population = file.index_attribute(layout::landmarks, "population");
    if (shape.rows != population || shape.rows < shape.left_columns) {
      file.refuse(fmt::format("it says that it has {} rows, and has {} landmarks of {} objects", shape.rows,
                              shape.left_columns, population));
    }
    if (shape.core_layout != "dense" || shape.transform != "none" || file.has(layout::right) ||
        file.has(layout::in(layout::landmarks, layout::map))) {
      file.refuse("it has no /left, and more than landmarks and a dense /joining");
    }
  } else if (shape.sparse) {
    const SparseShape left = sparse_factor_shape(file, layout::left);
    if (left.number.kind != factor_kind(shape.precision)) {
      file.refuse("/left has numbers of another precision than the file says");
    }
    shape.rows = left.rows;
    shape.left_columns = left.columns;
    shape.left_entries = left.entries;
    if (const Index vertices = stored_tree_vertices(file); vertices >= 0) {
      shape.core_rows = left.rows;
      shape.rows = vertices;
      shape.left_columns += tree_columns;
    }
  } else {
    const TableShape left = factor_shape(file, layout::left, factor_kind(shape.precision), shape.left_integer_bytes);
    shape.rows = left.rows;
    shape.left_columns = left.columns;
    shape.left_entries = left.rows * left.columns;
  }
  shape.right_columns = shape.left_columns;
}

// True if there are texts of this name; checks that there is one per row.
bool has_row_texts(const InputFile& file, const char* name, Index rows) {
  if (!file.has(name)) return false;
  if (const TableShape texts = file.table(name);
      texts.type.kind != ElementType::Kind::text || texts.columns >= 0 || texts.rows != rows)
    file.refuse(fmt::format("/{} are not one text a row", name));
  return true;
}

// True if there are row numbers of the data file; checks that there is one per row.
bool has_row_numbers(const InputFile& file, Index rows) {
  if (!file.has(layout::numbers)) return false;
  const TableShape shape = file.table(layout::numbers);
  if (!(shape.type == hdf5::element_type<Index>()) || shape.columns >= 0 || shape.rows != rows) {
    file.refuse(fmt::format("/{} are not one integer a row", layout::numbers));
  }
  return true;
}

// Shapes of all parts of the file. @throws Error(input) unless they fit together. Local.
ResultShape checked_shape(const InputFile& file) {
  ResultShape shape;
  shape.format_version = static_cast<int>(file.index_attribute("/", "format_version"));
  shape.transform = file.text_attribute("/", "transform");
  shape.meaning = file.text_attribute("/", "meaning");
  shape.symmetric = file.flag_attribute("/", "symmetric");
  shape.precision = file.text_attribute("/", "precision");
  shape.core_layout = file.text_attribute(layout::core_matrix, "layout");
  check_choice(file, "transform", shape.transform, {"none", "sqrt"});
  check_choice(file, "meaning", shape.meaning, {"similarity", "distance"});
  check_choice(file, "precision", shape.precision, {"single", "double"});
  check_choice(file, "layout of /joining", shape.core_layout, {"identity", "diagonal", "dense", "symmetric-tiles"});

  shape.rectangular = file.has_attribute("/", "rectangular") && file.flag_attribute("/", "rectangular");
  take_left_shape(file, shape);
  shape.right_rows = shape.rows;
  shape.has_right = file.has(layout::right);
  if (shape.rectangular && (!shape.has_right || shape.symmetric)) {
    file.refuse("its columns stand for other objects than its rows, and it has no /right, or is symmetric");
  }
  if (shape.has_right) {
    const TableShape right = factor_shape(file, layout::right, factor_kind(shape.precision), shape.right_integer_bytes);
    shape.right_rows = right.rows;
    if (!shape.rectangular && right.rows != shape.rows) {
      file.refuse(fmt::format("/left has {} rows and /right has {}", shape.rows, right.rows));
    }
    if (shape.sparse) file.refuse("/left is sparse and there is a /right");
    shape.right_columns = right.columns;
  }
  check_core(file, shape);
  shape.has_labels = has_row_texts(file, layout::labels, shape.rows);
  shape.has_right_labels = shape.rectangular && has_row_texts(file, layout::right_labels, shape.right_rows);
  shape.has_splits = has_row_texts(file, layout::splits, shape.rows);
  shape.has_groups = has_row_texts(file, layout::groups, shape.rows);
  shape.has_identifiers = has_row_texts(file, layout::identifiers, shape.rows);
  shape.has_texts = has_row_texts(file, layout::texts, shape.rows);
  const std::string indices = layout::in(layout::landmarks, layout::indices);
  if (file.has(indices)) shape.landmarks = file.table(indices).rows;
  shape.has_numbers = has_row_numbers(file, shape.rows);
  shape.hierarchy_arcs = stored_hierarchy_arcs(file, shape.rows);
  const NearShape near = stored_near(file, shape.rows, factor_kind(shape.precision));
  if (near.near > 0 && shape.rectangular) file.refuse("it has near entries, and its columns stand for other objects");
  shape.near = near.near;
  shape.near_entries = near.entries;
  return shape;
}

}  // namespace

ResultShape read_result_shape(const Communicator& communicator, const std::string& path) {
  return collectively(communicator, [&] { return checked_shape(open_result(path)); });
}

namespace {

using hdf5::ElementType;
using hdf5::InputFile;
using hdf5::TableShape;

template <class T>
void read_finite_rows(const InputFile& file, const std::string& name, RowBlock<T>& out) {
  const TableShape shape{out.rows(), out.columns(), hdf5::element_type<T>()};
  file.read_rows(name, shape, out.range(), out.local().data);
  if constexpr (std::is_integral_v<T>) return;
  const T* values = out.local().data;
  const Index count = out.range().size() * out.columns();
  for (Index i = 0; i < count; ++i) {
    if (!std::isfinite(values[i])) {
      file.refuse(fmt::format("/{} holds {} in row {}, column {}", name, values[i],
                              out.range().begin + i / out.columns(), i % out.columns()));
    }
  }
}

template <class T>
RowBlock<T> read_factor(const Communicator& communicator, const InputFile& file, const std::string& name, Index rows,
                        Index columns) {
  return collectively(communicator, [&] {
    RowBlock<T> factor(RowPartition(rows, communicator.size()), communicator.rank(), columns);
    read_finite_rows(file, name, factor);
    return factor;
  });
}

// A factor in the numbers in which it is stored.
template <class T>
TallMatrix<T> read_tall_factor(const Communicator& communicator, const InputFile& file, const std::string& name,
                               Index rows, Index columns, Index integer_bytes) {
  if (integer_bytes == 2) return read_factor<std::uint16_t>(communicator, file, name, rows, columns);
  if (integer_bytes == 4) return read_factor<std::uint32_t>(communicator, file, name, rows, columns);
  return read_factor<T>(communicator, file, name, rows, columns);
}

// Creates the process grid when the first block-cyclic matrix needs it.
class GridOnDemand {
 public:
  explicit GridOnDemand(const Communicator& communicator) : communicator_(communicator) {}
  const std::shared_ptr<const ProcessGrid>& get() {
    if (!grid_) grid_ = std::make_shared<const ProcessGrid>(communicator_);
    return grid_;
  }

 private:
  const Communicator& communicator_;
  std::shared_ptr<const ProcessGrid> grid_;
};

BlockCyclicMatrix read_matrix(const Communicator& communicator, GridOnDemand& grid, const InputFile& file,
                              const std::string& name) {
  const TableShape shape =
      collectively(communicator, [&] { return matrix_shape(file, name, ElementType::Kind::float64); });
  return to_block_cyclic(grid.get(), read_factor<double>(communicator, file, name, shape.rows, shape.columns));
}

CoreMatrix read_core(const Communicator& communicator, GridOnDemand& grid, const InputFile& file,
                     const ResultShape& shape, Index most_tile_bytes) {
  if (shape.core_layout == "identity") return IdentityCore{shape.left_columns};
  if (shape.core_layout == "symmetric-tiles") {
    return TiledCore{read_tiles(communicator, file, layout::core_matrix, most_tile_bytes)};
  }
  if (shape.core_layout == "dense") return DenseCore{read_matrix(communicator, grid, file, layout::core_matrix)};
  return collectively(communicator, [&] {
    DiagonalCore diagonal{file.numbers(layout::core_matrix)};
    for (const double value : diagonal.values) {
      if (!std::isfinite(value)) file.refuse(fmt::format("/joining holds {}", value));
    }
    return CoreMatrix(std::move(diagonal));
  });
}

// Row numbers; with `drawn` all may instead be -1, -2, ..., for objects that are not in the data set.
std::vector<Index> read_indices(const InputFile& file, const std::string& name, Index population, bool drawn) {
  const std::vector<Index> indices = file.indices(name);
  std::vector<Index> sorted = indices;
  std::sort(sorted.begin(), sorted.end());
  const Index least = drawn && !sorted.empty() && sorted.back() < 0 ? -std::ssize(sorted) : 0;
  if (!sorted.empty() && (sorted.front() < least || sorted.back() >= population)) {
    file.refuse(fmt::format("/{} holds {}, but the data set's rows go from 0 to {}", name,
                            sorted.front() < least ? sorted.front() : sorted.back(), population - 1));
  }
  const auto repeated = std::adjacent_find(sorted.begin(), sorted.end());
  if (repeated != sorted.end()) file.refuse(fmt::format("/{} holds {} twice", name, *repeated));
  return indices;
}

std::shared_ptr<const FeatureMap> read_features(const InputFile& file, const std::string& group, Index columns,
                                                Index dimension) {
  std::shared_ptr<const FeatureMap> features =
      read_feature_map(file.text_attribute(group, "kind"), ArrayFileReader(file, group));
  if (features->columns() != columns || features->dimension() != dimension) {
    file.refuse(fmt::format("/{} makes {} features of {} coordinates, and the factor has {} columns of points with {}",
                            group, features->columns(), features->dimension(), columns, dimension));
  }
  return features;
}

template <class T>
std::optional<FactorOrigin> read_origin(const Communicator& communicator, GridOnDemand& grid, const InputFile& file,
                                        const std::string& group, Index columns, const ResultDescription& description,
                                        const ResultShape& shape, const StoredLandmarks& landmarks) {
  const bool exists =
      collectively(communicator, [&] { return file.has(group) && file.has(layout::in(group, layout::indices)); });
  if (!exists) return std::nullopt;
  FactorOrigin origin;
  const std::string map = layout::in(group, layout::map);
  const bool has_map = collectively(communicator, [&] {
    // The landmarks of a sparse factor are its columns, and are among its own rows.
    const Index population = shape.sparse ? shape.rows : description.landmark_population;
    origin.indices = read_indices(file, layout::in(group, layout::indices), population, landmarks.may_be_drawn());
    if (const std::string features = layout::in(group, layout::features); file.has(features)) {
      origin.features = read_features(file, features, columns, description.dimension);
      return false;
    }
    origin.objects = landmarks.read<T>(group, origin.indices);
    const auto count = static_cast<Index>(origin.indices.size());
    if (!file.has(map)) {
      if (count != columns - (shape.has_trees() ? tree_columns : 0)) {
        file.refuse(fmt::format("/{} has {} landmarks and no map for a factor of {} columns", group, count, columns));
      }
      return false;
    }
    if (shape.sparse) file.refuse(fmt::format("/{} maps the landmarks of a sparse factor, which are its columns", map));
    const TableShape table = matrix_shape(file, map, ElementType::Kind::float64);
    if (table.rows != count || table.columns != columns) {
      file.refuse(fmt::format("/{} is {} x {}, but maps {} landmarks to {} columns", map, table.rows, table.columns,
                              count, columns));
    }
    return true;
  });
  if (has_map) origin.map = std::make_shared<const BlockCyclicMatrix>(read_matrix(communicator, grid, file, map));
  return origin;
}

}  // namespace

bool is_result(const Communicator& communicator, const std::string& path) {
  return collectively(communicator, [&] {
    hdf5::keep_quiet();
    if (H5Fis_hdf5(path.c_str()) <= 0) return false;
    const InputFile file(path);
    return file.has_attribute("/", "format") && file.text_attribute("/", "format") == layout::format;
  });
}

ResultDescription read_result_description(const Communicator& communicator, const std::string& path) {
  return collectively(communicator, [&] { return read_description(open_result(path)); });
}

MethodReport read_result_report(const Communicator& communicator, const std::string& path) {
  return collectively(communicator, [&] { return read_report(open_result(path)); });
}

namespace {

// `most_tile_bytes`: nothing if only the left factor is read. `rows`: those of the left factor are read although its
// digest does not need them.
template <class T>
StoredResult<T> read_parts(const Communicator& communicator, const std::string& path,
                           std::optional<Index> most_tile_bytes, bool rows = true) {
  const bool left_alone = !most_tile_bytes;
  const InputFile file = collectively(communicator, [&] { return open_result(path); });
  hdf5::note_missing_checksums(communicator, file);
  StoredResult<T> result;
  Approximation<T>& approximation = result.approximation;
  const ResultShape shape = collectively(communicator, [&] {
    result.description = read_description(file);
    approximation.report = read_report(file);
    approximation.symmetrize = file.flag_attribute("/", "symmetrize");
    return checked_shape(file);
  });
  if (factor_kind(shape.precision) != hdf5::element_type<T>().kind) {
    throw Error(ErrorKind::internal,
                fmt::format("{} has {} precision and is read as the other", path, shape.precision));
  }
  approximation.transform = shape.transform == "sqrt" ? Transform::sqrt : Transform::none;
  approximation.meaning = shape.meaning == "distance" ? Meaning::distance : Meaning::similarity;
  approximation.symmetric = shape.symmetric;
  approximation.rectangular = shape.rectangular;
  GridOnDemand grid(communicator);
  if (shape.has_trees()) {
    const auto trees = std::make_shared<const HangingTrees>(read_trees(communicator, file, shape.core_rows));
    approximation.left = rows_over_trees(communicator, read_sparse_factor<T>(communicator, file, layout::left), *trees);
    approximation.trees = trees;
  } else if (shape.sparse) {
    approximation.left = read_sparse_factor<T>(communicator, file, layout::left);
  } else if (!shape.left_stored) {
    if (rows) throw rows_not_kept(path);
    approximation.left =
        LandmarkRows<T>(RowPartition(shape.rows, communicator.size()), communicator.rank(), shape.left_columns);
  } else if (!rows && collectively(communicator, [&] {
               return file.has(layout::landmarks) && file.has(layout::in(layout::landmarks, layout::indices));
             })) {
    approximation.left = RowBlock<T>(RowPartition(shape.rows, communicator.size()), communicator.rank(),
                                     shape.left_columns, std::shared_ptr<T>());
  } else {
    approximation.left =
        read_tall_factor<T>(communicator, file, layout::left, shape.rows, shape.left_columns, shape.left_integer_bytes);
  }
  approximation.core_matrix = left_alone ? CoreMatrix(IdentityCore{shape.left_columns})
                                         : read_core(communicator, grid, file, shape, *most_tile_bytes);
  if (shape.has_right && !left_alone) {
    approximation.right = read_tall_factor<T>(communicator, file, layout::right, shape.right_rows, shape.right_columns,
                                              shape.right_integer_bytes);
  }
  const StoredLandmarks landmarks(communicator, file, result.description);
  approximation.left_origin = read_origin<T>(communicator, grid, file, layout::landmarks, shape.left_columns,
                                             result.description, shape, landmarks);
  if (left_alone) return result;
  if (shape.has_right) {
    approximation.right_origin = read_origin<T>(communicator, grid, file, layout::right_landmarks, shape.right_columns,
                                                result.description, shape, landmarks);
  }
  collectively(communicator, [&] {
    const Range own = approximation.left.range();
    if (shape.has_labels) result.labels = file.row_texts(layout::labels, own);
    if (shape.has_splits) result.splits = file.row_texts(layout::splits, own);
    if (shape.has_groups) result.groups = file.row_texts(layout::groups, own);
    if (shape.has_identifiers) result.identifiers = file.row_texts(layout::identifiers, own);
    if (shape.has_texts) result.texts = file.row_texts(layout::texts, own);
    if (shape.has_right_labels)
      result.right_labels = file.row_texts(layout::right_labels, approximation.right->range());
    if (!shape.has_numbers) return;
    result.numbers.resize(own.size());
    file.read_rows(layout::numbers, file.table(layout::numbers), own, result.numbers.data());
  });
  return result;
}

template <class T>
void check_landmarks(const Communicator& communicator, const InputFile& file, const ResultShape& shape,
                     const ResultDescription& description) {
  GridOnDemand grid(communicator);
  const StoredLandmarks landmarks(communicator, file, description);
  static_cast<void>(
      read_origin<T>(communicator, grid, file, layout::landmarks, shape.left_columns, description, shape, landmarks));
  if (!shape.has_right) return;
  static_cast<void>(read_origin<T>(communicator, grid, file, layout::right_landmarks, shape.right_columns, description,
                                   shape, landmarks));
}

}  // namespace

void check_result(const Communicator& communicator, const std::string& path) {
  const InputFile file = collectively(communicator, [&] { return open_result(path); });
  ResultDescription description;
  const ResultShape shape = collectively(communicator, [&] {
    description = read_description(file);
    static_cast<void>(read_report(file));
    return checked_shape(file);
  });
  with_precision(shape.precision,
                 [&](auto number) { check_landmarks<decltype(number)>(communicator, file, shape, description); });
}

template <class T>
StoredResult<T> read_result(const Communicator& communicator, const std::string& path, Index most_tile_bytes) {
  return read_parts<T>(communicator, path, most_tile_bytes);
}

template <class T>
StoredResult<T> read_result_beside_rows(const Communicator& communicator, const std::string& path,
                                        Index most_tile_bytes) {
  return read_parts<T>(communicator, path, most_tile_bytes, false);
}

template <class T>
StoredResult<T> read_left_factor(const Communicator& communicator, const std::string& path) {
  return read_parts<T>(communicator, path, std::nullopt);
}

template StoredResult<float> read_result(const Communicator&, const std::string&, Index);
template StoredResult<double> read_result(const Communicator&, const std::string&, Index);
template StoredResult<float> read_result_beside_rows(const Communicator&, const std::string&, Index);
template StoredResult<double> read_result_beside_rows(const Communicator&, const std::string&, Index);
template StoredResult<float> read_left_factor(const Communicator&, const std::string&);
template StoredResult<double> read_left_factor(const Communicator&, const std::string&);

}  // namespace cairn
