#include "cairn/data/points/column_reader.hpp"

#include <fmt/format.h>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/matrix/matrix_file.hpp"
#include "cairn/data/points/point_reader.hpp"
#include "cairn/data/points/text_points.hpp"

namespace cairn {

ColumnTable read_columns(const Communicator& communicator, const ColumnSource& source) {
  PointSource points;
  points.path = source.path;
  points.label = source.key;
  points.missing = source.missing ? "nan" : "";
  points.keys = source.keys;
  const std::string format = collectively(communicator, [&] {
    std::string resolved = resolve_format(source.path, "", source.keys);
    if (resolved != "csv" && !source.columns.empty()) {
      throw Error(ErrorKind::usage, fmt::format("{}: only csv files have columns to choose", source.path));
    }
    return resolved;
  });
  if (format == "csv") {
    points.columns = source.columns;
    CsvRows<double> read = read_csv<double>(communicator, points);
    std::vector<std::string> names = std::move(read.report.columns.names);
    if (names.empty()) {
      for (const std::size_t column : read.columns) names.push_back(std::to_string(column + 1));
    }
    return {std::move(names),
            PointSet<double>(std::move(read.rows.values), communicator.rank(), std::move(read.rows.texts.labels)),
            std::move(read.columns)};
  }
  PointSet<double> rows = read_points<double>(communicator, points);
  std::vector<std::string> names;
  for (Index k = 1; k <= rows.dimension(); ++k) names.push_back(std::to_string(k));
  return {std::move(names), std::move(rows)};
}

}  // namespace cairn
