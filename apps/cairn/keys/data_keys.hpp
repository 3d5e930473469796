// The keys of the kinds of data, and what the settings specify of the chosen one: all from the descriptors.
#pragma once

#include <string>
#include <vector>

#include "cairn/data/data_kinds.hpp"
#include "cairn/parameters/settings.hpp"
#include "keys/option_table.hpp"

namespace cairn::app {

/// The section of the parameters of data, and the key that chooses a kind.
inline const std::string data_prefix = "data.";
inline const std::string data_key = data_prefix + "kind";

/// The key that keeps only the largest piece of a graph or mesh, which messages name.
inline const std::string largest_component_key = data_prefix + "largest-component";

/// The section [data].
[[nodiscard]] Section data_section();

/// Two lists of keys as one.
[[nodiscard]] std::vector<std::string> with(std::vector<std::string> keys, const std::vector<std::string>& others);
/// The keys that new objects of a stored result take; those of the kind itself first.
[[nodiscard]] std::vector<std::string> new_object_keys();
/// The keys by which a command finds the data of a stored result elsewhere.
[[nodiscard]] std::vector<std::string> place_keys();

/// The chosen kind; the default for a command that knows no other. Local.
[[nodiscard]] const DataKind& data_kind(const Settings& settings);
/// The values of its parameters, which refer to `settings`. Local.
[[nodiscard]] Values data_values(const Settings& settings);

/// Forgets where the data come from. Local.
void clear_data_source(Settings& settings);
/// Texts that are paths of files with the other values of [data] are taken for paths. Call it when all keys are set.
/// Local.
void take_texts_for_paths(Settings& settings);

}  // namespace cairn::app
