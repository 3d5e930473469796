#include "commands/nearest_query.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "cairn/approximation/approximate_row.hpp"
#include "cairn/approximation/nearest_objects.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/log.hpp"
#include "cairn/data/corpus/word_set.hpp"
#include "cairn/data/data_kinds.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/run/answers/nearest_exact.hpp"
#include "cairn/run/answers/nearest_old.hpp"
#include "cairn/run/keys/request.hpp"
#include "cairn/run/keys/unused_keys.hpp"
#include "cairn/run/outcome/run_outcome.hpp"
#include "cairn/store/result/tile_budget.hpp"
#include "commands/line_output.hpp"
#include "commands/row_choice.hpp"
#include "pipeline/new_objects.hpp"
#include "report/report.hpp"

namespace cairn::app {

namespace {

// What neighbors are compared by: the values of the file, K itself, or the cosine of rows of the left factor.
enum class Compared { by_values, by_matrix, by_cosine };

template <class T>
nlohmann::ordered_json print_nearest(const Job& job, const ResultAnswers<T>& answers, Index object,
                                     const std::vector<Neighbor>& found, Compared by) {
  const bool cosine = by == Compared::by_cosine;
  const RowNames& names = answers.column_names();
  std::vector<Index> rows;
  for (const Neighbor& neighbor : found) rows.push_back(neighbor.object);
  const std::vector<RowName> named = names.of(rows);
  std::vector<char> exact(rows.size(), by == Compared::by_matrix ? 1 : 0);
  if (by == Compared::by_values) {
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

// K itself of the result, for its objects where its config or the keys of [data] say they are.
template <class T>
class StoredObjects {
 public:
  StoredObjects(const Job& job, const Execution& execution, const ResultDescription& description)
      : settings_(stored_settings(description, job.arguments.front(), job.settings)),
        request_(checked_request(settings_)),
        data_(load_stored_data<T>(execution, request_, description, job.arguments.front(),
                                  read_result_shape(job.communicator, job.arguments.front()).rows)),
        exact_(stored_exact_matrix(execution, settings_, request_, description, data_)) {}

  [[nodiscard]] const ObjectSet& objects() const { return *data_.objects; }
  [[nodiscard]] const NearestSearch& search() const { return *nearest_search(*exact_.entries); }

 private:
  Settings settings_;
  RunRequest request_;  // refers to settings_
  Data<T> data_;
  ExactMatrix<T> exact_;
};

// The number of neighbors, and a note if there are not so many.
Index neighbors_asked(const Settings& settings, Index others) {
  const Index k = settings.integer("k");
  if (k > others) {
    log(LogLevel::info,
        fmt::format("--k {}: there are {} objects to compare with, and all of them are given", k, grouped(others)));
  }
  return k;
}

void require_few_lines(const Job& job, Index objects, Index k) {
  if (job.settings.given("out") || objects * k <= most_printed) return;
  throw Error(ErrorKind::usage, fmt::format("the neighbors of {} objects are {} lines; name a file for them with --out",
                                            grouped(objects), grouped(objects * k)));
}

// The nearest objects by K itself: of one object, of those of an extension, or of every object.
template <class T>
nlohmann::ordered_json query_nearest_exact(const Job& job, const Execution& execution,
                                           const ResultAnswers<T>& answers) {
  const Settings& settings = job.settings;
  const std::string& path = job.arguments.front();
  const Communicator& communicator = job.communicator;
  const char separator = settings.given("out") ? ',' : ' ';
  const Index n = answers.names().partition().rows();
  if (settings.given("nearest-to")) {
    const std::string& file = settings.text("nearest-to");
    const Index k = neighbors_asked(settings, n);
    const ResultShape shape = read_result_shape(communicator, file);
    require_few_lines(job, shape.rows, std::min(k, n));
    require_extension(communicator, answers, path,
                      read_result<T>(communicator, file, most_tile_bytes(communicator, memory_of(settings), file)),
                      file);
    const NewObjects<T> objects(execution, settings, path, *answers.factors(), file);
    const RowNames names = read_row_names(communicator, file, shape);
    const auto phase = execution.phases.enter("nearest");
    return deliver_lines(job, {{"file", file}, {"by", "value"}, {"exact", true}},
                         "nearest objects to {} new ones in {}\n", [&](const Take& take) {
                           return answer_nearest_exact(execution, *nearest_search(objects.entries()),
                                                       {objects.unseen(), numbers_of(objects.unseen().range())},
                                                       {objects.known(), numbers_of(objects.known().range())}, k,
                                                       NeighborLines(names, answers.names(), separator),
                                                       separator == ',', take);
                         });
  }
  if (answers.rectangular()) {
    throw Error(ErrorKind::usage, "--nearest-exact: the columns of K stand for other objects than its rows");
  }
  const Index k = neighbors_asked(settings, n - 1);
  std::optional<Index> object;
  if (settings.given("nearest")) {
    object = find_rows(answers.names(), settings, "nearest", {settings.text("nearest")}).front();
  } else {
    require_few_lines(job, n, std::min(k, n - 1));
  }
  const StoredObjects<T> stored(job, execution, answers.description());
  const NearestSearch& search = stored.search();
  const SearchSide all = all_objects(stored.objects());
  const auto phase = execution.phases.enter("nearest");
  if (!object) {
    return deliver_lines(job, {{"by", "value"}, {"exact", true}}, "nearest objects to {} ones in {}\n",
                         [&](const Take& take) {
                           return answer_nearest_exact(execution, search, all, all, k,
                                                       NeighborLines(answers.names(), answers.names(), separator),
                                                       separator == ',', take);
                         });
  }
  SearchSide one{stored.objects(), {}, {}};
  if (all.objects.range().contains(*object)) one.rows = one.groups = {*object};
  const FoundNeighbors found = search.nearest(execution, one, all, k);
  nlohmann::ordered_json json =
      print_nearest(job, answers, *object, communicator.all_gather(found.neighbors), Compared::by_matrix);
  json["by"] = "value";
  return json;
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
      cosine
          ? nearest_objects(job.communicator, columns.partition().range(job.communicator.rank()),
                            row_cosines(job.communicator, factors->left.tall(), object), object, k, Meaning::similarity)
          : answers.nearest(object, k);
  answers.say_neighbors(cosine, "output.near");
  nlohmann::ordered_json json =
      print_nearest(job, answers, object, found, cosine ? Compared::by_cosine : Compared::by_values);
  json["by"] = cosine ? "angle" : "value";
  return json;
}

}  // namespace

// Options that contradict --nearest-exact, which takes nothing from the file but names.
void check_nearest_exact(const Settings& settings) {
  if (!settings.flag("nearest-exact")) return;
  for (const char* name : {"entry", "row", "pairs", "left-column", "approximate", "by-angle"}) {
    if (!settings.given(name)) continue;
    throw Error(ErrorKind::usage, fmt::format("--{} has no effect beside --nearest-exact, which compares the objects "
                                              "themselves; give them to two commands",
                                              name));
  }
  if (settings.given("nearest") && settings.given("nearest-to")) {
    throw Error(ErrorKind::usage, "--nearest-exact takes one of --nearest and --nearest-to; give them to two commands");
  }
}

void protect_compared(const Job& job) {
  const Settings& settings = job.settings;
  if (!settings.flag("nearest-exact") || !settings.given("out")) return;
  std::vector<std::string> results = job.arguments;
  if (settings.given("nearest-to")) results.push_back(settings.text("nearest-to"));
  protect_stored_data(job, {settings.text("out"), "--out"}, results);
}

// Words are compared by the cosine of their vectors unless another comparison is requested.
bool by_cosine(const Settings& settings, const ResultDescription& description) {
  if (settings.flag("nearest-exact")) return false;
  if (settings.given("by-angle")) return settings.flag("by-angle");
  const DataKind* kind = find_data_kind(description.object_kind);
  return kind != nullptr && kind->objects == objects::words;
}

template <class T>
void query_neighbors(const Job& job, const Execution& execution, const ResultAnswers<T>& answers, bool cosine,
                     nlohmann::ordered_json& json) {
  const Settings& settings = job.settings;
  if (settings.flag("nearest-exact")) {
    json[settings.given("nearest-to") ? "nearest_to" : "nearest"] = query_nearest_exact(job, execution, answers);
    return;
  }
  if (settings.given("nearest")) json["nearest"] = query_nearest(job, answers, cosine);
  if (settings.given("nearest-to")) json["nearest_to"] = query_nearest_to(job, execution, answers, cosine);
}

template void query_neighbors(const Job&, const Execution&, const ResultAnswers<float>&, bool, nlohmann::ordered_json&);
template void query_neighbors(const Job&, const Execution&, const ResultAnswers<double>&, bool,
                              nlohmann::ordered_json&);

}  // namespace cairn::app
