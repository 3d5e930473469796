// A matrix in a file that names its entries: what it does not name is 0. Private to the readers of points.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// Rows by their entries: none is 0, columns ascend within a row.
struct EntriesOfRows {
  std::vector<Index> starts{0};  ///< rows + 1 positions
  std::vector<Index> columns;
  std::vector<double> values;
};

/// Entries of some rows in any order: those that one place has twice are added.
class EntryCollector {
 public:
  explicit EntryCollector(Range rows) : rows_(rows) {}
  [[nodiscard]] Range rows() const { return rows_; }
  void add(Index row, Index column, double value) {
    row_.push_back(row - rows_.begin);
    column_.push_back(column);
    value_.push_back(value);
  }
  /// @param position  of each column among those that are wanted, or -1; columns of the result are numbered by it.
  /// Empty: all are wanted,
  ///   and keep their numbers
  /// @throws Error(input) that names the entry if one is NaN or infinite, with the path in front
  [[nodiscard]] EntriesOfRows finish(const std::string& path, std::span<const Index> position);

 private:
  Range rows_;
  std::vector<Index> row_, column_;
  std::vector<double> value_;
};

/// Every rank opens the file by itself.
class SparseMatrix {
 public:
  virtual ~SparseMatrix() = default;
  [[nodiscard]] virtual Index row_count() const = 0;
  [[nodiscard]] virtual Index column_count() const = 0;
  /// How many entries the file names.
  [[nodiscard]] virtual Index entry_count() const = 0;
  /// Adds the entries of the collector's rows. Local. @throws Error(input) for entries that do not fit together
  virtual void read(EntryCollector& entries) const = 0;
};

/// Whether a .npz archive is one of scipy.sparse.save_npz: it holds arrays `format` and `shape`. Local.
/// @throws Error(input) if it is no archive
[[nodiscard]] bool is_npz_of_scipy(const std::string& path);

/// Its matrix: compressed rows or columns (csr, csc), stored or deflated, with indices of 32 or 64 bits.
/// @throws Error(input) for another format, and arrays that do not fit together. Local.
[[nodiscard]] std::shared_ptr<const SparseMatrix> open_npz_of_scipy(const std::string& path);

}  // namespace cairn
