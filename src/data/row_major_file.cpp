#include "data/row_major_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <mutex>

#include "base/buffer.hpp"
#include "base/error.hpp"
#include "data/byte_stream.hpp"
#include "data/matrix_file.hpp"

namespace cairn {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", path, reason));
}

// Where numbers stand in a file, row after row.
using Layout = NpyHeader;

// `count` numbers of a type, as double.
void convert(NumberType type, const std::byte* from, Index count, double* to) {
  const auto each = [&]<class U>(U value) {
    for (Index k = 0; k < count; ++k) {
      std::memcpy(&value, from + static_cast<std::size_t>(k) * sizeof value, sizeof value);
      to[k] = static_cast<double>(value);
    }
  };
  switch (type) {
    case NumberType::f32:
      return each(float{});
    case NumberType::f64:
      return each(double{});
    case NumberType::u8:
      return each(std::uint8_t{});
    case NumberType::i32:
      return each(std::int32_t{});
    case NumberType::i64:
      return each(std::int64_t{});
  }
}

// Reads by position, so that threads do not disturb each other.
class RowMajorFile final : public DenseMatrix {
 public:
  RowMajorFile(const std::string& path, const Layout& layout)
      : DenseMatrix(path, layout.rows, layout.columns),
        layout_(layout),
        file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0) fail(path, fmt::format("cannot be opened ({})", std::strerror(errno)));
  }
  ~RowMajorFile() override { ::close(file_); }
  RowMajorFile(const RowMajorFile&) = delete;
  RowMajorFile& operator=(const RowMajorFile&) = delete;

  void read(std::span<const Index> rows, std::span<const Index> columns, MatrixView<double> out) const override {
    const std::vector<Run> across = neighbouring_runs(columns);
    const bool whole = across.size() == 1 && across.front().count == columns_ && out.stride == columns_;
    if (whole) {
      for (const Run& down : neighbouring_runs(rows)) {
        read_numbers(down.first * columns_, down.count * columns_, out.row(down.position));
      }
    } else {
      for (std::size_t a = 0; a < rows.size(); ++a) {
        double* target = out.row(static_cast<Index>(a));
        for (const Run& run : across) read_numbers(rows[a] * columns_ + run.first, run.count, target + run.position);
      }
    }
    require_finite(path_, rows, columns, out);
  }

 private:
  void read_numbers(Index first, Index count, double* target) const {
    constexpr Index piece = Index{1} << 18;
    const Index width = size_of(layout_.type);
    Buffer<std::byte> bytes(std::min(count, piece) * width);
    for (Index done = 0; done < count; done += piece) {
      const Index now = std::min(piece, count - done);
      read_at(layout_.offset + (first + done) * width, bytes.data(), now * width);
      convert(layout_.type, bytes.data(), now, target + done);
    }
  }

  void read_at(Index offset, std::byte* target, Index size) const {
    while (size > 0) {
      const ssize_t got = ::pread(file_, target, static_cast<std::size_t>(std::min(size, Index{1} << 30)), offset);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(path_, fmt::format("cannot be read ({})", std::strerror(errno)));
      if (got == 0) fail(path_, "has become shorter since it was opened");
      target += got;
      offset += got;
      size -= got;
    }
  }

  Layout layout_;
  int file_;
};

// A compressed file, read in the order of its rows: going back means to begin anew.
class CompressedRows final : public DenseMatrix {
 public:
  CompressedRows(const std::string& path, const Layout& layout)
      : DenseMatrix(path, layout.rows, layout.columns),
        layout_(layout),
        row_(static_cast<std::size_t>(layout.columns * size_of(layout.type))),
        numbers_(static_cast<std::size_t>(layout.columns)) {}

  void read(std::span<const Index> rows, std::span<const Index> columns, MatrixView<double> out) const override {
    {
      const std::scoped_lock lock(mutex_);
      for (std::size_t a = 0; a < rows.size(); ++a) {
        go_to(rows[a]);
        double* target = out.row(static_cast<Index>(a));
        for (const Index column : columns) *target++ = numbers_[static_cast<std::size_t>(column)];
      }
    }
    require_finite(path_, rows, columns, out);
  }

 private:
  // Makes `numbers_` those of a row.
  void go_to(Index row) const {
    const auto bytes = static_cast<Index>(row_.size());
    if (stream_ && at_ == row) return;
    if (!stream_ || at_ > row) {
      stream_ = ByteStream::open(path_);
      stream_->skip(layout_.offset);
      at_ = -1;
    }
    stream_->skip((row - at_ - 1) * bytes);
    if (stream_->read(reinterpret_cast<char*>(row_.data()), row_.size()) < row_.size()) {
      fail(path_, fmt::format("is cut short: it ends in row {} of {}", row, rows_));
    }
    convert(layout_.type, row_.data(), columns_, numbers_.data());
    at_ = row;
  }

  Layout layout_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<ByteStream> stream_;
  mutable Index at_ = -1;  // the row in hand
  mutable std::vector<std::byte> row_;
  mutable std::vector<double> numbers_;
};

std::shared_ptr<const DenseMatrix> open_rows(const std::string& path, const Layout& layout) {
  if (layout.rows == 0 || layout.columns == 0) fail(path, "holds no values");
  if (ByteStream::open(path)->compressed()) return std::make_shared<CompressedRows>(path, layout);
  return std::make_shared<RowMajorFile>(path, layout);
}

}  // namespace

std::shared_ptr<const DenseMatrix> open_raw(const std::string& path, NumberType type, Index columns) {
  const Index bytes = content_size(path);
  const Index values = bytes / size_of(type);
  if (values * size_of(type) != bytes || values == 0) {
    fail(path, fmt::format("its {} bytes are no whole number of {}-byte values", bytes, size_of(type)));
  }
  if (columns == 0) {
    columns = static_cast<Index>(std::llround(std::sqrt(static_cast<double>(values))));
    if (columns * columns != values) fail(path, fmt::format("holds {} values: no square matrix", values));
  }
  if (values % columns != 0) {
    fail(path, fmt::format("holds {} values: no whole number of rows of {} (data.dimension)", values, columns));
  }
  return open_rows(path, {type, values / columns, columns, 0});
}

std::shared_ptr<const DenseMatrix> open_npy(const std::string& path) {
  const NpyHeader header = read_npy_header(path);
  const Index bytes = file_size(path) * ByteStream::open(path)->largest_expansion();
  const Index room = (bytes - header.offset) / size_of(header.type);
  if (header.columns > 0 && header.rows > room / header.columns) {
    fail(path, fmt::format("is cut short: its header says {} x {}, its size allows {} values", header.rows,
                           header.columns, room));
  }
  return open_rows(path, header);
}

}  // namespace cairn
