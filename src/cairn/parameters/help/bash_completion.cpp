#include <fmt/format.h>

#include <map>

#include "cairn/base/joined.hpp"
#include "cairn/parameters/help/help_text.hpp"
#include "cairn/parameters/help/manual.hpp"

namespace cairn {

namespace {

using Words = std::vector<std::string>;

// Values that can be completed: choices, or true and false.
Words values_of(const Parameter& option) {
  if (option.type == ValueType::flag) return {"true", "false"};
  return option.choices;
}

std::string case_of(const std::string& pattern, const std::string& words) {
  return fmt::format("    {}) words=\"{}\" ;;\n", pattern, words);
}

// Completions after "command --option".
std::map<std::string, std::string> values_by_place(const ProgramPage& program) {
  std::map<std::string, std::string> values;
  const auto add = [&](const std::string& command, const Parameter& option) {
    const Words words = values_of(option);
    if (words.empty()) return;
    values[fmt::format("'{} --{}'", command, option.name)] = joined(words, " ");
  };
  for (const CommandPage& command : program.commands) {
    for (const Parameter& option : command.options) add(command.name, option);
    for (const Section& section : command.sections) {
      for (const Parameter& key : section.options) add(command.name, key);
    }
  }
  return values;
}

// Joins patterns that have the same words.
std::string value_cases(const ProgramPage& program) {
  std::map<std::string, Words> patterns;
  for (const auto& [place, words] : values_by_place(program)) patterns[words].push_back(place);
  std::string text;
  for (const auto& [words, places] : patterns) text += case_of(joined(places, "|"), words);
  return text;
}

std::string option_cases(const ProgramPage& program) {
  std::string text;
  for (const CommandPage& command : program.commands) {
    Words options;
    for (const Parameter& option : command.options) options.push_back("--" + option.name);
    for (const Section& section : command.sections) {
      for (const Parameter& key : section.options) options.push_back("--" + key.name);
    }
    options.emplace_back("--help");
    text += case_of(command.name, joined(options, " "));
  }
  return text;
}

}  // namespace

std::string bash_completion(const ProgramPage& program) {
  Words commands, topics = program.topics;
  for (const CommandPage& command : program.commands) commands.push_back(command.name);
  topics.insert(topics.end(), commands.begin(), commands.end());
  for (const Section& section : program.sections) {
    for (const Parameter& key : section.options) topics.push_back(key.name);
  }
  return fmt::format(R"(# Completion of {0} for bash; made by: {0} help --completion bash
_{0}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} command=${{COMP_WORDS[1]}} words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{1} help version --help --version" -- "$current"))
    return
  fi
  if [ "$command" = help ]; then
    COMPREPLY=($(compgen -W "{2}" -- "$current"))
    return
  fi
  case "$command $before" in
{3}  esac
  if [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    return
  fi
  case "$current" in
    -*) ;;
    *) return ;; # files, by "-o default"
  esac
  case "$command" in
{4}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _{0} {0}
)",
                     program.name, joined(commands, " "), joined(topics, " "), value_cases(program),
                     option_cases(program));
}

}  // namespace cairn
