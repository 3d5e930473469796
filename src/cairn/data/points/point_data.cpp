// Points as a kind of data.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/log.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/data_kinds.hpp"
#include "cairn/data/data_parameters.hpp"
#include "cairn/data/io/text_table.hpp"
#include "cairn/data/points/point_keys.hpp"
#include "cairn/data/points/point_reader.hpp"
#include "cairn/data/points/scaled_points.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

// Points of two files as one set: training points, then test points.

// A second file of points, read like the first one.
struct TestFile {
  std::string path{};   ///< empty: there is none
  std::string label{};  ///< idx: the path of its labels
};

// Appends the rows of a table to `joined`. @param block  number of this rank's rows among those of all ranks, in the
// order of the points
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

// Checks the rules for the test file of a source. @throws Error(usage). Local.
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

// The source of the test file, derived from that of the first file. Local.
PointSource test_source(const PointSource& source, const TestFile& test) {
  PointSource second = source;
  second.path = test.path;
  if (labels_are_a_file(source)) second.label = test.label;
  return second;
}

// Reads the points of the source. If there is a test file, they have split train, and the points of the test file
// follow with split test. Numbers in the file continue in the second one. For svm files, points with fewer coordinates
// are padded with 0.
// @throws Error(usage) for a split in addition to the test file, and for superfluous or missing labels of it,
// Error(input) if the files differ in their coordinates, or only one has labels; as read_point_table. Collective.
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
  // All points have one form: sparse if both sets together are. A file of entries has a count of them.
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

PointSource source_of(const Values& values) {
  PointSource source;
  source.keys = values.keys();
  source.path = values.text("path");
  source.generator = values.text("generate");
  source.format = values.text("format");
  source.label = values.text("label");
  source.split = values.text("split");
  source.group = values.text("group");
  source.identifier = values.text("id");
  source.dataset = values.text("dataset");
  take_columns(values, source);
  source.dimension = values.integer_or("dimension", 0);
  if (!source.generator.empty()) {
    source.points = values.integer("points");
    if (source.generator != "swiss-roll") values.required("dimension");
  }
  source.seed = static_cast<std::uint64_t>(values.integer("seed"));
  return source;
}

TestFile test_file_of(const Values& values) { return {values.text("test-path"), values.text("test-label")}; }

std::string plural(Index count, const char* one) {
  return fmt::format("{} {}{}", grouped(count), one, count == 1 ? "" : "s");
}

std::vector<DataFact> facts_of(const PointReport& report) {
  if (report.file_columns == 0) return {};
  const PointColumns& columns = report.columns;
  std::vector<DataFact> facts = {
      {"data",
       fmt::format("{}{}, {}", report.format, report.dataset.empty() ? "" : " data set " + report.dataset,
                   plural(report.file_columns, "column")),
       "format", report.format},
      {"", "", "columns", report.file_columns}};
  if (!report.dataset.empty()) facts.push_back({"", "", "dataset", report.dataset});
  if (report.text) facts.push_back({"", "", "has_header", report.header});
  const bool named = report.header || !columns.names.empty();
  const bool no_header = report.text && !report.header;
  facts.push_back({named || no_header ? "header" : "",
                   named ? name_list(columns.names) : "none, the first line is a point", "names", columns.names});
  facts.push_back({columns.label.empty() ? "" : "label column", columns.label, "label", columns.label});
  facts.push_back(
      {report.ignored.empty() ? "" : "ignored columns", name_list(report.ignored), "ignored", report.ignored});
  facts.push_back({report.skipped > 0 ? "skipped" : "", plural(report.skipped, "row") + " with missing values",
                   "skipped_rows", report.skipped});
  facts.push_back({"", "", "warnings", report.warnings});
  return facts;
}

std::vector<std::string> notes_of(const PointReport& report) {
  std::vector<std::string> notes = report.notes;
  std::vector<std::string> names = report.columns.names;
  std::ranges::sort(names);
  const auto repeated = std::ranges::adjacent_find(names);
  if (repeated != names.end()) notes.push_back(fmt::format("several coordinates are columns called {}", *repeated));
  if (report.skipped > 0) {
    notes.push_back(fmt::format("{} with missing values {} skipped", plural(report.skipped, "row"),
                                report.skipped == 1 ? "was" : "were"));
  }
  return notes;
}

// @throws Error(input) unless the points have as many coordinates as the known ones; a forgotten label is one too many.
void require_dimension(const Values& values, const PointReport& report, Index dimension, const KnownPoints& known) {
  if (dimension == known.dimension) return;
  const std::string label = known.columns ? known.columns->label : "";
  const std::vector<std::string>& names = report.columns.names;
  const bool has_label = !label.empty() && (names.empty() || contains(names, label));
  if (has_label && dimension == known.dimension + 1 && !values.given("label")) {
    throw Error(ErrorKind::input, fmt::format("the new points have {} columns, those of {} {} and a label: give "
                                              "{} (it was the column {})",
                                              dimension, known.path, known.dimension, values.keys()("label"), label));
  }
  throw Error(ErrorKind::input, fmt::format("{}: the new points have {} coordinates, those of {} have {}",
                                            values.text("path"), dimension, known.path, known.dimension));
}

// Requires that the coordinates of new points are the same columns in the same order, as far as both files name them.
// @throws Error(input) that names the first one that differs
void compare_columns(const Values& values, const KnownPoints& known, PointReport& report) {
  if (!known.columns || known.columns->names.empty() || report.file_columns == 0) return;
  const std::string& path = values.text("path");
  const std::vector<std::string>& before = known.columns->names;
  const std::vector<std::string>& now = report.columns.names;
  if (now.empty()) {
    report.notes.push_back(fmt::format("{} names no columns; they are taken to be those of {}, in the same order: {}",
                                       path, known.path, name_list(before)));
    return;
  }
  const auto different = std::ranges::mismatch(before, now);
  if (different.in1 == before.end()) return;
  const bool elsewhere = contains(now, *different.in1);
  throw Error(
      ErrorKind::input,
      fmt::format("{}: coordinate {} is the column '{}', and in {} it is '{}'{}", path,
                  different.in1 - before.begin() + 1, *different.in2, known.path, *different.in1,
                  elsewhere ? fmt::format("; {} chooses columns and their order", values.keys()("columns")) : ""));
}

// Chooses columns of new points as for the result, unless parameters specify them. Columns ignored in the result may be
// missing.
void choose_as_known(const DataInput& input, const PointColumns& known, PointSource& source) {
  const bool chosen = input.values.given("columns") || input.values.given("ignore");
  if (input.known->new_objects && !chosen && !source.path.empty()) {
    if (!known.chosen.empty()) source.columns = comma_list(known.chosen);
    if (!known.ignored.empty()) source.ignored = comma_list(known.ignored);
    source.ignored_may_be_missing = true;
  } else {
    source.ignored_may_be_missing = input.values.text("ignore") == known.ignored;
  }
}

template <class T>
Data<T> read(const DataInput& input) {
  const Communicator& communicator = input.execution.communicator;
  const KnownPoints* known = input.known != nullptr ? &input.known->points : nullptr;
  PointSource source = source_of(input.values);
  source.sparse = input.sparse;
  if (known != nullptr && known->columns) choose_as_known(input, *known->columns, source);
  PointTable<double> table = read_with_test_points<double>(communicator, source, test_file_of(input.values));
  for (const std::string& warning : table.report.warnings) {
    if (communicator.is_root()) log(LogLevel::warning, warning);
  }
  const Index entries = table.report.entries;
  const PointSet<double>& read_points = table.points;
  if (!read_points.is_sparse() && entries >= 0 && sparse_enough(entries, read_points.size(), read_points.dimension())) {
    table.report.notes.push_back(all_coordinates_note("what is computed takes those that are 0, too",
                                                      read_points.size(), read_points.dimension(),
                                                      static_cast<Index>(sizeof(T))));
  }
  if (known != nullptr) require_dimension(input.values, table.report, table.points.dimension(), *known);
  if (known != nullptr && input.known->new_objects) compare_columns(input.values, *known, table.report);
  ScaledPoints<T> scaled = scale_points<T>(communicator, std::move(table.points),
                                           {.kind = input.values.text("scaling"),
                                            .known = known != nullptr ? &known->scaling : nullptr,
                                            .digest = known != nullptr && !input.known->new_objects ? known->digest : 0,
                                            .subtract = input.values.text("offset") == "subtract",
                                            .source = source.path,
                                            .keys = input.values.keys()});
  Data<T> data;
  data.digest = scaled.digest;
  data.scaling = std::move(scaled.scaling);
  data.numbers = listed_numbers(communicator, scaled.points->range(), std::move(table.numbers));
  data.facts = facts_of(table.report);
  data.notes = notes_of(table.report);
  std::ranges::move(scaled.notes, std::back_inserter(data.notes));
  data.warnings = std::move(scaled.warnings);
  if (table.report.file_columns > 0) data.columns = std::move(table.report.columns);
  data.objects = std::move(scaled.points);
  return data;
}

std::optional<DataSize> size_of(const Values& values) {
  const PointSource source = source_of(values);
  const TestFile test = test_file_of(values);
  auto shape = peek_point_shape(source);
  if (!shape) return std::nullopt;
  Index texts = 0;
  if (!test.path.empty()) {
    const auto second = peek_point_shape(test_source(source, test));
    if (!second) return std::nullopt;
    shape->points += second->points;
    shape->entries = shape->entries < 0 || second->entries < 0 ? -1 : shape->entries + second->entries;
    ++texts;
  }
  for (const char* name : {"label", "split", "group", "id"}) texts += values.given(name) ? 1 : 0;
  if (values.text("missing") == "skip") texts = std::max<Index>(1, texts);
  const std::string& scaling = values.text("scaling");
  const bool sparse = shape->entries >= 0 && scaling != "center" && scaling != "standard" &&
                      sparse_enough(shape->entries, shape->points, shape->dimension);
  return DataSize{.objects = shape->points,
                  .dimension = shape->dimension,
                  .point_entries = sparse ? shape->entries / shape->points + 1 : -1,
                  .row_texts = texts};
}

std::vector<std::string> paths_of(const Values& values) {
  if (!values.given("label")) return {};
  const bool file =
      labels_are_a_file({.path = values.text("path"), .format = values.text("format"), .keys = values.keys()});
  return file ? std::vector<std::string>{"label"} : std::vector<std::string>();
}

std::vector<Parameter> column_parameters() {
  return {
      {.name = "columns",
       .value = "COLUMN,COLUMN",
       .help = "csv, npy, npz, raw32, raw64 and hdf5: the columns that become coordinates, in this order: names of "
               "a header, numbers from 1, or ranges of numbers (2-12). By default all but the label are read."},
      {.name = "ignore",
       .value = "COLUMN,COLUMN",
       .help = "The same formats: columns that do not become coordinates, named as in columns. By default none are "
               "ignored."},
      {.name = "missing",
       .value = "NAME",
       .type = ValueType::choice,
       .fallback = "refuse",
       .help = "csv: what becomes of a row in which a value is missing (an empty field, NA, N/A, NaN, nan, null, "
               "NULL, None or ?): refuse makes it an error, skip leaves it out; the result keeps the numbers of "
               "the other rows in the file, from 0.",
       .choices = {"refuse", "skip"}},
      {.name = "separator",
       .value = "NAME",
       .type = ValueType::choice,
       .fallback = "auto",
       .help = "csv: what stands between two fields; auto takes the first of comma, semicolon, tab and pipe that the "
               "first line has outside quotes (one that the second line has as often before others), and else "
               "blanks.",
       .choices = {"auto", "comma", "semicolon", "tab", "blank", "pipe"}}};
}

std::vector<Parameter> parameters() {
  using namespace data_parameters;
  std::vector<Parameter> all = {
      path("The file with the points."),
      format({"csv", "svm", "idx", "npy", "npz", "raw32", "raw64", "hdf5"},
             "svm is LIBSVM's, idx MNIST's, raw32 and raw64 are rows of numbers without a header."),
      {.name = "test-path",
       .value = "FILE",
       .type = ValueType::input_path,
       .help = "A second file of the same format and columns, whose points follow; those are of split test, the others "
               "of split train. Scaling is fitted to all."},
      dataset(),
      {.name = "label",
       .value = "COLUMN",
       .help = "Labels: a column of a CSV file by name or number from 1, 'first' for LIBSVM, a label file (in a config "
               "relative to its folder, as the file of the data is) for IDX."},
      {.name = "test-label",
       .value = "FILE",
       .type = ValueType::input_path,
       .help = "IDX: the label file of test-path."},
      split("A column of a CSV file, as that of the labels."),
      group("A column of a CSV file, as that of the labels."),
      identifier("A column of a CSV file, as that of the labels.")};
  for (Parameter& parameter : column_parameters()) all.push_back(std::move(parameter));
  all.push_back({.name = "scaling",
                 .value = "SCALING",
                 .type = ValueType::choice,
                 .fallback = "none",
                 .help = "How the coordinates are scaled before anything else.",
                 .choices = {"none", "center", "standard", "min-max", "unit-norm"}});
  all.push_back({.name = "offset",
                 .value = "WHAT",
                 .type = ValueType::choice,
                 .help = "With scaling = none: whether the mean of the points is subtracted before they are rounded to "
                         "run.precision, if a coordinate's mean is more than 16 times its spread: subtract or keep. By "
                         "default it is in single precision, if the similarity depends on nothing but differences of "
                         "points; a program that reads points says it itself.",
                 .choices = {"keep", "subtract"}});
  all.push_back({.name = "dimension",
                 .value = "D",
                 .type = ValueType::integer,
                 .help = "Coordinates of a point: of generated points, of a raw file, or the least number for LIBSVM.",
                 .lowest = 1,
                 .highest = data_parameters::most_coordinates});
  all.push_back(generate({"gaussian-mixture", "swiss-roll", "uniform", "normal"}, "."));
  all.push_back(count("Number of points to generate."));
  all.push_back(seed());
  return all;
}

}  // namespace

std::string name_list(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 12;
  std::string text;
  for (std::size_t k = 0; k < std::min(names.size(), shown); ++k) {
    text += (k == 0 ? "" : ", ") + (names[k].empty() ? "''" : names[k]);
  }
  if (names.size() > shown) text += fmt::format(", ... ({} names)", grouped(std::ssize(names)));
  return text;
}

void take_columns(const Values& values, PointSource& source) {
  const auto list = [&](const char* name) {
    std::vector<std::string> words;
    if (values.given(name)) words = comma_list(values.text(name));
    if (contains(words, "")) {
      throw Error(ErrorKind::usage, fmt::format("{} has an empty name between commas", values.where(name)));
    }
    return words;
  };
  source.columns = list("columns");
  source.ignored = list("ignore");
  source.missing = values.text("missing");
  source.separator = values.text("separator");
}

const DataKind& point_data() {
  static const DataKind kind = {
      .name = "points",
      .summary = "Points in space: rows of numbers, with labels or without.",
      .subject = "points are",
      .objects = objects::points,
      .parameters = parameters(),
      .operators = {"neighbours"},
      .of_files = {"path", "format", "test-path", "label", "test-label", "split", "group", "id", "dataset", "columns",
                   "ignore", "missing", "separator"},
      .of_generators = {"points", "seed"},
      .of_new_objects = {"path", "format", "test-path", "dataset", "label", "test-label", "split", "group", "id",
                         "columns", "ignore", "missing", "separator", "generate", "points", "dimension", "seed"},
      .of_places = {"path", "format", "test-path", "dataset", "label", "test-label", "generate", "points", "dimension",
                    "seed"},
      .extendable = true,
      .check =
          [](const Values& values) {
            check_test_file(source_of(values), test_file_of(values));
            if (values.text("offset") != "subtract" || values.text("scaling") == "none") return;
            values.refuse("offset",
                          fmt::format("has no effect with {} = {}", values.keys()("scaling"), values.text("scaling")));
          },
      .paths = paths_of,
      .size = size_of,
      .read_single = read<float>,
      .read_double = read<double>,
  };
  return kind;
}

}  // namespace cairn
