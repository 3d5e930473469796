// cairn query: entries, rows and nearest objects of K~ from a result file alone.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.hpp"
#include "command.hpp"
#include "context.hpp"
#include "problem.hpp"
#include "report.hpp"
#include "report_file.hpp"
#include "row_comparison.hpp"
#include "store/result_file.hpp"
#include "stored.hpp"
#include "units.hpp"

namespace cairn::app {

namespace {

constexpr Index most_printed = 100'000;

struct Neighbour {
  Index object = 0;
  double value = 0;
};

std::pair<Index, Index> parse_entry(const std::string& text, Index objects) {
  const auto fields = comma_list(text);
  const auto row = parse_integer(fields.front());
  const auto column = fields.size() == 2 ? parse_integer(fields.back()) : std::nullopt;
  if (!row || !column) throw Error(ErrorKind::usage, fmt::format("--entry {} is not two row numbers, I,J", text));
  require_object(*row, objects, "entry");
  require_object(*column, objects, "entry");
  return {*row, *column};
}

template <class T>
nlohmann::ordered_json query_entries(const Job& job, const Execution& execution,
                                     const Approximation<T>& approximation) {
  std::vector<Index> rows, columns;
  for (const std::string& text : job.settings.all("entry")) {
    const auto [row, column] = parse_entry(text, approximation.left.rows());
    rows.push_back(row);
    columns.push_back(column);
  }
  const std::vector<double> values = approximate_entries(execution, approximation, rows, columns);
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  std::string text;
  for (std::size_t e = 0; e < values.size(); ++e) {
    text += fmt::format("entry {} {} {:.17g}\n", rows[e], columns[e], values[e]);
    json.push_back({{"row", rows[e]}, {"column", columns[e]}, {"value", values[e]}});
  }
  print(job.communicator, text);
  return json;
}

// Row by windows: no rank ever holds n values.
template <class T>
nlohmann::ordered_json query_row(const Job& job, const Execution& execution, const Approximation<T>& approximation) {
  const Index n = approximation.left.rows();
  const Index row = job.settings.integer("row");
  const std::string& path = job.settings.text("out");
  require_object(row, n, "row");
  if (path.empty() && n > most_printed) {
    throw Error(ErrorKind::usage,
                fmt::format("row {} has {} values; name a file for them with --out", row, grouped(n)));
  }
  std::optional<TextFile> file;
  if (!path.empty()) {
    file.emplace(job.communicator, path);
    file->append("column,value\n");
  }
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (Index begin = 0; begin < n; begin += row_window) {
    const Range columns{begin, std::min(begin + row_window, n)};
    const auto values = job.communicator.all_gather(own_part(execution, approximation, row, columns));
    std::string text;
    for (std::size_t j = 0; j < values.size(); ++j) {
      text += fmt::format("{}{}{:.17g}\n", columns.begin + static_cast<Index>(j), file ? ',' : ' ', values[j]);
      if (!file) json.push_back(values[j]);
    }
    if (file) {
      file->append(text);
    } else {
      print(job.communicator, text);
    }
  }
  if (file) {
    file->complete();
    print(job.communicator, fmt::format("row {}: {} values in {}\n", row, grouped(n), path));
    return {{"row", row}, {"file", path}};
  }
  return {{"row", row}, {"values", json}};
}

// The k nearest of what two ranks, or two windows, have found; ties go to the lowest number.
void keep_nearest(std::vector<Neighbour>& found, std::size_t k, Meaning meaning) {
  const auto nearer = [meaning](const Neighbour& a, const Neighbour& b) {
    if (a.value != b.value) return meaning == Meaning::similarity ? a.value > b.value : a.value < b.value;
    return a.object < b.object;
  };
  std::sort(found.begin(), found.end(), nearer);
  found.resize(std::min(found.size(), k));
}

template <class T>
nlohmann::ordered_json query_nearest(const Job& job, const Execution& execution,
                                     const Approximation<T>& approximation) {
  const Index n = approximation.left.rows();
  const Index object = job.settings.integer("nearest");
  require_object(object, n, "nearest");
  const auto k = static_cast<std::size_t>(job.settings.integer("k"));
  std::vector<Neighbour> found;
  for (Index begin = 0; begin < n; begin += row_window) {
    const Range columns{begin, std::min(begin + row_window, n)};
    const std::vector<double> values = own_part(execution, approximation, object, columns);
    const Index first = std::max(columns.begin, approximation.left.range().begin);
    for (std::size_t j = 0; j < values.size(); ++j) {
      const Index other = first + static_cast<Index>(j);
      if (other != object) found.push_back({other, values[j]});
    }
    keep_nearest(found, k, approximation.meaning);
  }
  found = job.communicator.all_gather(found);
  keep_nearest(found, k, approximation.meaning);
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  std::string text;
  for (const Neighbour& neighbour : found) {
    text += fmt::format("{} {:.17g}\n", neighbour.object, neighbour.value);
    json.push_back({{"object", neighbour.object}, {"value", neighbour.value}});
  }
  print(job.communicator, text);
  return {{"object", object}, {"nearest", json}};
}

template <class T>
void query_as(Job& job) {
  const Settings& settings = job.settings;
  Context context(job.communicator, settings);
  const StoredResult<T> stored = read_result<T>(job.communicator, job.arguments.front());
  nlohmann::ordered_json json = {{"file", job.arguments.front()}};
  if (settings.given("entry")) json["entries"] = query_entries(job, context.execution(), stored.approximation);
  if (settings.given("row")) json["row"] = query_row(job, context.execution(), stored.approximation);
  if (settings.given("nearest")) json["nearest"] = query_nearest(job, context.execution(), stored.approximation);
  write_json(job, json);
}

}  // namespace

void run_query(Job& job) {
  const Settings& settings = job.settings;
  if (!settings.given("entry") && !settings.given("row") && !settings.given("nearest")) {
    throw Error(ErrorKind::usage, "nothing is asked for; give --entry I,J, --row I or --nearest I");
  }
  if (settings.given("out") && !settings.given("row")) {
    throw Error(ErrorKind::usage, "--out does nothing without --row");
  }
  if (settings.given("k") && !settings.given("nearest")) {
    throw Error(ErrorKind::usage, "--k does nothing without --nearest");
  }
  check_output(job, "out");
  check_output(job, "json");
  const ResultShape shape = read_result_shape(job.communicator, job.arguments.front());
  with_precision(shape.precision, [&](auto number) { query_as<decltype(number)>(job); });
}

}  // namespace cairn::app
