#include "cli/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cctype>
#include <set>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/base/small_letters.hpp"
#include "cairn/parameters/config_file.hpp"
#include "cairn/parameters/suggestion.hpp"
#include "cli/command_guide.hpp"
#include "cli/help.hpp"
#include "keys/data_keys.hpp"
#include "keys/idle_keys.hpp"
#include "report/version.hpp"

namespace cairn::app {

namespace {

namespace po = boost::program_options;

bool asks_for_help(const std::string& word) { return word == "--help" || word == "-h"; }

const Command& find_command(const std::string& name) {
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    if (command.name == name) return command;
    names.push_back(command.name);
  }
  std::string known = suggestion(name, names);
  if (known.empty()) known = fmt::format("; there are {}", joined(names, ", "));
  throw Error(ErrorKind::usage, fmt::format("no command is called '{}'{}", name, known));
}

// -n 500 as --landmarks.count 500.
std::vector<std::string> with_long_options(const Command& command, std::vector<std::string> words,
                                           const std::vector<Parameter>& options) {
  const auto letters = letters_of(options);
  for (std::string& word : words) {
    if (word.size() != 2 || word[0] != '-' || std::isalpha(static_cast<unsigned char>(word[1])) == 0) continue;
    const auto found = std::ranges::find(letters, word[1], &std::pair<char, std::string>::first);
    if (found == letters.end()) {
      throw Error(ErrorKind::usage, fmt::format("cairn {} has no option {}", command.name, word));
    }
    word = "--" + found->second;
  }
  return words;
}

// Whether a word after a flag is its value: a word that means to be one, as True and yes do, is refused as such.
bool is_value_of_flag(const std::string& word) {
  static const std::set<std::string> values = {"true", "false", "yes", "no", "on", "off", "1", "0"};
  return values.contains(in_small_letters(word));
}

// A flag that no true or false follows is true: what comes then is another option, or an argument.
std::vector<std::string> with_flags_completed(const std::vector<std::string>& words,
                                              const std::vector<Parameter>& options) {
  std::vector<std::string> complete;
  for (std::size_t k = 0; k < words.size(); ++k) {
    complete.push_back(words[k]);
    const bool flag = std::ranges::any_of(options, [&](const Parameter& option) {
      return option.type == ValueType::flag && words[k] == "--" + option.name;
    });
    if (flag && (k + 1 == words.size() || !is_value_of_flag(words[k + 1]))) complete.emplace_back("true");
  }
  return complete;
}

po::parsed_options split(const std::vector<std::string>& words, const std::vector<Parameter>& options) {
  po::options_description description;
  for (const Parameter& option : options) description.add_options()(option.name.c_str(), po::value<std::string>(), "");
  using namespace po::command_line_style;
  try {
    return po::command_line_parser(words)
        .options(description)
        .style(allow_long | long_allow_adjacent | long_allow_next)
        .allow_unregistered()
        .run();
  } catch (const po::error_with_option_name& error) {
    std::string name = error.get_option_name();
    name = name.starts_with("--") ? name : "--" + name;
    throw Error(ErrorKind::usage, fmt::format("{} needs a value", name));
  } catch (const po::error& error) {
    throw Error(ErrorKind::usage, error.what());
  }
}

void check_arguments(const Command& command, const std::vector<std::string>& arguments) {
  if (arguments.size() < command.arguments.size()) {
    throw Error(ErrorKind::usage,
                fmt::format("cairn {} needs {}: {}", command.name, command.arguments[arguments.size()].name,
                            command.arguments[arguments.size()].help));
  }
  const bool more = !command.arguments.empty() && command.arguments.back().name.ends_with("...");
  if (arguments.size() > command.arguments.size() && !more) {
    throw Error(ErrorKind::usage, fmt::format("'{}' was not expected; see cairn {} --help",
                                              arguments[command.arguments.size()], command.name));
  }
}

Invocation parse_command(const Command& command, const std::vector<std::string>& words, ConfigTexts& configs) {
  const std::vector<Parameter> options = options_of(command);
  Invocation invocation{.command = &command, .settings = Settings(options)};

  const po::parsed_options parsed =
      split(with_flags_completed(with_long_options(command, words, options), options), options);
  std::set<std::string> seen;
  std::vector<std::pair<std::string, std::string>> given;
  for (const auto& entry : parsed.options) {
    if (entry.position_key >= 0) {
      for (const std::string& word : entry.value) {
        if (word.starts_with("-")) throw Error(ErrorKind::usage, fmt::format("no option is called '{}'", word));
        invocation.arguments.push_back(word);
      }
      continue;
    }
    const std::string& name = entry.string_key;
    if (entry.unregistered) {
      throw Error(ErrorKind::usage, fmt::format("cairn {} has no option --{}{}", command.name, name,
                                                suggestion(name, invocation.settings->known_names())));
    }
    if (!seen.insert(name).second && !invocation.settings->option(name).repeatable) {
      throw Error(ErrorKind::usage, fmt::format("--{} is given twice", name));
    }
    const std::string value = entry.value.empty() ? "" : entry.value.front();
    if (value.starts_with("--")) throw Error(ErrorKind::usage, fmt::format("--{} needs a value", name));
    given.emplace_back(name, value);
  }
  check_arguments(command, invocation.arguments);
  for (const auto& [name, text] : given) {
    if (name == "config") read_config_as(text, configs.text(text), *invocation.settings);
  }
  for (const auto& [name, text] : given) invocation.settings->set(name, text, "the command line");
  take_texts_for_paths(*invocation.settings);
  const auto missing = missing_options(command, *invocation.settings, invocation.arguments);
  if (missing.size() > 1) throw Error(ErrorKind::usage, missing_text(missing));
  if (command.arguments.size() < 2) refuse_idle_overwrite(*invocation.settings);  // else one is what is written
  if (command.check != nullptr) command.check(*invocation.settings, invocation.arguments);
  return invocation;
}

}  // namespace

Invocation parse_command_line(const std::vector<std::string>& words, ConfigTexts& configs) {
  if (words.empty()) throw Error(ErrorKind::usage, "a command is missing; see cairn --help");
  const std::string& first = words.front();
  if (asks_for_help(first) || first == "help") return {.print = topic_help({words.begin() + 1, words.end()})};
  if (first == "--version" || first == "-V" || first == "version") return {.print = version_text()};
  if (first.starts_with("-")) {
    throw Error(ErrorKind::usage,
                fmt::format("no option is called '{}'; a command comes first, see cairn --help", first));
  }
  const Command& command = find_command(first);
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  if (const auto help = std::ranges::find_if(rest, asks_for_help); help != rest.end()) {
    const std::string topic = help + 1 == rest.end() || (help + 1)->starts_with("-") ? "" : *(help + 1);
    if (!topic.empty() && topic != "all") return {.print = topic_help({topic})};
    return {.print = command_help(command, topic == "all")};
  }
  return parse_command(command, rest, configs);
}

}  // namespace cairn::app
