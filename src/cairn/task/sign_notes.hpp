// What a machine that trains on rows of L does not see of an indefinite K~.
#pragma once

#include <string>
#include <vector>

#include "cairn/approximation/joining.hpp"

namespace cairn {

/// A sentence if K~ = L J Lᵀ has columns whose value in a diagonal J is below 0: rows of L know nothing of it. Else
/// nothing. @param path  of the result Local.
[[nodiscard]] std::vector<std::string> sign_notes(const Joining& joining, const std::string& path);

}  // namespace cairn
