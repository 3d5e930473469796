// The complete help in other forms: a page of Markdown, a manual page, completion for a shell.
#pragma once

#include <string>

#include "cairn/parameters/help/pages.hpp"

namespace cairn {

/// Markdown tables of all keys by section and of the options of all commands.
[[nodiscard]] std::string markdown_page(const ProgramPage& program);

/// A manual page for man(1), in the macros of man(7).
[[nodiscard]] std::string man_page(const ProgramPage& program);

/// A script for bash to source: completes commands, their options, and the values of options with choices.
[[nodiscard]] std::string bash_completion(const ProgramPage& program);

}  // namespace cairn
