#include "cairn/data/points/hdf5_labels.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/data/io/hdf5_checksum.hpp"
#include "cairn/data/io/hdf5_open.hpp"

namespace cairn {

namespace {

using hdf5::Handle;

Handle open_file(const std::string& path) {
  hdf5::keep_quiet();
  Handle file = hdf5::open_to_read(path);
  if (!file) throw Error(ErrorKind::input, fmt::format("{}: {}", path, hdf5::failure_reason()));
  return file;
}

std::vector<std::string> read_variable(hid_t set, hid_t type, hid_t memory, hid_t space, std::size_t count) {
  std::vector<char*> pointers(count, nullptr);
  std::vector<std::string> labels;
  if (H5Dread(set, type, memory, space, H5P_DEFAULT, pointers.data()) >= 0) {
    for (const char* text : pointers) labels.emplace_back(text == nullptr ? "" : text);
  }
  H5Dvlen_reclaim(type, memory, H5P_DEFAULT, pointers.data());
  return labels;
}

std::vector<std::string> read_fixed(hid_t set, hid_t type, hid_t memory, hid_t space, std::size_t count) {
  const std::size_t width = H5Tget_size(type);
  std::vector<char> text(count * width);
  std::vector<std::string> labels;
  if (H5Dread(set, type, memory, space, H5P_DEFAULT, text.data()) < 0) return labels;
  for (std::size_t k = 0; k < count; ++k) {
    const char* begin = text.data() + k * width;
    labels.emplace_back(begin, std::find(begin, begin + width, '\0'));
  }
  return labels;
}

std::vector<std::string> read_integers(hid_t set, hid_t memory, hid_t space, std::size_t count) {
  std::vector<std::int64_t> numbers(count);
  std::vector<std::string> labels;
  if (H5Dread(set, H5T_NATIVE_INT64, memory, space, H5P_DEFAULT, numbers.data()) < 0) return labels;
  for (const std::int64_t number : numbers) labels.push_back(std::to_string(number));
  return labels;
}

}  // namespace

std::vector<std::string> read_hdf5_labels(const std::string& path, const std::string& name, Range rows, Index points) {
  const auto fail = [&](const std::string& reason) {
    throw Error(ErrorKind::input, fmt::format("{}: data set '{}': {}", path, name, reason));
  };
  const Handle file = open_file(path);
  if (H5Lexists(file.id(), name.c_str(), H5P_DEFAULT) <= 0) return {};
  const Handle set(H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set) fail(hdf5::failure_reason());
  const Handle type(H5Dget_type(set.id()), H5Tclose);
  const Handle space(H5Dget_space(set.id()), H5Sclose);
  const H5T_class_t kind = H5Tget_class(type.id());
  if (kind != H5T_STRING && kind != H5T_INTEGER) fail("holds neither strings nor integers");
  if (H5Sget_simple_extent_ndims(space.id()) != 1 || H5Sget_simple_extent_npoints(space.id()) != points)
    fail("does not hold one label a point");
  hdf5::require_held(path, name, set.id());
  if (rows.empty()) return {};
  hdf5::RowCheck(path, name, file.id(), set.id()).require(rows);
  const hsize_t start = static_cast<hsize_t>(rows.begin), count = static_cast<hsize_t>(rows.size());
  H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, &start, nullptr, &count, nullptr);
  const Handle memory(H5Screate_simple(1, &count, nullptr), H5Sclose);
  std::vector<std::string> labels;
  if (kind == H5T_INTEGER) {
    labels = read_integers(set.id(), memory.id(), space.id(), count);
  } else if (H5Tis_variable_str(type.id()) > 0) {
    labels = read_variable(set.id(), type.id(), memory.id(), space.id(), count);
  } else {
    labels = read_fixed(set.id(), type.id(), memory.id(), space.id(), count);
  }
  if (labels.size() != count) fail(hdf5::failure_reason());
  return labels;
}

std::vector<std::string> read_hdf5_columns(const std::string& path, Index columns) {
  const Handle file = open_file(path);
  if (H5Lexists(file.id(), "columns", H5P_DEFAULT) <= 0) return {};
  const Handle set(H5Dopen2(file.id(), "columns", H5P_DEFAULT), H5Dclose);
  if (!set) return {};  // a group
  const Handle type(H5Dget_type(set.id()), H5Tclose);
  const Handle space(H5Dget_space(set.id()), H5Sclose);
  const bool texts = H5Tget_class(type.id()) == H5T_STRING && H5Sget_simple_extent_ndims(space.id()) == 1;
  if (!texts || H5Sget_simple_extent_npoints(space.id()) != columns) return {};
  hdf5::require_held(path, "columns", set.id());
  const auto count = static_cast<std::size_t>(columns);
  const bool variable = H5Tis_variable_str(type.id()) > 0;
  std::vector<std::string> names = variable ? read_variable(set.id(), type.id(), space.id(), space.id(), count)
                                            : read_fixed(set.id(), type.id(), space.id(), space.id(), count);
  if (names.size() != count) throw Error(ErrorKind::input, path + ": data set 'columns': " + hdf5::failure_reason());
  return names;
}

void check_hdf5_labels(const std::string& path, const std::string& name, const std::string& label,
                       const KeyNames& keys) {
  const Handle file = open_file(path);
  if (label != name || H5Lexists(file.id(), name.c_str(), H5P_DEFAULT) <= 0) {
    throw Error(ErrorKind::input, fmt::format("{}: {} = {}: labels of an HDF5 file are in a data set named {}, and "
                                              "there is none",
                                              path, keys("label"), label, name));
  }
}

}  // namespace cairn
