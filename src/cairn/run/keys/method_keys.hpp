// The keys of the methods, and the values of the chosen method: all from the descriptors.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cairn/approximation/catalog/methods.hpp"
#include "cairn/parameters/settings.hpp"
#include "cairn/run/computation/method_choice.hpp"
#include "cairn/run/keys/option_table.hpp"

namespace cairn {

/// Prefix of the methods' section, and the key that chooses a method.
inline const std::string method_prefix = "approximation.";
inline const std::string method_key = method_prefix + "method";

/// The section [approximation].
[[nodiscard]] Section approximation_section();
/// Methods to which each key belongs; keys of all methods are not listed.
[[nodiscard]] const std::map<std::string, std::vector<std::string>>& methods_of_key();

/// The section [landmarks].
[[nodiscard]] Section landmarks_section();

/// approximation.method; by default the default method for the objects of the data, or the first one. Local.
[[nodiscard]] const MethodDescriptor& method_of(const Settings& settings);
/// The same with its values and those of [landmarks], which refer to `settings`. Local.
[[nodiscard]] MethodChoice method_choice(const Settings& settings);
/// The same for a method that a command chooses. Local.
[[nodiscard]] MethodChoice method_choice(const Settings& settings, const MethodDescriptor& method);

}  // namespace cairn
