#include "cairn/data/matrix/idx_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "cairn/base/mpi/collective_reading.hpp"
#include "cairn/base/process/reading_scopes.hpp"
#include "cairn/data/io/byte_stream.hpp"
#include "cairn/data/matrix/matrix_file.hpp"

namespace cairn {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", path, reason));
}

struct IdxHeader {
  unsigned char type = 0;
  std::vector<Index> shape;
  [[nodiscard]] Index width() const {
    Index product = 1;
    for (std::size_t k = 1; k < shape.size(); ++k) product *= shape[k];
    return product;
  }
};

Index bytes_of(const std::string& path, unsigned char type) {
  switch (type) {
    case 0x08:
    case 0x09:
      return 1;
    case 0x0B:
      return 2;
    case 0x0C:
    case 0x0D:
      return 4;
    case 0x0E:
      return 8;
    default:
      fail(path, fmt::format("is no IDX file (type of numbers {:#04x})", type));
  }
}

// The number at `from`, big-endian.
template <class U>
double number_at(const char* from) {
  std::array<char, sizeof(U)> bytes;
  std::reverse_copy(from, from + sizeof(U), bytes.begin());
  return static_cast<double>(std::bit_cast<U>(bytes));
}

double value_at(unsigned char type, const char* from) {
  switch (type) {
    case 0x08:
      return number_at<std::uint8_t>(from);
    case 0x09:
      return number_at<std::int8_t>(from);
    case 0x0B:
      return number_at<std::int16_t>(from);
    case 0x0C:
      return number_at<std::int32_t>(from);
    case 0x0D:
      return number_at<float>(from);
    default:
      return number_at<double>(from);
  }
}

void read_exactly(ByteStream& stream, const std::string& path, std::vector<char>& bytes) {
  if (stream.read(bytes.data(), bytes.size()) < bytes.size()) fail(path, "is truncated");
}

IdxHeader read_header(ByteStream& stream, const std::string& path) {
  std::vector<char> bytes(4);
  read_exactly(stream, path, bytes);
  if (bytes[0] != 0 || bytes[1] != 0 || bytes[3] < 1 || bytes[3] > 8) fail(path, "is no IDX file");
  IdxHeader header;
  header.type = static_cast<unsigned char>(bytes[2]);
  std::vector<char> sizes(4 * static_cast<std::size_t>(bytes[3]));
  read_exactly(stream, path, sizes);
  double values = static_cast<double>(bytes_of(path, header.type));
  for (std::size_t k = 0; k < sizes.size(); k += 4) {
    header.shape.push_back(static_cast<Index>(number_at<std::uint32_t>(sizes.data() + k)));
    values *= static_cast<double>(header.shape.back());
  }
  const auto room = static_cast<double>(file_size(path) * stream.largest_expansion() - 4 - std::ssize(sizes));
  if (values == 0.0) fail(path, "holds no values");
  if (values > room) fail(path, "is truncated: its header says more than it holds");
  return header;
}

// Rows [rows.begin, rows.end) as text or numbers: value(row, position in the row, number).
template <class Use>
void read_rows(const std::string& path, Range rows, Use value) {
  const auto stream = ByteStream::open(path);
  const IdxHeader header = read_header(*stream, path);
  const Index bytes = bytes_of(path, header.type);
  stream->skip(rows.begin * header.width() * bytes);
  std::vector<char> row(static_cast<std::size_t>(header.width() * bytes));
  for (Index i = rows.begin; i < rows.end; ++i) {
    read_exactly(*stream, path, row);
    for (Index j = 0; j < header.width(); ++j) value(i, j, value_at(header.type, row.data() + j * bytes));
  }
}

std::vector<std::string> read_labels(const std::string& path, Range rows, Index points) {
  const PointShape shape = read_idx_shape(path);
  if (shape.dimension != 1 || shape.points != points) {
    fail(path, fmt::format("holds {} labels of {} values; there are {} points", shape.points, shape.dimension, points));
  }
  std::vector<std::string> labels;
  read_rows(path, rows, [&](Index, Index, double value) { labels.push_back(fmt::format("{}", value)); });
  return labels;
}

}  // namespace

PointShape read_idx_shape(const std::string& path) {
  const auto stream = ByteStream::open(path);
  const IdxHeader header = read_header(*stream, path);
  return {header.shape.front(), header.width()};
}

template <class T>
PointSet<T> read_idx(const Communicator& communicator, const PointSource& source) {
  const int rank = communicator.rank();
  return read_collectively(communicator, source.path, [&] {
    const PointShape shape = read_idx_shape(source.path);
    const RowPartition partition(shape.points, communicator.size());
    require_room_for_rows(source.path, partition.range(rank).size(), shape.dimension, sizeof(T));
    RowBlock<T> points(partition, rank, shape.dimension);
    const ReadingInPlace in_place;
    read_rows(source.path, points.range(), [&](Index i, Index j, double value) {
      const auto narrow = static_cast<T>(value);
      if (!std::isfinite(narrow)) fail(source.path, fmt::format("value {} of point {} is {}", j, i, value));
      points.row(i)[static_cast<std::size_t>(j)] = narrow;
    });
    std::vector<std::string> labels;
    if (!source.label.empty()) labels = read_labels(source.label, points.range(), shape.points);
    return PointSet<T>(std::move(points), rank, std::move(labels));
  });
}

template PointSet<float> read_idx(const Communicator&, const PointSource&);
template PointSet<double> read_idx(const Communicator&, const PointSource&);

}  // namespace cairn
