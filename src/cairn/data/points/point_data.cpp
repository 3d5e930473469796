// Points as a kind of data.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cairn/base/error.hpp"
#include "cairn/base/log.hpp"
#include "cairn/data/data_kinds.hpp"
#include "cairn/data/data_parameters.hpp"
#include "cairn/data/points/joined_points.hpp"
#include "cairn/data/points/point_keys.hpp"
#include "cairn/data/points/scaled_points.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

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

// @throws Error(input) unless the points have as many coordinates as the known ones; a label that was forgotten is one
// too many.
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

// The coordinates of new points are the same columns in the same order, as far as both files name them.
// @throws Error(input) that names the first one that is not
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

// Columns of new points are chosen as they were for the result, unless parameters specify them. Columns that were
// ignored there may be missing.
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
