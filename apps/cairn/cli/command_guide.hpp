// What help and messages say of a command beside its descriptors: what is used most, and examples.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cairn/parameters/missing_value.hpp"
#include "cli/command.hpp"

namespace cairn::app {

/// Options and keys that are used most, in the order of help. Local.
[[nodiscard]] std::vector<std::string> common_options(const Command& command);
/// Command lines over data that come with Cairn, or the files of those before them. Local.
[[nodiscard]] std::vector<std::string> examples_of(const Command& command);
[[nodiscard]] std::vector<std::string> all_examples();

/// A command line with this value, on the first kind of data that Command::check takes with it; none if it takes none.
[[nodiscard]] std::vector<std::string> derived_examples(const Command& command, const std::string& key,
                                                        const std::string& value);

/// The short options of a command with these options: a letter, and the option that it stands for. Local.
[[nodiscard]] std::vector<std::pair<char, std::string>> letters_of(const std::vector<Parameter>& options);

/// All that Command::check finds missing, in the order of the options, each with an example. Local.
[[nodiscard]] std::vector<MissingKey> missing_options(const Command& command, const Settings& settings,
                                                      const std::vector<std::string>& arguments);
/// What a command asks for if nothing is given. Local.
[[nodiscard]] std::vector<std::string> required_options(const Command& command);

}  // namespace cairn::app
