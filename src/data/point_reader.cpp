#include "data/point_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/collective_guard.hpp"
#include "base/watchdog.hpp"
#include "data/generator.hpp"
#include "data/hdf5_labels.hpp"
#include "data/idx_reader.hpp"
#include "data/matrix_file.hpp"
#include "data/text_points.hpp"

namespace cairn {

namespace {

constexpr Index piece_values = Index{1} << 22;  // read and converted at once

bool is_matrix_format(const std::string& format) {
  return format == "npy" || format == "raw32" || format == "raw64" || format == "hdf5";
}

std::shared_ptr<const DenseMatrix> open_points(const PointSource& source, const std::string& format) {
  if (source.dimension < 1 && format.starts_with("raw")) {
    throw Error(ErrorKind::usage, fmt::format("{}: a raw file needs the key data.dimension", source.path));
  }
  return open_matrix_file(source.path, format, source.dataset, source.dimension);
}

// Finite numbers in the precision of the points.
template <class T>
void narrow(const std::string& path, MatrixView<double> from, Index first_row, T* to) {
  for (Index k = 0; k < from.rows * from.columns; ++k) {
    to[k] = static_cast<T>(from.data[k]);
    if (std::isfinite(to[k])) continue;
    throw Error(ErrorKind::input, fmt::format("{}: entry ({}, {}) is {}: too large for single precision", path,
                                              first_row + k / from.columns, k % from.columns, from.data[k]));
  }
}

// This rank's rows of a matrix file.
template <class T>
PointSet<T> read_matrix_points(const Communicator& communicator, const PointSource& source, const std::string& format) {
  const auto matrix = open_points(source, format);
  const int rank = communicator.rank();
  RowBlock<T> points(RowPartition(matrix->rows(), communicator.size()), rank, matrix->columns());
  std::vector<Index> columns(static_cast<std::size_t>(matrix->columns()));
  std::iota(columns.begin(), columns.end(), Index{0});
  const Index step = std::clamp<Index>(piece_values / matrix->columns(), 1, std::max<Index>(points.range().size(), 1));
  Buffer<double> values(step * matrix->columns());
  for (Index begin = points.range().begin; begin < points.range().end; begin += step) {
    std::vector<Index> rows(static_cast<std::size_t>(std::min(step, points.range().end - begin)));
    std::iota(rows.begin(), rows.end(), begin);
    const MatrixView<double> piece(values.data(), static_cast<Index>(rows.size()), matrix->columns());
    matrix->read(rows, columns, piece);
    narrow(source.path, piece, begin, points.row(begin).data());
    Watchdog::beat();
  }
  std::vector<std::string> labels;
  if (format == "hdf5") labels = read_hdf5_labels(source.path, points.range(), matrix->rows());
  return PointSet<T>(std::move(points), rank, std::move(labels));
}

// Keys that this format has no use for, and labels that it cannot have.
void check_keys(const PointSource& source, const std::string& format) {
  const auto fail = [&](const std::string& reason) {
    throw Error(ErrorKind::input, fmt::format("{}: data.label = {}: {}", source.path, source.label, reason));
  };
  if (!source.dataset.empty() && format != "hdf5") {
    throw Error(ErrorKind::usage,
                fmt::format("data.dataset = {}: {} is of format {}; data sets have names in hdf5 alone", source.dataset,
                            source.path, format));
  }
  if (source.label.empty() || format == "csv" || format == "idx") return;
  if (format == "hdf5") return check_hdf5_labels(source.path, source.label);
  if (format != "svm") fail(fmt::format("a {} file holds no labels", format));
  if (source.label != "first") fail("labels of an svm file are the first field of each line: data.label = first");
}

template <class T>
PointSet<T> read_format(const Communicator& communicator, const PointSource& source, const std::string& format) {
  if (format == "csv" || format == "svm") {
    OwnedRows<T> rows = format == "csv" ? read_csv<T>(communicator, source) : read_svm<T>(communicator, source);
    return PointSet<T>(std::move(rows.values), communicator.rank(), std::move(rows.labels));
  }
  if (format == "idx") return read_idx<T>(communicator, source);
  return collectively(communicator, [&] { return read_matrix_points<T>(communicator, source, format); });
}

}  // namespace

template <class T>
PointSet<T> read_points(const Communicator& communicator, const PointSource& source) {
  const int rank = communicator.rank();
  if (!source.generator.empty()) {
    return collectively(communicator, [&] {
      if (source.points < 1)
        throw Error(ErrorKind::usage, fmt::format("data.points must be at least 1, not {}", source.points));
      const RowPartition partition(source.points, communicator.size());
      return PointSet<T>(generate_points<T>(source.generator, partition, rank, source.dimension, source.seed), rank,
                         {});
    });
  }
  const std::string format = collectively(communicator, [&] {
    std::string resolved = resolve_format(source.path, source.format);
    if (!is_matrix_format(resolved) && resolved != "csv" && resolved != "svm" && resolved != "idx") {
      throw Error(ErrorKind::usage, fmt::format("data.format: '{}' is not known; there are csv, svm, idx, npy, raw32, "
                                                "raw64 and hdf5",
                                                resolved));
    }
    check_keys(source, resolved);
    return resolved;
  });
  PointSet<T> points = read_format<T>(communicator, source, format);
  if (format != "svm" && source.dimension > 0 && source.dimension != points.dimension()) {
    throw Error(ErrorKind::input, fmt::format("{}: has {} values a point; data.dimension says {}", source.path,
                                              points.dimension(), source.dimension));
  }
  return points;
}

std::optional<PointShape> peek_point_shape(const PointSource& source) {
  if (!source.generator.empty())
    return PointShape{source.points, generated_dimension(source.generator, source.dimension)};
  const std::string format = resolve_format(source.path, source.format);
  if (format == "idx") return read_idx_shape(source.path);
  if (!is_matrix_format(format)) return std::nullopt;
  const auto matrix = open_points(source, format);
  return PointShape{matrix->rows(), matrix->columns()};
}

template PointSet<float> read_points(const Communicator&, const PointSource&);
template PointSet<double> read_points(const Communicator&, const PointSource&);

}  // namespace cairn
