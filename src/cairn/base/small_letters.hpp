// Words that are compared whatever their capitals.
#pragma once

#include <string>
#include <string_view>

namespace cairn {

/// The text with its capitals A to Z in small letters, whatever the locale is. Local.
[[nodiscard]] inline std::string in_small_letters(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return small;
}

}  // namespace cairn
