#include "cairn/data/matrix/row_major_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/process/reading_scopes.hpp"
#include "cairn/data/matrix/matrix_file.hpp"

namespace cairn {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", path, reason));
}

class RowMajorFile final : public DenseMatrix {
 public:
  explicit RowMajorFile(const NumberMatrix& matrix)
      : DenseMatrix(matrix.path, matrix.layout.rows, matrix.layout.columns), numbers_(matrix.path, matrix.layout) {}

  void read(std::span<const Index> rows, std::span<const Index> columns, MatrixView<double> out) const override {
    const std::vector<Run> across = neighboring_runs(columns);
    const bool whole = across.size() == 1 && across.front().count == columns_ && out.stride == columns_;
    if (whole) {
      for (const Run& down : neighboring_runs(rows)) {
        numbers_.read(down.first * columns_, down.count * columns_, out.row(down.position));
      }
    } else {
      for (std::size_t a = 0; a < rows.size(); ++a) {
        double* target = out.row(static_cast<Index>(a));
        for (const Run& run : across) numbers_.read(rows[a] * columns_ + run.first, run.count, target + run.position);
      }
    }
    require_finite(path_, rows, columns, out);
  }

 private:
  NumberFile numbers_;
};

// A compressed file, read in the order of its rows: going back means reading from the start.
class CompressedRows final : public DenseMatrix {
 public:
  explicit CompressedRows(NumberMatrix matrix)
      : DenseMatrix(matrix.path, matrix.layout.rows, matrix.layout.columns),
        matrix_(std::move(matrix)),
        row_(static_cast<std::size_t>(columns_ * size_of(matrix_.layout.type))),
        numbers_(static_cast<std::size_t>(columns_)) {}

  void read(std::span<const Index> rows, std::span<const Index> columns, MatrixView<double> out) const override {
    {
      const ReadingInPlace in_place;
      const std::scoped_lock lock(mutex_);
      for (std::size_t a = 0; a < rows.size(); ++a) {
        go_to(rows[a]);
        double* target = out.row(static_cast<Index>(a));
        for (const Index column : columns) *target++ = numbers_[column];
      }
    }
    require_finite(path_, rows, columns, out);
  }

 private:
  // Reads a row into `numbers_`.
  void go_to(Index row) const {
    const auto bytes = static_cast<Index>(row_.size());
    if (stream_ && at_ == row) return;
    if (!stream_ || at_ > row) {
      stream_ = matrix_.open();
      stream_->skip(matrix_.layout.offset);
      at_ = -1;
    }
    stream_->skip((row - at_ - 1) * bytes);
    if (stream_->read(reinterpret_cast<char*>(row_.data()), row_.size()) < row_.size()) {
      fail(path_, fmt::format("is truncated: it ends in row {} of {}", row, rows_));
    }
    convert_numbers(matrix_.layout, row_.data(), columns_, numbers_.data());
    at_ = row;
  }

  NumberMatrix matrix_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<ByteStream> stream_;
  mutable Index at_ = -1;  // the row in `numbers_`
  mutable std::vector<std::byte> row_;
  mutable std::vector<double> numbers_;
};

}  // namespace

std::shared_ptr<const DenseMatrix> open_numbers(NumberMatrix matrix) {
  if (matrix.layout.rows == 0 || matrix.layout.columns == 0) fail(matrix.path, "holds no values");
  if (matrix.layout.by_columns) return open_columns(std::move(matrix));
  if (matrix.compressed) return std::make_shared<CompressedRows>(std::move(matrix));
  return std::make_shared<RowMajorFile>(matrix);
}

std::shared_ptr<const DenseMatrix> open_raw(const std::string& path, NumberType type, Index columns,
                                            const KeyNames& keys) {
  const Index bytes = content_size(path);
  const Index values = bytes / size_of(type);
  if (values * size_of(type) != bytes || values == 0) {
    fail(path, fmt::format("its {} bytes are not an integer number of {}-byte values", bytes, size_of(type)));
  }
  if (columns == 0) {
    columns = static_cast<Index>(std::llround(std::sqrt(static_cast<double>(values))));
    if (columns * columns != values) fail(path, fmt::format("holds {} values: no square matrix", values));
  }
  if (values % columns != 0) {
    fail(path,
         fmt::format("holds {} values: not an integer number of rows of {} ({})", values, columns, keys("dimension")));
  }
  return open_numbers({.path = path,
                       .layout = {.type = type, .rows = values / columns, .columns = columns},
                       .compressed = ByteStream::open(path)->compressed(),
                       .open = [path] { return ByteStream::open(path); }});
}

}  // namespace cairn
