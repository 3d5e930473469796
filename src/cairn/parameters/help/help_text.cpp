#include "cairn/parameters/help/help_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "cairn/base/joined.hpp"

namespace cairn {

namespace {

constexpr std::size_t width = 100;

std::string bounds_text(const Parameter& parameter) {
  std::string text;
  if (parameter.lowest) text += fmt::format(", at least {}", *parameter.lowest);
  if (parameter.above) text += fmt::format(", above {}", *parameter.above);
  if (parameter.highest) text += fmt::format(", at most {}", *parameter.highest);
  if (parameter.below) text += fmt::format(", below {}", *parameter.below);
  return text;
}

std::string brief_option(const CommandPage& command, const std::string& name) {
  constexpr std::size_t few = 8;
  const Parameter* option = command.find(name);
  if (option == nullptr) return "";
  std::string text = first_sentence(option->help);
  if (option->choices.size() <= few) text += choices_text(*option);
  if (!option->fallback.empty()) text += fmt::format(" Default: {}.", option->fallback);
  return fmt::format("  --{} {}{}\n", option->name, option->value, command.letter_of(option->name)) + wrapped(text, 6);
}

std::string brief_options(const CommandPage& command, const std::string& heading,
                          const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += brief_option(command, name);
  return text.empty() ? "" : "\n" + heading + "\n" + text;
}

std::string beginning(const CommandPage& command) {
  std::string text = "Usage: " + command.usage + "\n\n" + wrapped(command.summary + " " + command.details, 0);
  if (!command.arguments.empty()) text += "\nArguments\n";
  for (const Argument& argument : command.arguments) {
    text += fmt::format("  {}\n", argument.name) + wrapped(argument.help, 6);
  }
  return text;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// The words of a command line; an option and its value form one.
std::vector<std::string> units_of(const std::string& line) {
  std::vector<std::string> units;
  bool option = false;
  for (const std::string& word : words_of(line)) {
    if (option && !word.starts_with('-')) {
      units.back() += " " + word;
    } else {
      units.push_back(word);
    }
    option = word.starts_with('-');
  }
  return units;
}

}  // namespace

const Parameter* CommandPage::find(const std::string& option) const {
  const auto found = std::ranges::find(options, option, &Parameter::name);
  if (found != options.end()) return &*found;
  for (const Section& section : sections) {
    const auto key = std::ranges::find(section.options, option, &Parameter::name);
    if (key != section.options.end()) return &*key;
  }
  return nullptr;
}

std::string CommandPage::letter_of(const std::string& option) const {
  const auto found = std::ranges::find(letters, option, &std::pair<char, std::string>::second);
  return found == letters.end() ? "" : fmt::format(", -{}", found->first);
}

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

std::string value_text(const Parameter& parameter) {
  switch (parameter.type) {
    case ValueType::choice:
      return fmt::format("one of {}", joined(parameter.choices, ", "));
    case ValueType::integer:
      return "an integer" + bounds_text(parameter);
    case ValueType::number:
      return "a number" + bounds_text(parameter);
    case ValueType::flag:
      return "true or false";
    case ValueType::size:
      return "a size in bytes, such as 512MB, 4GB or 4GiB" +
             (parameter.choices.empty() ? "" : fmt::format(", or {}", joined(parameter.choices, ", ")));
    case ValueType::duration:
      return "a time, such as 90s, 10m, 2h or 23:30:00";
    case ValueType::input_path:
      return "a file that is read";
    case ValueType::output_path:
      return "a file that is written";
    case ValueType::text:
      break;
  }
  return parameter.choices.empty() ? "a text" : fmt::format("of {}", joined(parameter.choices, ", "));
}

std::string choices_text(const Parameter& parameter) {
  if (parameter.choices.empty()) return "";
  return fmt::format(" {} {}.", parameter.type == ValueType::size ? "Or" : "One of", joined(parameter.choices, ", "));
}

std::string first_sentence(const std::string& text) {
  for (std::size_t end = text.find(". "); end != std::string::npos; end = text.find(". ", end + 1)) {
    const std::string before = text.substr(0, end);
    if (!before.ends_with("e.g") && !before.ends_with("i.e")) return before + ".";
  }
  return text;
}

std::string option_help(const Parameter& option, const std::string& letter) {
  std::string text = option.help;
  text += choices_text(option);
  if (!option.fallback.empty()) text += fmt::format(" Default: {}.", option.fallback);
  return fmt::format("  --{} {}{}\n", option.name, option.value, letter) + wrapped(text, 6);
}

std::string options_help(const std::string& prefix, const std::vector<Parameter>& options) {
  std::string text;
  std::vector<std::string> rare;
  for (Parameter option : options) {
    option.name = prefix + option.name;
    if (option.rare) {
      rare.push_back(option.name);
    } else {
      text += option_help(option);
    }
  }
  return rare.empty() ? text
                      : text + wrapped(fmt::format("Rarely needed (cairn help NAME): {}", joined(rare, ", ")), 2);
}

std::string examples_help(const std::vector<std::string>& examples) {
  if (examples.empty()) return "";
  std::string text = "\nExamples\n";
  for (const std::string& example : examples) {
    std::string line = " ";
    for (const std::string& word : units_of(example)) {
      if (line.size() + word.size() + 3 > width) {
        text += line + " \\\n";
        line = "     ";
      }
      line += " " + word;
    }
    text += line + "\n";
  }
  return text;
}

std::string short_help(const CommandPage& command) {
  std::vector<std::string> others;
  std::ranges::copy_if(command.common, std::back_inserter(others),
                       [&](const std::string& name) { return !contains(command.required, name); });
  std::size_t count = command.options.size();
  for (const Section& section : command.sections) count += section.options.size();
  return beginning(command) + brief_options(command, "Required", command.required) +
         brief_options(command, command.required.empty() ? "Options" : "Most used", others) +
         examples_help(command.examples) +
         fmt::format("\nAll {} options: cairn {} --help all. One of them, or a topic: cairn help NAME.\n", count,
                     command.name);
}

std::string full_help(const CommandPage& command) {
  std::string text = beginning(command) + "\nOptions\n";
  for (const Parameter& option : command.options) text += option_help(option, command.letter_of(option.name));
  for (const Section& section : command.sections) {
    text += fmt::format("\n[{}]\n", section.name);
    for (const Parameter& key : section.options) text += option_help(key, command.letter_of(key.name));
  }
  return text + examples_help(command.examples);
}

std::string section_help(const Section& section) {
  return fmt::format("[{}]\n", section.name) + options_help("", section.options);
}

std::string key_help(const Parameter& key, const std::string& letter, const std::vector<std::string>& commands,
                     const std::vector<std::string>& examples) {
  std::string text = fmt::format("--{} {}{}\n\n", key.name, key.value, letter) + wrapped(key.help, 0) + "\n" +
                     wrapped("Values: " + value_text(key) + (key.repeatable ? "; may be repeated." : "."), 0);
  if (!key.fallback.empty()) text += fmt::format("Default: {}.\n", key.fallback);
  text += wrapped(fmt::format("Commands: {}.", joined(commands, ", ")), 0);
  const std::size_t dot = key.name.rfind('.');
  if (dot != std::string::npos) {
    text += fmt::format("\nIn a config\n  [{}]\n  {} = {}\n", key.name.substr(0, dot), key.name.substr(dot + 1),
                        example_value(key, examples));
  }
  return text + examples_help(examples);
}

bool has_option(const std::string& example, const std::string& option, const std::string& value) {
  const std::vector<std::string> words = words_of(example);
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (words[k] != "--" + option) continue;
    if (value.empty() || (k + 1 < words.size() && words[k + 1] == value)) return true;
  }
  return false;
}

std::string example_value(const Parameter& option, const std::vector<std::string>& examples) {
  for (const std::string& example : examples) {
    const std::vector<std::string> words = words_of(example);
    const auto found = std::ranges::find(words, "--" + option.name);
    if (found != words.end() && found + 1 != words.end() && !(found + 1)->starts_with("--")) return *(found + 1);
  }
  if (!option.choices.empty() && option.type != ValueType::size) {
    return option.fallback.empty() ? option.choices.front() : option.fallback;
  }
  if (!option.fallback.empty()) return option.fallback;
  switch (option.type) {
    case ValueType::integer:
      return fmt::format("{}", std::max(option.lowest.value_or(0.0), 2.0));
    case ValueType::number:
      return fmt::format("{}", option.highest ? *option.highest / 2 : std::max(option.lowest.value_or(0.0), 0.5));
    case ValueType::flag:
      return "true";
    case ValueType::size:
      return "4GB";
    case ValueType::duration:
      return "10m";
    default:
      return option.value.empty() ? "TEXT" : option.value;
  }
}

}  // namespace cairn
