// The keys of the similarities, and the similarity that the settings choose: all from the descriptors.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cairn/parameters/settings.hpp"
#include "cairn/similarity/similarities.hpp"
#include "keys/option_table.hpp"

namespace cairn::app {

/// The section [similarity], and the keys of part number `part` of a sum or product.
[[nodiscard]] Section similarity_section();
[[nodiscard]] std::vector<Parameter> part_keys(int part);

/// Which similarities a parameter belongs to.
[[nodiscard]] const std::map<std::string, std::vector<std::string>>& similarities_of_parameter();
/// Which similarities a key of [output] belongs to. Local.
[[nodiscard]] const std::map<std::string, std::vector<std::string>>& similarities_of_output();
/// similarity.kind; by default the similarity that is the default for the objects of the data.
/// @throws Error(usage) if there is none. Local.
[[nodiscard]] std::string similarity_kind(const Settings& settings);
/// The similarity that [similarity] describes, whose values refer to `settings`; the file of a matrix that is the data
/// is theirs. @throws Error(usage) for parts that are unknown. Local.
[[nodiscard]] SimilarityChoice similarity_choice(const Settings& settings);

}  // namespace cairn::app
