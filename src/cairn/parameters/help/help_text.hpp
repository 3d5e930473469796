// Help as text for a terminal.
#pragma once

#include <string>
#include <vector>

#include "cairn/parameters/help/pages.hpp"

namespace cairn {

/// Wraps words to lines of at most 100 characters, each after `indent` spaces.
[[nodiscard]] std::string wrapped(const std::string& text, std::size_t indent);

/// Description of the accepted values: "an integer, at least 1"; the choices if there are any.
[[nodiscard]] std::string value_text(const Parameter& parameter);
/// " One of a, b."; " Or unlimited." for a size; empty if any value is accepted.
[[nodiscard]] std::string choices_text(const Parameter& parameter);
/// The first sentence of a help text.
[[nodiscard]] std::string first_sentence(const std::string& text);

/// Help of an option, with its choices and default. @param letter  ", -n" of its short option, or empty
[[nodiscard]] std::string option_help(const Parameter& option, const std::string& letter = {});
/// Help of the options of one owner, with a prefix on their names.
[[nodiscard]] std::string options_help(const std::string& prefix, const std::vector<Parameter>& options);
/// "Examples", then one line each; empty without examples.
[[nodiscard]] std::string examples_help(const std::vector<std::string>& examples);

/// Short help of a command: required options, most used options, examples.
[[nodiscard]] std::string short_help(const CommandPage& command);
/// Full help of a command, with all of its options and keys.
[[nodiscard]] std::string full_help(const CommandPage& command);
/// Help of a section, with all of its keys.
[[nodiscard]] std::string section_help(const Section& section);

/// Help of one key or option: its values, default, the commands that take it, its form in a config.
/// @param commands  commands that take it
[[nodiscard]] std::string key_help(const Parameter& key, const std::string& letter,
                                   const std::vector<std::string>& commands, const std::vector<std::string>& examples);

/// A possible value of an option: that of the first example command line that gives one; else its default, its first
/// choice, or a value of its type.
[[nodiscard]] std::string example_value(const Parameter& option, const std::vector<std::string>& examples);
/// True if an example command line has this option, and this value unless `value` is empty.
[[nodiscard]] bool has_option(const std::string& example, const std::string& option, const std::string& value = {});

}  // namespace cairn
