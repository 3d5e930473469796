#include "suggestion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace cairn::app {

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

std::string suggestion(std::string_view name, const std::vector<std::string>& known) {
  constexpr std::size_t few = 12;
  if (known.empty()) return "";
  const auto nearest = std::min_element(known.begin(), known.end(), [&](const auto& a, const auto& b) {
    return edit_distance(name, a) < edit_distance(name, b);
  });
  const auto tolerated = std::max<std::size_t>(2, nearest->size() / 3);
  if (static_cast<std::size_t>(edit_distance(name, *nearest)) <= tolerated) {
    return fmt::format("; did you mean '{}'?", *nearest);
  }
  return known.size() <= few ? fmt::format("; known are {}", fmt::join(known, ", ")) : "";
}

}  // namespace cairn::app
