#include "cli/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/parameters/help/help_text.hpp"
#include "cairn/parameters/help/manual.hpp"
#include "cairn/parameters/help/program_text.hpp"
#include "cairn/parameters/suggestion.hpp"
#include "cairn/run/help/descriptor_help.hpp"
#include "cli/command_guide.hpp"
#include "keys/data_keys.hpp"
#include "keys/key_names.hpp"
#include "keys/method_keys.hpp"
#include "keys/option_table.hpp"
#include "report/version.hpp"

namespace cairn::app {

namespace {

using Names = std::vector<std::string>;

const std::string exit_codes =
    "Exit codes: 0 success, 2 usage, 3 input, 4 numeric, 5 memory or disk, 70 internal, 75 stopped in time with a "
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

// What one descriptor says, and examples that choose it.
std::string described(const DescribedTopic& topic, const std::string& name) {
  static const HelpNames names{data_keys, similarity_keys, landmark_keys, approximation_keys, output_keys};
  static const std::map<std::string, std::string> choosers = {{"method", method_key},
                                                              {"similarity", "similarity.kind"},
                                                              {"data", data_key},
                                                              {"selection", "landmarks.selection"}};
  const std::string text = topic.describe(name, names);  // refuses a name that is none
  const std::string key = choosers.contains(topic.name) ? choosers.at(topic.name) : topic.name;
  Names examples = examples_with(all_examples(), key, name);
  if (examples.empty() && key != topic.name) examples = derived_examples(commands().front(), key, name);
  return text + examples_help(examples);
}

// All that has this name.
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

// Help in other forms; empty: another topic.
std::string other_form(const Names& words) {
  if (words == Names{"keys"}) return list_of_keys(program_page());
  if (words == Names{"keys", "--markdown"}) return markdown_page(program_page());
  if (words == Names{"--man"}) return man_page(program_page());
  if (words == Names{"--completion", "bash"}) return bash_completion(program_page());
  return "";
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
         "\nHelp\n  cairn help COMMAND, cairn COMMAND --help\n      What a command needs, what is used most, and "
         "examples; with 'all' after it every option.\n"
         "  cairn help KEY, as in cairn help landmarks.count\n      One key or option with its values and examples; "
         "cairn help keys lists all.\n"
         "  cairn help landmarks, approximation, evaluation, run, output\n      The keys of a section.\n"
         "  cairn help method, similarity, data, selection, task [NAME]\n      Lists them, or prints what one is and "
         "takes, as cairn help data graph.\n"
         "  cairn version, --version, -V\n      Prints the version, the commit and the libraries.\n"
         "\nShort options: -c config, -o output, -n landmarks.count, -q quiet, -h help.\n\n" +
         wrapped(exit_codes, 0);
}

std::string command_help(const Command& command, bool all) {
  return all ? full_help(page_of(command)) : short_help(page_of(command));
}

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

}  // namespace cairn::app
