#include "help.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "option_table.hpp"

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
      for (const std::string& taken : command.keys) {
        if (taken == section.name || taken == option.name) keys += option_help(option);
      }
    }
    if (!keys.empty()) text += fmt::format("\n[{}]\n{}", section.name, keys);
  }
  return text;
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
         "  --version\n      Prints the version, the commit and the libraries.\n"
         "\nExit codes: 0 success, 2 usage, 3 input, 4 numeric, 5 memory or disk, 70 internal, "
         "75 stopped\n  in time with a checkpoint, 128 + signal.\n";
}

std::string command_help(const Command& command) {
  std::string usage = fmt::format("Usage: [mpirun -n RANKS] cairn {}", command.name);
  for (const Argument& argument : command.arguments) usage += " " + argument.name;
  if (command.takes_config) usage += " --config FILE";
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
                "option, and the command line wins. Relative paths of files that are read are relative to the folder "
                "of the config.",
                6);
  }
  for (const Parameter& option : command.options) text += option_help(option);
  return text + "  --help\n      Prints this text.\n" + key_help(command);
}

}  // namespace cairn::app
