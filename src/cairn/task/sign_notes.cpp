#include "cairn/task/sign_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "cairn/parameters/units.hpp"

namespace cairn {

std::vector<std::string> sign_notes(const CoreMatrix& core_matrix, const std::string& path) {
  const auto* diagonal = std::get_if<DiagonalCore>(&core_matrix);
  if (diagonal == nullptr) return {};
  const auto negative = std::ranges::count_if(diagonal->values, [](double value) { return value < 0; });
  if (negative == 0) return {};
  return {
      fmt::format("K~ of {} is indefinite: {} of {} columns of L have a negative sign in it, which the features, rows "
                  "of L, do not: it is trained on L Lᵀ",
                  path, grouped(negative), grouped(std::ssize(diagonal->values)))};
}

}  // namespace cairn
