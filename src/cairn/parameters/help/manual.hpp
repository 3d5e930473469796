// The whole of help in other forms: a page of Markdown, a manual page, completion for a shell.
#pragma once

#include <string>

#include "cairn/parameters/help/pages.hpp"

namespace cairn {

/// All keys by section and the options of all commands, as tables of Markdown.
[[nodiscard]] std::string markdown_page(const ProgramPage& program);

/// A manual page for man(1), in the macros of man(7).
[[nodiscard]] std::string man_page(const ProgramPage& program);

/// A script that bash sources: commands, their options, and the values of options that have choices.
[[nodiscard]] std::string bash_completion(const ProgramPage& program);

}  // namespace cairn
