#include "cli/help.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "cairn/base/error.hpp"
#include "cairn/parameters/suggestion.hpp"
#include "keys/data_keys.hpp"
#include "keys/method_keys.hpp"
#include "keys/option_table.hpp"
#include "keys/similarity_keys.hpp"
#include "keys/task_keys.hpp"

namespace cairn::app {

namespace {

constexpr std::size_t width = 100;

// Words in lines of at most `width`, each line after `indent` spaces.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::istringstream words(text);
  std::string result, line;
  for (std::string word; words >> word;) {
    if (!line.empty() && indent + line.size() + 1 + word.size() > width) {
      result += std::string(indent, ' ') + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return line.empty() ? result : result + std::string(indent, ' ') + line + "\n";
}

std::string option_help(const Parameter& option) {
  std::string text = option.help;
  if (!option.choices.empty()) text += fmt::format(" One of {}.", fmt::join(option.choices, ", "));
  if (!option.fallback.empty()) text += fmt::format(" Default: {}.", option.fallback);
  return fmt::format("  --{} {}\n", option.name, option.value) + wrapped(text, 6);
}

std::string key_help(const Command& command) {
  std::string text;
  for (const Section& section : sections()) {
    std::string keys;
    for (const Parameter& option : section.options) {
      const auto taken = [&](const std::string& key) { return key == section.name || key == option.name; };
      if (std::ranges::any_of(command.shown.empty() ? command.keys : command.shown, taken)) keys += option_help(option);
    }
    if (!keys.empty()) text += fmt::format("\n[{}]\n{}", section.name, keys);
  }
  return text;
}

// The parameters of one owner, as keys of a section.
std::string parameters_help(const std::string& prefix, const std::vector<Parameter>& parameters) {
  std::string text;
  for (Parameter parameter : parameters) {
    parameter.name = prefix + parameter.name;
    text += option_help(parameter);
  }
  return text;
}

bool contains_objects(const std::vector<ObjectKind>& objects, const DataKind& kind) {
  return std::ranges::find(objects, kind.objects) != objects.end();
}

std::string method_help(const MethodDescriptor& method) {
  std::string text = fmt::format("Method {}\n\n", method.name) + wrapped(method.summary, 0) +
                     wrapped(fmt::format("Source: {}.", method.source), 0);
  if (method.needs.entries) {
    text += fmt::format("\nIt takes {}{}.\n", method.needs.rows ? "whole rows of K" : "entries of K",
                        method.needs.landmarks ? " and landmarks (landmarks.selection)" : "");
  }
  if (!method.parameters.empty()) text += "\n[approximation]\n" + parameters_help(method_prefix, method.parameters);
  if (!method.output.empty()) text += "\n[output]\n" + parameters_help("output.", method.output);
  return text;
}

std::string similarity_help(const SimilarityDescriptor& similarity) {
  const SimilarityTraits& traits = similarity.traits;
  std::string text = fmt::format("Similarity {}\n\n", similarity.name) + wrapped(similarity.summary, 0);
  if (traits.distance) text += "It is a distance: a smaller value is nearer.\n";
  if (traits.part) text += "It may be a part of a sum or product.\n";
  if (!traits.base.empty()) text += "Its distances can be kept (output.distances) and used again (similarity.reuse).\n";
  if (!similarity.parameters.empty()) {
    text += "\n[similarity]\n" + parameters_help("similarity.", similarity.parameters);
  }
  return text;
}

std::string data_help(const DataKind& kind) {
  std::string text = fmt::format("Data {}\n\n", kind.name) + wrapped(kind.summary, 0);
  std::vector<std::string> compared, usual;
  for (const SimilarityDescriptor* similarity : similarities()) {
    if (contains_objects(similarity->objects, kind)) compared.push_back(similarity->name);
    if (contains_objects(similarity->default_for, kind)) usual.push_back(similarity->name);
  }
  text += wrapped(fmt::format("Similarities: {}.", fmt::join(compared, ", ")), 0);
  if (!usual.empty()) text += fmt::format("Default similarity: {}.\n", fmt::join(usual, ", "));
  if (!kind.operators.empty()) {
    text += fmt::format("Operators of biharmonic interpolation: {}.\n", fmt::join(kind.operators, ", "));
  }
  return text + "\n[data]\n" + parameters_help(data_prefix, kind.parameters);
}

std::string selection_help(const LandmarkSelection& selection) {
  std::string text = fmt::format("Selection of landmarks {}\n\n", selection.name) + wrapped(selection.summary, 0);
  if (!selection.source.empty()) text += wrapped(fmt::format("Source: {}.", selection.source), 0);
  if (selection.semidefinite) text += "It takes single entries of a positive semidefinite K.\n";
  if (selection.evaluates) text += "It evaluates columns of K as it chooses.\n";
  if (selection.parameters.empty()) return text;
  return text + "\n[landmarks]\n" + parameters_help(landmark_names::prefix, selection.parameters);
}

std::string what_it_takes(const TaskDescriptor& task) {
  if (!task.needs.matrix) return "the factors of results";
  return task.without_matrix == nullptr ? "the matrix itself" : "the factors of results, or the matrix itself";
}

std::string task_help(const TaskDescriptor& task) {
  std::string text = fmt::format("Task {}\n\n", task.name) + wrapped(task.summary + " " + task.details, 0) +
                     wrapped(fmt::format("Source: {}.", task.source), 0);
  const TaskNeeds& needs = task.needs;
  text +=
      "\n" + wrapped(fmt::format("It takes {}{}{}.", what_it_takes(task), needs.labels ? " and labels of the data" : "",
                                 needs.several.empty() ? ", of one result" : "; several results " + needs.several),
                     0);
  if (needs.model != ModelKind::none) text += "It writes a model (output.path), which 'cairn predict' takes.\n";
  if (!needs.file.empty()) text += wrapped("It writes a file (--out). " + needs.file, 0);
  if (task.parameters.empty()) return text;
  return text + fmt::format("\nOptions of 'cairn {} --task {}'\n", task.command, task.name) +
         parameters_help("", task.parameters);
}

// A line for each of the table, with its summary.
template <class Table>
std::string table_help(const std::string& heading, const Table& table) {
  std::string text = heading + "\n";
  for (const auto* entry : table) text += fmt::format("  {}\n", entry->name) + wrapped(entry->summary, 6);
  return text;
}

std::string task_list() {
  std::string text = "Tasks, and the commands that run them\n";
  for (const TaskDescriptor* task : tasks()) {
    text += fmt::format("  {} (cairn {})\n", task->name, task->command) + wrapped(task->summary, 6);
  }
  return text;
}

// What has a table of descriptors.
struct Topic {
  std::string name;
  std::string (*list)();
  std::string (*describe)(const std::string& name);
};

const std::vector<Topic>& topics() {
  static const std::vector<Topic> all = {
      {"method", [] { return table_help("Methods", methods()); },
       [](const std::string& name) { return method_help(method_named(name)); }},
      {"similarity", [] { return table_help("Similarities", similarities()); },
       [](const std::string& name) { return similarity_help(similarity_named(name)); }},
      {"data", [] { return table_help("Kinds of data", data_kinds()); },
       [](const std::string& name) { return data_help(data_kind_named(name)); }},
      {"selection", [] { return table_help("Selections of landmarks", landmark_selections()); },
       [](const std::string& name) { return selection_help(landmark_selection_named(name)); }},
      {"task", [] { return task_list(); }, [](const std::string& name) { return task_help(task_named(name)); }},
  };
  return all;
}

}  // namespace

std::string program_help() {
  std::string text =
      "cairn approximates a huge symmetric matrix of similarities from a few of its entries, on any number of MPI "
      "ranks.\n"
      "\nUsage: [mpirun -n RANKS] cairn COMMAND [ARGUMENTS] [OPTIONS]\n\nCommands\n";
  for (const Command& command : commands()) {
    text += fmt::format("  {}\n", command.name) + wrapped(command.summary, 6);
  }
  return text +
         "\nOptions\n  --help\n      Prints this text; after a command, the command's options.\n"
         "  help method [NAME], help similarity [NAME], help data [NAME], help selection [NAME], help task [NAME]\n"
         "      Prints the methods, similarities, kinds of data, selections of landmarks or tasks, or what one takes.\n"
         "  --version\n      Prints the version, the commit and the libraries.\n"
         "\nExit codes: 0 success, 2 usage, 3 input, 4 numeric, 5 memory or disk, 70 internal, "
         "75 stopped\n  in time with a checkpoint, 128 + signal.\n";
}

std::string command_help(const Command& command) {
  std::string usage = fmt::format("Usage: [mpirun -n RANKS] cairn {}", command.name);
  for (const Argument& argument : command.arguments) usage += " " + argument.name;
  if (command.takes_config) usage += " [--config FILE]";
  std::string text = usage + " [OPTIONS]\n\n" + wrapped(command.summary + " " + command.details, 0);
  if (!command.arguments.empty()) text += "\nArguments\n";
  for (const Argument& argument : command.arguments) {
    text += fmt::format("  {}\n", argument.name) + wrapped(argument.help, 6);
  }
  text += "\nOptions\n";
  if (command.takes_config) {
    text += "  --config FILE\n" +
            wrapped(
                "Reads keys from this file: sections in brackets and lines of key = value. Every key below is also an "
                "option, and every option a key that stands before the sections. The command line wins. Relative paths "
                "of files that are read are relative to the folder "
                "of the config.",
                6);
  }
  for (const Parameter& option : command.options) text += option_help(option);
  return text + "  --help\n      Prints this text.\n" + key_help(command);
}

std::string topic_help(const std::vector<std::string>& words) {
  if (words.empty()) return program_help();
  const std::string& topic = words.front();
  std::vector<std::string> names;
  for (const Topic& one : topics()) names.push_back(one.name);
  if (words.size() > 2 || (words.size() == 2 && !contains(names, topic))) {
    throw Error(ErrorKind::usage,
                fmt::format("'{}' was not expected; cairn help takes a command, or one of {} and a NAME", words.back(),
                            fmt::join(names, ", ")));
  }
  for (const Topic& one : topics()) {
    if (one.name == topic) return words.size() == 2 ? one.describe(words[1]) : one.list();
  }
  for (const Command& command : commands()) {
    if (command.name == topic) return command_help(command);
    names.push_back(command.name);
  }
  throw Error(ErrorKind::usage, fmt::format("there is no help on '{}'{}", topic, suggestion(topic, names)));
}

}  // namespace cairn::app
