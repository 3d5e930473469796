#include "cairn/data/points/joined_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/io/text_table.hpp"

namespace cairn {

namespace {

// Rows of one table after those that `joined` has. @param block  the number of this rank's rows among those of all
// ranks, in the order of the points
template <class T>
void append(const PointTable<T>& table, const char* split, Index block, Index first_number, ParsedRows<T>& joined) {
  const Range range = table.points.range();
  const auto width = static_cast<std::size_t>(joined.width);
  for (Index i = range.begin; i < range.end; ++i) {
    if (joined.sparse && !table.points.is_sparse()) {
      const std::span<const T> row = table.points.coordinates().row(i);
      const std::size_t begin = joined.values.size();
      for (std::size_t k = 0; k < row.size(); ++k) {
        if (row[k] == T{0}) continue;
        joined.values.push_back(row[k]);
        joined.columns.push_back(static_cast<Index>(k));
      }
      joined.counts.push_back(static_cast<Index>(joined.values.size() - begin));
      continue;
    }
    if (joined.sparse) {
      const SparseRow<T> row = table.points.entries().row(i);
      joined.values.insert(joined.values.end(), row.values.begin(), row.values.end());
      joined.columns.insert(joined.columns.end(), row.columns.begin(), row.columns.end());
      joined.counts.push_back(std::ssize(row.columns));
      continue;
    }
    const std::span<const T> row = table.points.coordinates().row(i);
    joined.values.insert(joined.values.end(), row.begin(), row.end());
    joined.values.resize(joined.values.size() + width - row.size(), T{0});
  }
  const auto add = [](std::vector<std::string>& all, const std::vector<std::string>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  add(joined.texts.labels, table.points.labels());
  add(joined.texts.groups, table.points.groups());
  add(joined.texts.identifiers, table.points.identifiers());
  joined.texts.splits.resize(joined.texts.splits.size() + static_cast<std::size_t>(range.size()), split);
  for (const Index number : table.numbers) joined.numbers.push_back(first_number + number);
  joined.blocks.push_back({block, range.size()});
}

// @throws Error(input) unless the points of both files have the same columns. Local.
template <class T>
void require_same_columns(const PointSource& source, const std::string& test, const PointTable<T>& first,
                          const PointTable<T>& second) {
  const std::vector<std::string>&names = first.report.columns.names, &others = second.report.columns.names;
  if (!names.empty() && !others.empty()) {
    const auto [name, other] = std::ranges::mismatch(names, others);
    if (name != names.end() && other != others.end()) {
      throw Error(ErrorKind::input, fmt::format("{}: coordinate {} is the column '{}', and in {} it is '{}'", test,
                                                name - names.begin() + 1, *other, source.path, *name));
    }
  }
  if (first.points.dimension() == second.points.dimension() || first.report.format == "svm") return;
  throw Error(ErrorKind::input, fmt::format("{}: its points have {} coordinates, those of {} have {}", test,
                                            second.points.dimension(), source.path, first.points.dimension()));
}

// Collective.
template <class T>
bool has_labels(const Communicator& communicator, const PointTable<T>& table) {
  return communicator.maximum(table.points.labels().empty() ? Index{0} : Index{1}) > 0;
}

}  // namespace

void check_test_file(const PointSource& source, const TestFile& test) {
  if (test.path.empty()) {
    if (test.label.empty()) return;
    throw Error(ErrorKind::usage,
                fmt::format("{} has no effect without {}", source.keys("test-label"), source.keys("test-path")));
  }
  if (!source.split.empty()) {
    throw Error(ErrorKind::usage, fmt::format("give one of {} and {}, not both: two files are two splits",
                                              source.keys("split"), source.keys("test-path")));
  }
  const bool own_file = labels_are_a_file(source);
  if (!test.label.empty() && !own_file) {
    throw Error(ErrorKind::usage, fmt::format("{} = {} has an effect only for idx: {} says which labels of both files "
                                              "are read",
                                              source.keys("test-label"), test.label, source.keys("label")));
  }
  if (own_file && source.label.empty() != test.label.empty()) {
    throw Error(ErrorKind::usage,
                fmt::format("give both of {} and {}, or none", source.keys("label"), source.keys("test-label")));
  }
}

PointSource test_source(const PointSource& source, const TestFile& test) {
  PointSource second = source;
  second.path = test.path;
  if (labels_are_a_file(source)) second.label = test.label;
  return second;
}

template <class T>
PointTable<T> read_with_test_points(const Communicator& communicator, const PointSource& source, const TestFile& test) {
  collectively(communicator, [&] { check_test_file(source, test); });
  PointTable<T> first = read_point_table<T>(communicator, source);
  if (test.path.empty()) return first;
  PointTable<T> second = read_point_table<T>(communicator, test_source(source, test));
  require_same_columns(source, test.path, first, second);
  if (const bool labelled = has_labels(communicator, first); labelled != has_labels(communicator, second)) {
    throw Error(ErrorKind::input, fmt::format("{} has labels, and {} has none", labelled ? source.path : test.path,
                                              labelled ? test.path : source.path));
  }
  // One kind of points: sparse ones if both are together. A file is whose entries are counted.
  ParsedRows<T> joined;
  joined.width = std::max(first.points.dimension(), second.points.dimension());
  joined.sparse = source.sparse && first.report.entries >= 0 && second.report.entries >= 0 &&
                  sparse_enough(first.report.entries + second.report.entries,
                                first.points.size() + second.points.size(), joined.width);
  for (PointTable<T>* table : {&first, &second}) {
    if (table->points.is_sparse() && !joined.sparse) {
      table->points = with_all_coordinates(communicator, table->points);
    }
  }
  const Index before = first.points.size() + first.report.skipped;
  append(first, "train", communicator.rank(), 0, joined);
  append(second, "test", communicator.size() + communicator.rank(), before, joined);
  PointReport report = std::move(first.report);
  report.notes.push_back(fmt::format("{} rows of {} are of split test, the {} rows before them of split train",
                                     second.points.size(), test.path, first.points.size()));
  report.skipped += second.report.skipped;
  if (report.entries >= 0 && second.report.entries >= 0) {
    report.entries += second.report.entries;
  } else {
    report.entries = -1;
  }
  for (std::string& warning : second.report.warnings) report.warnings.push_back(std::move(warning));
  first.points = PointSet<T>(RowBlock<T>(), communicator.rank(), {});
  second.points = PointSet<T>(RowBlock<T>(), communicator.rank(), {});
  OwnedRows<T> rows = send_to_owners(communicator, source.path, std::move(joined));
  PointSet<T> points = rows.entries ? PointSet<T>(std::move(*rows.entries), communicator.rank(), {})
                                    : PointSet<T>(std::move(rows.values), communicator.rank(), {});
  points.set_texts(std::move(rows.texts));
  return {std::move(points), std::move(report), std::move(rows.numbers)};
}

template PointTable<float> read_with_test_points(const Communicator&, const PointSource&, const TestFile&);
template PointTable<double> read_with_test_points(const Communicator&, const PointSource&, const TestFile&);

}  // namespace cairn
