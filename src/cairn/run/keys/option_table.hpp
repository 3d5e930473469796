// The table of keys: every key of a config is declared here, once.
#pragma once

#include <string>
#include <vector>

#include "cairn/parameters/help/pages.hpp"

namespace cairn {

/// All sections, in the order of --help.
[[nodiscard]] const std::vector<Section>& sections();

/// Largest number of parts of a sum or product of similarities.
inline constexpr int largest_part = 9;

/// All keys of the sections, and all single keys, in `names`; the keys of the parts (similarity.1.gamma, ...) are
/// expanded if the section `similarity` is among them.
[[nodiscard]] std::vector<Parameter> keys_of(const std::vector<std::string>& names);

}  // namespace cairn
