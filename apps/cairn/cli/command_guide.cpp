#include "cli/command_guide.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/parameters/help/help_text.hpp"
#include "cairn/parameters/help/program_text.hpp"
#include "cairn/run/keys/data_keys.hpp"
#include "cairn/run/keys/similarity_keys.hpp"
#include "cairn/run/request/run_request.hpp"
#include "cairn/task/descriptors.hpp"

namespace cairn::app {

namespace {

using Names = std::vector<std::string>;
struct Guide {
  std::string command;
  Names common;
  Names examples;
};

const std::vector<Guide>& guides() {
  static const Names run = {
      "config",          "data.kind",        "data.path",       "data.label",          "data.scaling",
      "similarity.kind", "similarity.gamma", "landmarks.count", "landmarks.selection", "approximation.method",
      "output.path",     "run.threads"};
  static const std::vector<Guide> all = {
      {"approximate",
       run,
       {"cairn approximate --config configs/segment.cfg",
        "cairn approximate --data.path tests/data/segment.svm.xz --data.label first --data.scaling standard "
        "--similarity.kind rbf --similarity.gamma scale --landmarks.count 200 --approximation.embedding true "
        "--output.path features.h5",
        "mpirun -n 2 cairn approximate --data.kind mesh --data.path tests/data/brain-7502.obj.xz -n 200 -o cortex.h5"}},
      {"evaluate",
       {"data.path", "evaluation.precision", "evaluation.rows", "row", "out", "pairs", "spectrum", "json"},
       {"cairn evaluate segment.h5 --evaluation.precision 0.01", "cairn evaluate segment.h5 --spectrum 500",
        "cairn evaluate cortex.h5 --row 5000 --out row.csv"}},
      {"query",
       {"entry", "row", "nearest", "k", "pairs", "out", "by-label", "by-number", "by-angle", "approximate", "json"},
       {"cairn query segment.h5 --nearest 17 --k 5", "cairn query cortex.h5 --entry 0,5000",
        "cairn query segment.h5 --row 17 -o row17.csv"}},
      {"extend",
       {"data.path", "data.label", "data.format", "data.columns", "output.path", "pairs", "json"},
       {"cairn extend features.h5 --data.path tests/data/segment.svm.xz --data.label first --output.path new.h5"}},
      {"embed", {"dimension", "out", "pairs", "json"}, {"cairn embed segment.h5 --dimension 2 --out map.csv"}},
      {"train",
       {"task", "targets", "lambda", "cost", "train-fraction", "split", "output.path", "folds", "json"},
       {"cairn train segment.h5 --lambda 0.01,0.1,1 --output.path ridge.h5",
        "cairn train features.h5 --task svm --cost 10 --train-fraction 0.5 --output.path classes.h5"}},
      {"cluster",
       {"clusters", "threshold", "gold", "gold-labels", "out", "json"},
       {"cairn cluster segment.h5 --clusters 7 --gold-labels true --out groups.csv"}},
      {linearize_task().name, {"config", "data.path", "data.label", "tuning", "classes", "output.path", "json"}, {}},
      {"predict",
       {"result", "data.path", "rows", "out", "json"},
       {"cairn predict ridge.h5 --out values.csv", "cairn predict classes.h5 --result new.h5 --out classes.csv"}},
      {"transport",
       {"config", "data.path", "target.path", "epsilon", "kernel", "landmarks.count", "output.path", "json"},
       {"cairn transport --data.path tests/data/segment.svm.xz --data.scaling standard --target.path "
        "tests/data/segment.svm.xz --epsilon 5 --output.path moved.h5"}},
      {"reweigh", {"weights", "data.directed", "out", "run.threads", "json"}, {}},
      {"distances",
       {"sources", "targets", "pairs", "out", "bits", "resume", "data.columns", "run.threads", "run.memory"},
       {}},
      {"plan",
       with({"ranks", "nodes", "run.memory"}, run),
       {"cairn plan --config configs/letter.cfg -n 2000 --ranks 16",
        "cairn plan --config configs/letter.cfg -n 2000 --ranks 4096 --nodes 64"}},
      {"info", {"verify", "json"}, {"cairn info segment.h5", "cairn info segment.h5 --verify true"}},
      {"convert",
       {"data.kind", "data.format", "data.label", "data.columns", "run.precision"},
       {"cairn convert tests/data/letter.csv.xz letter-points.h5 --data.label Letter",
        "cairn convert tests/data/USA-BAY.gr.xz roads-graph.h5 --data.kind graph"}},
      {"sweep",
       with({"vary", "repeats", "output.csv", "restart"}, run),
       {"cairn sweep --config configs/segment.cfg --vary landmarks.count=50,100 --repeats 2 --output.csv sweep.csv"}},
  };
  return all;
}

const Guide& guide_of(const std::string& command) {
  static const Guide none;
  const auto found = std::ranges::find(guides(), command, &Guide::command);
  return found == guides().end() ? none : *found;
}

// Examples with the kind of data and the task of the settings.
Names like(const Settings& settings, const Names& examples) {
  Names kept = examples;
  for (const std::string& key : {data_key, std::string("task")}) {
    if (!settings.knows(key)) continue;
    const bool usual = settings.text(key) == settings.option(key).fallback;
    std::erase_if(kept, [&](const std::string& example) {
      return !has_option(example, key, settings.text(key)) && (!usual || has_option(example, key));
    });
  }
  return kept;
}

std::string example_for(const Command& command, const Settings& settings, const Parameter& option) {
  const Names all = with(examples_of(command), all_examples()), similar = like(settings, all);
  if (option.name == "similarity.kind" && examples_with(similar, option.name).empty()) {
    const Names possible = similarities_of(data_kind(settings).objects);  // the most specialized one is suggested
    if (!possible.empty()) {
      return *std::ranges::min_element(possible, {}, [](auto& name) { return similarity_named(name).objects.size(); });
    }
  }
  const bool of_data = option.type == ValueType::input_path || option.type == ValueType::text;
  return example_value(option, of_data ? similar : all);
}

}  // namespace

Names common_options(const Command& command) { return guide_of(command.name).common; }

Names examples_of(const Command& command) { return guide_of(command.name).examples; }

Names all_examples() {
  Names all;
  for (const Guide& guide : guides()) all = with(all, guide.examples);
  return all;
}

Names derived_examples(const Command& command, const std::string& key, const std::string& value) {
  for (const DataKind* kind : data_kinds()) {
    Settings settings(options_of(command));
    if (kind != data_kinds().front()) settings.set(data_key, kind->name, "an example");
    settings.set(key, value, "an example");
    for (const auto& [name, example] : missing_options(command, settings, {}))
      settings.set(name, example, "an example");
    std::string line = "cairn " + command.name;
    for (const Parameter& option : options_of(command)) {
      if (settings.given(option.name)) line += fmt::format(" --{} {}", option.name, settings.text(option.name));
    }
    try {
      command.check(settings, {});
      return {line};
    } catch (const Error&) {
      continue;  // another kind of data may be accepted
    }
  }
  return {};
}

std::vector<std::pair<char, std::string>> letters_of(const std::vector<Parameter>& options) {
  static const std::vector<std::pair<char, Names>> letters = {
      {'c', {"config"}}, {'n', {"landmarks.count"}}, {'o', {"output.csv", "output.path", "out"}}, {'q', {"quiet"}}};
  std::vector<std::pair<char, std::string>> known;
  for (const auto& [letter, names] : letters) {
    const auto found = std::ranges::find_if(names, [&](const std::string& name) {
      return std::ranges::find(options, name, &Parameter::name) != options.end();
    });
    if (found != names.end()) known.emplace_back(letter, *found);
  }
  return known;
}

std::vector<MissingKey> missing_options(const Command& command, const Settings& settings, const Names& arguments) {
  if (command.check == nullptr) return {};
  std::vector<MissingKey> missing = missing_keys(
      settings, [&](const Settings& trial) { command.check(trial, arguments); },
      [&](const Settings& trial, const Parameter& option) { return example_for(command, trial, option); });
  const std::vector<Parameter> options = options_of(command);
  std::ranges::stable_sort(missing, {}, [&](const MissingKey& key) {
    return std::ranges::find(options, key.name, &Parameter::name) - options.begin();
  });
  return missing;
}

Names required_options(const Command& command) {
  Names arguments, names;
  for (const Argument& argument : command.arguments) arguments.push_back(argument.name);
  const Settings none(options_of(command));
  for (const MissingKey& key : missing_options(command, none, arguments)) names.push_back(key.name);
  return names;
}

}  // namespace cairn::app
