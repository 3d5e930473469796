// The keys of the kinds of data, and the values of the chosen kind: all from the descriptors.
#pragma once

#include <string>
#include <vector>

#include "cairn/data/data_kinds.hpp"
#include "cairn/parameters/settings.hpp"
#include "cairn/run/keys/option_table.hpp"

namespace cairn {

/// Prefix of the data section, and the key that chooses a kind.
inline const std::string data_prefix = "data.";
inline const std::string data_key = data_prefix + "kind";

/// Key that keeps only the largest piece of a graph or mesh, as named in messages.
inline const std::string largest_component_key = data_prefix + "largest-component";

/// The section [data].
[[nodiscard]] Section data_section();

/// Two lists of keys, concatenated.
[[nodiscard]] std::vector<std::string> with(std::vector<std::string> keys, const std::vector<std::string>& others);
/// Keys for new objects of a stored result; those of the kind itself first.
[[nodiscard]] std::vector<std::string> new_object_keys();
/// Keys by which a command finds the data of a stored result in another place.
[[nodiscard]] std::vector<std::string> place_keys();

/// The chosen kind; for a command without that key, the default kind. Local.
[[nodiscard]] const DataKind& data_kind(const Settings& settings);
/// The values of its parameters, which refer to `settings`. Local.
[[nodiscard]] Values data_values(const Settings& settings);

/// Clears the source of the data. Local.
void clear_data_source(Settings& settings);
/// Marks texts as paths if the other values of [data] make them paths of files. Call it when all keys are set. Local.
void take_texts_for_paths(Settings& settings);

}  // namespace cairn
