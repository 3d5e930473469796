// The keys of the methods, and what the settings say of the chosen one: all from the descriptors.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cairn/approximation/methods.hpp"
#include "cairn/parameters/settings.hpp"
#include "keys/option_table.hpp"
#include "keys/problem.hpp"

namespace cairn::app {

/// The section of the methods' parameters, and the key that chooses one.
inline const std::string method_prefix = "approximation.";
inline const std::string method_key = method_prefix + "method";

/// The section [approximation].
[[nodiscard]] Section approximation_section();
/// Keys of [output] that some methods have.
[[nodiscard]] std::vector<Parameter> method_output_keys();

/// Which methods a key belongs to; those of all methods are not listed.
[[nodiscard]] const std::map<std::string, std::vector<std::string>>& methods_of_key();

/// The chosen method, and the values of its parameters, which refer to `settings`. Local.
[[nodiscard]] const MethodDescriptor& method_of(const Settings& settings);
[[nodiscard]] Values method_values(const Settings& settings);

/// Whether the method takes P and its landmarks from another result. Local.
[[nodiscard]] bool method_reuses_landmarks(const Settings& settings);
/// Whether the method needs landmarks.count: false if a parameter of its own was given in its place. Local.
[[nodiscard]] bool method_takes_count(const Settings& settings);

}  // namespace cairn::app
