// Similarities whose nearest objects are found exactly without all entries of K (nearest_search.hpp).
#pragma once

#include <string>
#include <vector>

namespace cairn {

/// Their names, in the order of help. Local.
[[nodiscard]] std::vector<std::string> similarities_with_nearest_search();

/// @param where  name of the option in the message @throws Error(usage) unless `similarity` is one of these names.
/// Local.
void require_nearest_search(const std::string& where, const std::string& similarity);

}  // namespace cairn
