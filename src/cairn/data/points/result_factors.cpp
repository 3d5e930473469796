#include "cairn/data/points/result_factors.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <cmath>
#include <optional>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/io/byte_stream.hpp"
#include "cairn/data/io/hdf5_numbers.hpp"
#include "cairn/data/io/hdf5_open.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"

namespace cairn {

namespace {

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

// A text of variable length; nothing if there is none.
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

std::string joining_layout(const std::string& path, hid_t file) {
  const Handle joining(H5Dopen2(file, "joining", H5P_DEFAULT), H5Dclose);
  const std::string layout = joining ? text_attribute(joining.id(), "layout").value_or("") : "";
  if (layout != "identity" && layout != "diagonal" && layout != "dense") {
    refuse(path, fmt::format("its joining matrix has the layout '{}'; factors come from results with the layouts "
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
  if (!left)
    refuse(path, "its left factor is sparse, and its joining matrix in tiles: it has no factors U = L J and V");
  if (text_attribute(file.id(), "transform") != "none") {
    refuse(path, "its entries are roots of those of a product of factors: it has no factors U and V");
  }
  if (flag_attribute(file.id(), "symmetrize")) {
    refuse(path,
           "its entries are means of those of a product of factors and of its transpose: it has no factors U "
           "and V");
  }
  (void)joining_layout(path, file.id());
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

}  // namespace

PointSource result_left(const std::string& path, const KeyNames& keys) {
  (void)open_product(path);
  return factor_source(path, "left", keys);
}

PointSource result_right(const std::string& path, const KeyNames& keys) {
  const Handle file = open_product(path);
  const bool two = H5Lexists(file.id(), "right", H5P_DEFAULT) > 0;
  PointSource source = factor_source(path, two ? "right" : "left", keys);
  if (flag_attribute(file.id(), "rectangular")) source.labels_in = "right_labels";
  return source;
}

PointShape result_left_shape(const std::string& path, const KeyNames& keys) {
  const PointShape left = peek_point_shape(result_left(path, keys)).value();
  return {left.points, peek_point_shape(result_right(path, keys)).value().dimension};
}

template <class T>
PointSet<T> joined_left(const Execution& execution, const std::string& path, PointSet<T> left, const KeyNames& keys) {
  const Communicator& communicator = execution.communicator;
  const Index columns = left.dimension();
  const auto no_sound_joining = [&] { refuse(path, "its joining matrix is not of the shape that it says"); };
  std::vector<double> diagonal;
  const std::string layout = collectively(communicator, [&] {
    const Handle file = open_product(path);
    std::string found = joining_layout(path, file.id());
    if (found != "diagonal") return found;
    const hdf5::NumberList list(path, file.id(), "joining", false);
    if (list.size() != columns) no_sound_joining();
    diagonal = list.read<double>({0, columns});
    for (const double value : diagonal) {
      if (!std::isfinite(value)) refuse(path, fmt::format("its joining matrix holds {}", value));
    }
    return found;
  });
  if (layout == "identity") return left;
  if (layout == "diagonal") {
    for (Index i = left.range().begin; i < left.range().end; ++i) {
      T* row = left.coordinates().row(i).data();
      for (Index k = 0; k < columns; ++k) row[k] *= static_cast<T>(diagonal[static_cast<std::size_t>(k)]);
    }
    return left;
  }
  const PointSet<double> joining = read_points<double>(communicator, factor_source(path, "joining", keys));
  if (joining.size() != columns) no_sound_joining();
  const auto grid = std::make_shared<const ProcessGrid>(communicator);
  const BlockCyclicMatrix spread = to_block_cyclic(grid, joining.coordinates());
  RowBlock<T> product = multiply_tall(left.coordinates(), spread, execution.threads);
  return collectively(communicator,
                      [&] { return PointSet<T>(std::move(product), communicator.rank(), left.labels()); });
}

template PointSet<float> joined_left(const Execution&, const std::string&, PointSet<float>, const KeyNames&);
template PointSet<double> joined_left(const Execution&, const std::string&, PointSet<double>, const KeyNames&);

}  // namespace cairn
