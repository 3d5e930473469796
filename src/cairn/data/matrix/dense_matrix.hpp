// A matrix in a file, read only as far as requested.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "cairn/base/matrix_view.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// A dense matrix of numbers on disk (.npy, .npz, raw32, raw64, HDF5 contiguous or chunked), read piece by piece, never
/// as a whole. Each rank opens the file itself; reads are thread-safe.
class DenseMatrix {
 public:
  /// Opens `path`. @param format npy, npz, raw32, raw64, hdf5 or empty (by name); @param dataset hdf5, npz: its name,
  /// or empty for the only (hdf5: two-dimensional) one; @param keys  names of both. Raw files hold a square matrix.
  /// @throws Error(input) if it is missing, not a matrix, of another type, or shorter than its header states; text and
  /// compressed files are rejected with the advice to `cairn convert` them. Local.
  static std::shared_ptr<const DenseMatrix> open(const std::string& path, const std::string& format,
                                                 const std::string& dataset, const KeyNames& keys = {});
  virtual ~DenseMatrix() = default;

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index columns() const { return columns_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Name of the data set of an HDF5 file; else empty.
  [[nodiscard]] const std::string& dataset() const { return dataset_; }

  /// True if the matrix is stored by columns: few columns of many rows are then read faster than few rows.
  [[nodiscard]] virtual bool by_columns() const { return false; }

  /// out(a, b) = entry (rows[a], columns[b]). Runs of consecutive numbers are read together. Local.
  /// @throws Error(input) that names the entry if it is NaN or infinite
  virtual void read(std::span<const Index> rows, std::span<const Index> columns, MatrixView<double> out) const = 0;

 protected:
  DenseMatrix(std::string path, Index rows, Index columns, std::string dataset = {})
      : path_(std::move(path)), dataset_(std::move(dataset)), rows_(rows), columns_(columns) {}
  std::string path_, dataset_;
  Index rows_ = 0;
  Index columns_ = 0;
};

/// data_digest() of a similarity matrix: its size and 1,000 of its entries, which are the same for every matrix of that
/// size. Collective. @throws Error(input) if one of them cannot be read or is not finite
[[nodiscard]] std::uint64_t data_digest(const Communicator& communicator, const DenseMatrix& matrix);

}  // namespace cairn
