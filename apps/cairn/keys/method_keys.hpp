// The keys of the methods, and what the settings say of the chosen one: all from the descriptors.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cairn/approximation/methods.hpp"
#include "cairn/parameters/settings.hpp"
#include "cairn/run/computation/method_choice.hpp"
#include "keys/option_table.hpp"

namespace cairn::app {

/// The section of the methods' parameters, and the key that chooses one.
inline const std::string method_prefix = "approximation.";
inline const std::string method_key = method_prefix + "method";

/// The section [approximation].
[[nodiscard]] Section approximation_section();
/// Which methods a key belongs to; those of all methods are not listed.
[[nodiscard]] const std::map<std::string, std::vector<std::string>>& methods_of_key();

/// The section [landmarks].
[[nodiscard]] Section landmarks_section();

/// approximation.method; by default the method that is the default for the objects of the data, or the first one.
/// Local.
[[nodiscard]] const MethodDescriptor& method_of(const Settings& settings);
/// The same with its values and those of [landmarks], which refer to `settings`. Local.
[[nodiscard]] MethodChoice method_choice(const Settings& settings);
/// The same of a method that a command chooses. Local.
[[nodiscard]] MethodChoice method_choice(const Settings& settings, const MethodDescriptor& method);

}  // namespace cairn::app
