// Contents of help: commands, their options, and the keys of configs, from descriptors.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cairn/parameters/parameter.hpp"

namespace cairn {

/// One section of a config file.
struct Section {
  std::string name;
  std::vector<Parameter> options;
};

/// A positional argument; all are required. If the last name ends in ..., it stands for one or more.
struct Argument {
  std::string name;
  std::string help;
};

/// Help page of one command.
struct CommandPage {
  std::string name;
  std::string usage;    ///< without "Usage: "
  std::string summary;  ///< one sentence
  std::string details;  ///< more sentences
  std::vector<Argument> arguments;
  std::vector<Parameter> options;                     ///< the command's own options
  std::vector<Section> sections;                      ///< the keys that it takes, as far as help lists them
  std::vector<std::string> required;                  ///< required options and keys
  std::vector<std::string> common;                    ///< the most used ones
  std::vector<std::string> examples;                  ///< command lines
  std::vector<std::pair<char, std::string>> letters;  ///< short options, each with its long option

  /// The option or key of that name, or null.
  [[nodiscard]] const Parameter* find(const std::string& option) const;
  /// ", -n" for an option that has a short one; else empty.
  [[nodiscard]] std::string letter_of(const std::string& option) const;
};

/// Help page of a program.
struct ProgramPage {
  std::string name;
  std::string version;
  std::string summary;  ///< a sentence
  std::vector<CommandPage> commands;
  std::vector<Section> sections;
  std::vector<std::string> topics;  ///< other words that help accepts
  std::string exit_codes;           ///< a sentence
};

}  // namespace cairn
