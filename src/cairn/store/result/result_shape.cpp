// The shape of a result file, and whether its parts fit together.
#include "cairn/store/result/result_shape.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/approximation/biharmonic/tree_rows.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/store/hdf5/sparse_factor.hpp"
#include "cairn/store/hdf5/tiles_file.hpp"
#include "cairn/store/result/hierarchy_file.hpp"
#include "cairn/store/result/near_file.hpp"
#include "cairn/store/result/open_result.hpp"
#include "cairn/store/result/result_layout.hpp"
#include "cairn/store/result/trees_file.hpp"

namespace cairn {

using hdf5::ElementType;
using hdf5::InputFile;
using hdf5::TableShape;

TableShape matrix_shape(const InputFile& file, const std::string& name, ElementType::Kind kind) {
  const TableShape shape = file.table(name);
  if (shape.columns < 0) file.refuse(fmt::format("/{} is not a matrix", name));
  if (!shape.type.is_float()) file.refuse(fmt::format("/{} does not hold float32 or float64", name));
  if (shape.type.kind != kind)
    file.refuse(fmt::format("/{} has numbers of another precision than the file says", name));
  return shape;
}

ElementType::Kind factor_kind(const std::string& precision) {
  return precision == "single" ? ElementType::Kind::float32 : ElementType::Kind::float64;
}

namespace {

void check_choice(const InputFile& file, const char* what, const std::string& value,
                  std::initializer_list<const char*> known) {
  if (std::none_of(known.begin(), known.end(), [&](const char* name) { return value == name; })) {
    file.refuse(fmt::format("its {} is '{}', which this program does not know", what, value));
  }
}

void check_joining(const InputFile& file, const ResultShape& shape) {
  const Index rows = file.index_attribute(layout::joining, "rows");
  const Index columns = file.index_attribute(layout::joining, "columns");
  if (rows != shape.left_columns || columns != shape.right_columns) {
    file.refuse(fmt::format("/joining is {} x {}, but the factors have {} and {} columns", rows, columns,
                            shape.left_columns, shape.right_columns));
  }
  if (shape.joining_layout == "symmetric-tiles") {
    if (!shape.sparse) file.refuse("/joining is in tiles under a factor that is not sparse");
    if (stored_tiles(file, layout::joining).size != rows || rows != columns) {
      file.refuse("/joining is not of the shape that it says");
    }
    return;
  }
  if (shape.sparse) file.refuse("/left is sparse and /joining is not in tiles");
  if (shape.joining_layout == "dense") {
    const TableShape table = matrix_shape(file, layout::joining, ElementType::Kind::float64);
    if (table.rows != rows || table.columns != columns) file.refuse("/joining is not of the shape that it says");
    return;
  }
  const auto stored = static_cast<Index>(file.numbers(layout::joining).size());
  if (rows != columns || stored != (shape.joining_layout == "diagonal" ? rows : 0)) {
    file.refuse("/joining is not of the shape that it says");
  }
}

void take_left_shape(const InputFile& file, ResultShape& shape) {
  shape.sparse = file.is_group(layout::left);
  if (shape.sparse) {
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
    const TableShape left = matrix_shape(file, layout::left, factor_kind(shape.precision));
    shape.rows = left.rows;
    shape.left_columns = left.columns;
    shape.left_entries = left.rows * left.columns;
  }
  shape.right_columns = shape.left_columns;
}

// Whether there are texts of this name; one a row then.
bool has_row_texts(const InputFile& file, const char* name, Index rows) {
  if (!file.has(name)) return false;
  if (const TableShape texts = file.table(name);
      texts.type.kind != ElementType::Kind::text || texts.columns >= 0 || texts.rows != rows)
    file.refuse(fmt::format("/{} are not one text a row", name));
  return true;
}

// Whether there are numbers of rows in the file of the data; one a row then.
bool has_row_numbers(const InputFile& file, Index rows) {
  if (!file.has(layout::numbers)) return false;
  const TableShape shape = file.table(layout::numbers);
  if (!(shape.type == hdf5::element_type<Index>()) || shape.columns >= 0 || shape.rows != rows) {
    file.refuse(fmt::format("/{} are not one integer a row", layout::numbers));
  }
  return true;
}

}  // namespace

ResultShape checked_shape(const InputFile& file) {
  ResultShape shape;
  shape.format_version = static_cast<int>(file.index_attribute("/", "format_version"));
  shape.transform = file.text_attribute("/", "transform");
  shape.meaning = file.text_attribute("/", "meaning");
  shape.symmetric = file.flag_attribute("/", "symmetric");
  shape.precision = file.text_attribute("/", "precision");
  shape.joining_layout = file.text_attribute(layout::joining, "layout");
  check_choice(file, "transform", shape.transform, {"none", "sqrt"});
  check_choice(file, "meaning", shape.meaning, {"similarity", "distance"});
  check_choice(file, "precision", shape.precision, {"single", "double"});
  check_choice(file, "layout of /joining", shape.joining_layout, {"identity", "diagonal", "dense", "symmetric-tiles"});

  shape.rectangular = file.has_attribute("/", "rectangular") && file.flag_attribute("/", "rectangular");
  take_left_shape(file, shape);
  shape.right_rows = shape.rows;
  shape.has_right = file.has(layout::right);
  if (shape.rectangular && (!shape.has_right || shape.symmetric)) {
    file.refuse("its columns stand for other objects than its rows, and it has no /right, or is symmetric");
  }
  if (shape.has_right) {
    const TableShape right = matrix_shape(file, layout::right, factor_kind(shape.precision));
    shape.right_rows = right.rows;
    if (!shape.rectangular && right.rows != shape.rows) {
      file.refuse(fmt::format("/left has {} rows and /right has {}", shape.rows, right.rows));
    }
    if (shape.sparse) file.refuse("/left is sparse and there is a /right");
    shape.right_columns = right.columns;
  }
  check_joining(file, shape);
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

ResultShape read_result_shape(const Communicator& communicator, const std::string& path) {
  return collectively(communicator, [&] { return checked_shape(open_result(path)); });
}

}  // namespace cairn
