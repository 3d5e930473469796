// Two factors U and V as a kind of data: the rows of K stand for the rows of U, its columns for the rows of V.
#include <fmt/format.h>
#include <hdf5.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/data_kinds.hpp"
#include "cairn/data/data_parameters.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/data/io/byte_stream.hpp"
#include "cairn/data/io/hdf5_numbers.hpp"
#include "cairn/data/io/hdf5_open.hpp"
#include "cairn/data/matrix/matrix_file.hpp"
#include "cairn/data/points/point_reader.hpp"
#include "cairn/data/points/scaled_points.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

// Factors of a result file as points: U = L J, V = R.

using hdf5::Handle;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", path, why));
}

Handle open_result(const std::string& path) {
  (void)file_size(path);
  hdf5::keep_quiet();
  Handle file = hdf5::open_to_read(path);
  if (!file) refuse(path, fmt::format("is no readable HDF5 file: {}", hdf5::failure_reason()));
  return file;
}

// A text attribute of variable length; nothing if there is none.
std::optional<std::string> text_attribute(hid_t object, const char* name) {
  if (H5Aexists(object, name) <= 0) return std::nullopt;
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  const Handle type(H5Aget_type(attribute.id()), H5Tclose);
  const Handle space(H5Aget_space(attribute.id()), H5Sclose);
  char* text = nullptr;
  const bool readable = H5Tis_variable_str(type.id()) > 0 && H5Sget_simple_extent_npoints(space.id()) == 1 &&
                        H5Aread(attribute.id(), type.id(), &text) >= 0 && text != nullptr;
  std::optional<std::string> found;
  if (readable) found = text;
  H5free_memory(text);
  return found;
}

bool flag_attribute(hid_t object, const char* name) {
  if (H5Aexists(object, name) <= 0) return false;
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  const Handle type(H5Aget_type(attribute.id()), H5Tclose);
  const Handle space(H5Aget_space(attribute.id()), H5Sclose);
  std::int8_t value = 0;
  return H5Tget_class(type.id()) == H5T_ENUM && H5Tget_size(type.id()) == 1 &&
         H5Sget_simple_extent_npoints(space.id()) == 1 && H5Aread(attribute.id(), type.id(), &value) >= 0 && value != 0;
}

std::string core_layout(const std::string& path, hid_t file) {
  const Handle core_matrix(H5Dopen2(file, "joining", H5P_DEFAULT), H5Dclose);
  const std::string layout = core_matrix ? text_attribute(core_matrix.id(), "layout").value_or("") : "";
  if (layout != "identity" && layout != "diagonal" && layout != "dense") {
    refuse(path, fmt::format("its core matrix has the layout '{}'; factors come from results with the layouts "
                             "identity, diagonal and dense",
                             layout));
  }
  return layout;
}

// Opens a result whose K~ is L J Rᵀ itself.
Handle open_product(const std::string& path) {
  Handle file = open_result(path);
  if (text_attribute(file.id(), "format") != "cairn-approximation") refuse(path, "is no result of cairn approximate");
  const Handle left(H5Dopen2(file.id(), "left", H5P_DEFAULT), H5Dclose);
  if (!left) refuse(path, "its left factor is sparse, and its core matrix in tiles: it has no factors U = L J and V");
  if (text_attribute(file.id(), "transform") != "none") {
    refuse(path, "its entries are roots of those of a product of factors: it has no factors U and V");
  }
  if (flag_attribute(file.id(), "symmetrize")) {
    refuse(path,
           "its entries are means of those of a product of factors and of its transpose: it has no factors U "
           "and V");
  }
  (void)core_layout(path, file.id());
  return file;
}

PointSource factor_source(const std::string& path, const char* dataset, const KeyNames& keys) {
  PointSource source;
  source.path = path;
  source.format = "hdf5";
  source.dataset = dataset;
  source.keys = keys;
  return source;
}

// Source of the left factor of the result at `path`. @param keys  name of the path
// @throws Error(input) if it is no result, or K~ is not a product of dense factors: its left factor is sparse, or its
// entries are roots of those of L J Rᵀ, or means of two. Local.
PointSource result_left(const std::string& path, const KeyNames& keys) {
  (void)open_product(path);
  return factor_source(path, "left", keys);
}

// Source of R, or of L if the result has no R.
PointSource result_right(const std::string& path, const KeyNames& keys) {
  const Handle file = open_product(path);
  const bool two = H5Lexists(file.id(), "right", H5P_DEFAULT) > 0;
  PointSource source = factor_source(path, two ? "right" : "left", keys);
  if (flag_attribute(file.id(), "rectangular")) source.labels_in = "right_labels";
  return source;
}

// Rows and columns of L J. Local.
PointShape result_left_shape(const std::string& path, const KeyNames& keys) {
  const PointShape left = peek_point_shape(result_left(path, keys)).value();
  return {left.points, peek_point_shape(result_right(path, keys)).value().dimension};
}

// Replaces L by L J; the labels stay. @throws Error(input) if J is invalid. Collective.
template <class T>
PointSet<T> joined_left(const Execution& execution, const std::string& path, PointSet<T> left, const KeyNames& keys) {
  const Communicator& communicator = execution.communicator;
  const Index columns = left.dimension();
  const auto no_sound_core = [&] { refuse(path, "its core matrix is not of the shape that it says"); };
  std::vector<double> diagonal;
  const std::string layout = collectively(communicator, [&] {
    const Handle file = open_product(path);
    std::string found = core_layout(path, file.id());
    if (found != "diagonal") return found;
    const hdf5::NumberList list(path, file.id(), "joining", false);
    if (list.size() != columns) no_sound_core();
    diagonal = list.read<double>({0, columns});
    for (const double value : diagonal) {
      if (!std::isfinite(value)) refuse(path, fmt::format("its core matrix holds {}", value));
    }
    return found;
  });
  if (layout == "identity") return left;
  if (layout == "diagonal") {
    for (Index i = left.range().begin; i < left.range().end; ++i) {
      T* row = left.coordinates().row(i).data();
      for (Index k = 0; k < columns; ++k) row[k] *= static_cast<T>(diagonal[k]);
    }
    return left;
  }
  const PointSet<double> core_matrix = read_points<double>(communicator, factor_source(path, "joining", keys));
  if (core_matrix.size() != columns) no_sound_core();
  const auto grid = std::make_shared<const ProcessGrid>(communicator);
  const BlockCyclicMatrix spread = to_block_cyclic(grid, core_matrix.coordinates());
  RowBlock<T> product = multiply_tall(left.coordinates(), spread, execution.threads);
  return collectively(communicator,
                      [&] { return PointSet<T>(std::move(product), communicator.rank(), left.labels()); });
}

constexpr const char* result_format = "result";

bool left_in_result(const Values& values) { return values.text("format") == result_format; }
bool right_in_result(const Values& values) {
  return values.given("right-path") ? values.text("right-format") == result_format : left_in_result(values);
}

bool has_right(const Values& values) {
  return values.given("right-path") || values.given("right-dataset") || values.given("right-points") ||
         left_in_result(values);
}

PointSource left_source(const Values& values) {
  if (left_in_result(values)) return result_left(values.text("path"), values.keys());
  PointSource source;
  source.keys = values.keys();
  source.path = values.text("path");
  source.format = values.text("format");
  source.dataset = values.text("dataset");
  source.label = values.text("label");
  source.generator = values.text("generate");
  source.dimension = values.integer_or("dimension", 0);
  source.seed = static_cast<std::uint64_t>(values.integer("seed"));
  if (source.generator.empty()) return source;
  source.points = values.integer("points");
  values.required("dimension");
  return source;
}

bool is_csv(const PointSource& source) {
  return source.generator.empty() && resolve_format(source.path, source.format, source.keys) == "csv";
}

// Source of V, in another file or in the same one. @param dimension  dimension of U; 0: unknown
PointSource right_source(const Values& values, Index dimension = 0) {
  const KeyNames keys(values.keys()("right-"));
  const bool other = values.given("right-path");
  if (right_in_result(values)) return result_right(values.text(other ? "right-path" : "path"), keys);
  PointSource source = left_source(values);
  source.keys = keys;
  source.labels_in = "right_labels";
  if (other) {
    source.path = values.text("right-path");
    source.format = values.text("right-format");
    source.dataset.clear();
    source.labels_in = "labels";
  }
  if (values.given("right-dataset")) source.dataset = values.text("right-dataset");
  source.points = values.integer_or("right-points", 0);
  ++source.seed;
  if (!source.label.empty() && !is_csv(source)) source.label.clear();
  source.unlabelled = dimension;
  return source;
}

// Rejects keys that have no effect on factors of a result.
void check_result_keys(const Values& values) {
  const auto idle = [&](const std::string& name, const std::string& format) {
    if (values.given(name)) {
      values.refuse(name, fmt::format("has no effect beside {} = {}", values.keys()(format), result_format));
    }
  };
  if (left_in_result(values)) {
    for (const char* name : {"dataset", "label", "dimension"}) idle(name, "format");
    if (!values.given("right-path")) idle("right-dataset", "format");
  }
  if (values.given("right-path") && right_in_result(values)) idle("right-dataset", "right-format");
}

void check(const Values& values) {
  check_result_keys(values);
  const bool generated = values.given("generate");
  if (!left_in_result(values)) static_cast<void>(left_source(values));
  if (has_right(values) && !left_in_result(values) && !right_in_result(values)) {
    static_cast<void>(right_source(values));
  }
  if (generated || !values.given("right-format") || values.given("right-path")) return;
  values.refuse("right-format", fmt::format("has no effect without {}", values.keys()("right-path")));
}

std::string size_text(Index rows, Index columns) { return fmt::format("{} x {}", grouped(rows), grouped(columns)); }

template <class T>
std::unique_ptr<PointSet<T>> read_side(const Execution& execution, const PointSource& source, bool joined,
                                       const char* name, Data<T>& data) {
  PointTable<T> table = read_point_table<T>(execution.communicator, source);
  PointSet<T> points =
      joined ? joined_left(execution, source.path, std::move(table.points), source.keys) : std::move(table.points);
  std::string text = size_text(points.size(), points.dimension());
  if (!table.report.format.empty()) text += fmt::format(", {}, {}", source.path, table.report.format);
  if (joined) text += ", times the core matrix";
  if (!table.report.columns.label.empty()) text += fmt::format(", labels from {}", table.report.columns.label);
  data.facts.push_back({fmt::format("factor {}", name), text, fmt::format("{}_rows", name), points.size()});
  for (const std::string& note : table.report.notes) data.notes.push_back(note);
  for (const std::string& warning : table.report.warnings) data.warnings.push_back(warning);
  if constexpr (std::is_same_v<T, float>) {
    std::string lost = lost_digits(execution.communicator, points, source.path, "double precision keeps it");
    if (!lost.empty()) data.warnings.push_back(std::move(lost));
  }
  return std::make_unique<PointSet<T>>(std::move(points));
}

template <class T>
Data<T> read(const DataInput& input) {
  const Communicator& communicator = input.execution.communicator;
  const Values& values = input.values;
  Data<T> data;
  const bool more = input.known != nullptr && input.known->new_objects;  // new rows of either factor
  const PointSource source = collectively(communicator, [&] { return left_source(values); });
  auto left = read_side<T>(input.execution, source, left_in_result(values), more ? "rows" : "U", data);
  data.digest = data_digest(communicator, *left);
  if (more && left->dimension() != input.known->points.dimension) {
    throw Error(ErrorKind::input,
                fmt::format("{}: the new rows have {} columns, the factors of {} have {}", values.text("path"),
                            left->dimension(), input.known->points.path, input.known->points.dimension));
  }
  if (!more && has_right(values)) {
    const PointSource other = collectively(communicator, [&] { return right_source(values, left->dimension()); });
    constexpr bool joined = false;
    auto right = read_side<T>(input.execution, other, joined, "V", data);
    if (right->dimension() != left->dimension()) {
      throw Error(ErrorKind::input,
                  fmt::format("{} has {} columns and {} has {}: rows of U and V have no inner products",
                              values.text("path"), left->dimension(), other.path, right->dimension()));
    }
    data.digest = mix_bits(data.digest + mix_bits(data_digest(communicator, *right)));
    data.right = std::move(right);
  }
  data.objects = std::move(left);
  return data;
}

std::optional<DataSize> size_of(const Values& values) {
  const auto left = left_in_result(values) ? std::optional(result_left_shape(values.text("path"), values.keys()))
                                           : peek_point_shape(left_source(values));
  if (!left) return std::nullopt;
  DataSize size{.objects = left->points, .dimension = left->dimension, .row_texts = values.given("label") ? 1 : 0};
  if (!has_right(values)) return size;
  const auto right = peek_point_shape(right_source(values));
  if (!right) return std::nullopt;
  size.right_objects = right->points;
  return size;
}

std::vector<Parameter> parameters() {
  using namespace data_parameters;
  using enum ValueType;
  const std::vector<std::string> formats = {"csv", "svm", "idx", "npy", "npz", "raw32", "raw64", "hdf5", result_format};
  Parameter right_path = path("The file with V, whose rows the columns of K stand for; by default V is U.");
  right_path.name = "right-path";
  Parameter right_format = format(formats, "Of V.");
  right_format.name = "right-format";
  right_format.help =
      "Format of the file with V, known from its name unless given; result: V is R of a file of `cairn approximate`.";
  Parameter right_dataset = dataset();
  right_dataset.name = "right-dataset";
  right_dataset.help = "hdf5 and npz: the name of V's array; without right-path it is in the file of U.";
  Parameter right_points = count("Rows of V to generate.");
  right_points.name = "right-points";
  right_points.fallback.clear();
  return {
      path("The file with U, whose rows the rows of K stand for."),
      format(formats,
             "svm is LIBSVM's, idx MNIST's, raw32 and raw64 are rows of numbers without a header; result is a "
             "file of `cairn approximate`: U is L J, and V is R unless right-path names another."),
      dataset(),
      std::move(right_path),
      std::move(right_format),
      std::move(right_dataset),
      {.name = "label",
       .value = "COLUMN",
       .help = "Labels: a column of a CSV file by name or number from 1, or 'first' for LIBSVM. Of U, and of V too if "
               "its CSV file has a column more than U has coordinates."},
      {.name = "dimension",
       .value = "D",
       .type = integer,
       .help = "Columns of U and V: of generated ones, of raw files, or the least number for LIBSVM.",
       .lowest = 1,
       .highest = data_parameters::most_coordinates},
      generate({"normal", "uniform"}, "."),
      count("Rows of U to generate."),
      std::move(right_points),
      seed()};
}

}  // namespace

const DataKind& factor_data() {
  static const DataKind kind = {
      .name = "factors",
      .summary = "Two factors U and V: K has f(u·v), or another similarity, of each row u of U and each row v of V.",
      .subject = "factors are",
      .objects = objects::points,
      .parameters = parameters(),
      .of_files = {"path", "format", "dataset", "right-path", "right-format", "right-dataset", "label"},
      .of_generators = {"points", "right-points", "seed"},
      .of_new_objects = {"path", "format", "dataset", "label", "dimension", "generate", "points", "seed"},
      .of_places = {"path", "format", "dataset", "right-path", "right-format", "right-dataset", "label", "dimension",
                    "generate", "points", "right-points", "seed"},
      .extendable = true,
      .rectangular = has_right,
      .check = check,
      .size = size_of,
      .read_single = read<float>,
      .read_double = read<double>,
  };
  return kind;
}

}  // namespace cairn
