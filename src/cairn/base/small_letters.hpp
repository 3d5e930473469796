// Case-insensitive comparison of words.
#pragma once

#include <string>
#include <string_view>

namespace cairn {

/// The text with A to Z in lower case, whatever the locale. Local.
[[nodiscard]] inline std::string in_small_letters(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return small;
}

}  // namespace cairn
