#include "cairn/data/io/hdf5_numbers.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <type_traits>
#include <utility>

#include "cairn/base/error.hpp"

namespace cairn::hdf5 {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& name, const std::string& reason) {
  throw Error(ErrorKind::input, fmt::format("{}: data set '{}': {}", path, name, reason));
}

Handle open_list(const std::string& path, Identifier file, const std::string& name, bool integers) {
  Handle set(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set) refuse(path, name, "there is none");
  const Handle space(H5Dget_space(set.id()), H5Sclose);
  const Handle type(H5Dget_type(set.id()), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.id());
  if (H5Sget_simple_extent_ndims(space.id()) != 1) refuse(path, name, "is not one-dimensional");
  if (kind != H5T_INTEGER && (integers || kind != H5T_FLOAT)) {
    refuse(path, name, integers ? "holds no integers" : "holds no numbers");
  }
  require_held(path, name, set.id());
  return set;
}

}  // namespace

NumberList::NumberList(std::string path, Identifier file, std::string name, bool integers)
    : path_(std::move(path)),
      name_(std::move(name)),
      set_(open_list(path_, file, name_, integers)),
      check_(path_, name_, file, set_.id()) {
  const Handle space(H5Dget_space(set_.id()), H5Sclose);
  size_ = static_cast<Index>(H5Sget_simple_extent_npoints(space.id()));
}

void NumberList::fail(const std::string& reason) const { refuse(path_, name_, reason); }

template <class T>
std::vector<T> NumberList::read(Range range) const {
  std::vector<T> values(range.size());
  if (values.empty()) return values;
  check_.require(range);
  const auto start = static_cast<hsize_t>(range.begin);
  const auto count = static_cast<hsize_t>(range.size());
  const Handle space(H5Dget_space(set_.id()), H5Sclose);
  H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, &start, nullptr, &count, nullptr);
  const Handle memory(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const hid_t type = std::is_same_v<T, double> ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
  if (H5Dread(set_.id(), type, memory.id(), space.id(), H5P_DEFAULT, values.data()) < 0) fail(failure_reason());
  return values;
}

template std::vector<double> NumberList::read(Range) const;
template std::vector<Index> NumberList::read(Range) const;

}  // namespace cairn::hdf5
