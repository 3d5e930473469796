#include "pipeline/stored.hpp"

#include <fmt/format.h>

#include "cairn/base/error.hpp"
#include "cairn/base/log.hpp"
#include "cairn/parameters/config_file.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/run/computation/kept_counts.hpp"
#include "cairn/run/computation/same_data.hpp"
#include "cairn/run/keys/data_keys.hpp"
#include "cairn/run/keys/key_names.hpp"
#include "cairn/run/keys/option_table.hpp"
#include "cairn/similarity/geodesic/geodesic.hpp"
#include "cairn/store/result/known_objects.hpp"
#include "report/report.hpp"

namespace cairn::app {

namespace {

constexpr const char* new_config = "new_config";  // entry of the provenance of extensions

}  // namespace

Settings stored_settings(const ResultDescription& description, const std::string& path, const Settings& given) {
  Settings settings(keys_of({"data", "similarity", "landmarks", "approximation", "evaluation", "run", "output"}));
  const auto config = description.provenance.find("config");
  if (config == description.provenance.end()) {
    throw Error(ErrorKind::input, fmt::format("{} holds no config; its data are not known", path));
  }
  try {
    read_config_text(config->second, "the config in " + path, "", settings);
  } catch (const Error& error) {
    throw Error(ErrorKind::input, error.what());
  }
  // A file must not run programs.
  for (const char* key :
       {"evaluation.pairs", "evaluation.rows", "evaluation.precision", "evaluation.seconds", "similarity.command"})
    settings.clear(key);
  // A new source of data replaces all keys of the old one.
  if (given.given("data.path") || given.given("data.generate")) {
    clear_data_source(settings);
  }
  for (const std::string& name : given.known_names()) {
    if (!given.given(name) || !settings.knows(name)) continue;
    settings.clear(name + "-format");  // it applied to the replaced file
    settings.set(name, given.text(name), "the command line");
  }
  // Removes keys of the old data that have no effect with the new ones.
  for (const UnusedParameter& unused : unused_parameters(data_kind(settings), data_values(settings))) {
    if (!given.given(data_prefix + unused.name)) settings.clear(data_prefix + unused.name);
  }
  return settings;
}

ResultDescription of_new_objects(ResultDescription description, const std::string& path) {
  const auto config = description.provenance.find(new_config);
  if (config == description.provenance.end()) {
    throw Error(ErrorKind::input,
                fmt::format("{} does not say where its new objects are; make it again with cairn extend", path));
  }
  description.provenance["config"] = config->second;
  return description;
}

namespace {

void protect_inputs_of(const Job& job, const OutputPath& output, const Settings& settings, const std::string& path) {
  for (const std::string& name : settings.known_names()) {
    if (settings.option(name).type != ValueType::input_path || !settings.given(name)) continue;
    require_other_file(job.communicator, output, fmt::format("{} of {}", name, path), settings.text(name));
  }
}

}  // namespace

void protect_stored_data(const Job& job, const OutputPath& output, const std::vector<std::string>& results) {
  for (const std::string& path : results) {
    const ResultDescription description = read_result_description(job.communicator, path);
    if (!description.provenance.contains("config")) continue;  // written by a program that uses the library
    protect_inputs_of(job, output, stored_settings(description, path, job.settings), path);
    if (!description.provenance.contains(new_config)) continue;
    const Settings nothing(std::vector<Parameter>{});
    protect_inputs_of(job, output, stored_settings(of_new_objects(description, path), path, nothing), path);
  }
}

SimilarityChoice stored_similarity(const ResultDescription& description, const Settings& given) {
  SimilarityChoice choice = from_resolved(description.similarity, description.similarity_parameters);
  choice.values = choice.values.named(similarity_keys);
  const bool named = given.knows("similarity.command") && given.given("similarity.command");
  if (choice.traits().runs_program) {
    if (!named) {
      throw Error(ErrorKind::usage, fmt::format("the result was made with the scorer '{}'. Commands stored in files "
                                                "are not run: give --similarity.command COMMAND",
                                                choice.values.text("command")));
    }
    choice.set("command", given.text("similarity.command"));
  } else if (named) {
    throw Error(ErrorKind::usage, fmt::format("{} has no effect if the similarity is {}",
                                              given.where("similarity.command"), description.similarity));
  }
  return choice;
}

void announce_other_scorer(const Communicator& communicator, const ResultDescription& description,
                           const Settings& given) {
  if (!similarity_named(description.similarity).traits.runs_program) return;
  const SimilarityChoice stored = from_resolved(description.similarity, description.similarity_parameters);
  const std::string before = stored.values.text("command");
  const std::string now = stored_similarity(description, given).values.text("command");
  if (now != before) {
    print(communicator, fmt::format("  note: the scorer is '{}'; the result was made with '{}'\n", now, before));
  }
}

Index stored_number(const ResultDescription& description, const std::string& name) {
  const auto entry = description.provenance.find(name);
  return entry == description.provenance.end() ? 0 : parse_integer(entry->second).value_or(0);
}

template <class T>
Data<T> load_stored_data(const Execution& execution, const RunRequest& request, const ResultDescription& description,
                         const std::string& path, Index rows) {
  const KnownObjects known = known_objects(description, path);
  Data<T> data = read<T>(execution, request, &known);
  require_same_data(description, rows, data.digest, data.objects->size(), path, "name its data with --data.path");
  take_stored_counts(execution, data, path);
  return data;
}

template Data<float> load_stored_data(const Execution&, const RunRequest&, const ResultDescription&, const std::string&,
                                      Index);
template Data<double> load_stored_data(const Execution&, const RunRequest&, const ResultDescription&,
                                       const std::string&, Index);

template <class T>
ExactMatrix<T> stored_exact_matrix(const Execution& execution, const Settings& settings, const RunRequest& request,
                                   const ResultDescription& description, const Data<T>& data,
                                   const std::string& search) {
  const SimilarityTraits traits = similarity_named(description.similarity).traits;
  const bool file = traits.stored && !traits.runs_program;
  SimilarityChoice choice =
      file || traits.single_source ? request.similarity : stored_similarity(description, settings);
  // The result stores the meaning of its matrix, which must otherwise be given for a new matrix.
  if (file && !choice.values.given("meaning")) {
    choice.set("meaning",
               from_resolved(description.similarity, description.similarity_parameters).values.text("meaning"));
  }
  if (!search.empty()) choice.set("search", search);
  announce_other_scorer(execution.communicator, description, settings);
  ExactMatrix<T> exact = make_exact_matrix(execution, data, choice, request.method);
  for (const std::string& warning : warnings_of(exact.sources.get())) log(LogLevel::warning, warning);
  return exact;
}

template ExactMatrix<float> stored_exact_matrix(const Execution&, const Settings&, const RunRequest&,
                                                const ResultDescription&, const Data<float>&, const std::string&);
template ExactMatrix<double> stored_exact_matrix(const Execution&, const Settings&, const RunRequest&,
                                                 const ResultDescription&, const Data<double>&, const std::string&);

}  // namespace cairn::app
