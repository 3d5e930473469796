#include "cairn/parameters/suggestion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cairn/base/joined.hpp"
#include "cairn/base/small_letters.hpp"

namespace cairn {

int edit_distance(std::string_view first, std::string_view second) {
  std::vector<int> row(second.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < first.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i) + 1;
    for (std::size_t j = 0; j < second.size(); ++j) {
      const int substituted = diagonal + (first[i] == second[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string suggestion(std::string_view typed, const std::vector<std::string>& known) {
  constexpr std::size_t few = 12;
  const std::string name = in_small_letters(typed);  // all names are lower case
  if (known.empty()) return "";
  const auto tolerated = [](const std::string& one) { return std::max<std::size_t>(2, one.size() / 3); };
  const std::string* nearest = nullptr;
  std::size_t least = 0;
  for (const std::string& one : known) {
    const std::size_t lengths = std::max(one.size(), name.size()) - std::min(one.size(), name.size());
    if (lengths > tolerated(one)) continue;  // a lower bound of the distance; there are hundreds of keys
    const auto distance = static_cast<std::size_t>(edit_distance(name, one));
    if (nearest == nullptr || distance < least) nearest = &one, least = distance;
  }
  if (nearest != nullptr && least <= tolerated(*nearest)) return fmt::format("; did you mean '{}'?", *nearest);
  return known.size() <= few ? fmt::format("; known are {}", joined(known, ", ")) : "";
}

}  // namespace cairn
