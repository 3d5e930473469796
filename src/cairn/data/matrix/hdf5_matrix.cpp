#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <mutex>
#include <span>

#include "cairn/base/buffer.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/data/io/hdf5_checksum.hpp"
#include "cairn/data/io/hdf5_open.hpp"
#include "cairn/data/matrix/hdf5_rows.hpp"
#include "cairn/data/matrix/matrix_file.hpp"

namespace cairn {

namespace {

using hdf5::Handle;

constexpr std::size_t most_named = 8;  // data sets in a message

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", path, reason));
}

// Whether the file looks as if this program wrote it, with groups of which each may hold points.
bool has_format(hid_t file) { return H5Aexists(file, "format") > 0 && H5Aexists(file, "format_version") > 0; }

// Names of the two-dimensional data sets in the root group, and of groups with compressed rows, the root itself
// included; of files of this program only data sets, also those in groups.
std::vector<std::string> two_dimensional(hid_t file) {
  std::vector<std::string> names;
  if (are_compressed_rows(file, "/")) return {"/"};
  const auto look = [](hid_t group, const char* name, const H5L_info_t*, void* list) -> herr_t {
    const Handle set(H5Dopen2(group, name, H5P_DEFAULT), H5Dclose);
    if (!set && has_format(group)) return 0;
    if (!set && are_compressed_rows(group, name)) static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    if (!set) return 0;
    const Handle space(H5Dget_space(set.id()), H5Sclose);
    if (H5Sget_simple_extent_ndims(space.id()) == 2) static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  if (has_format(file)) {
    H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, look, &names);
  } else {
    H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, nullptr, look, &names);
  }
  return names;
}

class Hdf5Matrix final : public DenseMatrix {
 public:
  Hdf5Matrix(const std::string& path, std::string dataset, Index rows, Index columns, Handle file, Handle set,
             hdf5::RowCheck check)
      : DenseMatrix(path, rows, columns, std::move(dataset)),
        file_(std::move(file)),
        set_(std::move(set)),
        check_(std::move(check)) {}

  // One hyperslab for each run of rows and run of columns.
  void read(std::span<const Index> rows, std::span<const Index> columns, MatrixView<double> out) const override {
    {
      const std::scoped_lock lock(hdf5_mutex());
      const Handle space(H5Dget_space(set_.id()), H5Sclose);
      for (const Run& down : neighbouring_runs(rows)) {
        check_.require({down.first, down.first + down.count});
        for (const Run& across : neighbouring_runs(columns)) read_block(space.id(), down, across, out);
      }
    }
    require_finite(path_, rows, columns, out);
  }

 private:
  void read_block(hid_t space, const Run& down, const Run& across, MatrixView<double> out) const {
    const hsize_t start[] = {static_cast<hsize_t>(down.first), static_cast<hsize_t>(across.first)};
    const hsize_t count[] = {static_cast<hsize_t>(down.count), static_cast<hsize_t>(across.count)};
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr);
    const Handle memory(H5Screate_simple(2, count, nullptr), H5Sclose);
    Buffer<double> values(down.count * across.count);
    if (H5Dread(set_.id(), H5T_NATIVE_DOUBLE, memory.id(), space, H5P_DEFAULT, values.data()) < 0) {
      fail(path_, fmt::format("cannot be read: {}", hdf5::failure_reason()));
    }
    for (Index a = 0; a < down.count; ++a) {
      std::copy_n(values.data() + a * across.count, across.count, out.row(down.position + a) + across.position);
    }
  }

  Handle file_;
  Handle set_;
  mutable hdf5::RowCheck check_;  // what it has checked; under the mutex
};

}  // namespace

std::shared_ptr<const DenseMatrix> open_hdf5_matrix(const std::string& path, const std::string& dataset,
                                                    const KeyNames& keys) {
  const std::scoped_lock lock(hdf5_mutex());
  hdf5::keep_quiet();
  Handle file = hdf5::open_to_read(path);
  if (!file) fail(path, fmt::format("is no readable HDF5 file: {}", hdf5::failure_reason()));
  std::string name = dataset;
  if (name.empty()) {
    const std::vector<std::string> names = two_dimensional(file.id());
    if (std::find(names.begin(), names.end(), "points") != names.end())
      name = "points";
    else if (names.size() == 1)
      name = names.front();
    else
      fail(path, names.empty() ? "has no two-dimensional data set, and no group with compressed rows"
                               : fmt::format("has {} two-dimensional data sets: {}; name one with {}", names.size(),
                                             joined(std::span(names).first(std::min(names.size(), most_named)), ", "),
                                             keys("dataset")));
  }
  if (are_compressed_rows(file.id(), name)) return open_compressed_rows(path, std::move(file), name);
  Handle set(H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set) fail(path, fmt::format("has no data set '{}'", name));
  const Handle space(H5Dget_space(set.id()), H5Sclose);
  const Handle type(H5Dget_type(set.id()), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.id());
  hsize_t shape[2] = {0, 0};
  if (H5Sget_simple_extent_ndims(space.id()) != 2)
    fail(path, fmt::format("data set '{}' is not two-dimensional", name));
  if (kind != H5T_FLOAT && kind != H5T_INTEGER) fail(path, fmt::format("data set '{}' holds no numbers", name));
  H5Sget_simple_extent_dims(space.id(), shape, nullptr);
  if (shape[0] == 0 || shape[1] == 0) fail(path, fmt::format("data set '{}' holds no values", name));
  hdf5::require_held(path, name, set.id());
  hdf5::RowCheck check(path, name, file.id(), set.id());
  return std::make_shared<Hdf5Matrix>(path, name, static_cast<Index>(shape[0]), static_cast<Index>(shape[1]),
                                      std::move(file), std::move(set), std::move(check));
}

}  // namespace cairn
