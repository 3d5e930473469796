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
/// Those whose distances can be kept.
[[nodiscard]] std::vector<std::string> functions_of_distances();
/// Similarities that are functions of co-occurrences.
[[nodiscard]] std::vector<std::string> functions_of_counts();
/// The keys of [output] that similarities have, and which have each. Local.
[[nodiscard]] std::vector<Parameter> similarity_output_keys();
[[nodiscard]] const std::map<std::string, std::vector<std::string>>& similarities_of_output();
/// Those that compare documents with random ones.
[[nodiscard]] std::vector<std::string> similarities_with_random();
/// Those that compare such objects. Local.
[[nodiscard]] std::vector<std::string> similarities_of(ObjectKind objects);
/// Whether it, or each of its parts, compares such objects. Local.
[[nodiscard]] bool compares(const SimilarityChoice& choice, ObjectKind objects);

/// The similarity that [similarity] describes, whose values refer to `settings`; the file of a matrix that is the data
/// is theirs. @throws Error(usage) for parts that are unknown. Local.
[[nodiscard]] SimilarityChoice similarity_choice(const Settings& settings);

}  // namespace cairn::app
