// Additions to the descriptors of a command in help and messages: the most common options, and examples.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cairn/parameters/missing_value.hpp"
#include "cli/command.hpp"

namespace cairn::app {

/// The most common options and keys, in the order of help. Local.
[[nodiscard]] std::vector<std::string> common_options(const Command& command);
/// Command lines that use data shipped with Cairn, or files written by preceding examples. Local.
[[nodiscard]] std::vector<std::string> examples_of(const Command& command);
[[nodiscard]] std::vector<std::string> all_examples();

/// A command line with this value, for the first kind of data with which Command::check accepts it; empty if there is
/// none.
[[nodiscard]] std::vector<std::string> derived_examples(const Command& command, const std::string& key,
                                                        const std::string& value);

/// The short options of a command with these options: pairs of a letter and its long option. Local.
[[nodiscard]] std::vector<std::pair<char, std::string>> letters_of(const std::vector<Parameter>& options);

/// All options that Command::check reports as missing, in the order of the options, each with an example. Local.
[[nodiscard]] std::vector<MissingKey> missing_options(const Command& command, const Settings& settings,
                                                      const std::vector<std::string>& arguments);
/// Options that a command requires if nothing is given. Local.
[[nodiscard]] std::vector<std::string> required_options(const Command& command);

}  // namespace cairn::app
