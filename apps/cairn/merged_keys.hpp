// Keys of a section from the parameters of those that share it.
#pragma once

#include <string>
#include <vector>

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

}  // namespace cairn::app
