// A matrix in a file of entries: all others are 0. Private to the readers of points.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// Rows by their entries: nonzeros, columns ascending within a row.
struct EntriesOfRows {
  std::vector<Index> starts{0};  ///< rows + 1 positions
  std::vector<Index> columns;
  std::vector<double> values;
};

/// Entries of some rows in any order; entries at the same position are added.
class EntryCollector {
 public:
  explicit EntryCollector(Range rows) : rows_(rows) {}
  [[nodiscard]] Range rows() const { return rows_; }
  void add(Index row, Index column, double value) {
    row_.push_back(row - rows_.begin);
    column_.push_back(column);
    value_.push_back(value);
  }
  /// @param position  position of each column among the requested ones, or -1; it becomes the column number in the
  /// result. Empty: all columns are requested and keep their numbers
  /// @throws Error(input) that begins with the path and names the entry if one is NaN or infinite
  [[nodiscard]] EntriesOfRows finish(const std::string& path, std::span<const Index> position);

 private:
  Range rows_;
  std::vector<Index> row_, column_;
  std::vector<double> value_;
};

/// Each rank opens the file itself.
class SparseMatrix {
 public:
  virtual ~SparseMatrix() = default;
  [[nodiscard]] virtual Index row_count() const = 0;
  [[nodiscard]] virtual Index column_count() const = 0;
  /// Number of entries in the file.
  [[nodiscard]] virtual Index entry_count() const = 0;
  /// Adds the entries of the collector's rows. Local. @throws Error(input) for inconsistent entries
  virtual void read(EntryCollector& entries) const = 0;
};

/// True if a .npz archive is one of scipy.sparse.save_npz: it has arrays `format` and `shape`. Local.
/// @throws Error(input) if it is no archive
[[nodiscard]] bool is_npz_of_scipy(const std::string& path);

/// Opens its matrix: compressed rows or columns (csr, csc), stored or deflated, with indices of 32 or 64 bits.
/// @throws Error(input) for another format, and for inconsistent arrays. Local.
[[nodiscard]] std::shared_ptr<const SparseMatrix> open_npz_of_scipy(const std::string& path);

}  // namespace cairn
