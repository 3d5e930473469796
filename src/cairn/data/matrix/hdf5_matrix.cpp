#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/io/hdf5_checksum.hpp"
#include "cairn/data/io/hdf5_handle.hpp"
#include "cairn/data/io/hdf5_numbers.hpp"
#include "cairn/data/io/hdf5_open.hpp"
#include "cairn/data/matrix/dense_matrix.hpp"
#include "cairn/data/matrix/matrix_file.hpp"
#include "cairn/data/matrix/sparse_matrix.hpp"

namespace cairn {

namespace {

// Matrices in compressed rows in HDF5 files.

// HDF5 as packaged is not thread-safe: one call at a time per process.
[[nodiscard]] std::mutex& hdf5_mutex();

using hdf5::Handle;
using hdf5::NumberList;

constexpr Index entries_at_once = Index{1} << 20;

std::string in(const std::string& group, const char* name) { return group + "/" + name; }

class CompressedRows final : public DenseMatrix, public SparseMatrix {
 public:
  CompressedRows(const std::string& path, const std::string& group, Index columns, Handle file)
      : DenseMatrix(path, 0, columns, group),
        file_(std::move(file)),
        starts_(path, file_.id(), in(group, "indptr"), true),
        places_(path, file_.id(), in(group, "indices"), true),
        values_(path, file_.id(), in(group, "data"), false) {
    rows_ = starts_.size() - 1;
    if (rows_ < 1) starts_.fail("must have one entry more than there are rows, two at least");
    if (places_.size() != values_.size()) {
      values_.fail(fmt::format("has {} entries, and indices {}", values_.size(), places_.size()));
    }
  }

  void require_all_entries() const {
    const Index first = starts_.read<Index>({0, 1}).front(), last = starts_.read<Index>({rows_, rows_ + 1}).front();
    if (first == 0 && last == values_.size()) return;
    starts_.fail(
        fmt::format("goes from {} to {}; it must go from 0 to the number of entries, {}", first, last, values_.size()));
  }

  [[nodiscard]] Index row_count() const override { return rows_; }
  [[nodiscard]] Index column_count() const override { return columns_; }
  [[nodiscard]] Index entry_count() const override { return values_.size(); }
  void read(EntryCollector& entries) const override {
    const std::scoped_lock lock(hdf5_mutex());
    const Range own = entries.rows();
    if (own.empty()) return;
    for_each_entry({own.begin, own.size(), 0},
                   [&](Index row, Index column, double value) { entries.add(own.begin + row, column, value); });
  }

  void read(std::span<const Index> rows, std::span<const Index> columns, MatrixView<double> out) const override {
    std::vector<Index> position(columns_, -1);  // position of each column in `columns`
    for (std::size_t b = 0; b < columns.size(); ++b) {
      position[columns[b]] = static_cast<Index>(b);
    }
    for (Index a = 0; a < out.rows; ++a) std::fill_n(out.row(a), out.columns, 0.0);
    {
      const std::scoped_lock lock(hdf5_mutex());
      for (const Run& run : neighboring_runs(rows)) read_run(run, position, out);
    }
    require_finite(path_, rows, columns, out);
  }

 private:
  void read_run(const Run& run, const std::vector<Index>& position, MatrixView<double> out) const {
    for_each_entry(run, [&](Index row, Index column, double value) {
      const Index b = position[column];
      if (b >= 0) out(run.position + row, b) += value;
    });
  }

  // @param take  called with (row of the run, column, value)
  template <class Take>
  void for_each_entry(const Run& run, const Take& take) const {
    const std::vector<Index> starts = starts_.read<Index>({run.first, run.first + run.count + 1});
    for (std::size_t k = 0; k < starts.size(); ++k) {
      if (starts[k] >= 0 && starts[k] <= values_.size() && (k == 0 || starts[k] >= starts[k - 1])) continue;
      starts_.fail(fmt::format("entry {} is {}; they must ascend from 0 to the number of entries, {}",
                               run.first + static_cast<Index>(k), starts[k], values_.size()));
    }
    Index row = 0;
    for (Index begin = starts.front(); begin < starts.back(); begin += entries_at_once) {
      const Range part{begin, std::min(begin + entries_at_once, starts.back())};
      const std::vector<Index> places = places_.read<Index>(part);
      const std::vector<double> values = values_.read<double>(part);
      for (Index e = part.begin; e < part.end; ++e) {
        while (e >= starts[static_cast<std::size_t>(row) + 1]) ++row;
        const auto at = static_cast<std::size_t>(e - part.begin);
        const Index column = places[at];
        if (column < 0 || column >= columns_) {
          places_.fail(fmt::format("entry {} is column {}, outside 0 to {}", e, column, columns_ - 1));
        }
        take(row, column, values[at]);
      }
      Watchdog::beat();
    }
  }

  Handle file_;
  NumberList starts_, places_, values_;
};

// Reads two integers; {-1, -1} if there are none.
std::array<Index, 2> shape_attribute(hid_t group) {
  std::array<Index, 2> shape{-1, -1};
  const Handle attribute(H5Aopen(group, "shape", H5P_DEFAULT), H5Aclose);
  const Handle space(H5Aget_space(attribute.id()), H5Sclose);
  const Handle type(H5Aget_type(attribute.id()), H5Tclose);
  if (H5Tget_class(type.id()) != H5T_INTEGER || H5Sget_simple_extent_npoints(space.id()) != 2) return shape;
  if (H5Aread(attribute.id(), H5T_NATIVE_INT64, shape.data()) < 0) shape = {-1, -1};
  return shape;
}

// True if an attribute, as in AnnData's files, states compressed columns.
bool says_columns(hid_t group) {
  if (H5Aexists(group, "encoding-type") <= 0) return false;
  const Handle attribute(H5Aopen(group, "encoding-type", H5P_DEFAULT), H5Aclose);
  const Handle type(H5Aget_type(attribute.id()), H5Tclose);
  const Handle space(H5Aget_space(attribute.id()), H5Sclose);
  if (H5Tget_class(type.id()) != H5T_STRING || H5Sget_simple_extent_npoints(space.id()) != 1) return false;
  if (H5Tis_variable_str(type.id()) <= 0) {
    std::string text(H5Tget_size(type.id()) + 1, '\0');
    return H5Aread(attribute.id(), type.id(), text.data()) >= 0 && text.starts_with("csc_matrix");
  }
  char* text = nullptr;
  const bool columns =
      H5Aread(attribute.id(), type.id(), &text) >= 0 && text != nullptr && std::string(text) == "csc_matrix";
  H5free_memory(text);
  return columns;
}

std::mutex& hdf5_mutex() {
  static std::mutex mutex;
  return mutex;
}

// True if a group holds compressed rows: `data`, `indices` and `indptr`, as in scipy's csr_matrix. Local.
bool are_compressed_rows(hdf5::Identifier file, const std::string& name) {
  const Handle group(H5Gopen2(file, name.c_str(), H5P_DEFAULT), H5Gclose);
  if (!group) return false;
  return std::ranges::all_of(std::array{"data", "indices", "indptr"},
                             [&](const char* part) { return H5Lexists(group.id(), part, H5P_DEFAULT) > 0; });
}

// Opens compressed rows as a matrix: missing entries are 0, and repeated entries of a row are added. The number of
// columns is in the attribute or the data set `shape` of the group, two integers. The caller holds hdf5_mutex().
// @throws Error(input) if the group is invalid, or holds compressed columns (its attribute encoding-type). Local.
std::shared_ptr<const DenseMatrix> open_compressed_rows(const std::string& path, Handle file, const std::string& name) {
  const auto fail = [&](const std::string& reason) {
    throw Error(ErrorKind::input, fmt::format("{}: group '{}': {}", path, name, reason));
  };
  std::array<Index, 2> shape{-1, -1};
  {
    const Handle group(H5Gopen2(file.id(), name.c_str(), H5P_DEFAULT), H5Gclose);
    if (says_columns(group.id())) fail("holds compressed columns; store compressed rows (csr_matrix)");
    if (H5Aexists(group.id(), "shape") > 0) {
      shape = shape_attribute(group.id());
    } else if (H5Lexists(group.id(), "shape", H5P_DEFAULT) > 0) {
      const NumberList list(path, file.id(), in(name, "shape"), true);
      if (list.size() == 2) std::ranges::copy(list.read<Index>({0, 2}), shape.begin());
    }
  }
  constexpr Index most_columns = Index{1} << 31U;
  if (shape[0] < 1 || shape[1] < 1 || shape[1] > most_columns) {
    fail("has compressed rows, and no attribute or data set 'shape' with their number and that of columns, from 1");
  }
  auto matrix = std::make_shared<CompressedRows>(path, name, shape[1], std::move(file));
  if (matrix->rows() != shape[0]) {
    fail(fmt::format("its shape says {} rows, and indptr has those of {}", shape[0], matrix->rows()));
  }
  matrix->require_all_entries();
  return matrix;
}

using hdf5::Handle;

constexpr std::size_t most_named = 8;  // data sets in a message

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", path, reason));
}

// True if this program seems to have written the file, with groups that may each hold points.
bool has_format(hid_t file) { return H5Aexists(file, "format") > 0 && H5Aexists(file, "format_version") > 0; }

// Names of the two-dimensional data sets in the root group, and of groups with compressed rows, the root itself
// included. In files of this program: only data sets, also those in groups.
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
      for (const Run& down : neighboring_runs(rows)) {
        check_.require({down.first, down.first + down.count});
        for (const Run& across : neighboring_runs(columns)) read_block(space.id(), down, across, out);
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
  mutable hdf5::RowCheck check_;  // caches what it has checked; guarded by the mutex
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
