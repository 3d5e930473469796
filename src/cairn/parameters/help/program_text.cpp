#include "cairn/parameters/help/program_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/parameters/help/help_text.hpp"

namespace cairn {

namespace {

using Names = std::vector<std::string>;

// The examples of these commands.
Names examples_of(const ProgramPage& program, const Names& commands) {
  Names all;
  for (const CommandPage& command : program.commands) {
    if (!contains(commands, command.name)) continue;
    all.insert(all.end(), command.examples.begin(), command.examples.end());
  }
  return all;
}

}  // namespace

Names examples_with(const Names& examples, const std::string& option, const std::string& value) {
  Names found;
  for (const std::string& example : examples) {
    if (found.size() < 3 && has_option(example, option, value)) found.push_back(example);
  }
  return found;
}

Names option_pages(const ProgramPage& program, const std::string& name) {
  struct Found {
    Parameter option;
    std::string letter;
    Names commands;
  };
  std::vector<Found> all;
  const auto add = [&](const CommandPage& command, const Parameter& option) {
    if (option.name != name && !option.name.ends_with("." + name)) return;
    const auto same = std::ranges::find_if(
        all, [&](const Found& one) { return one.option.name == option.name && one.option.help == option.help; });
    if (same == all.end()) {
      all.push_back({option, command.letter_of(option.name), {command.name}});
    } else {
      same->commands.push_back(command.name);
    }
  };
  for (const CommandPage& command : program.commands) {
    for (const Parameter& option : command.options) add(command, option);
    for (const Section& section : command.sections) {
      for (const Parameter& key : section.options) add(command, key);
    }
  }
  Names pages;
  for (const Found& one : all) {
    pages.push_back(key_help(one.option, one.letter, one.commands,
                             examples_with(examples_of(program, one.commands), one.option.name)));
  }
  return pages;
}

std::vector<Section> sections_with(const std::vector<Section>& sections, const Names& taken) {
  std::vector<Section> kept;
  for (Section section : sections) {
    if (!contains(taken, section.name)) {
      std::erase_if(section.options, [&](const Parameter& key) { return !contains(taken, key.name); });
    }
    if (!section.options.empty()) kept.push_back(std::move(section));
  }
  return kept;
}

std::string list_of_keys(const ProgramPage& program) {
  std::string text;
  for (const Section& section : program.sections) {
    text += fmt::format("{}[{}]\n", text.empty() ? "" : "\n", section.name);
    for (const Parameter& key : section.options) {
      if (key.rare) continue;
      text += fmt::format("  {} {}\n", key.name, key.value) + wrapped(first_sentence(key.help), 6);
    }
  }
  return text;
}

Names words_of_help(const ProgramPage& program) {
  Names names = program.topics;
  for (const CommandPage& command : program.commands) {
    names.push_back(command.name);
    for (const Parameter& option : command.options) names.push_back(option.name);
  }
  for (const Section& section : program.sections) {
    for (const Parameter& key : section.options) names.push_back(key.name);
  }
  return names;
}

}  // namespace cairn
