#include "cairn/data/points/matrix_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/collective_reading.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/io/column_choice.hpp"
#include "cairn/data/matrix/matrix_file.hpp"
#include "cairn/data/matrix/sparse_matrix.hpp"
#include "cairn/data/points/hdf5_labels.hpp"

namespace cairn {

namespace {

constexpr Index piece_values = Index{1} << 22;  // values that are read and converted at once

std::shared_ptr<const DenseMatrix> open_points(const PointSource& source, const std::string& format) {
  if (source.dimension < 1 && format.starts_with("raw")) {
    throw Error(ErrorKind::usage, fmt::format("{}: a raw file needs {}", source.path, source.keys("dimension")));
  }
  return open_matrix_file(source.path, format, source.dataset, source.dimension, source.keys);
}

TableColumns columns_of(const std::string& path, Index columns, const std::string& format) {
  TableColumns table{path, static_cast<std::size_t>(columns), {}};
  if (format == "hdf5") table.names = read_hdf5_columns(path, columns);
  return table;
}

TableColumns columns_of(const DenseMatrix& matrix, const std::string& format) {
  return columns_of(matrix.path(), matrix.columns(), format);
}

// A file of entries; null: another file.
struct SparseFile {
  std::shared_ptr<const SparseMatrix> matrix;
  std::string dataset;
};

SparseFile open_sparse(const PointSource& source, const std::string& format) {
  if (format == "npz" && source.dataset.empty() && is_npz_of_scipy(source.path)) {
    return {open_npz_of_scipy(source.path), ""};
  }
  if (format != "hdf5") return {};
  const auto matrix = open_points(source, format);
  return {std::dynamic_pointer_cast<const SparseMatrix>(matrix), matrix->dataset()};
}

template <class T>
T narrowed(const std::string& path, Index row, Index column, double value) {
  const auto narrow = static_cast<T>(value);
  if (std::isfinite(narrow)) return narrow;
  throw Error(ErrorKind::input,
              fmt::format("{}: entry ({}, {}) is {}: too large for single precision", path, row, column, value));
}

// Converts finite numbers to the precision of the points, into columns from `first` on of the rows from `first_row` on.
template <class T>
void narrow(const DenseMatrix& matrix, const std::vector<Index>& columns, MatrixView<const double> from,
            Index first_row, Index first, RowBlock<T>& to) {
  for (Index i = 0; i < from.rows; ++i) {
    T* target = to.row(first_row + i).data() + first;
    for (Index j = 0; j < from.columns; ++j) {
      target[j] = narrowed<T>(matrix.path(), first_row + i, columns[first + j], from(i, j));
    }
  }
}

// Number of rows and columns read at once: whole rows, or long parts of columns if columns are stored one after
// another.
struct Piece {
  Index rows = 0;
  Index columns = 0;
};

Piece piece_of(const DenseMatrix& matrix, Index own_rows, Index columns) {
  own_rows = std::max<Index>(own_rows, 1);
  if (!matrix.by_columns()) return {std::clamp<Index>(piece_values / matrix.columns(), 1, own_rows), columns};
  const Index rows = std::min(own_rows, piece_values);
  return {rows, std::clamp<Index>(piece_values / rows, 1, columns)};
}

template <class T>
void read_pieces(const DenseMatrix& matrix, const std::vector<Index>& columns, RowBlock<T>& points) {
  const auto width = static_cast<Index>(columns.size());
  const Piece piece = piece_of(matrix, points.range().size(), width);
  Buffer<double> values(piece.rows * piece.columns);
  for (Index first = 0; first < width; first += piece.columns) {
    const Index across = std::min(piece.columns, width - first);
    const std::span<const Index> chosen = std::span(columns).subspan(first, across);
    for (Index begin = points.range().begin; begin < points.range().end; begin += piece.rows) {
      std::vector<Index> rows(std::min(piece.rows, points.range().end - begin));
      std::iota(rows.begin(), rows.end(), begin);
      const MatrixView<double> part(values.data(), std::ssize(rows), across);
      matrix.read(rows, chosen, part);
      narrow(matrix, columns, MatrixView<const double>(values.data(), part.rows, across), begin, first, points);
      Watchdog::beat();
    }
  }
}

std::vector<std::size_t> chosen_columns(const TableColumns& table, const PointSource& source) {
  return value_columns(table, source.columns, ignored_columns(table, source), {});
}

// True if every column becomes a coordinate: then they need not be listed.
bool takes_all_columns(const PointSource& source) { return source.columns.empty() && source.ignored.empty(); }

// Points of this rank, as entries or with all coordinates.
// @param columns  columns of the coordinates; empty: all columns of the file
template <class T>
PointSet<T> points_of_entries(const std::string& path, const RowPartition& partition, int rank, Index dimension,
                              EntriesOfRows entries, const std::vector<Index>& columns, bool sparse) {
  std::vector<T> values(entries.values.size());
  const Range own = partition.range(rank);
  for (Index i = 0; i < own.size(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (auto e = static_cast<std::size_t>(entries.starts[row]); e < static_cast<std::size_t>(entries.starts[row + 1]);
         ++e) {
      const Index k = entries.columns[e], column = columns.empty() ? k : columns[k];
      values[e] = narrowed<T>(path, own.begin + i, column, entries.values[e]);
    }
  }
  PointSet<T> points(SparseRows<T>(partition, rank, dimension, std::move(entries.starts), std::move(entries.columns),
                                   std::move(values)),
                     rank, {});
  if (sparse) return points;
  require_room_for_rows(path, own.size(), dimension, sizeof(T));
  RowBlock<T> all(partition, rank, dimension);
  for (Index i = own.begin; i < own.end; ++i) points.copy_point(i, all.row(i));
  return PointSet<T>(std::move(all), rank, {});
}

PointReport report_of(const TableColumns& table, const std::vector<std::size_t>& columns, const PointSource& source) {
  PointReport report;
  report.file_columns = static_cast<Index>(table.count);
  for (const std::size_t k : find_columns(table, ignored_columns(table, source))) {
    report.ignored.push_back(column_name(table, k));
  }
  if (table.names.empty()) return report;
  for (const std::size_t k : columns) report.columns.names.push_back(table.names[k]);
  return report;
}

}  // namespace

bool is_matrix_format(const std::string& format) {
  return format == "npy" || format == "npz" || format == "raw32" || format == "raw64" || format == "hdf5";
}

template <class T>
PointTable<T> read_matrix_points(const Communicator& communicator, const PointSource& source,
                                 const std::string& format) {
  const auto matrix = open_points(source, format);
  const int rank = communicator.rank();
  const TableColumns table = columns_of(*matrix, format);
  const std::vector<std::size_t> chosen = chosen_columns(table, source);
  const std::vector<Index> columns(chosen.begin(), chosen.end());
  const RowPartition partition(matrix->rows(), communicator.size());
  require_room_for_rows(source.path, partition.range(rank).size(), std::ssize(columns), sizeof(T));
  RowBlock<T> points(partition, rank, std::ssize(columns));
  read_pieces(*matrix, columns, points);
  std::vector<std::string> labels;
  if (format == "hdf5") labels = read_hdf5_labels(source.path, source.labels_in, points.range(), matrix->rows());
  PointReport report = report_of(table, chosen, source);
  report.dataset = matrix->dataset();
  return {PointSet<T>(std::move(points), rank, std::move(labels)), std::move(report), {}};
}

template <class T>
std::optional<PointTable<T>> read_sparse_matrix(const Communicator& communicator, const PointSource& source,
                                                const std::string& format) {
  const SparseFile file = read_collectively(communicator, source.path, [&] { return open_sparse(source, format); });
  if (!file.matrix) return std::nullopt;
  const int rank = communicator.rank();
  const RowPartition partition(file.matrix->row_count(), communicator.size());
  TableColumns table{};
  std::vector<Index> columns;
  Index dimension = 0;
  EntriesOfRows entries = read_collectively(communicator, source.path, [&] {
    table = columns_of(source.path, file.matrix->column_count(), format);
    dimension = file.matrix->column_count();
    std::vector<Index> position;
    if (!takes_all_columns(source)) {
      const std::vector<std::size_t> chosen = chosen_columns(table, source);
      columns.assign(chosen.begin(), chosen.end());
      dimension = std::ssize(columns);
      position.assign(table.count, -1);
      for (std::size_t k = 0; k < chosen.size(); ++k) position[chosen[k]] = static_cast<Index>(k);
    }
    EntryCollector found(partition.range(rank));
    file.matrix->read(found);
    return found.finish(source.path, position);
  });
  const Index count = communicator.sum(std::ssize(entries.values));
  const bool sparse = source.sparse && sparse_enough(count, partition.rows(), dimension);
  return read_collectively(communicator, source.path, [&] {
    PointSet<T> points =
        points_of_entries<T>(source.path, partition, rank, dimension, std::move(entries), columns, sparse);
    ObjectTexts texts;
    if (format == "hdf5") {
      texts.labels = read_hdf5_labels(source.path, source.labels_in, points.range(), partition.rows());
    }
    points.set_texts(std::move(texts));
    PointReport report = report_of(table, {columns.begin(), columns.end()}, source);
    if (columns.empty()) report.columns.names = table.names;
    report.dataset = file.dataset;
    report.entries = count;
    return std::optional(PointTable<T>{std::move(points), std::move(report), {}});
  });
}

PointShape matrix_point_shape(const PointSource& source, const std::string& format) {
  if (const SparseFile file = open_sparse(source, format); file.matrix) {
    const Index all = file.matrix->column_count();
    if (takes_all_columns(source)) return {file.matrix->row_count(), all, file.matrix->entry_count()};
    const TableColumns table = columns_of(source.path, all, format);
    return {file.matrix->row_count(), std::ssize(chosen_columns(table, source)), file.matrix->entry_count()};
  }
  const auto matrix = open_points(source, format);
  return {matrix->rows(), std::ssize(chosen_columns(columns_of(*matrix, format), source))};
}

template PointTable<float> read_matrix_points(const Communicator&, const PointSource&, const std::string&);
template PointTable<double> read_matrix_points(const Communicator&, const PointSource&, const std::string&);
template std::optional<PointTable<float>> read_sparse_matrix(const Communicator&, const PointSource&,
                                                             const std::string&);
template std::optional<PointTable<double>> read_sparse_matrix(const Communicator&, const PointSource&,
                                                              const std::string&);

}  // namespace cairn
