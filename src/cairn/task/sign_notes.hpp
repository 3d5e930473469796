// Notes on the negative part of an indefinite K~, which a machine that trains on rows of L ignores.
#pragma once

#include <string>
#include <vector>

#include "cairn/approximation/core_matrix.hpp"

namespace cairn {

/// A sentence if K~ = L J Lᵀ has columns whose value in a diagonal J is below 0: rows of L do not contain this sign.
/// Else nothing. @param path  of the result. Local.
[[nodiscard]] std::vector<std::string> sign_notes(const CoreMatrix& core_matrix, const std::string& path);

}  // namespace cairn
