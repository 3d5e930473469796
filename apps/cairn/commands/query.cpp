// cairn query: entries, rows and nearest objects of K~, or of K if the result stores what K is made of, and columns of
// the left factor, from a result file; with the data also as pictures.
#include <fmt/format.h>

#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cairn/approximation/approximate_row.hpp"
#include "cairn/approximation/nearest_objects.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/log.hpp"
#include "cairn/data/corpus/word_set.hpp"
#include "cairn/data/data_kinds.hpp"
#include "cairn/data/io/csv_fields.hpp"
#include "cairn/data/io/text_table.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/run/computation/nearest_old.hpp"
#include "cairn/run/computation/result_answers.hpp"
#include "cairn/run/keys/request.hpp"
#include "cairn/run/keys/unused_keys.hpp"
#include "cairn/run/outcome/run_outcome.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "cairn/store/result/extension.hpp"
#include "cairn/store/result/tile_budget.hpp"
#include "commands/commands.hpp"
#include "commands/field_output.hpp"
#include "commands/line_output.hpp"
#include "commands/row_choice.hpp"
#include "commands/row_comparison.hpp"
#include "pipeline/context.hpp"
#include "pipeline/stored.hpp"
#include "report/output_rules.hpp"
#include "report/report.hpp"

namespace cairn::app {

namespace {

constexpr Index most_printed = 100'000;

// True if the file of --out contains the geometry of the data. Values of pairs are always lines of text.
bool shows_data(const Settings& settings) {
  return !settings.given("pairs") && !settings.given("nearest-to") && wants_geometry(settings, "out");
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

using Take = std::function<void(const std::string& lines)>;

// Delivers lines that `answer` provides piece by piece. @param said  text with their number and file
nlohmann::ordered_json deliver_lines(const Job& job, nlohmann::ordered_json json, const char* said,
                                     const std::function<Index(const Take& take)>& answer) {
  LineOutput output(job);
  json["count"] = answer([&](const std::string& lines) { output.take(lines); });
  const std::string out = output.complete();
  if (out.empty()) return json;
  print_result(job.communicator, fmt::format(fmt::runtime(said), grouped(json["count"].get<Index>()), out));
  json["out"] = out;
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

template <class T>
nlohmann::ordered_json print_nearest(const Job& job, const ResultAnswers<T>& answers, Index object,
                                     const std::vector<Neighbor>& found, bool cosine) {
  const RowNames& names = answers.column_names();
  std::vector<Index> rows;
  for (const Neighbor& neighbor : found) rows.push_back(neighbor.object);
  const std::vector<RowName> named = names.of(rows);
  std::vector<char> exact(rows.size(), 0);
  if (!cosine) {
    exact = answers.exact_at(std::vector<Index>(rows.size(), object), rows);
    constexpr bool nearest = true;
    answers.say_exact(exact, nearest);
  }
  nlohmann::ordered_json json = {{"object", object}}, nearest = nlohmann::ordered_json::array();
  std::string text;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const std::string said = (named[k].text.empty() ? "" : "  ") + named[k].text;
    text += fmt::format("{} {}{}{}\n", found[k].object, found[k].value, named[k].behind(), said);
    nearest.push_back({{"object", found[k].object}, {"value", found[k].value}, {"exact", exact[k] != 0}});
    add_name(nearest.back(), named[k]);
  }
  const RowName name = answers.names().of(object);
  const char* const value = answers.meaning() == Meaning::distance ? "distance" : "similarity";
  log(LogLevel::info, fmt::format("row and {} of the nearest to {}{}:", cosine ? "cosine of the angle" : value, object,
                                  name.in_brackets()));
  print_result(job.communicator, text);
  add_name(json, name);
  json["nearest"] = std::move(nearest);
  return json;
}

// Words are compared by the cosine of their vectors unless another comparison is requested.
bool by_cosine(const Settings& settings, const ResultDescription& description) {
  if (settings.given("by-angle")) return settings.flag("by-angle");
  const DataKind* kind = find_data_kind(description.object_kind);
  return kind != nullptr && kind->objects == objects::words;
}

// The nearest objects of the result to those of an extension.
template <class T>
nlohmann::ordered_json query_nearest_to(const Job& job, const Execution& execution, const ResultAnswers<T>& answers,
                                        bool cosine) {
  const Settings& settings = job.settings;
  const bool to_file = settings.given("out");
  const NearestQuestion question{
      .known = job.arguments.front(),
      .unseen = settings.text("nearest-to"),
      .k = static_cast<std::size_t>(settings.integer("k")),
      .by_angle = cosine,
      .separator = to_file ? ',' : ' ',
      .most_lines = to_file ? 0 : most_printed,
      .most_tile_bytes = most_tile_bytes(job.communicator, memory_of(settings), settings.text("nearest-to"))};
  // This holds even if the result stores K: new objects only have rows of factors.
  if (!cosine) log(LogLevel::info, "values are those of K~, not of K");
  return deliver_lines(job, {{"file", question.unseen}, {"by", cosine ? "angle" : "value"}, {"exact", false}},
                       "nearest objects to {} new ones in {}\n",
                       [&](const Take& take) { return answer_nearest(execution, answers, question, take); });
}

template <class T>
nlohmann::ordered_json query_nearest(const Job& job, const ResultAnswers<T>& answers, bool cosine) {
  const Approximation<T>* const factors = answers.factors();
  if (cosine && (factors->left.is_sparse() || factors->rectangular)) {
    throw Error(ErrorKind::usage, factors->rectangular
                                      ? "--by-angle: the columns stand for other objects than the rows"
                                      : "--by-angle: the left factor is sparse, and its rows are no vectors");
  }
  const RowNames &names = answers.names(), &columns = answers.column_names();
  const Index object = find_rows(names, job.settings, "nearest", {job.settings.text("nearest")}).front();
  const auto k = static_cast<std::size_t>(job.settings.integer("k"));
  const std::vector<Neighbor> found =
      cosine ? nearest_objects(job.communicator, columns.partition().range(job.communicator.rank()),
                               row_cosines(job.communicator, factors->left.tall(), object), object, k,
                               Meaning::similarity)
             : answers.nearest(object, k);
  answers.say_neighbors(cosine, "output.near");
  nlohmann::ordered_json json = print_nearest(job, answers, object, found, cosine);
  json["by"] = cosine ? "angle" : "value";
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
  if (values) json["exact"] = answers.exact();
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
  if (settings.given("nearest")) json["nearest"] = query_nearest(job, answers, cosine);
  if (settings.given("nearest-to")) json["nearest_to"] = query_nearest_to(job, execution, answers, cosine);
  if (answers.names().numbered()) log(LogLevel::info, note_of_numbers());
  write_json(job, json);
}

}  // namespace

void check_query(const Settings& settings, const std::vector<std::string>& /*arguments*/) {
  const auto given = [&](const char* name) { return settings.given(name); };
  int files = 0;  // that fit in --out
  for (const char* name : {"row", "left-column", "pairs", "nearest-to"}) files += int{given(name)};
  const bool values = given("entry") || given("row") || given("pairs") || given("nearest");
  if (!values && !given("left-column") && !given("nearest-to")) {
    throw Error(ErrorKind::usage,
                "nothing is asked for; give --entry I,J, --row I, --left-column J, --nearest I, --nearest-to FILE or "
                "--pairs FILE");
  }
  if (given("out") && files != 1) {
    throw Error(ErrorKind::usage, files > 1 ? "--out holds one of --row, --left-column, --nearest-to and --pairs; "
                                              "give them to two commands"
                                            : "--out has no effect without --row, --left-column, --nearest-to or "
                                              "--pairs");
  }
  for (const char* name : {"k", "by-angle"}) {
    if (given(name) && !given("nearest") && !given("nearest-to")) {
      throw Error(ErrorKind::usage, fmt::format("--{} has no effect without --nearest or --nearest-to", name));
    }
  }
  if (given("approximate") && !values) {
    throw Error(ErrorKind::usage, "--approximate has no effect without --entry, --row, --nearest or --pairs");
  }
  check_naming(settings, {"entry", "row", "nearest", "pairs"});
  const bool lines = given("pairs") || given("nearest-to");
  refuse_unused_positions(settings, lines ? std::vector<std::string>() : std::vector<std::string>{"out"});
  if (shows_data(settings)) return;
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
  if (job.settings.given("pairs") || job.settings.given("nearest-to")) {
    check_output(job, "out", job.settings.given("pairs") ? OutputForm::values : OutputForm::table);
  } else {
    check_field_output(job, "out");
  }
  check_output(job, "json");
  const ResultShape shape = read_result_shape(job.communicator, job.arguments.front());
  with_precision(shape.precision, [&](auto number) { query_as<decltype(number)>(job); });
}

}  // namespace cairn::app
