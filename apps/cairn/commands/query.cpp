// cairn query: entries, rows and nearest objects of K~, or of K if the result stores what K is made of, and columns of
// the left factor, from a result file; with the data also as pictures.
#include <fmt/format.h>

#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cairn/approximation/approximate_row.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/log.hpp"
#include "cairn/data/io/csv_fields.hpp"
#include "cairn/data/io/text_table.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/run/answers/result_answers.hpp"
#include "cairn/run/keys/request.hpp"
#include "cairn/run/keys/unused_keys.hpp"
#include "cairn/run/outcome/run_outcome.hpp"
#include "cairn/similarity/catalog/nearest_searches.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "cairn/store/result/extension.hpp"
#include "cairn/store/result/tile_budget.hpp"
#include "commands/commands.hpp"
#include "commands/field_output.hpp"
#include "commands/line_output.hpp"
#include "commands/nearest_query.hpp"
#include "commands/row_choice.hpp"
#include "commands/row_comparison.hpp"
#include "pipeline/context.hpp"
#include "pipeline/stored.hpp"
#include "report/output_rules.hpp"
#include "report/report.hpp"

namespace cairn::app {

namespace {

// True if the file of --out contains the geometry of the data. Values of pairs are always lines of text.
bool shows_data(const Settings& settings) {
  return !settings.given("pairs") && !settings.given("nearest-to") && !settings.flag("nearest-exact") &&
         wants_geometry(settings, "out");
}

// I and J of each --entry; a name with a comma is quoted, as in a CSV file.
std::array<std::vector<std::string>, 2> entry_fields(const Settings& settings) {
  std::array<std::vector<std::string>, 2> all;
  FieldSplitter splitter(',');
  for (const std::string& text : settings.all("entry")) {
    const auto refuse = [&](const std::string& why) {
      throw Error(ErrorKind::usage, fmt::format("--entry {} {}", text, why));
    };
    try {
      const auto& fields = splitter.split(text);
      if (fields.size() != 2) {
        refuse(fmt::format("is not two {}, I,J{}", settings.flag("by-label") ? "labels" : "row numbers",
                           fields.size() > 2 ? "; a name with a comma stands in quotes: '\"a, b\",c'" : ""));
      }
      for (std::size_t k = 0; k < 2; ++k) all[k].emplace_back(trimmed(fields[k]));
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::usage) throw;
      refuse(fmt::format("cannot be read: {}", error.what()));
    }
  }
  return all;
}

template <class T>
nlohmann::ordered_json query_entries(const Job& job, const ResultAnswers<T>& answers) {
  const RowNames &names = answers.names(), &column_names = answers.column_names();
  const auto [row_fields, column_fields] = entry_fields(job.settings);
  const std::vector<Index> rows = find_rows(names, job.settings, "entry", row_fields);
  const std::vector<Index> columns = find_rows(column_names, job.settings, "entry", column_fields);
  const std::vector<double> values = answers.entries(rows, columns);
  const std::vector<char> exact = answers.exact_at(rows, columns);
  answers.say_exact(exact);
  const std::vector<RowName> named_rows = names.of(rows), named_columns = column_names.of(columns);
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  std::string text;
  for (std::size_t e = 0; e < values.size(); ++e) {
    const RowName &row = named_rows[e], &column = named_columns[e];
    text +=
        fmt::format("entry {} {} {}{}{}\n", rows[e], columns[e], values[e], row.in_brackets(), column.in_brackets());
    json.push_back({{"row", rows[e]}, {"column", columns[e]}, {"value", values[e]}, {"exact", exact[e] != 0}});
    add_name(json.back(), row, "row_");
    add_name(json.back(), column, "column_");
  }
  print_result(job.communicator, text);
  return json;
}

// Writes one number per object to the file of --out, or prints them if they are few.
nlohmann::ordered_json deliver(const Job& job, const Execution& execution, const RowPartition& partition,
                               const std::string& column, Field field, FieldSet shape, const RowNames& names) {
  if (job.settings.given("out")) {
    const std::string what = field.title;
    const std::string written =
        write_field_output(job, execution, "out", partition, column, {std::move(field)}, std::move(shape), names);
    print_result(job.communicator, fmt::format("{}: {} values in {}\n", what, grouped(partition.rows()), written));
    return {{"file", job.settings.text("out")}};
  }
  const std::vector<double> values = job.communicator.all_gather(field.values);
  std::vector<Index> rows(values.size());
  std::iota(rows.begin(), rows.end(), Index{0});
  const std::vector<RowName> named = names.of(rows);
  nlohmann::ordered_json json = {{"values", values}}, labels = nlohmann::ordered_json::array();
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += fmt::format("{} {}{}\n", i, values[i], named[i].behind());
    labels.push_back(named[i].label);
  }
  if (names.any()) json["labels"] = std::move(labels);
  print_result(job.communicator, text);
  return json;
}

void refuse_many(const Job& job, Index objects, const std::string& what) {
  if (job.settings.given("out") || objects <= most_printed) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} has {} values; name a file for them with --out", what, grouped(objects)));
}

template <class T>
nlohmann::ordered_json query_row(const Job& job, const Execution& execution, const ResultAnswers<T>& answers,
                                 const std::string& unit, FieldSet shape) {
  const RowNames &names = answers.names(), &columns = answers.column_names();
  const Index row = find_rows(names, job.settings, "row", {job.settings.text("row")}).front();
  refuse_many(job, columns.partition().rows(), fmt::format("row {}", row));
  Field field{"value", fmt::format("{}, row {}", answers.exact() ? "K" : "K~", row),
              unit,    FieldScale::sequential,
              row,     answers.row(row)};
  answers.say_exact(row);
  nlohmann::ordered_json json = {{"row", row}};
  add_name(json, names.of(row));
  json.update(deliver(job, execution, columns.partition(), "column", std::move(field), std::move(shape), columns));
  return json;
}

// Values of K~ or K for pairs.
template <class T>
nlohmann::ordered_json query_pairs(const Job& job, const Execution& execution, const ResultAnswers<T>& answers) {
  const Settings& settings = job.settings;
  PairQuestions questions{settings.text("pairs")};
  require_numbering(answers.names(), settings, "pairs");
  if (settings.flag("by-label") || (settings.flag("by-number") && answers.names().numbered())) {
    require_labels(answers.names(), settings);
    questions.by = settings.flag("by-label") ? RowNames::By::label : RowNames::By::number;
  }
  return deliver_lines(job, {{"file", questions.path}}, "{} values in {}\n",
                       [&](const Take& take) { return answer_pairs(execution, answers, questions, take); });
}

template <class T>
nlohmann::ordered_json query_left_column(const Job& job, const Execution& execution,
                                         const Approximation<T>& approximation, FieldSet shape, const RowNames& names) {
  const Index column = job.settings.integer("left-column");
  const Index columns = approximation.left.columns();
  if (column >= columns) {
    throw Error(ErrorKind::usage, fmt::format("--left-column names column {}; the left factor has the columns 0 to {}",
                                              column, columns - 1));
  }
  refuse_many(job, approximation.left.rows(), fmt::format("column {}", column));
  // Columns of a sparse factor belong to landmarks, those of a dense one do not.
  const bool weights = approximation.left.is_sparse() && approximation.left_origin &&
                       column < std::ssize(approximation.left_origin->indices);
  const Index vertex = weights ? approximation.left_origin->indices[column] : -1;
  const std::string title =
      weights ? fmt::format("P, column {} (landmark {})", column, vertex) : fmt::format("L, column {}", column);
  Field field{"weight", title, "", FieldScale::diverging, vertex, factor_column(approximation.left, column)};
  nlohmann::ordered_json json = {{"left_column", column}};
  if (weights) json["landmark"] = vertex;
  json.update(
      deliver(job, execution, approximation.left.partition(), "row", std::move(field), std::move(shape), names));
  return json;
}

// Alternative source of exact values of a similarity if the result stores none.
std::string remedy_of(const ResultDescription& description) {
  if (description.similarity != path_length_similarity().name) return "";
  return "the result keeps no hierarchy of paths; `cairn distances` has exact lengths from the graph";
}

// Parts of a picture that come from the data of the result.
struct Scene {
  FieldSet shape;
  std::string unit;
};

template <class T>
Scene load_scene(const Job& job, const Execution& execution, const Approximation<T>& approximation,
                 const ResultDescription& description) {
  Scene scene;
  const std::string& path = job.arguments.front();
  const Settings settings = stored_settings(description, path, job.settings);
  const RunRequest request = checked_request(settings);
  const Data<T> data = load_stored_data<T>(execution, request, description, path, approximation.left.rows());
  scene.shape.geometry = geometry_of(execution, data, job.settings.text("positions"));
  if (approximation.left_origin) scene.shape.landmarks = approximation.left_origin->indices;
  scene.unit = unit_of(request, data);
  return scene;
}

template <class T>
void query_as(Job& job) {
  const Settings& settings = job.settings;
  const std::string& path = job.arguments.front();
  Context context(job.communicator, settings);
  const Execution& execution = context.execution();
  const ResultDescription description = read_result_description(job.communicator, path);
  const bool cosine = (settings.given("nearest") || settings.given("nearest-to")) && by_cosine(settings, description);
  if (settings.flag("nearest-exact")) require_nearest_search("--nearest-exact", description.similarity);
  const ResultAnswers<T> answers(
      execution, path,
      {.approximate = settings.flag("approximate"),
       .factors = cosine || settings.given("left-column") || settings.given("nearest-to") || shows_data(settings),
       .most_tile_bytes = most_tile_bytes(job.communicator, memory_of(settings), path)});
  for (const std::string& warning : extension_warnings(description, path)) {
    log(LogLevel::warning, warning);  // stdout contains only values
  }
  Scene scene;
  if (shows_data(settings)) scene = load_scene(job, execution, *answers.factors(), description);
  const bool values = settings.given("entry") || settings.given("row") || settings.given("pairs") ||
                      (settings.given("nearest") && !cosine);
  nlohmann::ordered_json json = {{"file", path}};
  const bool near_exact = settings.flag("nearest-exact");
  if (values) json["exact"] = near_exact || answers.exact();
  if (values && answers.exact()) log(LogLevel::info, "values are exact, from the hierarchy of paths in " + path);
  // Answers to `nearest` contain this statement already.
  if (settings.given("entry") || settings.given("row") || settings.given("pairs")) {
    answers.say_approximate(remedy_of(description));
  }
  if (settings.given("entry")) json["entries"] = query_entries(job, answers);
  if (settings.given("pairs")) json["pairs"] = query_pairs(job, execution, answers);
  if (settings.given("row")) json["row"] = query_row(job, execution, answers, scene.unit, std::move(scene.shape));
  if (settings.given("left-column")) {
    json["left_column"] =
        query_left_column(job, execution, *answers.factors(), std::move(scene.shape), answers.names());
  }
  query_neighbors(job, execution, answers, cosine, json);
  if (answers.names().numbered()) log(LogLevel::info, note_of_numbers());
  write_json(job, json);
}

}  // namespace

void check_query(const Settings& settings, const std::vector<std::string>& /*arguments*/) {
  const auto given = [&](const char* name) { return settings.given(name); };
  int files = 0;  // that fit in --out
  const bool near_exact = settings.flag("nearest-exact"),
             every = near_exact && !given("nearest") && !given("nearest-to");
  for (const char* name : {"row", "left-column", "pairs", "nearest-to"}) files += int{given(name)};
  files += int{every};
  const bool values = given("entry") || given("row") || given("pairs") || given("nearest");
  check_nearest_exact(settings);
  if (!values && !given("left-column") && !given("nearest-to") && !near_exact) {
    throw Error(ErrorKind::usage,
                "nothing is asked for; give --entry I,J, --row I, --left-column J, --nearest I, --nearest-to FILE, "
                "--nearest-exact true or --pairs FILE");
  }
  if (given("out") && files != 1) {
    throw Error(ErrorKind::usage, files > 1 ? "--out holds one of --row, --left-column, --nearest-to and --pairs; "
                                              "give them to two commands"
                                            : "--out has no effect without --row, --left-column, --nearest-to or "
                                              "--pairs");
  }
  for (const char* name : {"k", "by-angle"}) {
    if (given(name) && !given("nearest") && !given("nearest-to") && !near_exact) {
      throw Error(ErrorKind::usage, fmt::format("--{} has no effect without --nearest or --nearest-to", name));
    }
  }
  if (given("approximate") && !values) {
    throw Error(ErrorKind::usage, "--approximate has no effect without --entry, --row, --nearest or --pairs");
  }
  check_naming(settings, {"entry", "row", "nearest", "pairs"});
  const bool lines = given("pairs") || given("nearest-to") || every;
  refuse_unused_positions(settings, lines ? std::vector<std::string>() : std::vector<std::string>{"out"});
  if (shows_data(settings) || near_exact) return;
  for (const std::string& name : settings.known_names()) {
    if (name.starts_with("data.") && settings.given(name)) {
      throw Error(ErrorKind::usage,
                  fmt::format("--{} has no effect without --out in .h5 or .xdmf, which show the shape "
                              "of the data",
                              name));
    }
  }
}

void run_query(Job& job) {
  if (job.settings.given("pairs") || job.settings.given("nearest-to") || job.settings.flag("nearest-exact")) {
    check_output(job, "out", job.settings.given("pairs") ? OutputForm::values : OutputForm::table);
  } else {
    check_field_output(job, "out");
  }
  check_output(job, "json");
  protect_compared(job);
  const ResultShape shape = read_result_shape(job.communicator, job.arguments.front());
  with_precision(shape.precision, [&](auto number) { query_as<decltype(number)>(job); });
}

}  // namespace cairn::app
