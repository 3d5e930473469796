#include <fmt/format.h>

#include "cairn/base/joined.hpp"
#include "cairn/parameters/help/help_text.hpp"
#include "cairn/parameters/help/manual.hpp"

namespace cairn {

namespace {

// Escapes text for troff: no requests, no escapes, hyphens that can be copied.
std::string plain(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result.starts_with('.') || result.starts_with('\'') ? "\\&" + result : result;
}

std::string item(const Parameter& option, const std::string& letter) {
  std::string text = option.help;
  text += choices_text(option);
  if (!option.fallback.empty()) text += fmt::format(" Default: {}.", option.fallback);
  return fmt::format(".TP\n\\fB\\-\\-{}\\fR \\fI{}\\fR{}\n{}\n", plain(option.name), plain(option.value), plain(letter),
                     plain(text));
}

}  // namespace

std::string man_page(const ProgramPage& program) {
  std::string text = fmt::format(
      ".TH {0} 1 \"\" \"{1} {2}\" \"{1}\"\n.SH NAME\n{1} \\- {3}\n.SH SYNOPSIS\n[\\fBmpirun \\-n\\fR \\fIRANKS\\fR] "
      "\\fB{1}\\fR \\fICOMMAND\\fR [\\fIARGUMENTS\\fR] [\\fIOPTIONS\\fR]\n.br\n\\fB{1} help\\fR [\\fINAME\\fR]\n",
      program.name == "cairn" ? "CAIRN" : program.name, program.name, plain(program.version), plain(program.summary));
  text += fmt::format(".SH DESCRIPTION\n\\fB{} help\\fR \\fINAME\\fR describes a command, a key or a topic: {}.\n",
                      program.name, plain(joined(program.topics, ", ")));
  text += ".SH COMMANDS\n";
  for (const CommandPage& command : program.commands) {
    text += fmt::format(".SS {}\n{}\n", plain(command.usage), plain(command.summary));
    if (!command.details.empty()) text += ".PP\n" + plain(command.details) + "\n";
    for (const Argument& argument : command.arguments) {
      text += fmt::format(".TP\n\\fI{}\\fR\n{}\n", plain(argument.name), plain(argument.help));
    }
    for (const Parameter& option : command.options) text += item(option, command.letter_of(option.name));
    if (!command.examples.empty()) text += ".PP\nExamples:\n";
    for (const std::string& example : command.examples) {
      text += fmt::format(".PP\n.nf\n.RS\n{}\n.RE\n.fi\n", plain(example));
    }
  }
  text += ".SH KEYS\nEach key is an option, and stands in a config in its section.\n";
  for (const Section& section : program.sections) {
    text += fmt::format(".SS [{}]\n", section.name);
    for (const Parameter& key : section.options) text += item(key, "");
  }
  return text + fmt::format(".SH EXIT STATUS\n{}\n", plain(program.exit_codes));
}

}  // namespace cairn
