#include "cairn/run/help/descriptor_help.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/approximation/catalog/methods.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/data/data_kinds.hpp"
#include "cairn/parameters/help/help_text.hpp"
#include "cairn/run/computation/landmark_selections.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/task/tasks.hpp"

namespace cairn {

namespace {

using Names = std::vector<std::string>;

// Help for the parameters of one owner, as keys of a section.
std::string parameters_help(const std::string& section, const KeyNames& keys, std::vector<Parameter> parameters) {
  if (parameters.empty()) return "";
  for (Parameter& parameter : parameters) parameter.name = keys(parameter.name);
  return fmt::format("\n[{}]\n", section) + options_help("", parameters);
}

std::string beginning(const std::string& what, const std::string& name, const std::string& summary,
                      const std::string& source) {
  return fmt::format("{} {}\n\n", what, name) + wrapped(summary, 0) +
         (source.empty() ? "" : wrapped(fmt::format("Source: {}.", source), 0));
}

bool contains_objects(const std::vector<ObjectKind>& objects, const DataKind& kind) {
  return std::ranges::find(objects, kind.objects) != objects.end();
}

std::string method_help(const std::string& name, const HelpNames& keys) {
  const MethodDescriptor& method = method_named(name);
  std::string text = beginning("Method", method.name, method.summary, method.source);
  if (method.needs.entries) {
    text += fmt::format(
        "\nIt takes {}{}.\n", method.needs.rows ? "whole rows of K" : "entries of K",
        method.needs.landmarks ? fmt::format(" and landmarks ({})", keys.landmarks(landmark_names::selection)) : "");
  }
  return text + parameters_help("approximation", keys.approximation, method.parameters) +
         parameters_help("output", keys.output, method.output);
}

std::string similarity_help(const std::string& name, const HelpNames& keys) {
  const SimilarityDescriptor& similarity = similarity_named(name);
  const SimilarityTraits& traits = similarity.traits;
  std::string text = beginning("Similarity", similarity.name, similarity.summary, "");
  if (traits.distance) text += "It is a distance: a smaller value is nearer.\n";
  if (traits.part) text += "It may be a part of a sum or product.\n";
  if (!traits.base.empty()) {
    text += fmt::format("Its distances can be kept ({}) and used again ({}).\n", keys.output("distances"),
                        keys.similarity("reuse"));
  }
  Names kinds;
  for (const DataKind* kind : data_kinds()) {
    if (contains_objects(similarity.objects, *kind)) kinds.push_back(kind->name);
  }
  if (!kinds.empty()) text += wrapped(fmt::format("Kinds of data: {}.", joined(kinds, ", ")), 0);
  return text + parameters_help("similarity", keys.similarity, similarity.parameters) +
         parameters_help("output", keys.output, similarity.output);
}

std::string data_help(const std::string& name, const HelpNames& keys) {
  const DataKind& kind = data_kind_named(name);
  std::string text = beginning("Data", kind.name, kind.summary, "");
  Names compared, usual;
  for (const SimilarityDescriptor* similarity : similarities()) {
    if (contains_objects(similarity->objects, kind)) compared.push_back(similarity->name);
    if (contains_objects(similarity->default_for, kind)) usual.push_back(similarity->name);
  }
  text += wrapped(fmt::format("Similarities: {}.", joined(compared, ", ")), 0);
  if (!usual.empty()) text += fmt::format("Default similarity: {}.\n", joined(usual, ", "));
  if (!kind.operators.empty()) {
    text += fmt::format("Operators of biharmonic interpolation: {}.\n", joined(kind.operators, ", "));
  }
  return text + parameters_help("data", keys.data, kind.parameters);
}

std::string selection_help(const std::string& name, const HelpNames& keys) {
  const LandmarkSelection& selection = landmark_selection_named(name);
  std::string text = beginning("Selection of landmarks", selection.name, selection.summary, selection.source);
  if (selection.entries) text += "It takes single entries of K.\n";
  if (selection.evaluates) text += "It evaluates columns of K as it chooses.\n";
  return text + parameters_help("landmarks", keys.landmarks, selection.parameters);
}

std::string what_it_takes(const TaskDescriptor& task) {
  if (task.needs.points) return "the factors of results, or their points";
  if (!task.needs.matrix) return "the factors of results";
  return task.without_matrix == nullptr ? "the matrix itself" : "the factors of results, or the matrix itself";
}

std::string task_help(const std::string& name, const HelpNames& keys) {
  const TaskDescriptor& task = task_named(name);
  const TaskNeeds& needs = task.needs;
  std::string text = beginning("Task", task.name, task.summary + " " + task.details, task.source);
  text +=
      "\n" + wrapped(fmt::format("It takes {}{}{}.", what_it_takes(task), needs.labels ? " and labels of the data" : "",
                                 needs.several.empty() ? ", of one result" : "; several results " + needs.several),
                     0);
  if (needs.model != ModelKind::none) {
    text += fmt::format("It writes a model ({}), which 'cairn predict' takes.\n", keys.output("path"));
  }
  if (!needs.file.empty()) text += wrapped("It writes a file (--out). " + needs.file, 0);
  if (task.parameters.empty()) return text;
  return text + fmt::format("\nOptions of 'cairn {} --task {}'\n", task.command, task.name) +
         options_help("", task.parameters);
}

// One line per entry of the table, with its summary.
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

template <class Table>
Names names_of(const Table& table) {
  Names names;
  for (const auto* entry : table) names.push_back(entry->name);
  return names;
}

}  // namespace

const std::vector<DescribedTopic>& described_topics() {
  static const std::vector<DescribedTopic> all = {
      {"method", [] { return table_help("Methods", methods()); }, [] { return names_of(methods()); }, method_help},
      {"similarity", [] { return table_help("Similarities", similarities()); }, [] { return names_of(similarities()); },
       similarity_help},
      {"data", [] { return table_help("Kinds of data", data_kinds()); }, [] { return names_of(data_kinds()); },
       data_help},
      {"selection", [] { return table_help("Selections of landmarks", landmark_selections()); },
       [] { return names_of(landmark_selections()); }, selection_help},
      {"task", [] { return task_list(); }, [] { return names_of(tasks()); }, task_help},
  };
  return all;
}

Names topics_of_help(const std::vector<Section>& sections) {
  Names all = {"keys"};
  const auto add = [&](const std::string& name) {
    if (!contains(all, name)) all.push_back(name);
  };
  for (const DescribedTopic& topic : described_topics()) add(topic.name);
  for (const Section& section : sections) add(section.name);
  for (const DescribedTopic& topic : described_topics()) std::ranges::for_each(topic.names(), add);
  return all;
}

}  // namespace cairn
