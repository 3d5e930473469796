// Help as text for a terminal.
#pragma once

#include <string>
#include <vector>

#include "cairn/parameters/help/pages.hpp"

namespace cairn {

/// Words in lines of at most 100 characters, each line after `indent` spaces.
[[nodiscard]] std::string wrapped(const std::string& text, std::size_t indent);

/// "an integer, at least 1": the values that a parameter takes; its choices where it has some.
[[nodiscard]] std::string value_text(const Parameter& parameter);
/// " One of a, b."; of a size " Or unlimited."; empty: any value.
[[nodiscard]] std::string choices_text(const Parameter& parameter);
/// The first sentence of a help text.
[[nodiscard]] std::string first_sentence(const std::string& text);

/// An option with its help, choices and default. @param letter  ", -n" of its short option, or empty
[[nodiscard]] std::string option_help(const Parameter& option, const std::string& letter = {});
/// Options of one owner, whose names get a prefix.
[[nodiscard]] std::string options_help(const std::string& prefix, const std::vector<Parameter>& options);
/// "Examples" and a line each; nothing without examples.
[[nodiscard]] std::string examples_help(const std::vector<std::string>& examples);

/// A command in a page: what it needs, what is used most, examples.
[[nodiscard]] std::string short_help(const CommandPage& command);
/// A command with all of its options and keys.
[[nodiscard]] std::string full_help(const CommandPage& command);
/// A section with all of its keys.
[[nodiscard]] std::string section_help(const Section& section);

/// All that is known of one key or option: its values, default, the commands that take it, how a config has it.
/// @param commands  that take it
[[nodiscard]] std::string key_help(const Parameter& key, const std::string& letter,
                                   const std::vector<std::string>& commands, const std::vector<std::string>& examples);

/// A value that an option could have: that of the first of the example command lines that give it one; else its
/// default, its first choice, or one of its type.
[[nodiscard]] std::string example_value(const Parameter& option, const std::vector<std::string>& examples);
/// Whether an example command line has this option, and this value unless it is empty.
[[nodiscard]] bool has_option(const std::string& example, const std::string& option, const std::string& value = {});

}  // namespace cairn
