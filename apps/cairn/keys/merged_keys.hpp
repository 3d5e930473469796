// Keys of a section from the parameters of those that share it.
#pragma once

#include <string>
#include <vector>

#include "cairn/data/object_set.hpp"
#include "cairn/parameters/parameter.hpp"

namespace cairn::app {

/// A method or similarity, and what it takes.
struct Owner {
  std::string name;
  const std::vector<Parameter>* parameters;
};

/// One key for each name among the parameters: `prefix` and the name, a help text that says whose it is, the widest
/// range, all choices; the default if it is the same for all. @throws Error(internal) for a name of several types.
/// Local.
[[nodiscard]] std::vector<Parameter> merged_keys(const std::string& prefix, const std::vector<Owner>& owners);

/// Sentences for --help: for which objects a method or similarity of the table is the default. Local.
template <class Table>
[[nodiscard]] std::string defaults_help(const Table& table) {
  std::string text;
  for (const auto* descriptor : table) {
    for (const ObjectKind& objects : descriptor->default_for) {
      text += " The default for " + std::string(objects.name) + " is " + descriptor->name + ".";
    }
  }
  return text;
}

}  // namespace cairn::app
