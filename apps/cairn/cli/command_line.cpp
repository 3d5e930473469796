#include "cli/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/base/small_letters.hpp"
#include "cairn/parameters/config_file.hpp"
#include "cairn/parameters/help/help_text.hpp"
#include "cairn/parameters/help/manual.hpp"
#include "cairn/parameters/help/program_text.hpp"
#include "cairn/parameters/suggestion.hpp"
#include "cairn/run/computation/landmark_selections.hpp"
#include "cairn/run/help/descriptor_help.hpp"
#include "cairn/run/keys/data_keys.hpp"
#include "cairn/run/keys/key_names.hpp"
#include "cairn/run/keys/method_keys.hpp"
#include "cairn/run/keys/option_table.hpp"
#include "cairn/run/keys/unused_keys.hpp"
#include "cli/command.hpp"
#include "cli/command_guide.hpp"
#include "report/version.hpp"

namespace cairn::app {

namespace {

// Text of help.

using Names = std::vector<std::string>;

const std::string exit_codes =
    "Exit codes: 0 success, 2 usage, 3 input, 4 numeric, 5 memory or disk, 6 the stated error is not reached, 70 "
    "internal, 75 stopped in time with a "
    "checkpoint, 128 + signal.";

CommandPage page_of(const Command& command) {
  CommandPage page{.name = command.name,
                   .usage = "[mpirun -n RANKS] cairn " + command.name,
                   .summary = command.summary,
                   .details = command.details,
                   .arguments = command.arguments,
                   .options = own_options(command),
                   .sections = sections_with(sections(), command.shown.empty() ? command.keys : command.shown),
                   .required = required_options(command),
                   .common = common_options(command),
                   .examples = examples_of(command),
                   .letters = letters_of(options_of(command))};
  for (const Argument& argument : command.arguments) page.usage += " " + argument.name;
  if (command.takes_config) page.usage += " [--config FILE]";
  page.usage += " [OPTIONS]";
  page.options.push_back({"help", "[all|NAME]", ValueType::text, "",
                          "Print what is used most, all options, or what is known of one key or topic."});
  page.letters.emplace_back('h', "help");
  return page;
}

ProgramPage program_page() {
  ProgramPage page{"cairn",   version(),  "approximates huge matrices of similarities on any number of MPI ranks",
                   {},        sections(), topics_of_help(sections()),
                   exit_codes};
  for (const Command& command : commands()) page.commands.push_back(page_of(command));
  return page;
}

// Description of one descriptor, and examples that choose it.
std::string described(const DescribedTopic& topic, const std::string& name) {
  static const HelpNames names{data_keys, similarity_keys, landmark_keys, approximation_keys, output_keys};
  static const std::map<std::string, std::string> choosers = {{"method", method_key},
                                                              {"similarity", "similarity.kind"},
                                                              {"data", data_key},
                                                              {"selection", "landmarks.selection"}};
  const std::string text = topic.describe(name, names);  // throws for an unknown name
  const std::string key = choosers.contains(topic.name) ? choosers.at(topic.name) : topic.name;
  Names examples = examples_with(all_examples(), key, name);
  if (examples.empty() && key != topic.name) examples = derived_examples(commands().front(), key, name);
  return text + examples_help(examples);
}

// All pages with this name.
Names pages_named(const ProgramPage& program, const std::string& name) {
  Names pages;
  for (const Section& section : program.sections) {
    if (section.name == name) pages.push_back(section_help(section));
  }
  for (const DescribedTopic& topic : described_topics()) {
    if (contains(topic.names(), name)) pages.push_back(described(topic, name));
  }
  for (std::string& page : option_pages(program, name)) pages.push_back(std::move(page));
  return pages;
}

// Help in other formats; empty for other topics.
std::string other_form(const Names& words) {
  if (words == Names{"keys"}) return list_of_keys(program_page());
  if (words == Names{"keys", "--markdown"}) return markdown_page(program_page());
  if (words == Names{"--man"}) return man_page(program_page());
  if (words == Names{"--completion", "bash"}) return bash_completion(program_page());
  return "";
}

std::string program_help() {
  std::string text =
      "cairn approximates a huge symmetric matrix of similarities from a few of its entries, on any number of MPI "
      "ranks.\n"
      "\nUsage: [mpirun -n RANKS] cairn COMMAND [ARGUMENTS] [OPTIONS]\n\nCommands\n";
  for (const Command& command : commands()) {
    text += fmt::format("  {}\n", command.name) + wrapped(command.summary, 6);
  }
  return text +
         "\nHelp\n  cairn help COMMAND, cairn COMMAND --help\n      What a command needs, what is used most, and "
         "examples; with 'all' after it every option.\n"
         "  cairn help KEY, as in cairn help landmarks.count\n      One key or option with its values and examples; "
         "cairn help keys lists all.\n"
         "  cairn help landmarks, approximation, evaluation, run, output\n      The keys of a section.\n"
         "  cairn help method, similarity, data, selection, task [NAME]\n      Lists them, or prints what one is and "
         "takes, as cairn help data graph.\n"
         "  cairn version, --version, -V\n      Prints the version, the commit and the libraries.\n"
         "\nShort options: -c config, -o output, -n landmarks.count, -q quiet, -h help; --error, --confidence and "
         "--require-error for these keys of landmarks.\n\n" +
         wrapped(exit_codes, 0);
}

// @param all  every option and key; else required options, common options, and examples
std::string command_help(const Command& command, bool all) {
  return all ? full_help(page_of(command)) : short_help(page_of(command));
}

// Text of `cairn help` with the following words: nothing, a command (and "all"), a section, a key or option, the name
// of a descriptor, "method NAME" and the like, "keys", --man, --completion bash.
// @throws Error(usage) for other words; the message suggests the nearest
std::string topic_help(const Names& given) {
  if (given.empty()) return program_help();
  if (const std::string text = other_form(given); !text.empty()) return text;
  Names words = given;
  words.front().erase(0, words.front().find_first_not_of('-'));
  const std::string& name = words.front();
  const auto command = std::ranges::find(commands(), name, &Command::name);
  if (command != commands().end() && (words.size() == 1 || words == Names{name, "all"})) {
    return command_help(*command, words.size() == 2);
  }
  const auto topic = std::ranges::find(described_topics(), name, &DescribedTopic::name);
  if (words.size() == 2 && topic != described_topics().end()) return described(*topic, words[1]);
  if (words.size() > 1) {
    throw Error(ErrorKind::usage, fmt::format("'{}' was not expected; cairn help takes a command, a key or a topic; or "
                                              "method, similarity, data, selection or task and a NAME",
                                              words.back()));
  }
  if (topic != described_topics().end()) {
    return topic->list() + fmt::format("\n'cairn help {} NAME' prints what one takes.\n", name);
  }
  const ProgramPage program = program_page();
  const Names pages = pages_named(program, name);
  if (!pages.empty()) return joined(pages, "\n");
  throw Error(ErrorKind::usage,
              fmt::format("there is no help on '{}'{}", name, suggestion(name, words_of_help(program))));
}

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

// Replaces --error 0.01 by --landmarks.error 0.01, likewise --confidence and --require-error.
std::vector<std::string> with_full_names(std::vector<std::string> words, const std::vector<Parameter>& options) {
  for (const Parameter& parameter : landmark_error_parameters()) {
    const std::string brief = "--" + parameter.name, full = landmark_names::prefix + parameter.name;
    if (std::ranges::find(options, full, &Parameter::name) == options.end()) continue;
    for (std::string& word : words) {
      if (word == brief || word.starts_with(brief + "=")) word = "--" + full + word.substr(brief.size());
    }
  }
  return words;
}

// Replaces -n 500 by --landmarks.count 500.
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

// True if a word after a flag is its value. Includes words such as True and yes, which are then rejected as values.
bool is_value_of_flag(const std::string& word) {
  static const std::set<std::string> values = {"true", "false", "yes", "no", "on", "off", "1", "0"};
  return values.contains(in_small_letters(word));
}

// A flag without a value is set to true; the next word is then another option, or an argument.
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

  const po::parsed_options parsed = split(
      with_flags_completed(with_long_options(command, with_full_names(words, options), options), options), options);
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
  if (command.arguments.size() < 2) refuse_unused_overwrite(*invocation.settings);  // else one is the output
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
