// The table of keys: every key of a config is declared here, once.
#pragma once

#include <string>
#include <vector>

#include "cairn/parameters/help/pages.hpp"

namespace cairn::app {

/// All sections, in the order of --help.
[[nodiscard]] const std::vector<Section>& sections();

/// Largest number of parts of a sum or product of similarities.
inline constexpr int largest_part = 9;

/// Every key of the sections, and every single key, in `names`; the keys of the parts (similarity.1.gamma, ...) written
/// out where the section `similarity` is among them.
[[nodiscard]] std::vector<Parameter> keys_of(const std::vector<std::string>& names);

}  // namespace cairn::app
