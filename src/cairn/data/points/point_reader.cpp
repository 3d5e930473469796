#include "cairn/data/points/point_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/collective_reading.hpp"
#include "cairn/base/small_letters.hpp"
#include "cairn/data/matrix/idx_reader.hpp"
#include "cairn/data/matrix/matrix_file.hpp"
#include "cairn/data/points/generator.hpp"
#include "cairn/data/points/hdf5_labels.hpp"
#include "cairn/data/points/matrix_points.hpp"
#include "cairn/data/points/text_points.hpp"

namespace cairn {

namespace {

// Keys that this format has no use for, and labels that it cannot have.
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

// Words that name a column of numbers of rows or of labels: tables of coordinates that Cairn writes have them, too.
bool names_rows(const std::string& name) {
  constexpr std::array<std::string_view, 10> words = {"",      "id",         "index",  "row",   "row_id",
                                                      "rowid", "unnamed: 0", "number", "label", "no"};
  return std::ranges::find(words, in_small_letters(name)) != words.end();
}

// Whether the first coordinate is 0, 1, 2, ... or 1, 2, 3, ... Collective.
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

// Columns that look as if they number the rows. Collective.
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
    return false;  // the reader says so
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
