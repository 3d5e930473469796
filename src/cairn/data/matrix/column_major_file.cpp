// Matrices in Fortran order, as NumPy writes X.T and the values of a data frame.
#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/process/reading_scopes.hpp"
#include "cairn/data/matrix/matrix_file.hpp"
#include "cairn/data/matrix/row_major_file.hpp"

namespace cairn {

namespace {

constexpr Index piece_values = Index{1} << 18;  // numbers of a column that are read at once

// Fills `out` column after column. `read(first, count, target)` reads numbers of the file, counted from 0; a column has
// `height` numbers.
template <class Read>
void read_columns_into(std::span<const Index> rows, std::span<const Index> columns, Index height,
                       const MatrixView<double>& out, Read read) {
  const std::vector<Run> down = neighboring_runs(rows);
  Buffer<double> values(std::min<Index>(piece_values, std::max<Index>(std::ssize(rows), 1)));
  for (std::size_t b = 0; b < columns.size(); ++b) {
    for (const Run& run : down) {
      for (Index done = 0; done < run.count; done += piece_values) {
        const Index count = std::min(piece_values, run.count - done);
        read(columns[b] * height + run.first + done, count, values.data());
        for (Index k = 0; k < count; ++k) out(run.position + done + k, static_cast<Index>(b)) = values.data()[k];
      }
    }
  }
}

class ColumnMajorFile final : public DenseMatrix {
 public:
  explicit ColumnMajorFile(const NumberMatrix& matrix)
      : DenseMatrix(matrix.path, matrix.layout.rows, matrix.layout.columns), numbers_(matrix.path, matrix.layout) {}

  [[nodiscard]] bool by_columns() const override { return true; }

  void read(std::span<const Index> rows, std::span<const Index> columns, MatrixView<double> out) const override {
    read_columns_into(rows, columns, rows_, out,
                      [&](Index first, Index count, double* target) { numbers_.read(first, count, target); });
    require_finite(path_, rows, columns, out);
  }

 private:
  NumberFile numbers_;
};

// A compressed file, read in the order of its columns: going back means reading from the start.
class CompressedColumns final : public DenseMatrix {
 public:
  explicit CompressedColumns(NumberMatrix matrix)
      : DenseMatrix(matrix.path, matrix.layout.rows, matrix.layout.columns), matrix_(std::move(matrix)) {}

  [[nodiscard]] bool by_columns() const override { return true; }

  void read(std::span<const Index> rows, std::span<const Index> columns, MatrixView<double> out) const override {
    {
      const ReadingInPlace in_place;
      const std::scoped_lock lock(mutex_);
      read_columns_into(rows, columns, rows_, out,
                        [&](Index first, Index count, double* target) { take(first, count, target); });
    }
    require_finite(path_, rows, columns, out);
  }

 private:
  // Numbers [first, first + count) of the stream.
  void take(Index first, Index count, double* target) const {
    const Index width = size_of(matrix_.layout.type);
    if (!stream_ || at_ > first) {
      stream_ = matrix_.open();
      stream_->skip(matrix_.layout.offset);
      at_ = 0;
    }
    stream_->skip((first - at_) * width);
    bytes_.resize(count * width);
    if (stream_->read(reinterpret_cast<char*>(bytes_.data()), bytes_.size()) < bytes_.size()) {
      throw Error(ErrorKind::input,
                  fmt::format("{}: is truncated: it ends in column {} of {}", path_, first / rows_, columns_));
    }
    convert_numbers(matrix_.layout, bytes_.data(), count, target);
    at_ = first + count;
  }

  NumberMatrix matrix_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<ByteStream> stream_;
  mutable Index at_ = 0;  // the next number
  mutable std::vector<std::byte> bytes_;
};

}  // namespace

std::shared_ptr<const DenseMatrix> open_columns(NumberMatrix matrix) {
  if (matrix.compressed) return std::make_shared<CompressedColumns>(std::move(matrix));
  return std::make_shared<ColumnMajorFile>(matrix);
}

}  // namespace cairn
