// Help on single words: keys, options, sections.
#pragma once

#include <string>
#include <vector>

#include "cairn/parameters/help/pages.hpp"

namespace cairn {

/// Those of the example command lines that have the option, with this value unless it is empty; at most three.
[[nodiscard]] std::vector<std::string> examples_with(const std::vector<std::string>& examples,
                                                     const std::string& option, const std::string& value = {});

/// A page for each option and key of that name, or whose name ends in it after a dot; one for all commands in which it
/// says the same.
[[nodiscard]] std::vector<std::string> option_pages(const ProgramPage& program, const std::string& name);

/// Of the sections those among `taken`, and of the others the keys that are among them. Local.
[[nodiscard]] std::vector<Section> sections_with(const std::vector<Section>& sections,
                                                 const std::vector<std::string>& taken);

/// All keys by section, with a sentence each.
[[nodiscard]] std::string list_of_keys(const ProgramPage& program);

/// Every word that help could be asked for.
[[nodiscard]] std::vector<std::string> words_of_help(const ProgramPage& program);

}  // namespace cairn
