#include "data/matrix_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "base/buffer.hpp"
#include "base/error.hpp"
#include "data/byte_stream.hpp"
#include "data/npy_header.hpp"

namespace cairn {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", path, reason));
}

// Where numbers stand in a file, row after row.
struct Layout {
  NumberType type = NumberType::f64;
  Index rows = 0;
  Index columns = 0;
  Index offset = 0;
};

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
    const Index width = size_of(layout_.type);
    const std::vector<Run> runs = neighbouring_runs(columns);
    Buffer<std::byte> bytes(static_cast<Index>(columns.size()) * width);
    for (std::size_t a = 0; a < rows.size(); ++a) {
      for (const Run& run : runs) {
        read_at(layout_.offset + (rows[a] * columns_ + run.first) * width, bytes.data(), run.count * width);
        convert(layout_.type, bytes.data(), run.count, out.row(static_cast<Index>(a)) + run.position);
      }
    }
    require_finite(path_, rows, columns, out);
  }

 private:
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

Layout raw_layout(const std::string& path, NumberType type, Index columns) {
  const Index values = file_size(path) / size_of(type);
  if (values * size_of(type) != file_size(path) || values == 0) {
    fail(path, fmt::format("its {} bytes are no whole number of {}-byte values", file_size(path), size_of(type)));
  }
  if (columns == 0) {
    columns = static_cast<Index>(std::llround(std::sqrt(static_cast<double>(values))));
    if (columns * columns != values) fail(path, fmt::format("holds {} values: no square matrix", values));
  }
  if (values % columns != 0) {
    fail(path, fmt::format("holds {} values: no whole number of rows of {} (data.dimension)", values, columns));
  }
  return {type, values / columns, columns, 0};
}

Layout npy_layout(const std::string& path) {
  const NpyHeader header = read_npy_header(path);
  const Index room = (file_size(path) - header.offset) / size_of(header.type);
  if (header.columns > 0 && (header.rows > room / header.columns || header.rows * header.columns > room)) {
    fail(path, fmt::format("is cut short: its header says {} x {}, its size allows {} values", header.rows,
                           header.columns, room));
  }
  return {header.type, header.rows, header.columns, header.offset};
}

bool ends_with(const std::string& name, const char* ending) { return name.ends_with(ending); }

}  // namespace

std::string resolve_format(const std::string& path, const std::string& format) {
  if (!format.empty()) return format;
  std::string name = path;
  for (const char* compression : {".gz", ".xz"}) {
    if (ends_with(name, compression)) name.resize(name.size() - 3);
  }
  const std::pair<const char*, const char*> endings[] = {
      {".csv", "csv"},     {".tsv", "csv"},     {".txt", "csv"},     {".train", "csv"},   {".test", "csv"},
      {".data", "csv"},    {".svm", "svm"},     {".libsvm", "svm"},  {"-ubyte", "idx"},   {".idx", "idx"},
      {".npy", "npy"},     {".f32", "raw32"},   {".raw32", "raw32"}, {".f32le", "raw32"}, {".f64", "raw64"},
      {".raw64", "raw64"}, {".f64le", "raw64"}, {".h5", "hdf5"},     {".hdf5", "hdf5"}};
  for (const auto& [ending, result] : endings) {
    if (ends_with(name, ending)) return result;
  }
  throw Error(ErrorKind::usage, fmt::format("{}: the name does not tell the format; name it with the key format: csv, "
                                            "svm, idx, npy, raw32, raw64 or hdf5",
                                            path));
}

std::vector<Run> neighbouring_runs(std::span<const Index> list) {
  std::vector<Run> runs;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const bool next = !runs.empty() && runs.back().first + runs.back().count == list[k];
    if (next)
      ++runs.back().count;
    else
      runs.push_back({list[k], 1, static_cast<Index>(k)});
  }
  return runs;
}

void require_finite(const std::string& path, std::span<const Index> rows, std::span<const Index> columns,
                    MatrixView<double> out) {
  for (Index a = 0; a < out.rows; ++a) {
    for (Index b = 0; b < out.columns; ++b) {
      if (std::isfinite(out(a, b))) continue;
      fail(path, fmt::format("entry ({}, {}) is {}", rows[static_cast<std::size_t>(a)],
                             columns[static_cast<std::size_t>(b)], out(a, b)));
    }
  }
}

std::shared_ptr<const DenseMatrix> open_matrix_file(const std::string& path, const std::string& format,
                                                    const std::string& dataset, Index columns) {
  (void)file_size(path);
  const std::string resolved = resolve_format(path, format);
  if (resolved == "csv" || ByteStream::open(path)->compressed()) {
    fail(path, "text and compressed matrices cannot be read by piece; `cairn convert` makes HDF5 of them");
  }
  if (resolved == "hdf5") return open_hdf5_matrix(path, dataset);
  Layout layout;
  if (resolved == "npy")
    layout = npy_layout(path);
  else if (resolved == "raw32")
    layout = raw_layout(path, NumberType::f32, columns);
  else if (resolved == "raw64")
    layout = raw_layout(path, NumberType::f64, columns);
  else
    throw Error(ErrorKind::usage,
                fmt::format("{}: '{}' is no format of a matrix; there are npy, raw32, raw64 and hdf5", path, resolved));
  if (layout.rows == 0 || layout.columns == 0) fail(path, "holds no values");
  return std::make_shared<RowMajorFile>(path, layout);
}

std::shared_ptr<const DenseMatrix> DenseMatrix::open(const std::string& path, const std::string& format,
                                                     const std::string& dataset) {
  return open_matrix_file(path, format, dataset, 0);
}

}  // namespace cairn
