#include <fmt/format.h>

#include "cairn/base/joined.hpp"
#include "cairn/parameters/help/help_text.hpp"
#include "cairn/parameters/help/manual.hpp"

namespace cairn {

namespace {

// Escapes what Markdown would read as a table's bar, emphasis, a tag or a link.
std::string plain(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (std::string("|*_<[\\`").find(c) != std::string::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string row(const Parameter& option, const std::string& name, const std::string& letter) {
  return fmt::format("| `{}`{} | {} | {} | {} |\n", name, letter, plain(value_text(option)),
                     option.fallback.empty() ? "" : "`" + option.fallback + "`",
                     plain(option.help + (option.rare ? " Rarely needed." : "")));
}

const std::string heading = "| values | default | meaning |\n|---|---|---|---|\n";

}  // namespace

std::string markdown_page(const ProgramPage& program) {
  std::string text = fmt::format(
      "# Keys and options\n\nEvery key of a config and every option of a command, as `{0} help keys --markdown` prints "
      "them. Each key is also an option (`--KEY VALUE`), and stands in a config in its section. "
      "`{0} help NAME` prints one of them with examples.\n",
      program.name);
  for (const Section& section : program.sections) {
    text += fmt::format("\n## {}\n\n| key ", section.name) + heading;
    for (const Parameter& key : section.options) text += row(key, key.name, "");
  }
  text += "\n## Options of commands\n\nBeside the keys that a command takes.\n";
  for (const CommandPage& command : program.commands) {
    text += fmt::format("\n### {} {}\n\n{}", program.name, command.name, plain(command.summary));
    std::vector<std::string> sections;
    for (const Section& section : command.sections) {
      sections.push_back(fmt::format("[{0}](#{0})", section.name));
    }
    text += fmt::format(" Keys of: {}.\n\n| option ", joined(sections, ", ")) + heading;
    for (const Parameter& option : command.options) {
      text += row(option, "--" + option.name, command.letter_of(option.name));
    }
  }
  return text;
}

}  // namespace cairn
