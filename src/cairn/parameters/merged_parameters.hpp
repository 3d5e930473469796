// Parameters of several owners as one list.
#pragma once

#include <string>
#include <vector>

#include "cairn/parameters/parameter.hpp"

namespace cairn {

/// A method or similarity and its parameters.
struct ParameterOwner {
  std::string name;
  const std::vector<Parameter>* parameters;
};

/// One parameter for each name: `prefix` + name, a help text that names the owners, the widest range, all choices; the
/// default if it is the same for all owners. @throws Error(internal) for a name of several types. Local.
[[nodiscard]] std::vector<Parameter> merged_parameters(const std::string& prefix,
                                                       const std::vector<ParameterOwner>& owners);

}  // namespace cairn
