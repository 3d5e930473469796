#include "cairn/data/matrix/hdf5_rows.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/io/hdf5_numbers.hpp"
#include "cairn/data/matrix/matrix_file.hpp"
#include "cairn/data/matrix/sparse_matrix.hpp"

namespace cairn {

namespace {

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
    std::vector<Index> position(static_cast<std::size_t>(columns_), -1);  // of each column in `columns`
    for (std::size_t b = 0; b < columns.size(); ++b) {
      position[static_cast<std::size_t>(columns[b])] = static_cast<Index>(b);
    }
    for (Index a = 0; a < out.rows; ++a) std::fill_n(out.row(a), out.columns, 0.0);
    {
      const std::scoped_lock lock(hdf5_mutex());
      for (const Run& run : neighbouring_runs(rows)) read_run(run, position, out);
    }
    require_finite(path_, rows, columns, out);
  }

 private:
  void read_run(const Run& run, const std::vector<Index>& position, MatrixView<double> out) const {
    for_each_entry(run, [&](Index row, Index column, double value) {
      const Index b = position[static_cast<std::size_t>(column)];
      if (b >= 0) out(run.position + row, b) += value;
    });
  }

  // @param take  (row of the run, column, value)
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

// Two integers, or nothing.
std::array<Index, 2> shape_attribute(hid_t group) {
  std::array<Index, 2> shape{-1, -1};
  const Handle attribute(H5Aopen(group, "shape", H5P_DEFAULT), H5Aclose);
  const Handle space(H5Aget_space(attribute.id()), H5Sclose);
  const Handle type(H5Aget_type(attribute.id()), H5Tclose);
  if (H5Tget_class(type.id()) != H5T_INTEGER || H5Sget_simple_extent_npoints(space.id()) != 2) return shape;
  if (H5Aread(attribute.id(), H5T_NATIVE_INT64, shape.data()) < 0) shape = {-1, -1};
  return shape;
}

// Whether a text says that it is of columns: of AnnData's files.
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

}  // namespace

std::mutex& hdf5_mutex() {
  static std::mutex mutex;
  return mutex;
}

bool are_compressed_rows(hdf5::Identifier file, const std::string& name) {
  const Handle group(H5Gopen2(file, name.c_str(), H5P_DEFAULT), H5Gclose);
  if (!group) return false;
  return std::ranges::all_of(std::array{"data", "indices", "indptr"},
                             [&](const char* part) { return H5Lexists(group.id(), part, H5P_DEFAULT) > 0; });
}

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

}  // namespace cairn
