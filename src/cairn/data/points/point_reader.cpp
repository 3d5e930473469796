#include "cairn/data/points/point_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstring>
#include <string_view>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/collective_reading.hpp"
#include "cairn/base/process/reading_scopes.hpp"
#include "cairn/base/small_letters.hpp"
#include "cairn/data/io/byte_stream.hpp"
#include "cairn/data/matrix/matrix_file.hpp"
#include "cairn/data/points/generator.hpp"
#include "cairn/data/points/hdf5_labels.hpp"
#include "cairn/data/points/matrix_points.hpp"
#include "cairn/data/points/text_points.hpp"

namespace cairn {

namespace {

// The IDX files of MNIST.

// Rows, and values per row, in the header. @throws Error(input) if it is no IDX file of bytes, shorts, ints, floats or
// doubles, or shorter than the header states (where this needs no decompression). Local.
[[nodiscard]] PointShape read_idx_shape(const std::string& path);

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
  const auto budget = static_cast<double>(file_size(path) * stream.largest_expansion() - 4 - std::ssize(sizes));
  if (values == 0.0) fail(path, "holds no values");
  if (values > budget) fail(path, "is truncated: its header says more than it holds");
  return header;
}

// Reads rows [rows.begin, rows.end): calls value(row, position in the row, number).
template <class Use>
void read_rows(const std::string& path, Range rows, Use value) {
  const auto stream = ByteStream::open(path);
  const IdxHeader header = read_header(*stream, path);
  const Index bytes = bytes_of(path, header.type);
  stream->skip(rows.begin * header.width() * bytes);
  std::vector<char> row(header.width() * bytes);
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

PointShape read_idx_shape(const std::string& path) {
  const auto stream = ByteStream::open(path);
  const IdxHeader header = read_header(*stream, path);
  return {header.shape.front(), header.width()};
}

// Points (all dimensions but the first flattened), with labels from the IDX file that source.label names. Collective.
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
      points.row(i)[j] = narrow;
    });
    std::vector<std::string> labels;
    if (!source.label.empty()) labels = read_labels(source.label, points.range(), shape.points);
    return PointSet<T>(std::move(points), rank, std::move(labels));
  });
}

// Rejects keys that this format does not use, and labels that it cannot have.
void check_keys(const PointSource& source, const std::string& format) {
  const auto fail = [&](const std::string& reason) {
    throw Error(ErrorKind::input,
                fmt::format("{}: {} = {}: {}", source.path, source.keys("label"), source.label, reason));
  };
  const auto refuse = [&](const std::string& key, const std::string& formats) {
    throw Error(ErrorKind::usage, fmt::format("{}: {} is of format {}; this key has an effect only for {}", key,
                                              source.path, format, formats));
  };
  if (!source.dataset.empty() && format != "hdf5" && format != "npz") {
    refuse(source.keys("dataset") + " = " + source.dataset, "hdf5 and npz");
  }
  if (format != "csv" && !is_matrix_format(format)) {
    if (!source.columns.empty()) refuse(source.keys("columns"), "csv, npy, npz, raw32, raw64 and hdf5");
    if (!source.ignored.empty()) refuse(source.keys("ignore"), "csv, npy, npz, raw32, raw64 and hdf5");
  }
  for (const TextColumn& column : source.text_columns()) {
    if (format != "csv" && !column.name.empty() && column.key != "label") {
      refuse(fmt::format("{} = {}", source.keys(column.key), column.name), "csv");
    }
  }
  if (source.separator != "auto" && format != "csv") {
    refuse(source.keys("separator") + " = " + source.separator, "csv");
  }
  if (source.missing == "skip" && format != "csv") refuse(source.keys("missing") + " = skip", "csv");
  if (source.label.empty() || format == "csv" || format == "idx") return;
  if (format == "hdf5") return check_hdf5_labels(source.path, source.labels_in, source.label, source.keys);
  if (format != "svm") fail(fmt::format("a {} file holds no labels", format));
  if (source.label != "first") {
    fail(fmt::format("labels of an svm file are the first field of each line: {} = first", source.keys("label")));
  }
}

template <class T>
PointTable<T> read_format(const Communicator& communicator, const PointSource& source, const std::string& format) {
  if (format == "csv") {
    CsvRows<T> csv = read_csv<T>(communicator, source);
    PointSet<T> points(std::move(csv.rows.values), communicator.rank(), {});
    points.set_texts(std::move(csv.rows.texts));
    return {std::move(points), std::move(csv.report), std::move(csv.rows.numbers)};
  }
  if (format == "svm") {
    auto [rows, entries] = read_svm<T>(communicator, source);
    const int rank = communicator.rank();
    PointReport report;
    report.entries = entries;
    PointSet<T> points = rows.entries ? PointSet<T>(std::move(*rows.entries), rank, std::move(rows.texts.labels))
                                      : PointSet<T>(std::move(rows.values), rank, std::move(rows.texts.labels));
    return {std::move(points), std::move(report), {}};
  }
  if (format == "idx") return {read_idx<T>(communicator, source), {}, {}};
  if (auto table = read_sparse_matrix<T>(communicator, source, format)) return std::move(*table);
  return read_collectively(communicator, source.path,
                           [&] { return read_matrix_points<T>(communicator, source, format); });
}

template <class T>
PointSet<T> generate(const Communicator& communicator, const PointSource& source) {
  return collectively(communicator, [&] {
    if (source.points < 1) {
      throw Error(ErrorKind::usage, fmt::format("{} must be at least 1, not {}", source.keys("points"), source.points));
    }
    const RowPartition partition(source.points, communicator.size());
    const int rank = communicator.rank();
    return PointSet<T>(
        generate_points<T>(source.generator, partition, rank, source.dimension, source.seed, source.keys), rank, {});
  });
}

std::string join_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

// True for names of columns with numbers of rows or labels. Coordinate tables written by Cairn have such columns, too.
bool names_rows(const std::string& name) {
  constexpr std::array<std::string_view, 10> words = {"",      "id",         "index",  "row",   "row_id",
                                                      "rowid", "unnamed: 0", "number", "label", "no"};
  return std::ranges::find(words, in_small_letters(name)) != words.end();
}

// True if the first coordinate is 0, 1, 2, ... or 1, 2, 3, ... Collective.
template <class T>
bool first_counts_rows(const Communicator& communicator, const PointSet<T>& points) {
  constexpr Index enough = 4;  // fewer rows may count upwards by chance
  if (points.size() < enough) return false;
  Index from_zero = 1, from_one = 1;
  for (Index i = points.range().begin; i < points.range().end; ++i) {
    double value = 0;
    if (!points.is_sparse()) {
      value = static_cast<double>(points.coordinates().row(i).front());
    } else if (const SparseRow<T> row = points.entries().row(i); !row.columns.empty() && row.columns.front() == 0) {
      value = static_cast<double>(row.values.front());
    }
    if (value != static_cast<double>(i)) from_zero = 0;
    if (value != static_cast<double>(i + 1)) from_one = 0;
    if (from_zero + from_one == 0) break;
  }
  from_zero = communicator.minimum(from_zero);
  return communicator.minimum(from_one) + from_zero > 0;
}

// Warnings about columns that seem to number the rows. Collective.
template <class T>
std::vector<std::string> warnings_of(const Communicator& communicator, const PointSource& source,
                                     const PointTable<T>& table) {
  std::vector<std::string> warnings;
  const std::vector<std::string>& names = table.report.columns.names;
  const auto warn = [&](const std::string& column, const std::string& why) {
    warnings.push_back(fmt::format("{}: {} is read as a coordinate{}; {} leaves it out", source.path, column, why,
                                   source.keys("ignore")));
  };
  for (const std::string& name : names) {
    if (names_rows(name)) warn(name.empty() ? "a column without a name" : "the column " + name, "");
  }
  const bool counts = first_counts_rows(communicator, table.points);
  if (counts && warnings.empty()) warn("the first column that is read", " and numbers the rows");
  return warnings;
}

}  // namespace

template <class T>
PointTable<T> read_point_table(const Communicator& communicator, const PointSource& source) {
  if (!source.generator.empty()) return {generate<T>(communicator, source), {}, {}};
  const std::string format = collectively(communicator, [&] {
    std::string resolved = resolve_format(source.path, source.format, source.keys);
    if (!is_matrix_format(resolved) && resolved != "csv" && resolved != "svm" && resolved != "idx") {
      throw Error(ErrorKind::usage, fmt::format("{}: '{}' is not known; there are csv, svm, idx, npy, npz, "
                                                "raw32, raw64 and hdf5",
                                                source.keys("format"), resolved));
    }
    check_keys(source, resolved);
    return resolved;
  });
  PointTable<T> table = read_format<T>(communicator, source, format);
  table.report.format = format;
  table.report.columns.chosen = join_words(source.columns);
  table.report.columns.ignored = join_words(source.ignored);
  const Index values = format.starts_with("raw") ? table.report.file_columns : table.points.dimension();
  if (format != "svm" && source.dimension > 0 && source.dimension != values) {
    throw Error(ErrorKind::input, fmt::format("{}: has {} values a point; {} says {}", source.path, values,
                                              source.keys("dimension"), source.dimension));
  }
  if (table.report.file_columns > 0) {
    for (std::string& warning : warnings_of(communicator, source, table)) {
      table.report.warnings.push_back(std::move(warning));
    }
  }
  return table;
}

template <class T>
PointSet<T> read_points(const Communicator& communicator, const PointSource& source) {
  return read_point_table<T>(communicator, source).points;
}

std::array<TextColumn, 4> PointSource::text_columns() const {
  return {{{"label", label, &ObjectTexts::labels},
           {"split", split, &ObjectTexts::splits},
           {"group", group, &ObjectTexts::groups},
           {"id", identifier, &ObjectTexts::identifiers}}};
}

bool labels_are_a_file(const PointSource& source) {
  try {
    return resolve_format(source.path, source.format, source.keys) == "idx";
  } catch (const Error&) {
    return false;  // the reader reports it
  }
}

std::optional<PointShape> peek_point_shape(const PointSource& source) {
  if (!source.generator.empty())
    return PointShape{source.points, generated_dimension(source.generator, source.dimension, source.keys)};
  const std::string format = resolve_format(source.path, source.format, source.keys);
  if (format == "idx") return read_idx_shape(source.path);
  if (!is_matrix_format(format)) return std::nullopt;
  check_keys(source, format);
  return matrix_point_shape(source, format);
}

template PointTable<float> read_point_table(const Communicator&, const PointSource&);
template PointTable<double> read_point_table(const Communicator&, const PointSource&);
template PointSet<float> read_points(const Communicator&, const PointSource&);
template PointSet<double> read_points(const Communicator&, const PointSource&);

}  // namespace cairn
