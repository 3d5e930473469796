// cairn extend: factor rows for objects that were not in the data.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cairn/approximation/factor_digest.hpp"
#include "cairn/approximation/text_means.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/run/computation/extension.hpp"
#include "cairn/run/keys/data_keys.hpp"
#include "cairn/run/keys/request.hpp"
#include "cairn/run/keys/unused_keys.hpp"
#include "cairn/run/outcome/run_outcome.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/store/result/known_objects.hpp"
#include "cairn/task/extension_report.hpp"
#include "commands/commands.hpp"
#include "pipeline/context.hpp"
#include "pipeline/stored.hpp"
#include "report/data_report.hpp"
#include "report/report.hpp"
#include "report/task_report.hpp"

namespace cairn::app {

namespace {

void require_extendable(const ResultDescription& description, const std::string& path) {
  const DataKind& kind = data_kind_named(description.object_kind);
  if (kind.extendable || !kind.extended_by.empty()) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} was made from data of the kind {}; its similarities are not defined for other objects{}",
                          path, kind.name, kind.operators.empty() ? "" : ". Approximate the new one by itself"));
}

// True if the new objects are texts made of the words of the result.
bool are_texts(const ResultDescription& description) {
  return !data_kind_named(description.object_kind).extended_by.empty();
}

// Sets the kind of the new objects: that of the result, or the kind that extends it.
void take_kind(Settings& settings, const ResultDescription& description, const std::string& path) {
  const std::string& made = description.object_kind;
  const std::string kind = are_texts(description) ? data_kind_named(made).extended_by : made;
  if (settings.given("data.kind") && settings.text("data.kind") != kind) {
    const std::string what = kind == made ? "" : fmt::format(", whose new objects are {}", kind);
    throw Error(ErrorKind::usage, fmt::format("{} = {}: {} was made from {}{}", settings.where("data.kind"),
                                              settings.text("data.kind"), path, made, what));
  }
  settings.set("data.kind", kind, path);
}

// Rejects options that have no effect for the data of the result.
void refuse_options(const Settings& settings, const ResultDescription& description, const std::string& path) {
  const bool texts = are_texts(description);
  const char* option = texts ? "pairs" : "weights";
  if (!settings.given(option)) return;
  const std::string made = path + " was made from " + description.object_kind + ", not from the words of a corpus";
  const std::string why = texts ? "rows of texts are means of rows of words, and K is not evaluated" : made;
  throw Error(ErrorKind::usage, fmt::format("--{} has no effect: {}", option, why));
}

void refuse_side_of_square(const Settings& settings, bool rectangular) {
  if (rectangular || !settings.given("side")) return;
  throw Error(ErrorKind::usage, "--side has no effect if the columns of K stand for the objects of its rows");
}

// Words use the vectors of the result, unless other ones are given.
void take_vectors(Job& job, const ResultDescription& description, const std::string& path) {
  const auto& of_kind = data_kind(job.settings).parameters;
  if (std::ranges::find(of_kind, "vectors", &Parameter::name) == of_kind.end()) return;
  if (job.settings.given("data.vectors") || !description.provenance.contains("config")) return;
  const Settings stored = stored_settings(description, path, job.settings);
  for (const char* name : {"data.vectors", "data.vectors-format", "data.words", "data.repeated-words"}) {
    if (!stored.given(name) || job.settings.given(name)) continue;
    job.settings.set(name, stored.text(name), path);
    collectively(job.communicator, [&] {
      if (stored.option(name).type != ValueType::input_path || std::filesystem::exists(stored.text(name))) return;
      throw Error(ErrorKind::input, fmt::format("{} = {}, as in {}: no such file", name, stored.text(name), path));
    });
    print(job.communicator, fmt::format("  {} = {}, as in {}\n", name, stored.text(name), path));
  }
}

// Metrics and messages of a written extension.
struct Extended : Remarks {
  ExtensionError error;
  Index evaluations = 0;
  ObjectTexts texts;                      // of the rows of the result
  std::vector<std::string> right_labels;  // of the objects that its columns stand for
  std::vector<Index> numbers;
};

bool to_right(const Settings& settings) { return settings.text("side") == "columns"; }

template <class T>
void finish(Job& job, Context& context, const Data<T>& data, const Extended& extended) {
  const std::string& path = job.arguments.front();
  TaskReport measured;
  add_extension(measured, extended.error, path);
  measured.text.metric("result", job.settings.text("output.path")).gap().warnings(extended.warnings);
  for (const std::string& note : extended.notes) measured.text.note(note);
  const auto phases = context.phases().summarize(job.communicator);
  const double total = context.seconds();
  print(job.communicator, data_report(data.facts) +
                              fmt::format("  new objects                 {}\n  evaluations                 {}\n",
                                          grouped(data.objects->size()), grouped(extended.evaluations)) +
                              text_of(measured.text) + phase_report(phases, total));
  nlohmann::ordered_json json = header_json(job, context.execution().threads);
  json["file"] = path;
  json["output"] = job.settings.text("output.path");
  json["n"] = data.objects->size();
  json[data.facts_name] = data_json(data.facts);
  json["evaluations"] = extended.evaluations;
  json["probe_evaluations"] = extended.error.rows ? extended.error.rows->evaluations : 0;
  json.update(json_of(measured.metrics));
  json["warnings"] = extended.warnings;
  json["notes"] = extended.notes;
  json.update(phases_json(phases, total));
  write_json(job, json);
}

template <class T>
void write(const Job& job, Context& context, const Data<T>& data, Approximation<T>& extended,
           ResultDescription& description, Extended& said) {
  const std::string& output = job.settings.text("output.path");
  std::ranges::move(notes_of(data.notes, data.numbers), std::back_inserter(said.notes));
  extended.report.notes = said.notes;  // notes on the old objects are in their file
  extended.report.warnings = said.warnings;
  description.evaluations = said.evaluations;
  description.phases = context.phases().summarize(job.communicator);
  const bool right = to_right(job.settings);  // the rows of L do not change
  write_result(context.execution(), {output, "output.path"}, extended, description,
               right ? RowTexts(said.texts) : RowTexts(*data.objects), Compression::none,
               right ? said.numbers : data.numbers.of(data.objects->range()), {},
               right ? data.objects->labels() : said.right_labels);
  std::ranges::move(extension_warnings(description, output), std::back_inserter(said.warnings));
}

// Data of the other factor if the columns represent other objects than the rows; they are read again.
template <class T>
Data<T> other_factor(const Execution& execution, const ResultDescription& description, const std::string& path,
                     Index rows) {
  if (is_extension(description)) {
    throw Error(ErrorKind::usage, fmt::format("--pairs: {} has new rows itself; extend the first result", path));
  }
  const Settings stored = stored_settings(description, path, Settings(std::vector<Parameter>()));
  return load_stored_data<T>(execution, request_of(stored), description, path, rows);
}

// Computes the similarities of the new objects to the landmarks, and the error of the resulting rows.
template <class T>
Extension<T> extend_by_similarities(Job& job, const Context& context, const ResultDescription& description,
                                    Approximation<T> base, Index rows, const ObjectSet& objects) {
  const Execution& execution = context.execution();
  const Settings& settings = job.settings;
  const auto similarity = make_similarity<T>(execution, stored_similarity(description, settings), objects);
  announce_other_scorer(job.communicator, description, settings);
  ExtensionInput<T> input{*similarity, objects, to_right(settings) ? FactorSide::columns : FactorSide::rows};
  if (settings.given("pairs")) input.pairs = settings.integer("pairs");
  Data<T> other;
  if (base.rectangular && input.pairs.value_or(0) > 0) {
    other = other_factor<T>(execution, description, job.arguments.front(), rows);
    input.others = input.side == FactorSide::columns ? other.objects.get() : other.right.get();
  }
  return cairn::extend_by_similarities(execution, std::move(base), description.landmark_population, input);
}

template <class T>
void extend_as(Job& job, const ResultDescription& description) {
  const std::string& path = job.arguments.front();
  Context context(job.communicator, static_cast<int>(job.settings.integer("run.threads")),
                  static_cast<std::uint64_t>(stored_number(description, "seed")));
  constexpr Index no_tiles = 0;  // factors with tiles are refused
  const bool texts = are_texts(description);
  // New rows of one factor of a rectangular result stand beside the old ones of the other, those of texts are means.
  const bool rows = texts || read_result_shape(job.communicator, path).rectangular;
  StoredResult<T> stored = rows ? read_result<T>(job.communicator, path, no_tiles)
                                : read_result_beside_rows<T>(job.communicator, path, no_tiles);
  if (!texts) require_extendable(stored.approximation, description, path);
  refuse_side_of_square(job.settings, stored.approximation.rectangular);
  KnownObjects known = known_for_new_objects(description, path, stored.approximation);
  if (texts) known.words = replicated_words(job.communicator, stored.labels);
  const Values values = data_values(job.settings);
  const Data<T> data = read_data<T>(data_kind(job.settings), {context.execution(), values, &known, true});
  // Word weights computed from the new texts give different rows for each set of texts.
  const bool own_weights = texts && job.settings.text("weights") != "mean";
  std::optional<std::uint64_t> basis;
  if (!own_weights) basis = basis_digest(job.communicator, stored.approximation, description.similarity_parameters);
  const Index population = stored.approximation.left.rows();
  Extension<T> made;
  if (texts) {
    const auto weights = own_weights ? WordWeights::tf_idf : WordWeights::mean;
    made.approximation =
        approximation_of_texts(context.execution(), stored.approximation, *data.template as<DocumentSet>(), weights);
  } else {
    made =
        extend_by_similarities(job, context, description, std::move(stored.approximation), population, *data.objects);
  }
  if (read_result_shape(job.communicator, path).near > 0) {
    print(job.communicator, "  note: near entries are of the old objects; those of new ones follow from the factors\n");
  }
  ResultDescription about = describe_rows(description, path, data.digest, basis, made.error);
  if (texts) about.object_kind = data.kind->name;
  about.provenance["new_config"] = job.settings.as_config();  // where the new objects are
  for (auto& [name, text] : run_provenance(job, context.execution().threads)) about.provenance[name] = text;
  Extended said{
      {data.warnings, std::move(made.notes)},       extension_error(about),         made.evaluations,
      std::move(static_cast<ObjectTexts&>(stored)), std::move(stored.right_labels), std::move(stored.numbers)};
  std::ranges::move(made.warnings, std::back_inserter(said.warnings));
  write(job, context, data, made.approximation, about, said);
  finish(job, context, data, said);
}

// Rejects keys that have no effect for any kind of objects.
void refuse_keys_of_no_kind(const Settings& settings) {
  if (settings.given(data_key)) return refuse_unused_data_keys(settings);
  std::optional<Error> first;
  for (const DataKind* kind : data_kinds()) {
    if (!kind->extendable) continue;
    Settings of_kind = settings;
    of_kind.set(data_key, kind->name, "");
    try {
      return refuse_unused_data_keys(of_kind);
    } catch (const Error& error) {
      if (!first) first = error;
    }
  }
  if (first) throw *first;
}

}  // namespace

// The keys of [data] that have an effect depend on the kind of objects, which the result defines if no key does.
void check_extend(const Settings& settings, const std::vector<std::string>& /*arguments*/) {
  settings.required("output.path");
  if (settings.given("pairs")) require_extension_pairs(settings.integer("pairs"), "--pairs");
  refuse_keys_of_no_kind(settings);
}

void run_extend(Job& job) {
  const auto check_outputs = [&job] {
    for (const char* output : {"output.path", "json"}) check_output(job, output);
  };
  check_outputs();
  const std::string& path = job.arguments.front();
  const ResultDescription description = read_result_description(job.communicator, path);
  require_extendable(description, path);
  take_kind(job.settings, description, path);
  refuse_unused_data_keys(job.settings);
  refuse_options(job.settings, description, path);
  print(job.communicator, header(job, static_cast<int>(job.settings.integer("run.threads"))));
  take_vectors(job, description, path);
  check_outputs();  // outputs may have been files that were read
  with_precision(description.precision, [&](auto number) { extend_as<decltype(number)>(job, description); });
}

}  // namespace cairn::app
