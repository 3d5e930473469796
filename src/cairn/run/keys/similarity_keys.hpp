// The keys of the similarities, and the similarity that the settings choose: all from the descriptors.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cairn/parameters/settings.hpp"
#include "cairn/run/keys/option_table.hpp"
#include "cairn/similarity/catalog/similarities.hpp"

namespace cairn {

/// The section [similarity], and the keys of part number `part` of a sum or product.
[[nodiscard]] Section similarity_section();
[[nodiscard]] std::vector<Parameter> part_keys(int part);

/// Similarities to which each parameter belongs.
[[nodiscard]] const std::map<std::string, std::vector<std::string>>& similarities_of_parameter();
/// Similarities to which each key of [output] belongs. Local.
[[nodiscard]] const std::map<std::string, std::vector<std::string>>& similarities_of_output();
/// similarity.kind; by default the default similarity for the objects of the data.
/// @throws Error(usage) if there is none. Local.
[[nodiscard]] std::string similarity_kind(const Settings& settings);
/// The similarity that [similarity] describes, whose values refer to `settings`. If the data are a matrix, its file is
/// among the values. @throws Error(usage) for unknown parts. Local.
[[nodiscard]] SimilarityChoice similarity_choice(const Settings& settings);

}  // namespace cairn
