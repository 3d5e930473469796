// Help on single words: keys, options, sections.
#pragma once

#include <string>
#include <vector>

#include "cairn/parameters/help/pages.hpp"

namespace cairn {

/// The example command lines that have the option, with this value unless `value` is empty; at most three.
[[nodiscard]] std::vector<std::string> examples_with(const std::vector<std::string>& examples,
                                                     const std::string& option, const std::string& value = {});

/// A page for each option and key of that name, or whose name ends in it after a dot; commands with the same text share
/// a page.
[[nodiscard]] std::vector<std::string> option_pages(const ProgramPage& program, const std::string& name);

/// Sections named in `taken` as a whole; of the others, the keys that are named there. Local.
[[nodiscard]] std::vector<Section> sections_with(const std::vector<Section>& sections,
                                                 const std::vector<std::string>& taken);

/// All keys by section, with one sentence each.
[[nodiscard]] std::string list_of_keys(const ProgramPage& program);

/// All words that help accepts.
[[nodiscard]] std::vector<std::string> words_of_help(const ProgramPage& program);

}  // namespace cairn
